/** One line that fits, as ripgrep reports it. */
export interface MatchRecord {
  /** As printed: the bytes of a path below the folder it was started in. */
  readonly path: Buffer
  readonly line: number
  /** The place of the match in its line, from 1, in characters. */
  readonly column: number
  readonly text: string
  /** Whether `text` is only the part of the line around the match. */
  readonly isTextCut: boolean
}

/** Characters that are shown of a line. */
export const maxTextLength = 400
const lengthBefore = 150
// A character has at most four bytes; what is kept around a match is enough for the characters that are shown.
const bytesAround = maxTextLength * 4

const lineFeed = 10
const colon = 58

/**
 * Reads `path NUL line:column:text LF` from chunks. Of a line only what is shown of it is kept, so that one of a hundred megabytes
 * costs no memory.
 */
export class MatchReader {
  /** What was read of a record before its text begins. */
  private head: Buffer[] = []
  private colons = 0
  private hasPath = false
  private text: TextWindow | null = null

  /** `onRecord` returns false to stop; the rest of the chunk is dropped then. */
  constructor(private readonly onRecord: (record: MatchRecord) => boolean) {}

  /** Returns false when `onRecord` did. */
  read(chunk: Buffer): boolean {
    let at = 0
    while (at < chunk.length) {
      if (!this.text) {
        at = this.readHead(chunk, at)
        continue
      }
      const end = chunk.indexOf(lineFeed, at)
      this.text.add(chunk, at, end < 0 ? chunk.length : end)
      if (end < 0) return true
      const record = this.text.record()
      this.reset()
      if (!this.onRecord(record)) return false
      at = end + 1
    }
    return true
  }

  /** What came after the last record: the numbers that ripgrep prints at its end. */
  rest(): string {
    return Buffer.concat(this.head).toString('utf8')
  }

  /** Takes the head up to its last colon; returns where reading goes on. */
  private readHead(chunk: Buffer, start: number): number {
    let at = start
    if (!this.hasPath) {
      const end = chunk.indexOf(0, at)
      if (end < 0) {
        this.head.push(chunk.subarray(start))
        return chunk.length
      }
      this.hasPath = true
      at = end + 1
    }
    while (at < chunk.length && this.colons < 2) {
      if (chunk[at] === colon) this.colons++
      at++
    }
    this.head.push(chunk.subarray(start, at))
    if (this.colons === 2) this.text = new TextWindow(Buffer.concat(this.head))
    return at
  }

  private reset(): void {
    this.head = []
    this.colons = 0
    this.hasPath = false
    this.text = null
  }
}

/** The part of one line around its match. */
class TextWindow {
  private readonly path: Buffer
  private readonly line: number
  /** The first byte of the match, and how many characters were seen before it. */
  private readonly matchAt: number
  private column = 1
  private length = 0
  private readonly kept: Buffer[] = []

  constructor(head: Buffer) {
    const end = head.indexOf(0)
    const [line, column] = head.toString('latin1', end + 1).split(':')
    this.path = head.subarray(0, end)
    this.line = Number(line)
    this.matchAt = Math.max(0, Number(column) - 1)
  }

  add(chunk: Buffer, start: number, end: number): void {
    const from = this.length
    const before = Math.min(end, start + this.matchAt - from)
    for (let at = start; at < before; at++) if (((chunk[at] ?? 0) & 0xc0) !== 0x80) this.column++
    const first = Math.max(start, start + this.matchAt - bytesAround - from)
    const last = Math.min(end, start + this.matchAt + bytesAround - from)
    if (first < last) this.kept.push(Buffer.from(chunk.subarray(first, last)))
    this.length += end - start
  }

  record(): MatchRecord {
    const bytes = Buffer.concat(this.kept)
    const skipped = Math.max(0, this.matchAt - bytesAround)
    const isAfterCut = this.length > this.matchAt + bytesAround
    const before = bytes.toString('utf8', 0, this.matchAt - skipped)
    const after = bytes.toString('utf8', this.matchAt - skipped).replace(/\r$/, '')
    const { path, line, column } = this
    if (skipped === 0 && !isAfterCut && before.length + after.length <= maxTextLength) return { path, line, column, text: before + after, isTextCut: false }
    return { path, line, column, text: cutAround(before, after, skipped > 0, isAfterCut), isTextCut: true }
  }
}

/** At most 400 characters of a line, with a mark on each side where it goes on. */
export function cutAround(before: string, after: string, isBeforeCut = false, isAfterCut = false): string {
  const start = Math.max(0, before.length - Math.max(lengthBefore, maxTextLength - after.length))
  const rest = maxTextLength - (before.length - start)
  const shown = before.slice(start) + after.slice(0, rest)
  const whole = shown.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${start > 0 || isBeforeCut ? '…' : ''}${whole}${after.length > rest || isAfterCut ? '…' : ''}`
}
