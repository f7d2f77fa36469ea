import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { systemCode } from '../base/disk-errors.js'
import { breathe } from '../base/pool.js'

/** A tracked file as git's index holds it: the stamp it had when its bytes were found equal to a blob's. */
export interface IndexEntry {
  readonly blob: string
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly inode: number
  readonly sizeBytes: number
}

/** What git tracks in the workspace. */
export interface Tracked {
  hasFile(path: string): boolean
  /** `null` for a file that is not tracked, or in conflict. */
  entryOf(path: string): IndexEntry | null
  /** Every folder with a tracked file below it, and every submodule. */
  readonly folders: ReadonlySet<string>
  /** Files whose blob may hold other bytes, by more than the choice of line ends. */
  readonly converted: ReadonlySet<string>
  /** A stamp from here on may be older than the bytes it stands for. */
  readonly writtenNs: bigint
}

/** A file that a commit may hold otherwise. */
export interface DifferingFile {
  readonly path: string
  readonly blob: string | null
  readonly mode: number | null
}

/** The repository around a workspace, only ever read. Errors of all: CANCELLED, `GitFailed`. */
export interface GitRepository {
  tracked(signal?: AbortSignal): Promise<Tracked>
  /** Which of these paths git's rules ignore, tracked or not. */
  ignored(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>
  /** Hands each blob that is there, and is what its name says, to `use`, one after the other. */
  readBlobs(names: readonly string[], use: (name: string, bytes: Uint8Array) => Promise<void>, signal?: AbortSignal): Promise<void>
  /** The names of the blobs that these files had in a commit; files that were not there are left out. `null`: the commit is not here. */
  blobsAt(commit: string, paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string> | null>
  /**
   * Files below the workspace that may differ from a commit: all but those whose stamps tell that they do not. Of those that the commit
   * has not, ignored ones are left out. `blob` and `mode` are the commit's; `null` for a file that it has not. `null`: the commit is not here.
   */
  differing(commit: string, signal?: AbortSignal): Promise<readonly DifferingFile[] | null>
  /** Which of these files git keeps byte for byte, by its present settings: no line ends, filters or encodings are converted. */
  keptAsTheyAre(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>>
}

/** The repository that a workspace lies in; `null` for none, no git, or a workspace that the repository around it ignores. */
export async function openGitRepository(root: string, signal?: AbortSignal): Promise<GitRepository | null> {
  try {
    const found = (await gitText(root, ['rev-parse', '--show-toplevel', '--show-prefix', '--git-path', 'index'], signal)).split('\n')
    const [top = '', prefix = '', index = ''] = found
    if (realpathSync(top) !== realpathSync(resolve(root, prefix === '' ? '.' : `..${sep}`.repeat(prefix.split('/').length - 1)))) return null
    if (prefix !== '' && (await ignoredBy(top, [prefix.replace(/\/$/, '')], signal)).size > 0) return null
    return repository(root, resolve(root, index))
  } catch (thrown) {
    throwIfAborted(signal)
    if (thrown instanceof GitFailed || systemCode(thrown) !== null) return null
    throw thrown
  }
}

function repository(root: string, indexFile: string): GitRepository {
  return {
    tracked: (signal) => listTracked(root, indexFile, signal),
    ignored: (paths, signal) => ignoredBy(root, paths, signal),
    readBlobs: (names, use, signal) => readBlobs(root, names, use, signal),
    blobsAt: (commit, paths, signal) => blobsAt(root, commit, paths, signal),
    differing: (commit, signal) => differing(root, indexFile, commit, signal),
    keptAsTheyAre: (paths, signal) => keptAsTheyAre(root, paths, signal),
  }
}

/** The name git gives to a blob with these bytes, in the hash that `like` has. */
export function blobNameOf(bytes: Uint8Array, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

const entryPattern =
  /(\d+) [0-9a-f]+ \d\t([^\0]*)\0 {2}ctime: \d+:\d+\n {2}mtime: \d+:\d+\n {2}dev: \d+\tino: \d+\n {2}uid: \d+\tgid: \d+\n {2}size: \d+\tflags: [0-9a-f]+\n/y
const entryParts = /^\d+ ([0-9a-f]+) (\d)\t[^\0]*\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n.*\n {2}size: (\d+)/

/** One line of the listing, taken apart when it is asked for: an object for each would keep the collector busy. */
function parseEntry(listed: string | undefined): IndexEntry | null {
  const match = listed === undefined ? null : entryParts.exec(listed)
  if (!match) return null
  const [, blob = '', stage = '', ctime = '', ctimeRest = '', mtime = '', mtimeRest = '', inode = '', size = ''] = match
  // A file in conflict has several entries, none of which is the file.
  if (stage !== '0') return null
  return { blob, mtimeNs: nsOf(mtime, mtimeRest), ctimeNs: nsOf(ctime, ctimeRest), inode: Number(inode), sizeBytes: Number(size) }
}

/** Listed lines by path. Of one map for all files, each growth would hold up other work. */
class FilesByFolder {
  readonly #folders = new Map<string, Map<string, string>>()

  add(path: string, listed: string): void {
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    const names = this.#folders.get(folder) ?? new Map<string, string>()
    this.#folders.set(folder, names.set(path.slice(folder.length), listed))
  }

  listedOf(path: string): string | undefined {
    const slash = path.lastIndexOf('/') + 1
    return this.#folders.get(path.slice(0, slash))?.get(path.slice(slash))
  }
}

async function listTracked(root: string, indexFile: string, signal?: AbortSignal): Promise<Tracked> {
  const files = new FilesByFolder()
  const folders = new Set<string>()
  const writtenNs = lstatSync(indexFile, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  // Of all listings this one alone tells the stamps, and it runs nothing that the repository configures.
  await runGit(root, ['ls-files', '--stage', '--debug', '-z'], null, signal, (chunk) => {
    rest += decoder.decode(chunk, { stream: true })
    entryPattern.lastIndex = 0
    let end = 0
    for (let match = entryPattern.exec(rest); match; match = entryPattern.exec(rest)) {
      end = entryPattern.lastIndex
      const [listed, mode, path = ''] = match
      addParents(folders, path)
      if (mode === '160000') folders.add(path)
      else files.add(path, listed)
    }
    rest = rest.slice(end)
  })
  if (rest !== '') throw new GitFailed('git lists its index in a form that is not known')
  const converted = await gitText(root, ['ls-files', '-z', '--', ':(exclude,attr:!filter !working-tree-encoding !ident)'], signal)
  return {
    hasFile: (path) => files.listedOf(path) !== undefined,
    entryOf: (path) => parseEntry(files.listedOf(path)),
    folders,
    converted: new Set(converted.split('\0').filter((path) => path !== '')),
    writtenNs,
  }
}

function nsOf(seconds: string, rest: string): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest)
}

function addParents(folders: Set<string>, path: string): void {
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
    const folder = path.slice(0, slash)
    if (folders.has(folder)) return
    folders.add(folder)
  }
}

async function ignoredBy(folder: string, paths: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set()
  // A leading `./` keeps a name with a colon from being read as a pattern. Exit code 1: none is ignored.
  const input = Buffer.from(paths.map((path) => `./${path}\0`).join(''))
  const output = await gitText(folder, ['check-ignore', '--no-index', '-z', '--stdin'], signal, input, [0, 1])
  return new Set(output.split('\0').filter((path) => path !== '').map((path) => path.slice(2)))
}

async function readBlobs(
  root: string,
  names: readonly string[],
  use: (name: string, bytes: Uint8Array) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  if (names.length === 0) return
  let rest: Buffer = Buffer.alloc(0)
  const parts: Buffer[] = []
  let waitingBytes = 0
  let neededBytes = 0
  await runGit(root, ['cat-file', '--batch'], Buffer.from(names.map((name) => `${name}\n`).join('')), signal, async (chunk) => {
    parts.push(chunk)
    waitingBytes += chunk.length
    if (waitingBytes < neededBytes) return
    rest = Buffer.concat([rest, ...parts.splice(0)])
    waitingBytes = 0
    neededBytes = 0
    for (;;) {
      const headEnd = rest.indexOf(10)
      if (headEnd < 0) return
      const [name = '', type = '', size = ''] = rest.subarray(0, headEnd).toString('latin1').split(' ')
      const isThere = size !== ''
      const end = headEnd + 1 + (isThere ? Number(size) + 1 : 0)
      if (rest.length < end) {
        neededBytes = end - rest.length
        return
      }
      const bytes = rest.subarray(headEnd + 1, end - 1)
      if (isThere && type === 'blob' && blobNameOf(bytes, name) === name) await use(name, bytes)
      rest = rest.subarray(end)
    }
  })
}

/** So many paths go into one call: systems bound the length of a command. */
const pathsAtOnce = 100

async function blobsAt(root: string, commit: string, paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string> | null> {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit)) return null
  const type = await gitText(root, ['cat-file', '-t', commit], signal, null, [0, 128])
  if (type.trim() !== 'commit') return null
  const blobs = new Map<string, string>()
  for (let from = 0; from < paths.length; from += pathsAtOnce) {
    const some = paths.slice(from, from + pathsAtOnce)
    const listed = await gitText(root, ['--literal-pathspecs', 'ls-tree', '-z', commit, '--', ...some], signal)
    for (const [, name = '', path = ''] of listed.matchAll(/100(?:644|755) blob ([0-9a-f]+)\t([^\0]+)\0/g)) blobs.set(path, name)
  }
  return blobs
}

async function differing(root: string, indexFile: string, commit: string, signal?: AbortSignal): Promise<readonly DifferingFile[] | null> {
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit)) return null
  const type = await gitText(root, ['cat-file', '-t', commit], signal, null, [0, 128])
  if (type.trim() !== 'commit') return null
  // git's own comparison would look into files whose stamps are young, and run their filters for that.
  const [tree, tracked, names, others] = await Promise.all([
    gitText(root, ['ls-tree', '-r', '-z', commit], signal),
    listTracked(root, indexFile, signal),
    gitText(root, ['ls-files', '-z'], signal),
    gitText(root, ['ls-files', '--others', '--exclude-standard', '-z'], signal),
  ])
  const files: DifferingFile[] = []
  const inCommit = new Set<string>()
  let looked = 0
  for (const [, mode = '', type = '', blob = '', path = ''] of tree.matchAll(/(\d{6}) (\w+) ([0-9a-f]+)\t([^\0]+)\0/g)) {
    inCommit.add(path)
    if (++looked % 512 === 0) await breathe()
    throwIfAborted(signal)
    if (type === 'blob' && !isAsIndexed(root, path, blob, tracked)) files.push({ path, blob, mode: Number.parseInt(mode, 8) })
  }
  for (const path of new Set(`${names}${others}`.split('\0'))) if (path !== '' && !path.endsWith('/') && !inCommit.has(path)) files.push({ path, blob: null, mode: null })
  return files
}

