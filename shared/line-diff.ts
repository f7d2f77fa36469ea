import { diffSequences } from './diff/sequence-diff.js'
import type { SequenceChange } from './diff/sequence-diff.js'
import { slideChanges } from './diff/slide-changes.js'
import type { Resting } from './diff/slide-changes.js'
import { TextLines } from './diff/text-lines.js'

/** Lines `[beforeStart, beforeEnd)` of one text became lines `[afterStart, afterEnd)` of the other; 0-based. */
export type LineChange = SequenceChange

/**
 * The lines in which two texts differ, in order; between the changes the lines are equal, and no two changes touch.
 *
 * Shape: lines as `TextLines` has them. A line with its `\n` and the same without are two lines, as for git: 'a' and
 * 'a\n' differ in line 0, 'a\n' and 'a\nb\n' in one added line, '' and 'a' in one added line.
 *
 * A change that may stand in several places, as an added function between two others, rests where it reads best; with
 * 'last' at the last of them, so that the same change made to two texts lands on the same line.
 */
export function diffLines(before: string, after: string, resting: Resting = 'readable'): LineChange[] {
  return diffTextLines(new TextLines(before), new TextLines(after), resting)
}

/** `diffLines` for texts whose lines are known already. */
export function diffTextLines(before: TextLines, after: TextLines, resting: Resting = 'readable'): LineChange[] {
  const { leading, trailing } = equalEnds(before, after)
  const ids = new Map<string, number>()
  const beforeIds = new Int32Array(before.count - leading - trailing)
  const afterIds = new Int32Array(after.count - leading - trailing)
  for (let index = 0; index < beforeIds.length; index++) {
    const line = before.line(leading + index)
    const id = ids.get(line) ?? ids.size + 1
    if (id > ids.size) ids.set(line, id)
    beforeIds[index] = id
  }
  // Lines that are new need no number of their own: they match none.
  for (let index = 0; index < afterIds.length; index++) afterIds[index] = ids.get(after.line(leading + index)) ?? 0

  const changes = diffSequences(beforeIds, afterIds, ids.size + 1).map((change) => ({
    beforeStart: change.beforeStart + leading,
    beforeEnd: change.beforeEnd + leading,
    afterStart: change.afterStart + leading,
    afterEnd: change.afterEnd + leading,
  }))
  return slideChanges(changes, before, after, resting)
}

/** How many lines are the same at the front and, of those behind, at the end. */
function equalEnds(before: TextLines, after: TextLines): { readonly leading: number; readonly trailing: number } {
  const most = Math.min(before.count, after.count)
  let leading = 0
  while (leading < most && before.line(leading) === after.line(leading)) leading++
  let trailing = 0
  const lastOf = (lines: TextLines): string => lines.line(lines.count - trailing - 1)
  while (leading + trailing < most && lastOf(before) === lastOf(after)) trailing++
  return { leading, trailing }
}
