import type { ApprovalMode, ApprovalSource } from '../../shared/approval.js'
import type { PromptId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import type { CommandJudgement, PolicySettings } from '../../shared/policy.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { ApprovalQueue } from '../approvals/approval-queue.js'
import type { Asked } from '../approvals/question.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { EditWriter } from '../history/edit-writer.js'
import type { FileHistory } from '../history/file-history.js'
import type { SessionHistory } from '../history/session-history.js'
import type { DiskStates } from '../workspace/disk-states.js'
import type { Workspace } from '../workspace/workspace.js'

/** A call as it came. */
export interface ToolCallFacts {
  readonly callId: string
  readonly tool: string
  readonly args: unknown
  readonly startedAt: number
  /** Identity of the agent's request. */
  readonly request: string | number | null
}

/** Watches what a command changes. */
export interface CommandWatch {
  /** What is different on the disk since the command began, noted as this call's. Never rejects: what is not known is said in `limits`. */
  readonly end: (callId: string, cause: LedgerEntry['cause']) => Promise<{ readonly entry: LedgerEntry | null; readonly limits: readonly string[] }>
  /** It did not run. */
  readonly cancel: () => void
}

/** What a running session gives its tools. Everything that writes goes through `propose-edit.ts` or `propose-command.ts`. */
export interface ToolSession {
  readonly key: SessionKey
  readonly workspace: Workspace
  readonly disk: DiskStates
  readonly history: FileHistory
  readonly operations: SessionHistory
  readonly writer: EditWriter
  readonly queue: ApprovalQueue
  readonly sed: SedRunner
  /** Fires when the session ends. */
  readonly ended: AbortSignal
  readonly now: () => number
  /** Absolute path of the session's log. */
  readonly logFile: string

  readonly mode: () => ApprovalMode
  readonly policy: () => PolicySettings
  /** Whether edits need no question now, and because of what. */
  readonly editsUnasked: () => 'mode' | 'rest-of-turn' | null
  /** Until the next turn; without effect where the turn that it was asked in is over. */
  readonly approveRestOfTurn: (askedIn: PromptId) => void
  readonly approvePlan: () => void
  readonly source: (call: { readonly callId: string; readonly tool: string }) => ApprovalSource
  /**
   * Runs before every write, whatever asks for it. A plan that is not approved stops the agent only.
   * Errors: PLAN_NOT_APPROVED, WORKTREE_PROTECTED, WORKSPACE_MISSING.
   */
  readonly assertWritable: (by: 'agent' | 'person') => void

  /** Our own data folder as a path of the workspace, where that holds it: it is no part of what agents see. */
  readonly ownData: WorkspacePath | null

  /** Runs before a file outside the workspace is read; `absolute` has no links. Errors: OUTSIDE_WORKSPACE for our own data. */
  readonly assertReadable: (absolute: string) => void

  /** Begins a turn now; `text` is hostile. Resolves when its snapshot is in the log. */
  readonly beginTurn: (text: string) => Promise<{ readonly turn: number; readonly changedByOthers: readonly WorkspacePath[] }>
  /** What the agent last saw of a file: its hash, by a read or by its own write. */
  readonly seen: Map<WorkspacePath, string>

  readonly judge: (command: string) => CommandJudgement
  readonly allowAlways: (rules: readonly string[]) => Promise<void>
  /** Notes what somebody else changed, so that it does not count as the edit's; best effort, and never waits for a first look. */
  readonly noteTyping: () => Promise<void>
  /**
   * A command is about to run: what somebody else changed since the last look is noted, and copies of what it may change are made.
   * Errors: WORKSPACE_MISSING, CANCELLED at the session's end.
   */
  readonly beginCommand: (callId: string) => Promise<CommandWatch>
  /** Notes what an edit of ours wrote; durable when it resolves. */
  readonly noteWritten: (callId: string, cause: LedgerEntry['cause'], changes: LedgerEntry['changes']) => Promise<void>
  /** Tells the agent something with its next answer. */
  readonly tell: (sentence: string) => void
  /** Waits at its end for this work, which the end has stopped. */
  readonly during: <Result>(work: Promise<Result>) => Promise<Result>
  /** A call begins: where no turn runs, or the last call is long ago, a turn begins with it. Then it is noted in the log. */
  readonly begin: (call: ToolCallFacts, isPartOfTurn: boolean) => Promise<void>
  /**
   * A call ends: its answer is classified and noted in the log; the one that comes back is the one that the agent gets. Never
   * rejects: what cannot be noted is told, and the answer stays what it is.
   */
  readonly finish: (call: ToolCallFacts, answer: ToolAnswer, isPartOfTurn: boolean) => Promise<ToolAnswer>
  /** The question with this id, of this session or the one in the agent's own workspace. */
  readonly findReview: (id: string) => Asked<ToolAnswer> | null
  /** How a question of before a restart ended, by its ticket; `null` for none of this session. */
  readonly endedReview: (id: string) => ToolAnswer | null
  /** Notes what failed inside a tool. */
  readonly failed: (tool: string, thrown: unknown) => void
  /** The environment that commands run in. */
  readonly environment: () => NodeJS.ProcessEnv
  /** The session in the agent's own workspace, made when a tool first needs it. Errors: AGENT_GONE, and those of the log. */
  readonly exec: (tool: string) => Promise<ToolSession>
  /** Everything that this session changed so far, the first state and the last of each file. */
  readonly changedFiles: () => ReadonlyMap<WorkspacePath, { readonly before: LedgerEntry['changes'][number]['before']; readonly after: LedgerEntry['changes'][number]['after'] }>
  /** Bytes of a state in the ledger. Errors: BACKUP_MISSING, BACKUP_DAMAGED. */
  readonly readState: (sha256: string) => Promise<Uint8Array>
}
