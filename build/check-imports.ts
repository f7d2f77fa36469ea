// Proves the layers: reads every source file of shared/, electron/ and renderer/ and reports each import, write
// function and package that the table in import-rules.ts does not allow.

import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { join, posix, sep } from 'node:path'
import ts from 'typescript'
import { confined, rooms, typeOnly, writeFunctions, writers } from './import-rules.js'

export interface CheckResult {
  /** How many source files were read; a check of none proves nothing. */
  readonly moduleCount: number
  /** One sentence each: file, line, what is wrong. */
  readonly violations: readonly string[]
}

interface ImportSite {
  readonly specifier: string
  readonly isTypeOnly: boolean
  readonly line: number
}

/** Checks the three source folders below `root`. Tests and declaration files are left out. */
export async function checkImports(root: string): Promise<CheckResult> {
  const folders = ['shared', 'electron', 'renderer'].filter((folder) => existsSync(join(root, folder)))
  const files = (await Promise.all(folders.map((folder) => sourcesUnder(root, folder)))).flat().sort()
  const violations = await Promise.all(files.map(async (file) => checkFile(root, file, await readFile(join(root, file), 'utf8'))))
  return { moduleCount: files.length, violations: violations.flat() }
}

async function sourcesUnder(root: string, folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true })
  return names
    .map((name) => posix.join(folder, name.split(sep).join('/')))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\.d\.ts$|\/(fixtures|scenarios)\//.test(name))
}

function checkFile(root: string, file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const room = roomOf(file)
  if (room === null) return [`${file}: this room is not in build/import-rules.ts.`]
  const imports = importsOf(source)
  const problems = imports.flatMap((site) => {
    const problem = isRelative(site.specifier)
      ? relativeProblem(file, room, resolveSource(root, file, site.specifier), site)
      : packageProblem(file, site.specifier)
    return problem === null ? [] : [`${file}:${site.line}: ${problem}`]
  })
  const usesFiles = imports.some(({ specifier }) => /^(node:)?fs(\/promises)?$/.test(specifier))
  const writes = usesFiles && !isAt(file, [...writers, 'electron/testing']) ? writeCalls(source) : []
  return [...problems, ...writes.map(({ name, line }) => `${file}:${line}: only the files listed as writers may call ${name}.`)]
}

function relativeProblem(file: string, room: string, target: string, site: ImportSite): string | null {
  const allowed = [room, ...(rooms[room] ?? [])]
  if (!isAt(target, allowed)) return `${room} may not import ${target}.`
  const rule = typeOnly.find((candidate) => candidate.target === target && isAt(file, candidate.from))
  return rule !== undefined && !site.isTypeOnly ? `${target} may be imported with "import type" only.` : null
}

function packageProblem(file: string, specifier: string): string | null {
  const name = packageOf(specifier)
  const isNode = name.startsWith('node:')
  if (isNode && !file.startsWith('electron/')) return `${name} belongs to Node, which is only in electron/.`
  const places = confined[name]
  if (places !== undefined && !isAt(file, [...places, 'electron/testing'])) return `${name} may only be imported in ${places.join(', ')}.`
  if (file.startsWith('shared/') && places === undefined) return `shared/ imports no package: ${name}.`
  return null
}

/** `@scope/name/deep` → `@scope/name`; Node's own modules get their prefix and lose what follows: `fs/promises` → `node:fs`. */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/')
  if (first.startsWith('node:') || builtinModules.includes(first)) return `node:${first.replace('node:', '')}`
  return first.startsWith('@') ? `${first}/${second}` : first
}

function roomOf(file: string): string | null {
  const matches = Object.keys(rooms).filter((room) => isAt(file, [room]))
  return matches.sort((a, b) => b.length - a.length)[0] ?? null
}

/** Whether `file` is one of `places` or lies below one. */
function isAt(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(`${place}/`))
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.')
}

/** The source file that a relative import means: written `.js` after the output, with a bundler's `?query` or without. */
function resolveSource(root: string, file: string, specifier: string): string {
  const path = posix.join(posix.dirname(file), specifier.replace(/\?.*$/, ''))
  const candidates = [path.replace(/\.js$/, '.ts'), path.replace(/\.jsx?$/, '.tsx'), `${path}.ts`, `${path}.tsx`, path]
  return candidates.find((candidate) => existsSync(join(root, candidate))) ?? path
}

function importsOf(source: ts.SourceFile): ImportSite[] {
  const sites: ImportSite[] = []
  const add = (node: ts.Node, specifier: ts.Node | undefined, isTypeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return
    sites.push({ specifier: specifier.text, isTypeOnly, line: lineOf(source, node) })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, node.importClause?.isTypeOnly === true)
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true)
    else if (ts.isCallExpression(node) && isImportCall(node)) add(node, node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return sites
}

function isImportCall({ expression }: ts.CallExpression): boolean {
  return expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require')
}

function writeCalls(source: ts.SourceFile): { readonly name: string; readonly line: number }[] {
  const calls: { readonly name: string; readonly line: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText(source)
      const isWrite = writeFunctions.includes(name.replace(/Sync$/, '')) && !isStreamWrite(node)
      if (isWrite || opensForWriting(name, node)) calls.push({ name, line: lineOf(source, node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return calls
}

/** `process.stdout.write` and the like change no file. */
function isStreamWrite({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && /\bstd(out|err)$/.test(expression.expression.getText())
}

function opensForWriting(name: string, call: ts.CallExpression): boolean {
  const flags = call.arguments[1]
  // Many things can be opened; only the plain function and that of a module named fs open files.
  const isOfFiles = ts.isIdentifier(call.expression) || /^fs\b/.test(call.expression.getText())
  if (!/^open(Sync)?$/.test(name) || !isOfFiles || flags === undefined) return false
  if (ts.isStringLiteralLike(flags)) return !/^rs?$/.test(flags.text)
  const text = flags.getText()
  return !/\bO_RDONLY\b/.test(text) || /\bO_(WRONLY|RDWR|CREAT|APPEND|TRUNC)\b/.test(text)
}

function lineOf(source: ts.SourceFile, node: ts.Node): number {
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
}
