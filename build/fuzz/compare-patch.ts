// Applies random patches with our own engine, git apply and GNU patch, and compares the trees byte for byte.

import { spawnSync } from 'node:child_process'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { applyBinaryPatch, applyFilePatch, parsePatchText } from '../../electron/edits/patch-edit.js'
import { modeOf, type FuzzFile, type PatchCase, type Tree } from './patch-cases.js'
import { onlyResult } from './prove-patch.js'

export type PatchComparison =
  | { readonly kind: 'no-patch' }
  /** Ours is the tree that this one made, too; `edit`: of a clean target, and the tree after the edit. */
  | { readonly kind: 'same'; readonly as: 'edit' | 'git' | 'patch' | 'proof' }
  | { readonly kind: 'refused'; readonly message: string; readonly others: 'none' | 'git' | 'patch' }
  | { readonly kind: 'wrong'; readonly what: string; readonly patch: string }

export function hasPatchTools(): boolean {
  return ['git', 'diff', 'patch'].every((tool) => spawnSync(tool, ['--version']).status === 0)
}

/** A folder with an empty repository, in which cases run one after the other. */
export class PatchComparer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'fuzz-patch-'))

  constructor() {
    mkdirSync(join(this.#folder, 'repository'))
    this.#run('git', ['init', '--quiet'], 'repository')
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  compare(item: PatchCase): PatchComparison {
    const patch = item.tool === 'git' ? this.#gitPatch(item) : this.#plainPatch(item)
    if (patch.length === 0) return { kind: 'no-patch' }
    const text = patch.toString()
    const ours = applyOurs(text, item.target)
    const wrong = (what: string): PatchComparison => ({ kind: 'wrong', what, patch: text })
    if (item.isClean) {
      if (typeof ours === 'string') return wrong(`refused on a clean target: ${ours}`)
      if (isSame(ours, item.after, item.tool)) return { kind: 'same', as: 'edit' }
      return wrong(`not the tree after the edit: ${difference(ours, item.after)}`)
    }

    writeFileSync(join(this.#folder, 'patch'), patch)
    const depth = item.options.includes('--no-prefix') ? '-p0' : '-p1'
    const zero = item.contextLines === 0 ? ['--unidiff-zero'] : []
    const git = this.#applyIn(item.target, 'git', ['apply', depth, ...zero, '--whitespace=nowarn', '../patch'])
    if (typeof ours !== 'string' && git !== null && isSame(ours, git)) return { kind: 'same', as: 'git' }
    const isPlain = ![...item.before.values(), ...item.after.values()].some(({ bytes, mode }) => bytes.includes(0) || mode === '120000')
    const patchArgs = [depth, '-f', '-s', '-E', '--binary', '--no-backup-if-mismatch', '-i', '../patch']
    const runPatch = (...fuzz: readonly string[]): Tree | null =>
      isPlain ? this.#applyIn(item.target, 'patch', [...patchArgs, ...fuzz]) : null
    const strict = runPatch('-F0')
    if (typeof ours === 'string') {
      return { kind: 'refused', message: ours, others: git !== null ? 'git' : strict !== null || runPatch() !== null ? 'patch' : 'none' }
    }
    if (strict !== null && isSame(ours, strict)) return { kind: 'same', as: 'patch' }
    const proof = onlyResult(text, item.target, item.after)
    if (proof !== null && isSame(ours, proof)) return { kind: 'same', as: 'proof' }
    const told = (tree: Tree | null): string => (tree === null ? 'refuses' : `differs: ${difference(ours, tree)}`)
    return wrong(`git ${told(git)}, patch ${told(strict)}, the proof ${told(proof)}`)
  }

  #gitPatch({ before, after, options, contextLines }: PatchCase): Buffer {
    const store = (tree: Tree): string => {
      this.#fill('repository', tree)
      this.#run('git', ['add', '--all', '--force', '.'], 'repository')
      return this.#run('git', ['write-tree'], 'repository').toString().trim()
    }
    return this.#run('git', ['diff-tree', '-p', '-r', `-U${contextLines}`, ...options, store(before), store(after)], 'repository')
  }

  #plainPatch({ before, after, contextLines }: PatchCase): Buffer {
    this.#fill('a', before)
    this.#fill('b', after)
    return this.#run('diff', ['-r', '-N', '-a', `-U${contextLines}`, 'a', 'b'], '.')
  }

  /** The tree that a program makes of the target, or null where it fails. */
  #applyIn(target: Tree, program: string, args: readonly string[]): Tree | null {
    this.#fill('target', target)
    const run = spawnSync(program, args, { cwd: join(this.#folder, 'target'), env: this.#env })
    return run.status === 0 ? readTree(join(this.#folder, 'target')) : null
  }

  get #env(): NodeJS.ProcessEnv {
    const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_CEILING_DIRECTORIES: this.#folder }
    return { ...git, PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  }

  #run(program: string, args: readonly string[], folder: string): Buffer {
    const run = spawnSync(program, args, { cwd: join(this.#folder, folder), env: this.#env, maxBuffer: 1 << 28 })
    // diff(1) says with 1 that there is a difference.
    if (run.status === 0 || (program === 'diff' && run.status === 1)) return run.stdout
    throw new Error(`${program} ${args.join(' ')}: ${run.stderr.toString().slice(0, 1000)}`, { cause: run.error })
  }

  #fill(name: string, tree: Tree): void {
    const folder = join(this.#folder, name)
    mkdirSync(folder, { recursive: true })
    for (const entry of readdirSync(folder)) if (entry !== '.git') rmSync(join(folder, entry), { recursive: true })
    for (const [path, { bytes, mode }] of tree) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      if (mode === '120000') symlinkSync(bytes.toString(), file)
      else writeFileSync(file, bytes)
      if (mode === '100755') chmodSync(file, 0o755)
    }
  }
}

/** All files of a patch applied to a tree, or why one of them was refused. */
function applyOurs(patch: string, target: Tree): Tree | string {
  const parsed = parsePatchText(patch)
  if (parsed.kind === 'malformed') return parsed.reason
  const tree = new Map(target)
  const gone = new Set<string>()
  for (const file of parsed.files) {
    const source = file.from ?? file.path
    // Copies and renames are of the tree before, whatever else the patch does to their source.
    const before = file.from === null ? (tree.get(source) ?? null) : (target.get(source) ?? null)
    const isBytes = file.isBinary || file.content.kind === 'same'
    const result = isBytes ? applyBinaryPatch(file, before?.bytes ?? null) : applyFilePatch(file, before?.bytes.toString() ?? null)
    if (result.kind === 'refused') return result.message
    const content = 'bytes' in result ? result.bytes : result.text
    if (file.op === 'rename') gone.add(source)
    if (content === null) {
      tree.delete(file.path)
      continue
    }
    const isModeChanged = file.newMode !== null && file.newMode !== file.oldMode
    const mode = isModeChanged ? modeOf(file.newMode) : (before?.mode ?? '100644')
    tree.set(file.path, { bytes: Buffer.from(content), mode })
    gone.delete(file.path)
  }
  for (const path of gone) tree.delete(path)
  return tree
}

/** diff(1) knows neither modes nor whether an empty file is there. */
function isSame(one: Tree, other: Tree, tool: PatchCase['tool'] = 'git'): boolean {
  if (tool === 'diff') return isSame(contentsOf(one), contentsOf(other))
  const isIn = (path: string, { bytes, mode }: FuzzFile): boolean => other.get(path)?.mode === mode && (other.get(path)?.bytes.equals(bytes) ?? false)
  return one.size === other.size && [...one].every(([path, file]) => isIn(path, file))
}

/** The first file in which two trees differ. */
function difference(ours: Tree, other: Tree): string {
  const show = (file: FuzzFile | undefined): string => (file === undefined ? 'none' : `${file.mode} ${JSON.stringify(file.bytes.toString())}`)
  for (const path of [...ours.keys(), ...other.keys()])
    if (show(ours.get(path)) !== show(other.get(path))) return `${path}: ours ${show(ours.get(path))} theirs ${show(other.get(path))}`
  return 'only bytes'
}

function contentsOf(tree: Tree): Tree {
  return new Map([...tree].filter(([, { bytes }]) => bytes.length > 0).map(([path, { bytes }]) => [path, { bytes, mode: '100644' }]))
}

function readTree(folder: string, prefix = '', tree = new Map<string, FuzzFile>()): Tree {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) readTree(path, `${prefix}${entry.name}/`, tree)
    else if (entry.isSymbolicLink()) tree.set(prefix + entry.name, { bytes: Buffer.from(readlinkSync(path)), mode: '120000' })
    else tree.set(prefix + entry.name, { bytes: readFileSync(path), mode: (lstatSync(path).mode & 0o100) === 0 ? '100644' : '100755' })
  }
  return tree
}
