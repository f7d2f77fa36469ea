import { create } from 'zustand'
import { initialAgents, type AgentsState } from './agents-slice.js'
import { initialApprovals, type ApprovalsState } from './approvals-slice.js'
import { initialChanges, type ChangesState } from './changes-slice.js'
import { initialRewind, type RewindState } from './rewind-slice.js'
import { initialSearch, type SearchState } from './search-slice.js'
import { initialShell, type ShellState } from './shell-slice.js'
import type { WhyState } from './why-slice.js'

/** Everything the window shows, in one immutable value. Truth lives in the host; this is what was last heard of it. */
export type AppStore = ShellState & {
  readonly changes: ChangesState
  readonly rewind: RewindState
  readonly approvals: ApprovalsState
  readonly agents: AgentsState
  readonly search: SearchState
  /** The line that was asked about; `null` where none is. */
  readonly why: WhyState | null
}

/** Selects from the store: `useStore((state) => state.view)`. */
export const useStore = create<AppStore>()(() => ({
  ...initialShell(),
  changes: initialChanges,
  rewind: initialRewind,
  approvals: initialApprovals,
  agents: initialAgents,
  search: initialSearch,
  why: null,
}))

export const getState = useStore.getState

/** Replaces parts of the state; only actions call it. */
export function setState(change: Partial<AppStore> | ((state: AppStore) => Partial<AppStore>)): void {
  useStore.setState(change)
}
