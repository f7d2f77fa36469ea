import type { DiffStat } from './changes.js'
import type { ErrorCode } from './errors.js'
import type { ChangeBadge, FileSide, FileState, Moment } from './file-state.js'
import type { OperationId, PromptId, WorkspacePath } from './ids.js'
import type { SessionSummary } from './session.js'
import type { OperationAction } from './timeline.js'

/** What a rewind will do to one file. */
export type RewindAction = 'restore' | 'delete' | 'recreate' | 'merge' | 'conflict' | 'unchanged' | 'cannot'

/** How a file whose later changes are in the way is to be treated. */
export type Resolution =
  /** Merge the three texts; a conflict leaves the file as it is. */
  | { readonly kind: 'merge' }
  /** Leave the disk as it is. */
  | { readonly kind: 'keep' }
  /** Take the bytes of the target, over what was typed since. */
  | { readonly kind: 'old' }
  /** A text that the person wrote in the result pane. */
  | { readonly kind: 'text'; readonly text: string }

/** The person's choices; what is not named is included with the default resolution. */
export interface RewindChoices {
  /** `null`: every file. */
  readonly paths: readonly WorkspacePath[] | null
  readonly resolutions: Readonly<Record<string, Resolution>>
}

export type RewindTarget = Exclude<Moment, { readonly kind: 'disk' }>

/** What to know before files change under an agent that may be at work, since it goes on with what it read; `null` where none is. */
export function liveWarning({ isLive, agent }: Pick<SessionSummary, 'isLive' | 'agent'>, agentName: string): string | null {
  if (!isLive) return null
  return agent === 'overturn'
    ? `${agentName} is at work in this session. It is told of the rewind with its next edit or command.`
    : `${agentName} may still be at work in this session and is not told of a rewind. Have it read these files again before it goes on.`
}

/** One file of a plan. */
export interface PlannedFile {
  readonly path: WorkspacePath
  readonly action: RewindAction
  /** One sentence: why this action, or why it cannot be. */
  readonly reason: string
  /** Lines that the disk will lose and gain; `null` where they cannot be counted. */
  readonly stat: DiffStat | null
  readonly badges: readonly ChangeBadge[]
  /** Blocks that both sides changed; 0 where none. */
  readonly conflicts: number
  readonly disk: FileState
  readonly target: FileState
}

/** Nothing is written by making a plan. `planHash` binds it to the bytes on the disk and to the choices. */
export interface RewindPlan {
  readonly target: RewindTarget
  readonly planHash: string
  readonly files: readonly PlannedFile[]
}

/** The three texts of one file and their merge, for the preview. */
export interface RewindFileTexts {
  readonly path: WorkspacePath
  readonly target: FileSide
  /** What the agent, or our last operation, left. */
  readonly base: FileSide
  readonly disk: FileSide
  /** What will be written; conflicts are left out and listed. `null` where nothing would be written. */
  readonly result: FileSide | null
  readonly conflicts: readonly {
    readonly targetLine: number
    readonly baseLine: number
    readonly diskLine: number
    readonly resultLine: number
    readonly targetText: string
    readonly baseText: string
    readonly diskText: string
  }[]
}

export type FileResult = 'restored' | 'deleted' | 'recreated' | 'merged' | 'unchanged' | 'left' | 'failed'

/** What happened to one file. `sha256` was read back from the disk; `null` where the file is absent. */
export interface ReceiptFile {
  readonly path: WorkspacePath
  readonly action: RewindAction
  readonly result: FileResult
  readonly reason: string
  readonly error: ErrorCode | null
  readonly sha256: string | null
}

export interface Receipt {
  readonly operationId: OperationId
  readonly action: OperationAction
  /** "the start of turn 4" and the like. */
  readonly label: string
  readonly startedAt: number
  readonly durationMs: number
  readonly files: readonly ReceiptFile[]
  /** The snapshot of before: what an undo brings back. */
  readonly snapshot: { readonly files: number; readonly sizeBytes: number }
}

/** The inverse of one hunk against the present text. */
export interface TakeBackPlan {
  readonly path: WorkspacePath
  readonly promptId: PromptId
  /** 1-based, in the order of the turn's diff of this file. */
  readonly hunk: number
  readonly hunks: number
  readonly planHash: string
  readonly fits: boolean
  readonly reason: string
  readonly stat: DiffStat
  readonly before: FileSide
  readonly after: FileSide
}
