import { useMemo } from 'react'
import type { Scope } from '../../shared/file-state.js'
import { scopeOf } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import { useStore, type AppStore } from '../state/store.js'
import { railRows, type RailRow } from './rail.js'
import { timelineEntries, type TimelineEntry } from './rows.js'
import { rowOfTarget } from './slots.js'

export interface TimelineModel {
  readonly entries: readonly TimelineEntry[]
  readonly rails: readonly RailRow[]
  /** Where the playhead is held, as a row of the outline; `null` while it is where the disk stands. */
  readonly heldAt: number | null
}

/** The rows of the open session with their rails, made anew only when something of them changed. */
export function useTimeline(session: OpenSession): TimelineModel {
  const scopeKind = useStore((state) => state.changes.scopeKind)
  const heldAt = useStore(heldRow)
  const scope = scopeOf(session, scopeKind)
  const scopeName = JSON.stringify(scope)
  return useMemo(() => {
    const parsed = JSON.parse(scopeName) as Scope | null
    const entries = timelineEntries(session.outline, session.openFolds, heldAt)
    return { entries, rails: railRows(entries, parsed, heldAt, session.outline.playhead), heldAt }
  }, [session.outline, session.openFolds, heldAt, scopeName])
}

/** Where the playhead is held: by the pointer or keys, or by an open preview. */
export function heldRow(state: AppStore): number | null {
  if (!state.session) return null
  if (state.session.dragTo !== null) return state.session.dragTo
  return state.view === 'rewind' && state.rewind.target ? rowOfTarget(state.session.outline, state.rewind.target) : null
}
