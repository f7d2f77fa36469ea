import { throwIfAborted } from '../../shared/errors.js'
import { largestRead, lookAtBytes, readBytes, readInto } from './file-reads.js'
import { isObject, type JsonObject } from './json-values.js'

const newline = 10
const carriageReturn = 13
const chunkBytes = largestRead
/**
 * Where a chunk is read to. Copying between addresses that are alike in their last 12 bits takes nearly twice as long, and the
 * system's copy of a file begins at a multiple of 4096.
 */
const chunkStart = chunkBytes + 2048
/** What is handed on of a line that is longer than the bound. */
const oversizedHeadBytes = 1 << 16
const bytesBeforeMark = 64
const bytesAfterMark = 128

/** Places on one line at which an object may begin; more are not tried. */
const maxGlued = 256

/** Lines longer than this are not parsed; their place, length and first bytes are known. */
export const maxLineBytes = 8 << 20

/**
 * Sees one line, without its line end. `bytes` is used again afterwards: copy what is to be kept.
 * An oversized line comes with its head only, and behind that with what stands around the late mark: then `end - start` is less
 * than `length`.
 */
export type LineVisitor = (bytes: Buffer, start: number, end: number, offset: number, length: number) => void

export interface LineScan {
  readonly from: number
  /** The size of the file, or where to stop. */
  readonly to: number
  readonly maxLineBytes?: number
  /** Bytes behind which a record has its identity, where that stands too far in for the head of an oversized line. */
  readonly lateMark?: Buffer | null
  readonly signal?: AbortSignal | undefined
  /** After each chunk of at most 1 MiB, with the offset reached. */
  readonly onChunk?: (done: number) => void
}

/** Kept for the next scan: logs are read one after the other, and each scanner has megabytes. */
const idleScanners: LineScanner[] = []
const mostIdle = 2

/**
 * Visits the lines of a part of a file, in order; lines end at byte 10 and nowhere else, and a `\r` before it is left out.
 * The visitor is not called for a last line without end.
 * Returns: the offset after the last line end. What lies between it and `to` is that last line, perhaps half-written.
 * Errors: CANCELLED.
 */
export async function scanLines(file: number, scan: LineScan, visit: LineVisitor): Promise<number> {
  const scanner = idleScanners.pop() ?? new LineScanner()
  try {
    return await scanner.scan(file, scan, visit)
  } finally {
    if (idleScanners.length < mostIdle) idleScanners.push(scanner)
  }
}

/** Does one scan at a time and can be used again. */
class LineScanner {
  /** A chunk, with room before it for the beginning of a line that runs over from the one before. */
  private readonly buffer = Buffer.allocUnsafe(chunkStart + chunkBytes)

  async scan(file: number, scan: LineScan, visit: LineVisitor): Promise<number> {
    const { buffer } = this
    const bound = scan.maxLineBytes ?? maxLineBytes
    let lineOffset = scan.from
    let carried = 0
    let long: LongLine | null = null

    for (let at = scan.from; at < scan.to; ) {
      const bytesRead = await readInto(file, buffer, chunkStart, Math.min(chunkBytes, scan.to - at), at)
      throwIfAborted(scan.signal)
      if (bytesRead === 0) break
      at += bytesRead
      const end = chunkStart + bytesRead
      let lineStart = chunkStart - carried
      for (let close = buffer.indexOf(newline, chunkStart); close >= 0 && close < end; close = buffer.indexOf(newline, lineStart)) {
        if (long) {
          long.append(buffer.subarray(lineStart, close))
          const { length } = long
          if (length <= bound) {
            // Read again, in one piece: most lines this long are longer than the bound, and are never held.
            const whole = await readBytes(file, lineOffset, length)
            throwIfAborted(scan.signal)
            visitLine(whole, 0, whole.length, lineOffset, length, bound, visit)
          } else {
            const known = long.known()
            visit(known, 0, known.length, lineOffset, length)
          }
          lineOffset += length + 1
          long = null
        } else {
          visitLine(buffer, lineStart, close, lineOffset, close - lineStart, bound, visit)
          lineOffset += close - lineStart + 1
        }
        lineStart = close + 1
      }
      carried = end - lineStart
      if (long || carried > chunkBytes) {
        long ??= new LongLine(scan.lateMark ?? null)
        long.append(buffer.subarray(lineStart, end))
        carried = 0
      } else {
        buffer.copyWithin(chunkStart - carried, lineStart, end)
      }
      scan.onChunk?.(at)
    }
    return lineOffset
  }
}

/** A line that runs over a whole chunk: its length, its head, and what stands around the mark. */
class LongLine {
  length = 0
  private head: Buffer = Buffer.alloc(0)
  /** Of a line that is not over yet, and where the mark was not found, the last bytes. */
  private around: Buffer = Buffer.alloc(0)
  private isFound = false

