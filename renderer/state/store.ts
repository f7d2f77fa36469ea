import { create } from 'zustand'
import { initialChanges, type ChangesState } from './changes-slice.js'
import { initialRewind, type RewindState } from './rewind-slice.js'
import { initialShell, type ShellState } from './shell-slice.js'

/** Everything the window shows, in one immutable value. Truth lives in the host; this is what was last heard of it. */
export type AppStore = ShellState & { readonly changes: ChangesState; readonly rewind: RewindState }

/** Selects from the store: `useStore((state) => state.view)`. */
export const useStore = create<AppStore>()(() => ({ ...initialShell(), changes: initialChanges, rewind: initialRewind }))

export const getState = useStore.getState

/** Replaces parts of the state; only actions call it. */
export function setState(change: Partial<AppStore> | ((state: AppStore) => Partial<AppStore>)): void {
  useStore.setState(change)
}
