import type { UnknownReason } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { isSame, type Known, type Solved, type Touch } from './codex-states.js'
import type { Doubt, TurnSteps } from './codex-steps.js'

/** From here on a file is what this says, though no step of its own made it so. */
export interface Sight {
  readonly at: number
  readonly turn: number
  readonly isBeforeTurn: boolean
  readonly path: WorkspacePath
  readonly before: Known | UnknownReason
  readonly after: Known | UnknownReason
}

/** All that is known of one file between its steps. */
export interface SightSources {
  readonly path: WorkspacePath
  readonly solved: Solved
  /** Moments from which on it may be another one, in order. */
  readonly doubts: readonly (Doubt & { readonly turn: number })[]
  /** As the commit of the session has it. */
  readonly committed: Known | null
  /** As it is on the disk, and since when; `isSure` where that is what the last step left. */
  readonly now: { readonly known: Known; readonly modifiedAt: number; readonly isSure: boolean } | null
  /** First order of each turn. */
  readonly starts: readonly number[]
  readonly turns: readonly TurnSteps[]
}

type State = Known | UnknownReason

/** The times of files and of log lines are not of one clock's reading. */
export const clockMs = 100

/**
 * Where a file may have become another one between two of its steps: after each command that may have changed it, and where the steps
 * on both sides do not fit. Where both sides show the same, it was left alone.
 */
export function sightsOf(from: SightSources): readonly Sight[] {
  const { path, solved, doubts, committed } = from
  const own = solved.touches.filter((touch) => touch.path === path && touch.event.kind !== 'look' && touch.event.kind !== 'unsure look')
  return [null, ...own].flatMap((left, at): readonly Sight[] => {
    const right = own[at] ?? null
    const leftAt = left?.event.at ?? -1
    const within = doubts.slice(firstAfter(doubts, leftAt), right ? firstAfter(doubts, right.event.at) : undefined)
    const before = left ? solved.after(left) : (committed ?? 'no-record')
    if (!right) return left ? afterLast(from, left, before, within) : []
    const after = solved.before(right)
    return wasLeftAlone(before, after, within) ? [] : betweenSteps(from, left, right, before, after, within)
  })
}

/** Two steps that do not show the same on both sides, or of which one is not known: what the later one found counts from its turn on. */
function betweenSteps(from: SightSources, left: Touch | null, right: Touch, before: State, after: State, within: SightSources['doubts']): readonly Sight[] {
  const known = left ? before : 'no-record'
  const { turn } = right.event
  const ofTurn = firstAfter(within, (from.starts[turn] ?? 0) - 0.5)
  const inTurn = within.slice(ofTurn)
  const earlier = doubted(from, known, within.slice(0, ofTurn), () => 'changed-by-command')
  const isLater = turn > (left?.event.turn ?? -1)
  const found = inTurn.length > 0 ? 'no-record' : after
  const start = isLater && !areSame(known, found) && (left || typeof after !== 'string') ? [startSight(from, turn, 'no-record', found)] : []
  // Somebody may have changed it as any turn before began.
  const next = (left?.event.turn ?? turn) + 1
  const unsure = start.length > 0 && earlier.length === 0 && typeof known !== 'string' && next < turn ? [startSight(from, next, known, 'records-disagree')] : []
  return [...unsure, ...earlier, ...start, ...doubted(from, start.length > 0 ? found : known, inTurn, () => after)]
}

/** After the last step: what the disk shows tells what it was since it was written. */
function afterLast(from: SightSources, left: Touch, before: State, within: SightSources['doubts']): readonly Sight[] {
  const { now, turns } = from
  if (now?.isSure || (now && wasLeftAlone(before, now.known, within))) return []
  const isSince = (time: number): boolean => now !== null && now.known.bytes !== null && now.modifiedAt + clockMs < time
  const sights = doubted(from, before, within, ({ turn }) => (now && isSince(turns[turn]?.endedAt ?? 0) ? now.known : 'changed-by-command'))
  // Somebody changed it between two turns: known from the next one on, and until then not.
  const next = turns.findIndex(({ startedAt }, turn) => turn > left.event.turn && isSince(startedAt))
  if (next < 0 || !now) return sights
  const unsure = next > left.event.turn + 1 ? [startSight(from, left.event.turn + 1, before, 'records-disagree')] : []
  return [...unsure, ...sights.filter(({ turn }) => turn < next), startSight(from, next, 'records-disagree', now.known)]
}

/** Where it came into doubt, and where the last of the doubts ended, if it is known from there. */
function doubted(from: SightSources, before: State, doubts: SightSources['doubts'], afterLastOf: (last: SightSources['doubts'][number]) => State): readonly Sight[] {
  const [first, last] = [doubts[0], doubts.at(-1)]
  if (!first || !last) return []
  const { path } = from
  const sight = ({ order, turn }: typeof first, was: State, is: State): Sight => ({ at: order, turn, isBeforeTurn: false, path, before: was, after: is })
  const after = afterLastOf(last)
  if (first.turn === last.turn) return [sight(last, before, after)]
  return [sight(first, before, 'changed-by-command'), ...(typeof after === 'string' ? [] : [sight(last, 'changed-by-command', after)])]
}

/** Index of the first of these that comes after a place; they are in order. */
export function firstAfter(ordered: readonly { readonly order: number }[], at: number): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ordered[middle]?.order ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}

function startSight({ path, starts }: SightSources, turn: number, before: State, after: State): Sight {
  return { at: (starts[turn] ?? 0) - 0.4, turn, isBeforeTurn: true, path, before, after }
}

/** Both sides show the same. That there is no file on both does not say that none was made and taken away in between. */
function wasLeftAlone(one: State, two: State, between: readonly Doubt[]): boolean {
  if (!areSame(one, two)) return false
  return typeof one === 'string' || one.bytes !== null || between.every(({ isQuiet }) => isQuiet)
}

function areSame(one: State, two: State): boolean {
  return typeof one !== 'string' && typeof two !== 'string' && isSame(one, two)
}
