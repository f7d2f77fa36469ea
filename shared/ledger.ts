import type { ChangeCause, FileState } from './file-state.js'
import type { PromptId, WorkspacePath } from './ids.js'

/** One file as it was before and after something changed it. The bytes of a `file` state are in the backup store. */
export interface LedgerChange {
  readonly path: WorkspacePath
  readonly before: FileState
  readonly after: FileState
}

/**
 * What one tool call, or somebody between two turns, changed on the disk, as seen there. Only sessions that run under us have
 * this; it is exact, where an agent's own log leaves room for doubt.
 */
export interface LedgerEntry {
  /** The turn that it happened in; a change between turns belongs to the one that began next, before its start. */
  readonly promptId: PromptId
  readonly isBeforeTurn: boolean
  /** `null` for what no call did. */
  readonly callId: string | null
  readonly cause: ChangeCause
  readonly at: number
  readonly changes: readonly LedgerChange[]
  /** What was not looked at, or not kept, and why: sentences for people. */
  readonly limits: readonly string[]
}
