import { TextLines } from '../../shared/diff/text-lines.js'

/** The lines of a patch, and how far they have been read. */
export class PatchLines {
  readonly #lines: TextLines
  #at = 0

  /** A patch whose every line ends with CRLF was sent that way; else a `\r` belongs to the line. */
  constructor(patch: string) {
    const unmarked = patch.startsWith('\ufeff') ? patch.slice(1) : patch
    const whole = unmarked === '' || unmarked.endsWith('\n') ? unmarked : `${unmarked}${isSentWithCrlf(unmarked) ? '\r\n' : '\n'}`
    this.#lines = new TextLines(isSentWithCrlf(whole) ? whole.replaceAll('\r\n', '\n') : whole)
  }

  /** 1-based number of the current line. */
  get number(): number {
    return this.#at + 1
  }

  get isDone(): boolean {
    return this.#at >= this.#lines.count
  }

  /** The current line without its `\n`, or one that many lines further on; null behind the last one. */
  peek(offset = 0): string | null {
    const line = this.#at + offset
    return line >= 0 && line < this.#lines.count ? this.#lines.line(line).slice(0, -1) : null
  }

  /** The current line as a header, which never ends with a carriage return; `''` behind the last one. */
  header(offset = 0): string {
    const line = this.peek(offset) ?? ''
    return line.endsWith('\r') ? line.slice(0, -1) : line
  }

  /** The first unit of a line; its end, where it is empty; NaN behind the last one. */
  sign(offset = 0): number {
    const line = this.#at + offset
    return line < this.#lines.count ? this.#lines.text.charCodeAt(this.#lines.startOf(line)) : Number.NaN
  }

  /** A line without its sign, but with its end, or all of it where it is empty. */
  body(offset = 0): string {
    const start = this.#lines.startOf(this.#at + offset)
    const first = this.#lines.text.charCodeAt(start)
    const isEmpty = first === 10 || (first === 13 && this.#lines.text.charCodeAt(start + 1) === 10)
    return this.#lines.text.slice(isEmpty ? start : start + 1, this.#lines.startOf(this.#at + offset + 1))
  }

  skip(count = 1): void {
    this.#at += count
  }
}

function isSentWithCrlf(text: string): boolean {
  let at = text.indexOf('\n')
  if (at < 0) return false
  for (; at >= 0; at = text.indexOf('\n', at + 1)) if (text.charCodeAt(at - 1) !== 13) return false
  return true
}
