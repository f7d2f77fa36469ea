import { liveTurns, rangeOf } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import type { TimelineEntry } from './rows.js'

/** Height that a row probably has, before it has been measured. */
export function estimatedSize(entry: TimelineEntry | undefined): number {
  switch (entry?.kind) {
    case 'turn':
      return 60
    case 'day':
      return entry.isOpen ? 26 : 50
    case 'playhead':
      return entry.place === 'held' ? 32 : 44
    default:
      return 26
  }
}

/** Id of a row's element. */
export function rowId(entry: TimelineEntry): string {
  return `row ${entry.key}`.replace(/\s/g, '-')
}

/** Index of the entry that the keyboard stands on; -1 where none is selected. */
export function selectedEntry(entries: readonly TimelineEntry[], session: OpenSession): number {
  const { rowIndex, turn } = session.selection
  if (rowIndex < 0) return -1
  const inner = entries.findIndex((entry) => entry.kind === 'set-aside-turn' && entry.promptId === turn)
  if (inner >= 0) return inner
  return entries.findIndex(
    (entry) => entry.kind !== 'playhead' && entry.row <= rowIndex && entry.lastRow >= rowIndex && (entry.kind !== 'day' || !entry.isOpen),
  )
}

/** Whether a row is part of what is selected: the one row, or each turn of the range. */
export function isInSelection(entry: TimelineEntry, at: number, selected: number, range: RangeRows | null): boolean {
  if (range && entry.kind === 'turn') return entry.row >= range.first && entry.row <= range.last
  return at === selected
}

export interface RangeRows {
  readonly first: number
  readonly last: number
}

/** Rows of the outline that the selected range spans; `null` where one turn is looked at. */
export function rangeRows(session: OpenSession): RangeRows | null {
  const range = rangeOf(session)
  if (!range) return null
  const turns = liveTurns(session)
  const rowOf = (id: string): number => turns.find(({ promptId }) => promptId === id)?.row ?? -1
  return { first: rowOf(range.from), last: rowOf(range.to) }
}

/** The edge that the playhead lies beyond; `null` while it is on screen. */
export function hiddenSide(y: number, scrollTop: number, height: number): 'top' | 'bottom' | null {
  if (height === 0) return null
  if (y < scrollTop + 8) return 'top'
  return y > scrollTop + height - 4 ? 'bottom' : null
}

/** Where the playhead stands, in words: "after turn 9". */
export function placeWords(session: OpenSession, row: number): string {
  const turns = liveTurns(session)
  const before = turns.findLast((turn) => turn.row < row)
  return before ? `after turn ${before.index}` : 'before the first turn'
}
