import { TextLines } from './diff/text-lines.js'
import { diffTextLines } from './line-diff.js'
import { diffWords } from './word-diff.js'

/** Lines of one side of the editor, 1-based; where there are none, `startLine` is the one behind them. */
export interface EditorLines {
  readonly startLine: number
  readonly endLineExclusive: number
}

/** Characters of one side, from a line and column up to, not including, another; 1-based, in UTF-16 units. */
export interface EditorRange {
  readonly startLine: number
  readonly startColumn: number
  readonly endLine: number
  readonly endColumn: number
}

/** A change as a diff editor shows it. `inner` has the words that changed; it is empty where marks would not help. */
export interface EditorChange {
  readonly original: EditorLines
  readonly modified: EditorLines
  readonly inner: readonly EditorWords[]
}

export interface EditorWords {
  readonly original: EditorRange
  readonly modified: EditorRange
}

/** Words are marked until so many UTF-16 units of changed lines were looked at: about a tenth of a second. */
const mostMarkedUnits = 1_000_000

/**
 * The differences of two texts, in order, in the lines and columns of an editor: one that ends a line at a lone `\r`
 * too, and that has an empty line behind the last line end. A missing last line end is seen as that line missing.
 */
export function editorChanges(before: string, after: string): EditorChange[] {
  const original = new EditorText(before)
  const modified = new EditorText(after)
  let unitsLeft = mostMarkedUnits
  return diffTextLines(original.lines, modified.lines).map((change) => {
    const reachesEnds = change.beforeEnd === original.lines.count && change.afterEnd === modified.lines.count
    const withLast = reachesEnds && original.hasEmptyLast !== modified.hasEmptyLast
    const oldStart = original.lines.startOf(change.beforeStart)
    const newStart = modified.lines.startOf(change.afterStart)
    unitsLeft -= original.lines.startOf(change.beforeEnd) - oldStart + modified.lines.startOf(change.afterEnd) - newStart
    const marks =
      unitsLeft < 0
        ? []
        : diffWords(original.lines.list(change.beforeStart, change.beforeEnd), modified.lines.list(change.afterStart, change.afterEnd))
    return {
      original: original.linesOf(change.beforeStart, change.beforeEnd, withLast),
      modified: modified.linesOf(change.afterStart, change.afterEnd, withLast),
      inner: marks
        .map((mark) => ({
          original: original.rangeOf(oldStart + mark.beforeStart, oldStart + mark.beforeEnd),
          modified: modified.rangeOf(newStart + mark.afterStart, newStart + mark.afterEnd),
        }))
        .filter((words) => !isEmpty(words.original) || !isEmpty(words.modified)),
    }
  })
}

function isEmpty(range: EditorRange): boolean {
  return range.startLine === range.endLine && range.startColumn === range.endColumn
}

/** A text and the lines that the editor makes of it. */
class EditorText {
  readonly lines: TextLines
  /** Whether the last line of the editor is the empty one behind the last line end. */
  readonly hasEmptyLast: boolean
  /** Where each line of the editor starts, and where its characters end. */
  readonly #starts: number[] = [0]
  readonly #ends: number[] = []

  constructor(text: string) {
    this.lines = new TextLines(text)
    for (const lineEnd of text.matchAll(/\r\n|\r|\n/g)) {
      this.#ends.push(lineEnd.index)
      this.#starts.push(lineEnd.index + lineEnd[0].length)
    }
    this.#ends.push(text.length)
    this.hasEmptyLast = this.#starts.at(-1) === text.length
  }

  /** Lines `[start, end)` of the text; `withLast` adds the empty last line of the editor, where it has one. */
  linesOf(start: number, end: number, withLast: boolean): EditorLines {
    return { startLine: this.#lineAt(start), endLineExclusive: withLast ? this.#starts.length + 1 : this.#lineAt(end) }
  }

  rangeOf(start: number, end: number): EditorRange {
    const from = this.#positionOf(start)
    const to = this.#positionOf(end)
    return { startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column }
  }

  /** The editor's number of the line that starts with a line of the text; for `count`, of the one behind all. */
  #lineAt(line: number): number {
    if (line === this.lines.count && !this.hasEmptyLast) return this.#starts.length + 1
    return this.#positionOf(this.lines.startOf(line)).line
  }

  /** Line ends are no part of the editor's lines: a place within one is the end of its line. */
  #positionOf(offset: number): { readonly line: number; readonly column: number } {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: Math.min(offset, this.#ends[low] ?? 0) - (this.#starts[low] ?? 0) + 1 }
  }
}
