import { readlinkSync, type BigIntStats } from 'node:fs'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { Log } from '../base/log.js'
import { hardLimitBytes } from '../workspace/text-decoding.js'
import { readBytes, sha256Of } from '../workspace/text-files.js'
import type { Place, Workspace } from '../workspace/workspace.js'
import type { BackupBatch, BackupStore } from './backup-store.js'
import { permissionsOf, type FileTable } from './file-table.js'
import { blobNameOf, GitFailed, type GitRepository } from './git-repository.js'
import type { Pace } from './pace.js'
import { statsOf, type Difference } from './tree-look.js'

/** A path that is not what it was. The bytes of a `file` state are in the backup store; others are unknown with a reason. */
export interface DiskChange {
  readonly path: WorkspacePath
  readonly before: FileState
  readonly after: FileState
}

export interface ContentParts {
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly table: FileTable
  readonly repository: GitRepository | null
  readonly pace: Pace
  readonly log: Log
  /** Bytes that one call keeps at most. */
  readonly maxKeptBytes: number
  /** Why there is no early copy of a file. */
  readonly whyNotCopied: (row: number) => NotKept
}

/** A difference with what was read of it. */
export interface Read {
  readonly difference: Difference
  readonly after: FileState
  /** What is to be taken as seen. */
  readonly stats: BigIntStats | null
  readonly lookedAt: number
  /** `null` where the content is as before, and only times have changed. */
  readonly change: DiskChange | null
}

/** Files of a kind that could not be kept, for a sentence. */
export type NotKept = 'too-large' | 'too-much' | 'not-copied' | 'copy-too-large' | 'copies-full' | 'unreadable' | 'gone-from-git' | 'converted-by-git' | 'store-failed'

export interface Contents {
  readonly reads: readonly Read[]
  readonly notKept: ReadonlyMap<NotKept, ReadonlySet<string>>
}

const noRecord: FileState = { kind: 'unknown', reason: 'no-record' }
const absent: FileState = { kind: 'absent' }
const triesWhileWritten = 3

/**
 * What the differences are, before and after. `announced` holds states of files that we wrote ourselves, which count as before.
 * Errors: CANCELLED. What the store or git cannot do becomes unknown states.
 */
export async function contentsOf(
  parts: ContentParts,
  differences: readonly Difference[],
  announced: ReadonlyMap<string, FileState>,
  signal?: AbortSignal,
): Promise<Contents> {
  const reader = new ContentReader(parts, announced)
  try {
    for (const difference of differences) {
      await parts.pace()
      throwIfAborted(signal)
      await reader.read(difference, signal)
    }
    return await reader.finish(signal)
  } catch (thrown) {
    await reader.discard()
    throw thrown
  }
}

interface ReadSoFar {
  readonly difference: Difference
  readonly path: string
  readonly stats: BigIntStats | null
  readonly lookedAt: number
  readonly after: FileState
  before: FileState
  /** The blob that holds the bytes before. */
  readonly blob: string | null
  isSame: boolean
}

class ContentReader {
  readonly #reads: ReadSoFar[] = []
  readonly #notKept = new Map<NotKept, Set<string>>()
  readonly #kept = new Set<string>()
  readonly #batch: BackupBatch
  #keptBytes = 0
  #hasFailed = false

  constructor(
    private readonly parts: ContentParts,
    private readonly announced: ReadonlyMap<string, FileState>,
  ) {
    this.#batch = parts.store.batch()
  }

