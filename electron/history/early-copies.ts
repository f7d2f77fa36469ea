import { throwIfAborted } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { Log } from '../base/log.js'
import { readBytes, sha256Of } from '../workspace/text-files.js'
import type { Workspace } from '../workspace/workspace.js'
import type { BackupStore } from './backup-store.js'
import type { NotKept } from './change-contents.js'
import type { FileTable, Folder } from './file-table.js'
import { blobNameOf } from './git-repository.js'
import type { Pace } from './pace.js'
import { statsOf } from './tree-look.js'

export interface CopyLimits {
  /** A file above this is not copied before it changes. */
  readonly fileBytes: number
  readonly files: number
  readonly bytes: number
}

export interface CopyFacts {
  readonly files: number
  readonly bytes: number
  readonly waiting: number
  /** Files that are not copied because each is too large, and because the copies are full. */
  readonly tooLarge: number
  readonly beyondLimit: number
}

interface Waiting {
  readonly folder: Folder
  readonly name: string
}

const filesAtATime = 128
const bytesAtATime = 4 * 1024 * 1024

/** Copies, into the store, of files whose bytes no git object holds, so that they are known once a command changes them. */
export class EarlyCopies {
  #waiting: Waiting[] = []
  #files = 0
  #bytes = 0
  #tooLarge = 0
  #beyondLimit = 0

  constructor(
    private readonly parts: { readonly workspace: Workspace; readonly store: BackupStore; readonly table: FileTable; readonly pace: Pace; readonly log: Log },
    private readonly limits: CopyLimits,
  ) {}

  facts(): CopyFacts {
    return { files: this.#files, bytes: this.#bytes, waiting: this.#waiting.length, tooLarge: this.#tooLarge, beyondLimit: this.#beyondLimit }
  }

  whyNotCopied(row: number): NotKept {
    if (this.parts.table.sizeOf(row) > this.limits.fileBytes) return 'copy-too-large'
    return this.#beyondLimit > 0 ? 'copies-full' : 'not-copied'
  }

  /** Takes up every file of the table whose content is not known, the newest first. */
  async takeUpAll(): Promise<void> {
    const { table, pace } = this.parts
    const found: Waiting[] = []
    const keys: number[] = []
    const folders = [table.root]
    this.#tooLarge = 0
    for (let folder = folders.pop(); folder; folder = folders.pop()) {
      for (const [name, row] of folder.files) {
        await pace()
        if (table.stateOf(row) !== null || table.blobOf(row) !== null) continue
        if (table.sizeOf(row) > this.limits.fileBytes) {
          this.#tooLarge++
          continue
        }
        // Time and place in one number: numbers alone are sorted ten times faster than by a comparing function.
        if (found.length < placesInKey) keys.push(table.mtimeSecondsOf(row) * placesInKey + found.length)
        found.push({ folder, name })
      }
      folders.push(...folder.folders.values())
    }
    const newestLast: Waiting[] = []
    for (const key of Float64Array.from(keys).sort()) {
      await pace()
      const next = found[((key % placesInKey) + placesInKey) % placesInKey]
      if (next) newestLast.push(next)
    }
    this.#waiting = newestLast
  }

  /** Makes some copies; `false` when none is waiting any more. Errors: CANCELLED. */
  async makeSome(signal: AbortSignal): Promise<boolean> {
    const { table, store, pace, log } = this.parts
    const batch = store.batch()
    const made: { readonly row: number; readonly state: FileState }[] = []
    let bytes = 0
    try {
      for (let looked = 0; looked < filesAtATime && bytes < bytesAtATime && this.#waiting.length > 0; looked++) {
        await pace()
        throwIfAborted(signal)
        const next = this.#waiting.pop()
        const row = next?.folder.isBelow(table.root) ? next.folder.files.get(next.name) : undefined
        if (!next || row === undefined || table.stateOf(row) !== null || table.blobOf(row) !== null) continue
        const read = await this.#read(next.folder.pathOf(next.name), row, signal)
        if (!read) continue
        const blob = table.blobGuessOf(row)
        if (blob !== null && blobNameOf(read, blob) === blob) {
          table.setBlob(row, blob, true)
          continue
        }
        if (this.#files >= this.limits.files || this.#bytes + bytes + read.length > this.limits.bytes) {
          this.#beyondLimit++
          continue
        }
        const sha256 = sha256Of(read)
        await batch.add(sha256, read)
        bytes += read.length
        this.#files++
        made.push({ row, state: { kind: 'file', sha256, sizeBytes: read.length, mode: table.modeOf(row) } })
      }
      await batch.seal()
    } catch (thrown) {
      await batch.discard()
      throwIfAborted(signal)
      this.#waiting = []
      log.error('history.early-copies-stopped', thrown)
      return false
    }
    this.#bytes += bytes
    for (const { row, state } of made) table.setState(row, state)
    return this.#waiting.length > 0
  }

  /** The bytes that the table's stamp stands for; `null` when they are gone, or may be others. */
  async #read(path: string, row: number, signal: AbortSignal): Promise<Uint8Array | null> {
    const { table, workspace } = this.parts
    try {
      const place = workspace.resolveInside(path)
      const lookedAt = Date.now()
      const before = statsOf(place.absolute)
      if (!before || !table.hasStamp(row, before)) return null
      const { bytes } = await readBytes(place, path, this.limits.fileBytes, signal)
      const after = statsOf(place.absolute)
      if (!after || !table.hasStamp(row, after)) return null
      table.stamp(row, before, lookedAt)
      return bytes
    } catch {
      throwIfAborted(signal)
      return null
    }
  }
}

/** More files than these are not waited for one by one. */
const placesInKey = 2 ** 21
