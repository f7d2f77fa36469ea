import { diffTextLines, type LineChange } from '../../shared/line-diff.js'
import { TextLines } from '../../shared/diff/text-lines.js'
import { diffWords } from '../../shared/word-diff.js'
import type { TextDiff, TextRange, WordMark } from './diff-messages.js'

/** Marks beyond this many characters of changed lines are left out, so that a diff of 100,000 lines stays quick. */
export const mostMarkedUnits = 4_000_000

/** The differences of two texts: lines always, words in the first `markedUnits` characters of changed lines. Pure; runs in the worker. */
export function computeDiff(before: string, after: string, markedUnits = mostMarkedUnits): TextDiff {
  const from = new TextLines(before)
  const to = new TextLines(after)
  const changes = diffTextLines(from, to)
  const words: WordMark[] = []
  let units = 0
  for (const [index, change] of changes.entries()) {
    units += from.startOf(change.beforeEnd) - from.startOf(change.beforeStart) + to.startOf(change.afterEnd) - to.startOf(change.afterStart)
    if (units > markedUnits) break
    words.push(...wordsOf(change, index, from, to))
  }
  return { changes, words }
}

function wordsOf(change: LineChange, index: number, from: TextLines, to: TextLines): WordMark[] {
  const beforeStart = from.startOf(change.beforeStart)
  const afterStart = to.startOf(change.afterStart)
  const before = from.list(change.beforeStart, change.beforeEnd)
  const after = to.list(change.afterStart, change.afterEnd)
  return diffWords(before, after).map((mark) => ({
    change: index,
    before: rangeOf(from, change.beforeStart, beforeStart + mark.beforeStart, beforeStart + mark.beforeEnd),
    after: rangeOf(to, change.afterStart, afterStart + mark.afterStart, afterStart + mark.afterEnd),
  }))
}

/** Positions in a text as lines and columns, both 1-based; the search begins at `line`, 0-based. */
function rangeOf(lines: TextLines, line: number, start: number, end: number): TextRange {
  let startLine = line
  while (startLine + 1 < lines.count && lines.startOf(startLine + 1) <= start) startLine++
  let endLine = startLine
  while (endLine + 1 < lines.count && lines.startOf(endLine + 1) <= end) endLine++
  return { startLine: startLine + 1, startColumn: start - lines.startOf(startLine) + 1, endLine: endLine + 1, endColumn: end - lines.startOf(endLine) + 1 }
}
