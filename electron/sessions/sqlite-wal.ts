import { fstatSync, readSync } from 'node:fs'

const headerBytes = 32
const frameHeadBytes = 24
const chunkBytes = 1 << 20
const bigEndianMagic = 0x377f0683
const littleEndianMagic = 0x377f0682
const knownVersion = 3_007_000

/** The committed frames of a write-ahead log at one moment. */
export interface WalSnapshot {
  /** The header as it was: it changes when the log begins anew. */
  readonly header: Buffer
  readonly pageSize: number
  /** Frames up to the last commit. */
  readonly frames: number
  /** Pages of the database after the last commit; 0 where there is none. */
  readonly pageCount: number
  /** Where the newest committed content of a page begins in the log. */
  readonly offsets: ReadonlyMap<number, number>
  /** The running checksum behind the last commit. */
  readonly sums: readonly [number, number]
}

/** The present header of a log; `null` where it has none. */
export function readWalHeader(file: number): Buffer | null {
  const header = Buffer.alloc(headerBytes)
  return readSync(file, header, 0, headerBytes, 0) === headerBytes ? header : null
}

/**
 * The frames that were committed, each held against the running checksum, up to the first that does not fit: what stands behind it
 * is half-written, or left over from before the log began anew. Of a log that only grew since `before` the rest is read.
 * Returns: `null` for a file that is no log.
 * Source: "The Write-Ahead Log" in SQLite's description of its file format.
 */
export function readWal(file: number, before: WalSnapshot | null = null): WalSnapshot | null {
  const header = readWalHeader(file)
  if (!header) return null
  const magic = header.readUInt32BE(0)
  if ((magic !== bigEndianMagic && magic !== littleEndianMagic) || header.readUInt32BE(4) !== knownVersion) return null
  const pageSize = header.readUInt32BE(8)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return null
  const sum = new Checksum(magic === bigEndianMagic)
  sum.add(header, 0, 24)
  if (!sum.is(header, 24)) return null

  const known = before?.header.equals(header) && isStillThere(file, before) ? before : null
  if (known) sum.set(known.sums)
  const frameBytes = frameHeadBytes + pageSize
  const perRead = Math.max(1, Math.floor(chunkBytes / frameBytes))
  const buffer = Buffer.alloc(perRead * frameBytes)
  const offsets = new Map<number, number>(known?.offsets)
  let pending: [page: number, offset: number][] = []
  let [frames, pageCount] = [known?.frames ?? 0, known?.pageCount ?? 0]
  let seen = frames
  let sums = sum.get()
  for (let at = headerBytes + frames * frameBytes; ; at += perRead * frameBytes) {
    const bytesRead = readSync(file, buffer, 0, buffer.length, at)
    for (let start = 0; start + frameBytes <= bytesRead; start += frameBytes) {
      const isOfThisLog = buffer.compare(header, 16, 24, start + 8, start + 16) === 0
      sum.add(buffer, start, start + 8)
      sum.add(buffer, start + frameHeadBytes, start + frameBytes)
      const page = buffer.readUInt32BE(start)
      if (!isOfThisLog || page === 0 || !sum.is(buffer, start + 16)) return { header, pageSize, frames, pageCount, offsets, sums }
      seen++
      pending.push([page, at + start + frameHeadBytes])
      const sizeAfterCommit = buffer.readUInt32BE(start + 4)
      if (sizeAfterCommit === 0) continue
      for (const [number, offset] of pending) offsets.set(number, offset)
      pending = []
      frames = seen
      pageCount = sizeAfterCommit
      sums = sum.get()
    }
    if (bytesRead < buffer.length) return { header, pageSize, frames, pageCount, offsets, sums }
  }
}

/** Whether the last frame that is known is where it was. */
function isStillThere(file: number, { frames, pageSize, sums }: WalSnapshot): boolean {
  if (frames === 0) return true
  const stated = Buffer.alloc(8)
  const at = headerBytes + (frames - 1) * (frameHeadBytes + pageSize) + 16
  return readSync(file, stated, 0, 8, at) === 8 && stated.readUInt32BE(0) === sums[0] && stated.readUInt32BE(4) === sums[1] && fstatSync(file).size >= at + 8 + pageSize
}

/** The running sum over the header and all frames, eight bytes at a time. */
class Checksum {
  private one = 0
  private two = 0

  constructor(private readonly isBigEndian: boolean) {}

  add(bytes: Buffer, start: number, end: number): void {
    let { one, two } = this
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = start; at < end; at += 8) {
      one = (one + view.getUint32(at, !this.isBigEndian) + two) >>> 0
      two = (two + view.getUint32(at + 4, !this.isBigEndian) + one) >>> 0
    }
    this.one = one
    this.two = two
  }

  get(): readonly [number, number] {
    return [this.one, this.two]
  }

  set([one, two]: readonly [number, number]): void {
    this.one = one
    this.two = two
  }

  /** Whether the sum that a header states is the present one. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.one && bytes.readUInt32BE(at + 4) === this.two
  }
}
