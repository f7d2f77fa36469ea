import { TextLines } from './diff/text-lines.js'
import { diffTextLines } from './line-diff.js'
import type { LineChange } from './line-diff.js'

/** Lines that both sides changed, each in its own way. Any of the texts may be empty; line numbers are 0-based. */
export interface MergeConflict {
  readonly kind: 'conflict'
  readonly base: string
  readonly mine: string
  readonly other: string
  readonly baseLine: number
  readonly mineLine: number
  readonly otherLine: number
}

/** A piece of the merged text: as in all, or changed alike; changed by one side, maybe to nothing; or still open. */
export type MergePart =
  | { readonly kind: 'agreed'; readonly text: string }
  | { readonly kind: 'mine'; readonly text: string }
  | { readonly kind: 'other'; readonly text: string }
  | MergeConflict

export interface MergeResult {
  readonly parts: readonly MergePart[]
  /** How many of the parts are conflicts; with 0 the merge is clean. */
  readonly conflicts: number
}

/**
 * Merges what two sides made of one base text, line by line.
 *
 * Shape: lines as `TextLines` has them, so each line end, and a missing last one, stays as the side had it that changed
 * the line. Changes of the two sides that overlap are a conflict unless both come to the same text. Changes that only
 * touch, each in lines of its own, are a conflict too, as with `git merge-file`, or with `apart` are both taken.
 */
export function mergeTexts(
  base: string,
  mine: string,
  other: string,
  touching: 'conflict' | 'apart' = 'conflict',
): MergeResult {
  const lines = new TextLines(base)
  const ours = new ChangedSide(lines, mine)
  const theirs = new ChangedSide(lines, other)
  const parts: MergePart[] = []
  let done = 0
  for (;;) {
    const start = Math.min(ours.nextStart, theirs.nextStart, lines.count)
    if (start > done) parts.push({ kind: 'agreed', text: lines.slice(done, start) })
    if (ours.isTaken && theirs.isTaken) break

    const mineLine = ours.lineOf(start)
    const otherLine = theirs.lineOf(start)
    let end = start
    const mustTake = (change: LineChange, reached: number): boolean =>
      touching === 'conflict' ||
      change.beforeStart < reached ||
      reached === start ||
      change.beforeStart === change.beforeEnd
    for (let reached = -1; reached < end;) {
      reached = end
      end = theirs.take(ours.take(end, mustTake), mustTake)
    }
    const region = {
      base: lines.slice(start, end),
      mine: ours.lines.slice(mineLine, ours.lineOf(end)),
      other: theirs.lines.slice(otherLine, theirs.lineOf(end)),
    }
    if (region.mine === region.other) parts.push({ kind: 'agreed', text: region.mine })
    else if (region.other === region.base) parts.push({ kind: 'mine', text: region.mine })
    else if (region.mine === region.base) parts.push({ kind: 'other', text: region.other })
    else parts.push({ kind: 'conflict', ...region, baseLine: start, mineLine, otherLine })
    done = end
  }
  return { parts, conflicts: parts.filter((part) => part.kind === 'conflict').length }
}

/** The text of a merge, with each conflict replaced by the text chosen for it. */
export function mergedText(result: MergeResult, choose: (conflict: MergeConflict) => string): string {
  return result.parts.map((part) => (part.kind === 'conflict' ? choose(part) : part.text)).join('')
}

/** One side of a merge: its changes of the base, taken one after the other. */
class ChangedSide {
  readonly lines: TextLines
  readonly #changes: readonly LineChange[]
  #next = 0
  /** How much further down this side has the base lines behind the changes taken. */
  #shift = 0

  constructor(base: TextLines, text: string) {
    this.lines = new TextLines(text)
    // At the last place a change may stand: the same change made by both sides is then found at the same lines.
    this.#changes = diffTextLines(base, this.lines, 'last')
  }

  get isTaken(): boolean {
    return this.#next === this.#changes.length
  }

  get nextStart(): number {
    return this.#changes[this.#next]?.beforeStart ?? Number.POSITIVE_INFINITY
  }

  lineOf(baseLine: number): number {
    return baseLine + this.#shift
  }

  /** Takes the changes that overlap what lies before base line `end`, or touch it and must be taken; returns how far they reach. */
  take(end: number, mustTake: (change: LineChange, reached: number) => boolean): number {
    let reached = end
    for (;;) {
      const change = this.#changes[this.#next]
      if (change === undefined || change.beforeStart > reached || !mustTake(change, reached)) return reached
      reached = Math.max(reached, change.beforeEnd)
      this.#shift = change.afterEnd - change.beforeEnd
      this.#next++
    }
  }
}