/** Whether the stamps alone tell that a file still holds this blob. */
function isAsIndexed(root: string, path: string, blob: string, tracked: Tracked): boolean {
  const entry = tracked.entryOf(path)
  if (entry?.blob !== blob || entry.mtimeNs >= tracked.writtenNs) return false
  const stats = lstatSync(resolve(root, path), { bigint: true, throwIfNoEntry: false })
  return stats?.isFile() === true && stats.mtimeNs === entry.mtimeNs && stats.ctimeNs === entry.ctimeNs && Number(stats.size) === entry.sizeBytes && (stats.mode & 0o111n) === 0n
}

const conversions = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding']

async function keptAsTheyAre(root: string, paths: readonly string[], signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const setting = (await gitText(root, ['config', '--get', 'core.autocrlf'], signal, null, [0, 1])).trim()
  if (paths.length === 0 || (setting !== '' && setting !== 'false')) return new Set()
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''))
  const told = (await gitText(root, ['check-attr', '-z', '--stdin', ...conversions], signal, input)).split('\0')
  const converted = new Set<string>()
  for (let at = 0; at + 2 < told.length; at += 3) if (told[at + 2] !== 'unspecified' && told[at + 2] !== 'unset') converted.add(told[at] ?? '')
  return new Set(paths.filter((path) => !converted.has(path)))
}

