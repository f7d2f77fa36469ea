import type { AppStore } from './store.js'

export type CommandGroup = 'Go to' | 'Timeline' | 'Changes' | 'Rewind' | 'Map' | 'Approvals' | 'Transcript' | 'Search' | 'Window'

/**
 * One thing a person can do. The one table of these feeds the keyboard, the foot bar, the key sheet and the palette.
 *
 * Keys: `J`, `Shift+J`, `Mod+K` (Ctrl, or Cmd on a Mac), `Space`, `Enter`, `Escape`, `ArrowUp`, `?`, `[`; the first
 * one is shown. Letters are written large and match without Shift.
 */
export interface Command {
  readonly id: string
  /** Sentence case, verb first: "Go to the next turn". */
  readonly label: string
  /** Words for the foot bar, or `null` to stay out of it. Neighbours with equal hints share one entry: `J K turn`. */
  readonly hint: string | null
  readonly keys: readonly string[]
  readonly group: CommandGroup
  /** Whether it can be done now. The first command of the table with this key that can be done takes it. */
  readonly when: (state: AppStore) => boolean
  readonly run: () => void
}
