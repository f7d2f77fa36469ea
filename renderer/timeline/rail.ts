import type { Scope } from '../../shared/file-state.js'
import type { PromptId } from '../../shared/ids.js'
import type { TimelineEntry } from './rows.js'

/** How a piece of the axis looks: the agent's turns, what was taken back, what others did. */
export type Axis = 'none' | 'solid' | 'double' | 'dotted'

/** What one row shows of a line that runs over several rows. `head` is its upper end, `foot` its lower one. */
export type Span = 'none' | 'head' | 'through' | 'foot' | 'both'

/** Everything of the rail in one row; the row's own node and ticks are not in it. */
export interface RailRow {
  readonly above: Axis
  readonly below: Axis
  /** Taken back, or about to be: hollow node, struck words. */
  readonly isOut: boolean
  /** What the changes pane compares. */
  readonly bracket: Span
  /** From a rewind to where the disk went back to. */
  readonly arc: Span
  /** From where the disk stands to where the playhead is held. */
  readonly hold: Span
}

/**
 * The rail of each row.
 *
 * Shape: `scope` is what the bracket embraces; `null` for none. `heldAt` and `playhead` are rows of the outline.
 */
export function railRows(
  entries: readonly TimelineEntry[],
  scope: Scope | null,
  heldAt: number | null,
  playhead: number,
): readonly RailRow[] {
  const isSwept = ({ kind, row }: TimelineEntry): boolean =>
    heldAt !== null && row >= heldAt && row < playhead && (kind === 'turn' || kind === 'day')
  const isOut = entries.map((entry) => isTakenBack(entry) || isSwept(entry))
  const axes = axesOf(entries, isOut)
  // While the playhead is held, its own arc is the question; the bracket would only lie over it.
  const brackets = spans(entries.length, heldAt === null ? bracketEnds(entries, scope) : null)
  const arcs = arcSpans(entries)
  const holds = spans(entries.length, holdEnds(entries))
  return entries.map((_, at) => ({
    above: at === 0 ? 'none' : (axes[at - 1] ?? 'none'),
    below: at === entries.length - 1 ? 'none' : (axes[at] ?? 'none'),
    isOut: isOut[at] ?? false,
    bracket: brackets[at] ?? 'none',
    arc: arcs[at] ?? 'none',
    hold: holds[at] ?? 'none',
  }))
}

function isTakenBack(entry: TimelineEntry): boolean {
  if (entry.kind === 'turn') return entry.turn.isTakenBack
  return entry.kind === 'day' && entry.turns.every((turn) => turn.isTakenBack)
}

/** The axis below each entry: an entry that is no turn hangs on what comes before it. */
function axesOf(entries: readonly TimelineEntry[], isOut: readonly boolean[]): readonly Axis[] {
  let axis: Axis = 'solid'
  return entries.map((entry, at) => {
    if (entry.kind === 'end') axis = 'dotted'
    else if (entry.kind === 'turn' || entry.kind === 'day') axis = isOut[at] ? 'double' : 'solid'
    else if (entry.kind === 'playhead' && isOut[at + 1]) axis = 'double'
    return axis
  })
}

interface Ends {
  readonly head: number
  readonly foot: number
}

function spans(length: number, ends: Ends | null): readonly Span[] {
  return Array.from({ length }, (_, at): Span => {
    if (!ends || at < ends.head || at > ends.foot) return 'none'
    if (ends.head === ends.foot) return 'both'
    return at === ends.head ? 'head' : at === ends.foot ? 'foot' : 'through'
  })
}

/** First and last entry of the bracket: it runs from the node of the first turn to the node after the last one. */
function bracketEnds(entries: readonly TimelineEntry[], scope: Scope | null): Ends | null {
  if (!scope || scope.kind === 'since-reviewed' || scope.kind === 'operation' || scope.kind === 'base') return null
  const turn = (id: PromptId): number =>
    entries.findIndex((entry) =>
      entry.kind === 'turn'
        ? entry.turn.promptId === id
        : entry.kind === 'day' && !entry.isOpen && entry.turns.some((one) => one.promptId === id),
    )
  const disk = entries.findIndex((entry) => entry.kind === 'playhead' && entry.place !== 'held')
  const after = (at: number): number => {
    const next = entries[at + 1]
    return next?.kind === 'turn' || next?.kind === 'end' || next?.kind === 'playhead' ? at + 1 : at
  }
  const ends = ((): Ends => {
    switch (scope.kind) {
      case 'turn':
      case 'user-in-turn':
        return { head: turn(scope.promptId), foot: after(turn(scope.promptId)) }
      case 'to-disk':
        return { head: turn(scope.promptId), foot: disk }
      case 'range':
        return { head: turn(scope.from), foot: after(turn(scope.to)) }
      case 'session':
        return {
          head: entries.findIndex((entry) => entry.kind === 'turn' || entry.kind === 'day'),
          foot: entries.findLastIndex((entry) => entry.kind === 'turn' || entry.kind === 'end' || entry.kind === 'day'),
        }
      case 'by-user':
        return { head: entries.findIndex((entry) => entry.kind === 'end'), foot: disk }
    }
  })()
  return ends.head < 0 || ends.foot < ends.head ? null : ends
}

/** An arc for each rewind: over the turns that it set aside, or that it took back. */
function arcSpans(entries: readonly TimelineEntry[]): readonly Span[] {
  const result = entries.map((): Span => 'none')
  entries.forEach((entry, foot) => {
    if (!isRewind(entry)) return
    let head = foot
    while (liesUnder(entries[head - 1], entry)) head--
    // The disk went back to there, so the arc points at the playhead itself.
    if (head < foot && entries[head - 1]?.kind === 'playhead') head--
    spans(entries.length, { head, foot }).forEach((span, at) => {
      if (span !== 'none') result[at] = span
    })
  })
  return result
}

function isRewind(entry: TimelineEntry): boolean {
  if (entry.kind === 'agent-rewind') return true
  return entry.kind === 'operation' && entry.operation.action === 'rewind' && !entry.operation.isUndone
}

function liesUnder(entry: TimelineEntry | undefined, rewind: TimelineEntry): boolean {
  if (!entry) return false
  if (rewind.kind === 'agent-rewind') return entry.kind === 'set-aside' || entry.kind === 'set-aside-turn'
  return isTakenBack(entry) || (entry.kind !== 'turn' && entry.kind !== 'day' && entry.kind !== 'playhead')
}

function holdEnds(entries: readonly TimelineEntry[]): Ends | null {
  const held = entries.findIndex((entry) => entry.kind === 'playhead' && entry.place === 'held')
  const left = entries.findIndex((entry) => entry.kind === 'playhead' && entry.place === 'left')
  return held < 0 || left < 0 ? null : { head: Math.min(held, left), foot: Math.max(held, left) }
}