/** git could not answer: none here, no repository, a broken or foreign one. */
export class GitFailed extends Error {}

async function gitText(root: string, args: readonly string[], signal?: AbortSignal, input: Buffer | null = null, allowed: readonly number[] = [0]): Promise<string> {
  const chunks: Buffer[] = []
  await runGit(root, args, input, signal, (chunk) => void chunks.push(chunk), allowed)
  return Buffer.concat(chunks).toString('utf8')
}

// Whose repository it is is not known: nothing that it configures may run, and nothing may be written or fetched.
const settings = ['core.fsmonitor=false', 'core.untrackedCache=false', 'core.hooksPath=/dev/null', 'protocol.allow=never', 'core.quotePath=false']
const safely = ['--no-pager', '--no-replace-objects', '--no-optional-locks', ...settings.flatMap((setting) => ['-c', setting])]

function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(own), GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }
}

async function runGit(
  root: string,
  args: readonly string[],
  input: Buffer | null,
  signal: AbortSignal | undefined,
  onChunk: (chunk: Buffer) => Promise<void> | void,
  allowed: readonly number[] = [0],
): Promise<void> {
  throwIfAborted(signal)
  // Windows looks for programs in the working folder first, so that one must not be the workspace.
  const child = spawn('git', ['-C', root, ...safely, ...args], { cwd: dirname(process.execPath), env: environment(), stdio: 'pipe', windowsHide: true })
  const end = new Promise<number | null>((done, failed) => {
    child.once('error', (cause) => failed(new GitFailed('git cannot be started', { cause })))
    child.once('close', done)
  })
  end.catch(() => undefined)
  const onAbort = (): void => void child.kill()
  signal?.addEventListener('abort', onAbort)
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => void (said = (said + chunk.toString('utf8')).slice(0, 500)))
  // It may end before it has read all; its exit code tells.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? undefined)
  try {
    for await (const chunk of child.stdout) await onChunk(chunk as Buffer)
    const code = await end
    throwIfAborted(signal)
    if (code === null || !allowed.includes(code)) throw new GitFailed(`git ${args[0]} ended with ${code}: ${said}`)
  } finally {
    signal?.removeEventListener('abort', onAbort)
    if (child.exitCode === null) child.kill()
  }
}
