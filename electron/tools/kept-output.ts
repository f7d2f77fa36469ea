import { isUtf8 } from 'node:buffer'

/** What is kept of one stream of a command. */
export interface KeptOutput {
  /** All of it, or the first and last part with a line between them that says what was cut. Bytes that are no UTF-8 are U+FFFD. */
  readonly text: string
  readonly sizeBytes: number
  readonly cutBytes: number
  /** Line ends within what was cut. */
  readonly cutLines: number
  /** Whether some bytes were no UTF-8. */
  readonly isLossy: boolean
}

export interface OutputLimits {
  readonly firstBytes: number
  readonly lastBytes: number
}

const lineFeed = 10

/** Keeps the beginning and the end of a stream of any length in two buffers of fixed size. */
export class OutputKeeper {
  private readonly first: Buffer
  /** A ring: what came last, the oldest byte at `ringAt` once it is full. */
  private readonly ring: Buffer
  private firstLength = 0
  private ringAt = 0
  private ringLength = 0
  private sizeBytes = 0
  private lineEnds = 0

  constructor({ firstBytes, lastBytes }: OutputLimits) {
    this.first = Buffer.alloc(firstBytes)
    this.ring = Buffer.alloc(lastBytes)
  }

  add(chunk: Buffer): void {
    this.sizeBytes += chunk.length
    this.lineEnds += countLineEnds(chunk)
    const intoFirst = Math.min(chunk.length, this.first.length - this.firstLength)
    chunk.copy(this.first, this.firstLength, 0, intoFirst)
    this.firstLength += intoFirst
    this.addToRing(chunk.subarray(Math.max(intoFirst, chunk.length - this.ring.length)))
  }

  private addToRing(bytes: Buffer): void {
    const untilEnd = Math.min(bytes.length, this.ring.length - this.ringAt)
    bytes.copy(this.ring, this.ringAt, 0, untilEnd)
    bytes.copy(this.ring, 0, untilEnd)
    if (this.ring.length > 0) this.ringAt = (this.ringAt + bytes.length) % this.ring.length
    this.ringLength = Math.min(this.ring.length, this.ringLength + bytes.length)
  }

  result(): KeptOutput {
    const { sizeBytes } = this
    const first = this.first.subarray(0, this.firstLength)
    const last = this.ringLength < this.ring.length ? this.ring.subarray(0, this.ringLength) : Buffer.concat([this.ring.subarray(this.ringAt), this.ring.subarray(0, this.ringAt)])
    if (first.length + last.length === sizeBytes) {
      const all = Buffer.concat([first, last])
      return { text: all.toString('utf8'), sizeBytes, cutBytes: 0, cutLines: 0, isLossy: !isUtf8(all) }
    }
    const head = withoutHalfEnd(first)
    const tail = withoutHalfStart(last)
    const cutBytes = sizeBytes - head.length - tail.length
    const cutLines = this.lineEnds - countLineEnds(head) - countLineEnds(tail)
    const before = head.length === 0 || head.at(-1) === lineFeed ? '' : '\n'
    const note = `${before}[… ${cutBytes.toLocaleString('en')} bytes with ${cutLines.toLocaleString('en')} line ends were cut here …]\n`
    const text = head.toString('utf8') + note + tail.toString('utf8')
    return { text, sizeBytes, cutBytes, cutLines, isLossy: !isUtf8(head) || !isUtf8(tail) }
  }
}

/** A loop: looking for each line end by a call is thirty times slower for short lines. */
function countLineEnds(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === lineFeed) count++
  return count
}

/** Without the first bytes of a character whose other bytes are missing. */
function withoutHalfEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back) ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Without the last bytes of a character whose first ones are missing. */
export function withoutHalfStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
