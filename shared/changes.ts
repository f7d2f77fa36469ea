import { TextLines } from './diff/text-lines.js'
import { WholeLines } from './diff/whole-lines.js'
import { diffLines, diffTextLines } from './line-diff.js'
import type { LineChange } from './line-diff.js'

/** Lines that a change takes away and brings in. */
export interface DiffStat {
  readonly insertions: number
  readonly deletions: number
}

export function addStat(one: DiffStat | null, two: DiffStat): DiffStat {
  return { insertions: (one?.insertions ?? 0) + two.insertions, deletions: (one?.deletions ?? 0) + two.deletions }
}

/** A line of a hunk, with its line end. */
export interface HunkLine {
  readonly kind: 'kept' | 'removed' | 'added'
  readonly text: string
}

/**
 * One block of changed lines with the unchanged ones around it: lines `[beforeStart, beforeEnd)` of the text before
 * become lines `[afterStart, afterEnd)` of the one after; 0-based. Removed lines stand before those added in their place.
 */
export interface Hunk {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
  readonly lines: readonly HunkLine[]
}

/** The text with the hunks applied, or the first hunk that does not fit. */
export type AppliedHunks =
  { readonly kind: 'applied'; readonly text: string } | { readonly kind: 'misfit'; readonly hunk: Hunk }

/**
 * The hunks that turn one text into the other, in order, with up to `contextLines` unchanged lines at either end.
 * Changes with no more than twice as many lines between them share a hunk, as with git.
 */
export function hunksOf(before: string, after: string, contextLines = 3): Hunk[] {
  const beforeLines = new TextLines(before)
  const afterLines = new TextLines(after)
  const groups: LineChange[][] = []
  for (const change of diffTextLines(beforeLines, afterLines)) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (last !== undefined && change.beforeStart - last.beforeEnd <= 2 * contextLines) group?.push(change)
    else groups.push([change])
  }
  return groups.flatMap((group) => hunkOf(group, beforeLines, afterLines, contextLines))
}

/** Counts the lines that `hunksOf` shows as added and removed. */
export function countChanges(before: string, after: string): DiffStat {
  let insertions = 0
  let deletions = 0
  for (const change of diffLines(before, after)) {
    insertions += change.afterEnd - change.afterStart
    deletions += change.beforeEnd - change.beforeStart
  }
  return { insertions, deletions }
}

/**
 * Applies hunks, some or all, to the text they were made from, each exactly at its own lines. With inverted hunks and
 * the text after, it takes them back. A hunk does not fit where its kept and removed lines do not stand at its place,
 * where another one overlaps it, or where it would glue two lines together.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks {
  const lines = new TextLines(text)
  const result = new WholeLines()
  let done = 0
  let last: Hunk | null = null
  for (const hunk of [...hunks].sort((a, b) => a.beforeStart - b.beforeStart)) {
    const stands =
      hunk.beforeStart >= done &&
      hunk.beforeEnd <= lines.count &&
      lines.slice(hunk.beforeStart, hunk.beforeEnd) === sideOf(hunk, 'removed')
    if (!stands || !result.append(lines.slice(done, hunk.beforeStart)) || !result.append(sideOf(hunk, 'added')))
      return { kind: 'misfit', hunk }
    done = hunk.beforeEnd
    last = hunk
  }
  if (!result.append(lines.slice(done, lines.count)) && last !== null) return { kind: 'misfit', hunk: last }
  return { kind: 'applied', text: result.text }
}

/** The hunk that takes this one back. */
export function invertHunk(hunk: Hunk): Hunk {
  const lines: HunkLine[] = []
  let added: HunkLine[] = []
  for (const { kind, text } of hunk.lines) {
    if (kind === 'removed') {
      added.push({ kind: 'added', text })
    } else if (kind === 'added') {
      lines.push({ kind: 'removed', text })
    } else {
      lines.push(...added, { kind, text })
      added = []
    }
  }
  return {
    beforeStart: hunk.afterStart,
    beforeEnd: hunk.afterEnd,
    afterStart: hunk.beforeStart,
    afterEnd: hunk.beforeEnd,
    lines: [...lines, ...added],
  }
}

/** True when two texts differ, and only in blanks: spaces, tabs, line ends, empty lines. */
export function isOnlyBlanks(before: string, after: string): boolean {
  if (before === after) return false
  let i = 0
  let j = 0
  for (;;) {
    while (i < before.length && isBlank(before.charCodeAt(i))) i++
    while (j < after.length && isBlank(after.charCodeAt(j))) j++
    if (i === before.length || j === after.length) return i === before.length && j === after.length
    if (before.charCodeAt(i++) !== after.charCodeAt(j++)) return false
  }
}

/** Space, tab, line feed, vertical tab, form feed, carriage return, no-break space. */
function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0
}

function hunkOf(group: readonly LineChange[], before: TextLines, after: TextLines, contextLines: number): Hunk[] {
  const first = group[0]
  const last = group.at(-1)
  if (first === undefined || last === undefined) return []
  const leading = Math.min(contextLines, first.beforeStart)
  const trailing = Math.min(contextLines, before.count - last.beforeEnd)
  const lines: HunkLine[] = []
  let done = first.beforeStart - leading
  for (const change of group) {
    for (const text of before.list(done, change.beforeStart)) lines.push({ kind: 'kept', text })
    for (const text of before.list(change.beforeStart, change.beforeEnd)) lines.push({ kind: 'removed', text })
    for (const text of after.list(change.afterStart, change.afterEnd)) lines.push({ kind: 'added', text })
    done = change.beforeEnd
  }
  for (const text of before.list(done, last.beforeEnd + trailing)) lines.push({ kind: 'kept', text })
  return [
    {
      beforeStart: first.beforeStart - leading,
      beforeEnd: last.beforeEnd + trailing,
      afterStart: first.afterStart - leading,
      afterEnd: last.afterEnd + trailing,
      lines,
    },
  ]
}

/** One side of a hunk: its kept lines with the removed ones, or with the added ones. */
function sideOf(hunk: Hunk, kind: 'removed' | 'added'): string {
  return hunk.lines.map((line) => (line.kind === kind || line.kind === 'kept' ? line.text : '')).join('')
}
