import type { PromptId } from '../../shared/ids.js'
import type { Outline, OutlineRow } from '../../shared/timeline.js'
import { dayNumber } from '../ui/words.js'

type TurnOutline = Extract<OutlineRow, { kind: 'turn' }>
type SetAside = Extract<OutlineRow, { kind: 'set-aside' }>

/**
 * One row of the timeline as it is drawn. `row` is the index of the outline's row that it stands for; `lastRow` the
 * last one where it stands for several.
 */
export type TimelineEntry = { readonly key: string; readonly row: number; readonly lastRow: number } & (
  | { readonly kind: 'turn'; readonly turn: TurnOutline }
  /** A day of turns, folded; or its heading, when open. */
  | { readonly kind: 'day'; readonly foldId: string; readonly isOpen: boolean; readonly turns: readonly TurnOutline[] }
  | { readonly kind: 'set-aside'; readonly group: SetAside; readonly isOpen: boolean }
  | {
      readonly kind: 'set-aside-turn'
      readonly promptId: PromptId
      readonly prompt: string
      readonly startedAt: number
      readonly isLast: boolean
    }
  | { readonly kind: 'agent-rewind'; readonly label: string; readonly at: number }
  | { readonly kind: 'operation'; readonly operation: Extract<OutlineRow, { kind: 'operation' }> }
  | { readonly kind: 'end' }
  /** `at`: where the disk stands. `held`: where it would go back to. `left`: where it stands while the playhead is held elsewhere. */
  | { readonly kind: 'playhead'; readonly place: 'at' | 'held' | 'left' }
)

/** From so many turns on, days before the newest turns are folded. */
const foldAbove = 200

/** The outline as rows: old days folded, groups open or folded, and the playhead in its place. */
export function timelineEntries(outline: Outline, openFolds: ReadonlySet<string>, heldAt: number | null): readonly TimelineEntry[] {
  const entries = foldedEntries(outline, openFolds)
  if (heldAt === null || heldAt === outline.playhead) return withPlayhead(entries, outline.playhead, 'at')
  return withPlayhead(withPlayhead(entries, outline.playhead, 'left'), heldAt, 'held')
}

const foldedOf = new WeakMap<Outline, { readonly openFolds: ReadonlySet<string>; readonly entries: readonly TimelineEntry[] }>()

function foldedEntries(outline: Outline, openFolds: ReadonlySet<string>): readonly TimelineEntry[] {
  const known = foldedOf.get(outline)
  if (known && known.openFolds === openFolds) return known.entries
  const days = foldedDays(outline.rows)
  const entries: TimelineEntry[] = []
  for (let row = 0; row < outline.rows.length; row++) {
    const day = days.get(row)
    if (day) {
      const isOpen = openFolds.has(day.foldId)
      entries.push({ kind: 'day', key: day.foldId, foldId: day.foldId, isOpen, turns: day.turns, row, lastRow: isOpen ? row : day.lastRow })
      if (!isOpen) {
        row = day.lastRow
        continue
      }
    }
    const outlineRow = outline.rows[row]
    if (outlineRow) entries.push(...entriesOf(outlineRow, row, openFolds))
  }
  foldedOf.set(outline, { openFolds, entries })
  return entries
}

function entriesOf(row: OutlineRow, at: number, openFolds: ReadonlySet<string>): readonly TimelineEntry[] {
  const place = { row: at, lastRow: at }
  switch (row.kind) {
    case 'turn':
      return [{ kind: 'turn', key: row.promptId, turn: row, ...place }]
    case 'agent-rewind':
      return [{ kind: 'agent-rewind', key: row.id, label: row.label, at: row.at, ...place }]
    case 'operation':
      return [{ kind: 'operation', key: row.operationId, operation: row, ...place }]
    case 'end':
      return [{ kind: 'end', key: 'end', ...place }]
    case 'set-aside': {
      const isOpen = openFolds.has(row.id)
      const group: TimelineEntry = { kind: 'set-aside', key: row.id, group: row, isOpen, ...place }
      if (!isOpen) return [group]
      const turns = row.turns.map((turn, index): TimelineEntry => ({
        kind: 'set-aside-turn',
        key: `${row.id} ${turn.promptId}`,
        ...turn,
        isLast: index === row.turns.length - 1,
        ...place,
      }))
      return [group, ...turns]
    }
  }
}

interface FoldedDay {
  readonly foldId: string
  readonly turns: TurnOutline[]
  lastRow: number
}

/** Days that can be folded, by the row that each begins with. The newest 200 turns stay as they are. */
function foldedDays(rows: readonly OutlineRow[]): ReadonlyMap<number, FoldedDay> {
  const turns = rows.flatMap((row, at) => (row.kind === 'turn' ? [{ turn: row, at }] : []))
  const days = new Map<number, FoldedDay>()
  if (turns.length <= foldAbove) return days
  const newest = turns[turns.length - foldAbove]
  const firstOpenDay = newest ? dayNumber(newest.turn.startedAt) : Infinity
  let open = null as { readonly day: number; readonly fold: FoldedDay } | null
  for (const { turn, at } of turns) {
    const day = dayNumber(turn.startedAt)
    if (day >= firstOpenDay) {
      if (open) open.fold.lastRow = at - 1
      break
    }
    if (open?.day !== day) {
      if (open) open.fold.lastRow = at - 1
      open = { day, fold: { foldId: `day ${day}`, turns: [], lastRow: at } }
      days.set(at, open.fold)
    }
    open.fold.turns.push(turn)
    open.fold.lastRow = at
  }
  return days
}

function withPlayhead(entries: readonly TimelineEntry[], before: number, place: 'at' | 'held' | 'left'): readonly TimelineEntry[] {
  const at = entries.findIndex((entry) => entry.kind !== 'playhead' && entry.lastRow >= before)
  const cut = at < 0 ? entries.length : firstOfRow(entries, at)
  const playhead: TimelineEntry = { kind: 'playhead', key: `playhead ${place}`, place, row: before, lastRow: before }
  return [...entries.slice(0, cut), playhead, ...entries.slice(cut)]
}

/** The held playhead goes above the one left behind where both stand before the same row. */
function firstOfRow(entries: readonly TimelineEntry[], at: number): number {
  const before = entries[at - 1]
  return before?.kind === 'playhead' && before.row === entries[at]?.row ? at - 1 : at
}

/** Whether an entry can be selected; the others only show where something is. */
export function isSelectable(entry: TimelineEntry, hasUserEdits: boolean): boolean {
  if (entry.kind === 'playhead') return false
  return entry.kind !== 'end' || hasUserEdits
}
