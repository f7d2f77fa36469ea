import { diffSequences } from './diff/sequence-diff.js'
import type { SequenceChange } from './diff/sequence-diff.js'

/** Characters `[beforeStart, beforeEnd)` of the lines before became `[afterStart, afterEnd)` of those after. */
export type WordMark = SequenceChange

/** A change with more UTF-16 units than this gets no marks: nobody reads them, and they would take time. */
const mostUnits = 40_000
/** Lines that have less than this share of their units in common were rewritten: marks would only clutter them. */
const leastCommon = 0.4

const words = /[\p{L}\p{N}\p{M}_]+|\n|[^\S\n]+|[^]/gu

/**
 * The words in which the lines of one change differ, in order, for the eye; empty where marks would not help: lines
 * only added or only removed, too little in common, or very long.
 *
 * Shape: lines with their line ends. Positions count UTF-16 units in all lines of a side put together; either range
 * of a mark may be empty, and no mark cuts a character in two.
 */
export function diffWords(beforeLines: readonly string[], afterLines: readonly string[]): WordMark[] {
  const before = beforeLines.join('')
  const after = afterLines.join('')
  if (before === '' || after === '' || before.length + after.length > mostUnits) return []

  const beforeWords = before.match(words) ?? []
  const afterWords = after.match(words) ?? []
  const ids = new Map<string, number>()
  const changes = diffSequences(intern(beforeWords, ids), intern(afterWords, ids), ids.size)
  if (commonUnits(beforeWords, changes) < leastCommon * Math.max(inkOf(before), inkOf(after))) return []

  const beforeStarts = startsOf(beforeWords)
  const afterStarts = startsOf(afterWords)
  const marks = changes.map((change) => ({
    beforeStart: beforeStarts[change.beforeStart] ?? 0,
    beforeEnd: beforeStarts[change.beforeEnd] ?? 0,
    afterStart: afterStarts[change.afterStart] ?? 0,
    afterEnd: afterStarts[change.afterEnd] ?? 0,
  }))
  return joinAcrossBlanks(marks, before)
}

function intern(tokens: readonly string[], ids: Map<string, number>): Int32Array {
  return Int32Array.from(tokens, (token) => {
    const id = ids.get(token) ?? ids.size
    ids.set(token, id)
    return id
  })
}

/** Where each word starts, and where the last one ends. */
function startsOf(tokens: readonly string[]): number[] {
  const starts = [0]
  let end = 0
  for (const token of tokens) starts.push((end += token.length))
  return starts
}

/** Units that are no blanks. */
function inkOf(text: string): number {
  return text.replace(/\s+/g, '').length
}

function commonUnits(beforeWords: readonly string[], changes: readonly SequenceChange[]): number {
  let common = 0
  let from = 0
  for (const change of [...changes, { beforeStart: beforeWords.length, beforeEnd: 0 }]) {
    common += inkOf(beforeWords.slice(from, change.beforeStart).join(''))
    from = change.beforeEnd
  }
  return common
}

/** Two replaced words with a blank between them read better as one mark. */
function joinAcrossBlanks(marks: readonly WordMark[], before: string): WordMark[] {
  const joined: WordMark[] = []
  for (const mark of marks) {
    const last = joined.at(-1)
    if (last !== undefined && /^[^\S\n]*$/.test(before.slice(last.beforeEnd, mark.beforeStart))) {
      joined[joined.length - 1] = { ...mark, beforeStart: last.beforeStart, afterStart: last.afterStart }
    } else {
      joined.push(mark)
    }
  }
  return joined
}
