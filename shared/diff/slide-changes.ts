import type { SequenceChange } from './sequence-diff.js'
import type { TextLines } from './text-lines.js'

/** Where a change rests that may stand in several places: where it reads best, or at the last of them. */
export type Resting = 'readable' | 'last'

/** Blank lines looked over to find the line that a block begins with. */
const blanksLookedOver = 20
const tabWidth = 8

/**
 * Moves changes that may stand in several places, as a function added between two others, to where they are to rest.
 *
 * A change that only adds or only removes lines can move by a line when the line before it equals its last one, or the
 * line behind it its first one. Changes that can be made to touch become one. As many lines stay changed.
 */
export function slideChanges(
  changes: readonly SequenceChange[],
  before: TextLines,
  after: TextLines,
  resting: Resting,
): SequenceChange[] {
  const settled: SequenceChange[] = []
  const open = [...changes].reverse()
  for (let change = open.pop(); change !== undefined; change = open.pop()) {
    const isAdding = change.beforeStart === change.beforeEnd
    if (!isAdding && change.afterStart !== change.afterEnd) {
      settled.push(change)
      continue
    }
    const lines = isAdding ? after : before
    const start = isAdding ? change.afterStart : change.beforeStart
    const end = isAdding ? change.afterEnd : change.beforeEnd
    const previous = settled.at(-1)
    const next = open.at(-1)

    const roomUp = change.beforeStart - (previous?.beforeEnd ?? 0)
    let up = 0
    while (up < roomUp && isSameLine(lines, start - up - 1, end - up - 1)) up++
    if (previous !== undefined && up === roomUp) {
      settled.pop()
      open.push(joined(previous, moved(change, -up)))
      continue
    }
    const roomDown = (next?.beforeStart ?? before.count) - change.beforeEnd
    let down = 0
    while (down < roomDown && isSameLine(lines, start + down, end + down)) down++
    if (next !== undefined && down === roomDown) {
      open.pop()
      open.push(joined(moved(change, down), next))
      continue
    }
    settled.push(moved(change, resting === 'last' ? down : mostReadable(lines, start, end, -up, down)))
  }
  return settled
}

function isSameLine(lines: TextLines, one: number, other: number): boolean {
  return lines.line(one) === lines.line(other)
}

function moved(change: SequenceChange, by: number): SequenceChange {
  return {
    beforeStart: change.beforeStart + by,
    beforeEnd: change.beforeEnd + by,
    afterStart: change.afterStart + by,
    afterEnd: change.afterEnd + by,
  }
}

function joined(first: SequenceChange, second: SequenceChange): SequenceChange {
  return {
    beforeStart: first.beforeStart,
    beforeEnd: second.beforeEnd,
    afterStart: first.afterStart,
    afterEnd: second.afterEnd,
  }
}

/** The last of the shifts from `least` to `most` with which both ends of the change lie where a reader would cut. */
function mostReadable(lines: TextLines, start: number, end: number, least: number, most: number): number {
  let best = most
  let lowest = Number.POSITIVE_INFINITY
  for (let shift = most; shift >= least && least < most; shift--) {
    const cost = cutCost(lines, start + shift) + cutCost(lines, end + shift)
    if (cost < lowest) {
      lowest = cost
      best = shift
    }
  }
  return best
}

/** Low where a block begins: at a line that is little indented, and behind a blank one. */
function cutCost(lines: TextLines, line: number): number {
  let first = line
  while (first < lines.count && first < line + blanksLookedOver && indentOf(lines.line(first)) === null) first++
  const indent = first < lines.count ? (indentOf(lines.line(first)) ?? 0) : 0
  const isBehindBlank = line > 0 && indentOf(lines.line(line - 1)) === null
  return indent * 2 + (isBehindBlank ? 0 : 1)
}

/** Columns before the first character that is no blank; `null` for a blank line. */
function indentOf(line: string): number | null {
  let columns = 0
  for (const character of line) {
    if (character === '\t') columns += tabWidth - (columns % tabWidth)
    else if (character === ' ') columns++
    else return character === '\n' || character === '\r' ? null : columns
  }
  return null
}
