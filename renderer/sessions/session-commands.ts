import { chooseLog, openSession, setSessionFilter } from '../state/actions.js'
import type { Command } from '../state/command.js'
import { valueOf } from '../state/loadable.js'
import { getState, type AppStore } from '../state/store.js'
import { groupSessions, orderedSessions } from './session-groups.js'

/** Opens the session that stands so many places from the open one in the list. */
export function stepSession(delta: number): void {
  const { library, session, sessionFilter } = getState()
  const ordered = orderedSessions(groupSessions(valueOf(library)?.sessions ?? [], sessionFilter ?? ''))
  const at = ordered.findIndex(({ key }) => key === session?.key)
  const next = ordered[Math.max(0, Math.min(ordered.length - 1, at + delta))]
  if (next && next.key !== session?.key) void openSession(next.key)
}

const inSessions = (state: AppStore): boolean => state.focusedPane === 'sessions' && (state.view === 'review' || state.view === 'map')

export const sessionCommands: readonly Command[] = [
  { id: 'sessions.next', label: 'Open the next session', hint: 'session', keys: ['J', 'ArrowDown'], group: 'Go to', when: inSessions, run: () => stepSession(1) },
  { id: 'sessions.previous', label: 'Open the previous session', hint: 'session', keys: ['K', 'ArrowUp'], group: 'Go to', when: inSessions, run: () => stepSession(-1) },
  { id: 'sessions.filter', label: 'Filter the list of sessions', hint: null, keys: [], group: 'Go to', when: (state) => state.session !== null, run: () => setSessionFilter(getState().sessionFilter ?? '') },
  { id: 'sessions.open', label: 'Open a session file or folder…', hint: null, keys: ['O'], group: 'Go to', when: (state) => state.view !== 'rewind', run: () => void chooseLog() },
]
