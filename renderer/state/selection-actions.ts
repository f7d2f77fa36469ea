import type { PromptId } from '../../shared/ids.js'
import type { OutlineRow } from '../../shared/timeline.js'
import { liveTurns } from './scope.js'
import { noSelection, type OpenSession, type Selection } from './shell-slice.js'
import { getState, setState } from './store.js'

/** Selects a turn, live or set aside. */
export function selectTurn(turn: PromptId): void {
  changeSession((session) => select(session, rowOfTurn(session, turn), { turn }))
}

/** Selects what others changed after a turn, or in the middle of it. */
export function selectUserPart(turn: PromptId, part: 'by-user' | 'inside'): void {
  changeSession((session) => select(session, rowOfTurn(session, turn), { turn, part }))
}

/** Selects an entry of the outline by its place. */
export function selectRow(rowIndex: number): void {
  changeSession((session) => {
    const row = session.outline.rows[rowIndex]
    return row ? select(session, rowIndex, { turn: row.kind === 'turn' ? row.promptId : null }) : session
  })
}

/** Makes a range from the selected turn to this one; the selected one is kept as its fixed end. */
export function selectRange(rangeTo: PromptId): void {
  changeSession((session) => {
    if (session.selection.turn === null) return select(session, rowOfTurn(session, rangeTo), { turn: rangeTo })
    return { ...session, selection: { ...session.selection, part: 'turn', rangeTo: rangeTo === session.selection.turn ? null : rangeTo } }
  })
}

/** Moves the loose end of the range by so many turns. */
export function extendRange(delta: number): void {
  const { session } = getState()
  if (!session) return
  const turns = liveTurns(session)
  const end = session.selection.rangeTo ?? session.selection.turn
  const at = turns.findIndex(({ promptId }) => promptId === end)
  // At the last turn there is nothing later: the range then grows to the other side.
  const next = turns[at + delta] ?? (session.selection.rangeTo === null ? turns[at - delta] : undefined)
  if (at >= 0 && next) selectRange(next.promptId)
}

export function clearRange(): void {
  changeSession((session) => ({ ...session, selection: { ...session.selection, rangeTo: null } }))
}

/** Opens or folds a group of turns set aside, or a day. */
export function toggleFold(id: string): void {
  changeSession((session) => {
    const openFolds = new Set(session.openFolds)
    if (!openFolds.delete(id)) openFolds.add(id)
    return { ...session, openFolds }
  })
}

/** Holds the playhead before a row while it is dragged; `null` lets it go back to where the disk stands. */
export function dragPlayhead(to: number | null): void {
  changeSession((session) => (session.dragTo === to ? session : { ...session, dragTo: to }))
}

/** Selects the entry that the disk stands after. */
export function goToPlayhead(): void {
  const { session } = getState()
  if (!session) return
  const before = session.outline.rows.slice(0, session.outline.playhead)
  const at = before.findLastIndex((row) => row.kind !== 'end' && row.kind !== 'set-aside')
  if (at >= 0) selectRow(at)
}

function changeSession(change: (session: OpenSession) => OpenSession): void {
  setState(({ session }) => (session ? { session: change(session) } : {}))
}

function select(session: OpenSession, rowIndex: number, what: Partial<Selection>): OpenSession {
  return rowIndex < 0 ? session : { ...session, selection: { ...noSelection, rowIndex, ...what } }
}

function rowOfTurn(session: OpenSession, turn: PromptId): number {
  return session.outline.rows.findIndex((row) => holdsTurn(row, turn))
}

function holdsTurn(row: OutlineRow, turn: PromptId): boolean {
  if (row.kind === 'turn') return row.promptId === turn
  return row.kind === 'set-aside' && row.turns.some(({ promptId }) => promptId === turn)
}
