/**
 * A text and where its lines stand in it.
 *
 * Shape: a line ends behind its `\n`, or at the end of the text; nothing else ends one: `\r`, form feed, U+0085, U+2028
 * and U+2029 are characters like others. So a line keeps its `\r\n` or `\n`, only the last one may lack it, `''` has no
 * line, and all lines put together are the text.
 */
export class TextLines {
  readonly text: string
  /** Where each line starts, and, behind the last one, where the text ends. */
  readonly #starts: readonly number[]

  constructor(text: string) {
    const starts = [0]
    for (let start = 0; start < text.length; starts.push(start)) {
      const newline = text.indexOf('\n', start)
      start = newline < 0 ? text.length : newline + 1
    }
    this.text = text
    this.#starts = starts
  }

  get count(): number {
    return this.#starts.length - 1
  }

  /** Where a line starts in the text; for `count`, where the text ends. */
  startOf(line: number): number {
    return this.#starts[line] as number
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
