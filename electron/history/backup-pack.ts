import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { open, readdir, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync, inflate } from 'node:zlib'
import { removeUnfinished } from '../base/data-files.js'
import { syncData, syncFolder, writeAll } from '../base/file-bytes.js'
import { isRow, readRow, type StoredBlob } from './backup-row.js'

const deflateLater = promisify(deflate)
const inflateLater = promisify(inflate)

/** Where one blob lies inside a pack. */
export interface PackedBlob {
  readonly file: string
  readonly offset: number
  /** Bytes that it takes in the pack. */
  readonly storedBytes: number
  readonly sizeBytes: number
  readonly isDeflated: boolean
}

/** As an index has it; a third number is the blob's own size, and says that it is deflated. */
type IndexEntry = readonly [offset: number, storedBytes: number, sizeBytes?: number]

/** Below this a blob is not deflated, and neither where it would hardly shrink. */
const smallestDeflated = 256
const worthwhile = 0.9
/** Above this what counts is the time. */
const wellDeflated = 64 * 1024
/** Up to this a hop to a thread and back costs more than the quick way in place. */
const inPlaceDeflated = 32 * 1024
/** The same, for reading. */
const inPlaceRead = 1024 * 1024

/** `quick`: a little time for most of what can be saved, as somebody waits. `well`: in the background. */
export type Deflating = 'none' | 'quick' | 'well'

/** `[bytes of all blobs][index as JSON][u64 length of the index][magic]`. */
const magic = Buffer.from('ovtpack1', 'latin1')
const tailBytes = 16
/** Small blobs are gathered to writes of this size, each synced while the next ones are gathered. */
const gatherBytes = 1024 * 1024
/** Waiting writes may hold this much memory. */
const maxWaitingBytes = 32 * 1024 * 1024

/**
 * Many blobs in one file: one sync instead of one for each, which is most of what a snapshot of a thousand files costs.
 *
 * Shape: written under its own name, index last: a file without an index is no pack, so a crash leaves nothing that counts. A pack
 * is never changed afterwards.
 */
export class PackWriter {
  readonly #folder: string
  /** Chosen when there is something to write: most batches are few blobs, and go elsewhere. */
  #file: string | null = null
  readonly #deflating: Deflating
  readonly #index = new Map<string, IndexEntry>()
  #handle: number | null = null
  #isBegun = false
  #isSealed = false
  #queue: Promise<void> = Promise.resolve()
  #queuedBytes = 0
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0
  #offset = 0

  constructor(folder: string, deflating: Deflating = 'none') {
    this.#folder = folder
    this.#deflating = deflating
  }

  has(sha256: string): boolean {
    return this.#index.has(sha256)
  }

