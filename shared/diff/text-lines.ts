import { at } from './slots.js'

/**
 * A text and where its lines stand in it.
 *
 * Shape: a line ends behind its `\n`, or at the end of the text; nothing else ends one: `\r`, form feed, U+0085, U+2028
 * and U+2029 are characters like others. So a line keeps its `\r\n` or `\n`, only the last one may lack it, `''` has no
 * line, and all lines put together are the text.
 */
export class TextLines {
  readonly text: string
  readonly count: number
  /** Where each line starts, and behind the last one where the text ends. */
  readonly #starts: Int32Array

  constructor(text: string) {
    let count = 0
    for (let end = 0; end < text.length; end = endOfLine(text, end)) count++
    this.text = text
    this.count = count
    this.#starts = new Int32Array(count + 1)
    for (let line = 0; line < count; line++) this.#starts[line + 1] = endOfLine(text, at(this.#starts, line))
  }

  /** Where a line starts in the text; for `count`, where the text ends. */
  startOf(line: number): number {
    return at(this.#starts, line)
  }

  /** A line with its line end. */
  line(line: number): string {
    return this.text.slice(this.startOf(line), this.startOf(line + 1))
  }

  /** The lines from `from` up to, not including, `to`, as they stand in the text. */
  slice(from: number, to: number): string {
    return this.text.slice(this.startOf(from), this.startOf(to))
  }

  /** The same lines one by one. */
  list(from: number, to: number): string[] {
    const lines: string[] = []
    for (let line = from; line < to; line++) lines.push(this.line(line))
    return lines
  }
}

function endOfLine(text: string, start: number): number {
  const newline = text.indexOf('\n', start)
  return newline < 0 ? text.length : newline + 1
}
