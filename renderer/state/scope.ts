import type { Scope } from '../../shared/file-state.js'
import type { PromptId } from '../../shared/ids.js'
import type { Outline, OutlineRow } from '../../shared/timeline.js'
import { noSelection, type OpenSession, type Selection } from './shell-slice.js'

export type ScopeKind = 'turn' | 'to-disk' | 'session' | 'range' | 'since-reviewed' | 'base'

/** The row of the outline that is selected; `null` where nothing is. */
export function selectedRow(session: OpenSession): OutlineRow | null {
  return session.outline.rows[session.selection.rowIndex] ?? null
}

/** Live turns in order, with the row each stands in. */
export function liveTurns(session: OpenSession): readonly { readonly promptId: PromptId; readonly index: number; readonly row: number }[] {
  const known = liveTurnsOf.get(session.outline)
  if (known) return known
  const turns = session.outline.rows.flatMap((row, at) =>
    row.kind === 'turn' ? [{ promptId: row.promptId, index: row.index, row: at }] : [],
  )
  liveTurnsOf.set(session.outline, turns)
  return turns
}

const liveTurnsOf = new WeakMap<OpenSession['outline'], ReturnType<typeof liveTurns>>()

/**
 * What the changes pane compares: the selection read with the kind that the switch shows. A range wins while it has
 * two ends; an entry of ours or of the user has its own scope.
 * Returns `null` where there is nothing to compare.
 */
export function scopeOf(session: OpenSession, kind: ScopeKind): Scope | null {
  const { selection } = session
  const range = rangeOf(session)
  if (range) return { kind: 'range', ...range }
  if (kind === 'session') return { kind: 'session' }
  if (kind === 'since-reviewed') return { kind: 'since-reviewed' }
  if (kind === 'base' && session.header.base) return { kind: 'base' }
  const row = selectedRow(session)
  if (row?.kind === 'operation') return { kind: 'operation', operationId: row.operationId }
  if (row?.kind === 'end') {
    const last = liveTurns(session).at(-1)
    return last ? { kind: 'by-user', after: last.promptId } : null
  }
  if (selection.turn === null) return null
  if (selection.part === 'inside') return { kind: 'user-in-turn', promptId: selection.turn }
  if (selection.part === 'by-user') return { kind: 'by-user', after: selection.turn }
  return kind === 'to-disk' ? { kind: 'to-disk', promptId: selection.turn } : { kind: 'turn', promptId: selection.turn }
}

/** Whether what a scope shows changes when somebody writes a file. */
export function seesDisk(scope: Scope | null): boolean {
  return scope?.kind === 'to-disk' || scope?.kind === 'since-reviewed' || scope?.kind === 'by-user' || scope?.kind === 'base'
}

/** Both ends of the selected range in the session's order; `null` where one turn is looked at. */
export function rangeOf(session: OpenSession): { readonly from: PromptId; readonly to: PromptId } | null {
  const { turn, rangeTo } = session.selection
  if (turn === null || rangeTo === null || turn === rangeTo) return null
  const turns = liveTurns(session)
  const a = turns.findIndex(({ promptId }) => promptId === turn)
  const b = turns.findIndex(({ promptId }) => promptId === rangeTo)
  if (a < 0 || b < 0) return null
  return a < b ? { from: turn, to: rangeTo } : { from: rangeTo, to: turn }
}

/** The same selection in a newer outline: rows move, what was selected stays selected as long as it is there. */
export function followSelection(session: OpenSession, outline: Outline): Selection {
  const { selection } = session
  const row = selectedRow(session)
  if (!row) return noSelection
  const rowIndex = outline.rows.findIndex((candidate) => isSameRow(candidate, row))
  if (rowIndex < 0) return noSelection
  const hasEnd = outline.rows.some((candidate) => candidate.kind === 'turn' && candidate.promptId === selection.rangeTo)
  return { ...selection, rowIndex, rangeTo: hasEnd ? selection.rangeTo : null }
}

function isSameRow(a: OutlineRow, b: OutlineRow): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && a.promptId === b.promptId
  if (a.kind === 'operation') return b.kind === 'operation' && a.operationId === b.operationId
  if (a.kind === 'set-aside') return b.kind === 'set-aside' && a.id === b.id
  if (a.kind === 'agent-rewind') return b.kind === 'agent-rewind' && a.id === b.id
  return a.kind === b.kind
}