  /** Adds a blob; it counts only once `seal` has resolved. Errors: those of the disk. */
  async add(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.#index.has(sha256)) return
    const deflated = bytes.length >= smallestDeflated ? await this.#deflated(bytes) : null
    if (this.#index.has(sha256)) return
    const stored = deflated && deflated.length <= bytes.length * worthwhile ? deflated : bytes
    this.#index.set(sha256, stored === deflated ? [this.#offset, stored.length, bytes.length] : [this.#offset, stored.length])
    this.#offset += stored.length
    this.#gather(stored)
    if (this.#gatheredBytes >= gatherBytes) this.#flush()
    if (this.#queuedBytes >= maxWaitingBytes) await this.#queue
  }

  /** Gives what was added away, to be kept elsewhere, where it is few and nothing of it was written yet; else `null`. */
  takeFew(mostBytes: number): readonly StoredBlob[] | null {
    if (this.#isBegun || this.#gatheredBytes > mostBytes) return null
    this.#isSealed = true
    return [...this.#index].map(([sha256, [, , sizeBytes]], at) => ({ sha256, stored: this.#gathered[at] ?? new Uint8Array(), sizeBytes: sizeBytes ?? null }))
  }

  /** Makes the pack durable; returns its blobs. An empty one leaves no file. */
  async seal(): Promise<ReadonlyMap<string, PackedBlob>> {
    if (this.#index.size === 0) return new Map()
    const index = Buffer.from(JSON.stringify([...this.#index]), 'utf8')
    const tail = Buffer.alloc(tailBytes)
    tail.writeBigUInt64BE(BigInt(index.length))
    magic.copy(tail, 8)
    this.#gather(index)
    this.#gather(tail)
    this.#flush()
    const { file } = this.#opened()
    await Promise.all([this.#queue, syncFolder(this.#folder)])
    this.#isSealed = true
    this.#close()
    return packedIn(file, this.#index)
  }

  /** Throws away what was added. A sealed pack stays: others may count on its blobs by now. */
  async discard(): Promise<void> {
    if (this.#isSealed) return
    await this.#queue.catch(() => undefined)
    this.#close()
    if (this.#file !== null) removeUnfinished(this.#file)
  }

  async #deflated(bytes: Uint8Array): Promise<Uint8Array | null> {
    if (this.#deflating === 'none') return null
    if (this.#deflating === 'quick' && bytes.length <= inPlaceDeflated) return deflateSync(bytes, { level: 1 })
    return deflateLater(bytes, { level: this.#deflating === 'quick' || bytes.length > wellDeflated ? 1 : 6 })
  }

  #opened(): { readonly file: string; readonly handle: number } {
    const file = (this.#file ??= join(this.#folder, `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.pack`))
    const handle = (this.#handle ??= openSync(file, 'wx', 0o600))
    return { file, handle }
  }

  #close(): void {
    if (this.#handle !== null) closeSync(this.#handle)
    this.#handle = null
  }

  #gather(bytes: Uint8Array): void {
    this.#gathered.push(bytes)
    this.#gatheredBytes += bytes.length
  }

  #flush(): void {
    this.#isBegun = true
    const bytes = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#queuedBytes += bytes.length
    this.#queue = this.#queue.then(async () => {
      const { handle } = this.#opened()
      await writeAll(handle, bytes)
      await syncData(handle)
      this.#queuedBytes -= bytes.length
    })
    // A failure is thrown by `seal`, which waits for the queue.
    this.#queue.catch(() => undefined)
  }
}

/** The index of one pack or row; `null` for a file that is none, or a damaged one. */
export async function readPackIndex(file: string): Promise<ReadonlyMap<string, PackedBlob> | null> {
  if (isRow(file)) return readRow(file)
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size < tailBytes) return null
    const tail = Buffer.alloc(tailBytes)
    await handle.read(tail, 0, tailBytes, size - tailBytes)
    const indexBytes = Number(tail.readBigUInt64BE())
    if (!tail.subarray(8).equals(magic) || indexBytes > size - tailBytes) return null
    const index = Buffer.alloc(indexBytes)
    await handle.read(index, 0, indexBytes, size - tailBytes - indexBytes)
    return packedIn(file, parseIndex(index.toString('utf8')))
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null
    throw thrown
  } finally {
    await handle.close()
  }
}

/** Bytes of a packed blob, unchecked; shorter than promised when the pack was cut. Errors: also what zlib says of damage. */
export async function readPacked(blob: PackedBlob): Promise<Uint8Array> {
  const stored = await readStored(blob)
  return blob.isDeflated ? inflateLater(stored, { maxOutputLength: Math.max(1, blob.sizeBytes) }) : stored
}

async function readStored(blob: PackedBlob): Promise<Uint8Array> {
  if (blob.storedBytes <= inPlaceRead) return readInPlace(blob)
  const handle = await open(blob.file, 'r')
  try {
    const bytes = Buffer.allocUnsafeSlow(blob.storedBytes)
    let filled = 0
    for (let got = -1; filled < bytes.length && got !== 0; filled += got) {
      got = (await handle.read(bytes, filled, bytes.length - filled, blob.offset + filled)).bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

function readInPlace({ file, offset, storedBytes }: PackedBlob): Uint8Array {
  const handle = openSync(file, 'r')
  try {
    const bytes = Buffer.allocUnsafeSlow(storedBytes)
    let filled = 0
    for (let got = -1; filled < bytes.length && got !== 0; filled += got) got = readSync(handle, bytes, filled, bytes.length - filled, offset + filled)
    return bytes.subarray(0, filled)
  } finally {
    closeSync(handle)
  }
}

/** The packs and rows of a folder, oldest first: what lies in two of them was found damaged in the older. */
export async function listPacks(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter(isPack).sort().map((name) => join(folder, name))
}

/** Whether a file may hold many blobs. */
export function isPack(file: string): boolean {
  return file.endsWith('.pack') || isRow(file)
}

/** Says that a file is in use, so that pruning by another process leaves it. */
export async function touch(file: string): Promise<void> {
  const now = new Date()
  await utimes(file, now, now)
}

function packedIn(file: string, index: ReadonlyMap<string, IndexEntry>): ReadonlyMap<string, PackedBlob> {
  return new Map(
    [...index].map(([sha256, [offset, storedBytes, sizeBytes]]) => [
      sha256,
      { file, offset, storedBytes, sizeBytes: sizeBytes ?? storedBytes, isDeflated: sizeBytes !== undefined },
    ]),
  )
}

function parseIndex(text: string): ReadonlyMap<string, IndexEntry> {
  const value: unknown = JSON.parse(text)
  const index = new Map<string, IndexEntry>()
  if (!Array.isArray(value)) return index
  for (const entry of value as readonly unknown[]) {
    if (!Array.isArray(entry)) continue
    const [sha256, place] = entry as readonly unknown[]
    if (typeof sha256 !== 'string' || !Array.isArray(place)) continue
    const [offset, storedBytes, sizeBytes] = place as readonly unknown[]
    if (typeof offset !== 'number' || typeof storedBytes !== 'number') continue
    index.set(sha256, typeof sizeBytes === 'number' ? [offset, storedBytes, sizeBytes] : [offset, storedBytes])
  }
  return index
}