  constructor(private readonly mark: Buffer | null) {}

  append(bytes: Buffer): void {
    if (this.head.length < oversizedHeadBytes) this.head = Buffer.concat([this.head, bytes.subarray(0, oversizedHeadBytes - this.head.length)])
    this.length += bytes.length
    this.lookForMark(bytes)
  }

  /** What is handed on where the line is above the bound. */
  known(): Buffer {
    return Buffer.concat([this.head, this.around])
  }

  private lookForMark(bytes: Buffer): void {
    if (!this.mark || this.isFound) return
    // Over the seam first, without a copy of the whole piece.
    const seam = Buffer.concat([this.around, bytes.subarray(0, bytesAfterMark + this.mark.length)])
    const isInSeam = seam.indexOf(this.mark) >= 0
    const piece = isInSeam || bytes.length <= seam.length - this.around.length ? seam : bytes
    const at = piece.indexOf(this.mark)
    const from = Math.max(0, (at < 0 ? piece.length - this.mark.length : at) - bytesBeforeMark)
    this.isFound = at >= 0 && at + bytesAfterMark <= piece.length
    this.around = Buffer.from(piece.subarray(from, at < 0 ? piece.length : at + bytesAfterMark))
  }
}

function visitLine(
  bytes: Buffer,
  start: number,
  end: number,
  offset: number,
  length: number,
  bound: number,
  visit: LineVisitor,
): void {
  if (length > bound) visit(bytes, start, Math.min(end, start + oversizedHeadBytes), offset, length)
  else if (length > 0 && bytes[end - 1] === carriageReturn) visit(bytes, start, end - 1, offset, length - 1)
  else visit(bytes, start, end, offset, length)
}

/** How far back the end of a log is looked through for a prompt, one after the other. */
export const tailSteps: readonly number[] = [1 << 16, 1 << 20, 8 << 20]

/** One of the last lines of a file. */
export interface TailLine {
  readonly bytes: Buffer
  /** Where it begins in the file. */
  readonly offset: number
}

/** Looks at the whole lines among the last `tailBytes` of a file, newest first; their bytes are used again afterwards. */
export function lookAtTailLines<Value>(file: number, size: number, tailBytes: number, look: (newestFirst: readonly TailLine[]) => Value): Promise<Value> {
  const from = Math.max(0, size - tailBytes)
  return lookAtBytes(file, from, size - from, (bytes) => look(tailLinesOf(bytes, from)))
}

function tailLinesOf(bytes: Buffer, from: number): readonly TailLine[] {
  const lines: TailLine[] = []
  let end = bytes.length
  if (end > 0 && bytes[end - 1] === newline) end--
  while (end > 0) {
    const before = bytes.lastIndexOf(newline, end - 1)
    // The first line of the window may have begun before it.
    if (before < 0 && from > 0) break
    lines.push({ bytes: bytes.subarray(before + 1, end), offset: from + before + 1 })
    end = before
  }
  return lines
}

/** One object found on a line that is no JSON as a whole. Byte positions within the line. */
export interface GluedObject {
  readonly start: number
  readonly end: number
  readonly value: JsonObject
}

/**
 * The objects that a line holds one after another, as two writers or a crash leave them: each that parses by itself is recovered,
 * what stands between them is lost.
 *
 * Shape: objects are looked for where the line begins, where a `}` is followed by a `{`, and where `opening` (the first bytes
 * of a record) stands. The work is bounded by a few times the length of the line.
 */
export function parseGlued(line: Buffer, opening: Buffer): readonly GluedObject[] {
  const starts = objectStarts(line, opening)
  const found: GluedObject[] = []
  let allowance = 4 * line.length
  for (let from = 0; from < starts.length; ) {
    let next = from + 1
    for (let to = from + 1; to <= starts.length && allowance > 0; to++) {
      const start = starts[from] ?? 0
      const end = starts[to] ?? line.length
      allowance -= end - start
      const value = parseSlice(line, start, end)
      if (!value) continue
      found.push({ start, end, value })
      next = to
      break
    }
    from = next
  }
  return found
}

function objectStarts(line: Buffer, opening: Buffer): readonly number[] {
  const starts = new Set<number>([0])
  for (let at = line.indexOf(opening, 1); at >= 0; at = line.indexOf(opening, at + 1)) starts.add(at)
  for (let at = line.indexOf('}{'); at >= 0; at = line.indexOf('}{', at + 1)) starts.add(at + 1)
  return [...starts].sort((a, b) => a - b).slice(0, maxGlued)
}

function parseSlice(line: Buffer, start: number, end: number): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8', start, end))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