  async read(difference: Difference, signal: AbortSignal | undefined): Promise<void> {
    const { folder, name, row, wasUnseen } = difference
    const path = folder.pathOf(name)
    const { table } = this.parts
    const announced = this.announced.get(path)
    const blob = row === null || announced ? null : table.blobOf(row)
    const known = announced ?? (row === null ? (wasUnseen ? noRecord : absent) : table.stateOf(row))
    const { state, stats, lookedAt, bytes } = await this.#readAfter(path, difference.stats, signal)
    // A rewrite with the same bytes, as by a switch of branches and back, is no change.
    const isSameBlob = blob !== null && bytes !== null && blobNameOf(bytes, blob) === blob
    const mode = row === null ? null : table.modeOf(row)
    const before = isSameBlob && state.kind === 'file' ? { ...state, mode } : (known ?? noRecord)
    const isSame = isSameState(before, state)
    if (!isSame && bytes) await this.#keep(path, bytes, state)
    const after = !isSame && bytes && !this.#isKept(state) ? noRecord : state
    if (row !== null && before === noRecord && blob === null) this.#note(this.parts.whyNotCopied(row), path)
    this.#reads.push({ difference, path, stats, lookedAt, after, before, blob: isSameBlob ? null : blob, isSame })
  }

  async finish(signal: AbortSignal | undefined): Promise<Contents> {
    await this.#readBlobs(signal)
    await this.#checkStored()
    await this.#batch.seal().catch((thrown: unknown) => this.#failed(thrown))
    const reads = this.#reads.map((read): Read => {
      const { difference, stats, lookedAt, path, isSame } = read
      const before = this.#sure(read.before, path)
      const after = this.#sure(read.after, path)
      return { difference, stats, lookedAt, after, change: isSame ? null : { path: workspacePath(path), before, after } }
    })
    return { reads, notKept: this.#notKept }
  }

  discard(): Promise<void> {
    return this.#batch.discard()
  }

  /** What stands there now; again while somebody is writing it, and if that does not end, with the stats of before the last read. */
  async #readAfter(
    path: string,
    seen: BigIntStats | null,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly state: FileState; readonly stats: BigIntStats | null; readonly lookedAt: number; readonly bytes: Uint8Array | null }> {
    let lookedAt = Date.now()
    if (!seen) return { state: absent, stats: null, lookedAt, bytes: null }
    let stats: BigIntStats | null = seen
    for (let attempt = 1; ; attempt++) {
      lookedAt = Date.now()
      const { state, bytes } = await this.#readOnce(path, stats, signal)
      const again = this.#lookAgain(path)
      if (again === 'unreadable') return { state: { kind: 'unknown', reason: 'unreadable' }, stats, lookedAt, bytes: null }
      if (attempt === triesWhileWritten || isSameStats(stats, again)) {
        if (state.kind === 'unknown' && state.reason === 'unreadable') this.#note('unreadable', path)
        return { state, stats, lookedAt, bytes }
      }
      stats = again
    }
  }

  async #readOnce(path: string, stats: BigIntStats | null, signal: AbortSignal | undefined): Promise<{ readonly state: FileState; readonly bytes: Uint8Array | null }> {
    const unreadable = { state: { kind: 'unknown', reason: 'unreadable' } as const, bytes: null }
    if (!stats || stats.isDirectory()) return { state: absent, bytes: null }
    try {
      const place: Place = this.parts.workspace.resolveInside(path)
      if (stats.isSymbolicLink()) return { state: { kind: 'link', target: readlinkSync(place.absolute) }, bytes: null }
      const { bytes } = await readBytes(place, path, hardLimitBytes, signal)
      return { state: { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: permissionsOf(Number(stats.mode)) }, bytes }
    } catch (thrown) {
      throwIfAborted(signal)
      if (!(thrown instanceof ReviewError) || thrown.code !== 'FILE_OVERSIZED') return unreadable
      this.#note('too-large', path)
      return { state: noRecord, bytes: null }
    }
  }

  #lookAgain(path: string): BigIntStats | null | 'unreadable' {
    try {
      const place = this.parts.workspace.resolveInside(path)
      return statsOf(place.absolute)
    } catch {
      return 'unreadable'
    }
  }

  async #keep(path: string, bytes: Uint8Array, state: FileState): Promise<void> {
    if (state.kind !== 'file' || this.#kept.has(state.sha256) || this.#hasFailed) return
    if (this.#keptBytes + bytes.length > this.parts.maxKeptBytes) return this.#note('too-much', path)
    this.#keptBytes += bytes.length
    await this.#batch.add(state.sha256, bytes).then(() => this.#kept.add(state.sha256), (thrown: unknown) => this.#failed(thrown))
  }

  #isKept(state: FileState): boolean {
    return state.kind === 'file' && this.#kept.has(state.sha256)
  }

  async #readBlobs(signal: AbortSignal | undefined): Promise<void> {
    const { repository, table, log } = this.parts
    const wanted = new Map<string, ReadSoFar[]>()
    for (const read of this.#reads) {
      if (read.blob === null) continue
      const sharing = wanted.get(read.blob)
      if (sharing) sharing.push(read)
      else wanted.set(read.blob, [read])
    }
    const use = async (name: string, bytes: Uint8Array): Promise<void> => {
      for (const read of wanted.get(name) ?? []) {
        const { row } = read.difference
        const was = row === null ? null : withLineEnds(bytes, table.sizeOf(row))
        if (row === null || was === null) {
          this.#note('converted-by-git', read.path)
          continue
        }
        const state: FileState = { kind: 'file', sha256: sha256Of(was), sizeBytes: was.length, mode: table.modeOf(row) }
        await this.#keep(read.path, was, state)
        if (this.#isKept(state)) read.before = state
        read.isSame = isSameState(read.before, read.after)
      }
      wanted.delete(name)
    }
    try {
      await repository?.readBlobs([...wanted.keys()], use, signal)
    } catch (thrown) {
      if (!(thrown instanceof GitFailed)) throw thrown
      log.error('history.blobs-not-read', thrown)
    }
    for (const reads of wanted.values()) for (const { path } of reads) this.#note('gone-from-git', path)
  }

  /** A copy made earlier may have been pruned. */
  async #checkStored(): Promise<void> {
    for (const read of this.#reads) {
      await this.parts.pace()
      const { before } = read
      if (read.isSame || before.kind !== 'file' || this.#kept.has(before.sha256)) continue
      if (!(await this.parts.store.has(before.sha256))) read.before = { kind: 'unknown', reason: 'backup-missing' }
    }
  }

  #sure(state: FileState, path: string): FileState {
    if (!this.#hasFailed || state.kind !== 'file' || !this.#kept.has(state.sha256)) return state
    this.#note('store-failed', path)
    return { kind: 'unknown', reason: 'backup-failed' }
  }

  #failed(thrown: unknown): void {
    this.#hasFailed = true
    this.parts.log.error('history.change-not-kept', thrown)
  }

  #note(why: NotKept, path: string): void {
    const paths = this.#notKept.get(why)
    if (paths) paths.add(path)
    else this.#notKept.set(why, new Set([path]))
  }
}

function isSameState(one: FileState, two: FileState): boolean {
  if (one.kind === 'file' && two.kind === 'file') return one.sha256 === two.sha256 && one.mode === two.mode
  if (one.kind === 'link' && two.kind === 'link') return one.target === two.target
  return one.kind === 'absent' && two.kind === 'absent'
}

function isSameStats(one: BigIntStats | null, two: BigIntStats | null): boolean {
  if (!one || !two) return one === two
  return one.ctimeNs === two.ctimeNs && one.mtimeNs === two.mtimeNs && one.size === two.size && one.ino === two.ino && one.mode === two.mode
}

/**
 * The file that git took for a blob: the same bytes, or where it was longer by one for each line end, with CRLF for LF. git
 * shortens a text by nothing else (see `Tracked.converted`). `null` where it could have been several files.
 */
function withLineEnds(blob: Uint8Array, sizeBytes: number): Uint8Array | null {
  if (blob.length === sizeBytes) return blob
  const text = Buffer.from(blob).toString('latin1')
  const file = Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1')
  return file.length === sizeBytes ? file : null
}
