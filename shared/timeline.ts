import type { DiffStat } from './changes.js'
import type { OperationId, PromptId, WorkspacePath } from './ids.js'
import type { SessionProblem, SessionSummary } from './session.js'
import type { Usage } from './usage.js'
import type { ChangeCause } from './file-state.js'

/**
 * The outline of a session: every row, light, in order. Details of a turn come by `session.turns` for what is on screen.
 */
export interface Outline {
  /** Rises with each change; details of an older revision are thrown away. */
  readonly revision: number
  readonly rows: readonly OutlineRow[]
  /** Where the disk stands: before the row with this index; `rows.length` is the end. */
  readonly playhead: number
  /** Turns of the live branch that our own rewinds took back, by promptId. */
  readonly takenBack: readonly PromptId[]
}

export type OutlineRow =
  | {
      readonly kind: 'turn'
      readonly promptId: PromptId
      readonly index: number
      /** First 200 characters. */
      readonly prompt: string
      readonly startedAt: number
      readonly hasSnapshot: boolean
      readonly isTakenBack: boolean
    }
  /** Turns that the recording agent's own rewind, or a second branch, left behind. Folded by default. */
  | {
      readonly kind: 'set-aside'
      readonly id: string
      readonly turns: readonly { readonly promptId: PromptId; readonly prompt: string; readonly startedAt: number }[]
    }
  /** A rewind that the recording agent did. */
  | { readonly kind: 'agent-rewind'; readonly id: string; readonly at: number; readonly label: string }
  /** One of ours. `isUndone` when a later undo took it back. */
  | {
      readonly kind: 'operation'
      readonly operationId: OperationId
      readonly action: OperationAction
      readonly at: number
      readonly label: string
      readonly files: number
      readonly isUndone: boolean
      readonly outcome: 'done' | 'partly' | 'interrupted'
    }
  /** The end of the agent's last turn; below it is what others did. */
  | { readonly kind: 'end' }

export type OperationAction = 'rewind' | 'undo' | 'redo' | 'take-back'

/** One mark on the rail, in the order of the turn's events. `removed` and `added` are line counts. */
export type Tick =
  | { readonly kind: 'change'; readonly cause: ChangeCause; readonly removed: number; readonly added: number; readonly label: string }
  | { readonly kind: 'command'; readonly label: string }
  | { readonly kind: 'refused'; readonly label: string }
  | { readonly kind: 'failed'; readonly label: string }
  | { readonly kind: 'unknown'; readonly label: string }
  | { readonly kind: 'subagent'; readonly label: string }

export interface TurnDetails {
  readonly promptId: PromptId
  readonly files: number
  readonly stat: DiffStat
  /** Tokens and cost, with the subagents'; `null` where none are recorded. */
  readonly usage: Usage | null
  readonly commands: number
  readonly refused: number
  readonly failed: number
  readonly subagents: number
  /** Files whose content before or after is not known. */
  readonly unknown: number
  readonly ticks: readonly Tick[]
  /** What was not looked at in this turn, or not kept, and why: sentences. Empty where nothing is missing. */
  readonly limits: readonly string[]
  /** What others changed between this turn's end and the next turn's start, where the records show it. */
  readonly byUser: { readonly files: number; readonly stat: DiffStat } | null
  /** What others changed in the middle of this turn, before the agent went on with the same files. */
  readonly byUserInside: { readonly files: number; readonly stat: DiffStat } | null
}

/** The state of an opened session, asked again after each event about it. */
export interface SessionHeader {
  readonly summary: SessionSummary
  readonly turns: number
  readonly setAside: number
  readonly problems: readonly SessionProblem[]
  /** Reading still goes on: bytes read and bytes in all. */
  readonly loading: { readonly done: number; readonly total: number } | null
  /** Prompts at the very end of the log, newest first, before the whole log has been read. Empty once `loading` is `null`. */
  readonly newestPrompts: readonly { readonly prompt: string; readonly startedAt: number }[]
  readonly canRewind: { readonly kind: 'yes' } | { readonly kind: 'no'; readonly reason: string }
  readonly undo: { readonly operationId: OperationId; readonly label: string } | null
  readonly redo: { readonly operationId: OperationId; readonly label: string } | null
  /** Files that differ from what the agent, or our last operation, left. `null` while not yet compared. */
  readonly byUser: { readonly files: number; readonly stat: DiffStat } | null
  /** What was found of an operation that a crash had cut off, in one sentence; `null` where nothing. */
  readonly recovered: string | null
  /** Where the session works in a worktree that was made here: the commit that its branch left from. */
  readonly base: { readonly commit: string; readonly branch: string | null } | null
}

/** The map: one row a file, one cell a turn that touched it. */
export interface SessionMap {
  readonly turns: readonly { readonly promptId: PromptId; readonly index: number; readonly prompt: string; readonly files: number; readonly stat: DiffStat }[]
  readonly files: readonly {
    readonly path: WorkspacePath
    readonly cells: readonly MapCell[]
    readonly stat: DiffStat
  }[]
}

/** `turn` is an index into `SessionMap.turns`; -1 is the column of the user, after the last turn. */
export interface MapCell {
  readonly turn: number
  readonly kind: 'added' | 'modified' | 'deleted' | 'binary' | 'unknown'
  readonly cause: ChangeCause
  readonly stat: DiffStat | null
}

/** A hit of the search inside one session. */
export type Hit =
  | { readonly kind: 'turn'; readonly promptId: PromptId; readonly index: number | null; readonly text: string }
  | { readonly kind: 'file'; readonly path: WorkspacePath; readonly turns: number; readonly lastIn: PromptId }
  | { readonly kind: 'command'; readonly promptId: PromptId; readonly index: number | null; readonly text: string }
