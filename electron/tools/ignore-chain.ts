import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { parseIgnoreRules, type IgnoreRules } from './ignore-rules.js'

/** Rules of one folder and of those above it, by the kind of file; the deepest folder that says something counts. */
export interface IgnoreChain {
  readonly byKind: Readonly<Record<Kind, Layer | null>>
  /** All of them in the order in which they are asked. */
  readonly layers: readonly Layer[]
  readonly isEmpty: boolean
}

interface Layer {
  readonly rules: IgnoreRules
  /** Length of the path of the folder that holds the file, with its `/`. */
  readonly base: number
  readonly above: Layer | null
}

/** In the order in which they are asked: those for search tools stand above git's. */
const kinds = ['.rgignore', '.ignore', '.gitignore', 'exclude'] as const
type Kind = (typeof kinds)[number]

const fileNames = ['.rgignore', '.ignore', '.gitignore'] as const
const maxRuleBytes = 4 * 1024 * 1024
export const noRules: IgnoreChain = { byKind: { '.rgignore': null, '.ignore': null, '.gitignore': null, exclude: null }, layers: [], isEmpty: true }

/** Where a walk below `folder` starts: the folder whose rules count first, and the chain of all above `folder`. */
export interface IgnoreStart {
  /** Absolute: the top of the git repository around `folder`, or `root` where there is none. */
  readonly top: string
  readonly isInGit: boolean
  readonly chain: IgnoreChain
}

/**
 * The rules above `folder`: of its git repository, which may begin above the workspace, else of the workspace `root`. Not the
 * person's global rules, so that the same search finds the same on every machine.
 */
export function ignoreStart(root: string, folder: string): IgnoreStart {
  const gitTop = gitTopOf(folder)
  const top = gitTop ?? root
  const names = relative(top, folder).split(sep).filter((name) => name !== '')
  let chain = noRules
  let path = ''
  for (const name of names) {
    const present = fileNames.filter((file) => existsSync(join(top, path, file)))
    chain = enterFolder(chain, join(top, path), path, path === '' && gitTop !== null ? [...present, '.git'] : present)
    path += `${name}/`
  }
  return { top, isInGit: gitTop !== null, chain }
}

/**
 * The chain inside a folder that holds entries with these names. A folder with a `.git` begins a repository of its own.
 *
 * Shape: `path` is relative to the top, `''` or with `/` at its end.
 */
export function enterFolder(chain: IgnoreChain, absolute: string | Buffer, path: string, names: readonly string[]): IgnoreChain {
  if (names.length === 0) return chain
  const isRepository = names.includes('.git')
  const files = fileNames.filter((file) => names.includes(file))
  if (!isRepository && files.length === 0) return chain
  const byKind = { ...chain.byKind }
  if (isRepository) {
    byKind['.gitignore'] = null
    byKind.exclude = typeof absolute === 'string' ? layer(excludeFile(absolute), path.length, null) : null
  }
  for (const file of files) byKind[file] = layer(below(absolute, file), path.length, byKind[file]) ?? byKind[file]
  const layers = kinds.flatMap((kind) => withThoseAbove(byKind[kind]))
  return { byKind, layers, isEmpty: layers.length === 0 }
}

function withThoseAbove(layer: Layer | null): readonly Layer[] {
  return layer ? [layer, ...withThoseAbove(layer.above)] : []
}

/** What the rules say about an entry of the folder `path`; `kept` when one names it as not to be ignored. */
export function verdictOf(chain: IgnoreChain, path: string, name: string, isFolder: boolean): 'ignored' | 'kept' | null {
  for (const { rules, base } of chain.layers) {
    const verdict = rules.verdict(base === 0 ? path : path.slice(base), name, isFolder)
    if (verdict !== null) return verdict
  }
  return null
}

function layer(file: string | Buffer | null, base: number, above: Layer | null): Layer | null {
  const rules = file === null ? null : readRules(file)
  return rules && { rules, base, above }
}

function readRules(file: string | Buffer): IgnoreRules | null {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= maxRuleBytes ? parseIgnoreRules(readFileSync(file, 'utf8')) : null
  } catch {
    // Rules that cannot be read hide nothing.
    return null
  }
}

function below(folder: string | Buffer, name: string): string | Buffer {
  return typeof folder === 'string' ? join(folder, name) : Buffer.concat([folder, Buffer.from(`/${name}`)])
}

function gitTopOf(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return null
  }
}

/** `info/exclude` of a repository; of a worktree, whose `.git` is a file, that of the repository it belongs to. */
function excludeFile(top: string): string | null {
  try {
    const git = join(top, '.git')
    if (statSync(git).isDirectory()) return join(git, 'info', 'exclude')
    const folder = resolveFrom(top, readFileSync(git, 'utf8').replace(/^gitdir:\s*/, '').trim())
    const common = existsSync(join(folder, 'commondir')) ? readFileSync(join(folder, 'commondir'), 'utf8').trim() : '.'
    return join(resolveFrom(folder, common), 'info', 'exclude')
  } catch {
    return null
  }
}

function resolveFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path)
}
