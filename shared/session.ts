import type { DiffStat } from './changes.js'
import type { PromptId, SessionKey, WorkspacePath } from './ids.js'
import type { Usage } from './usage.js'

/** Whose log it is. `overturn` is our own, of a session that an agent works through our tools. */
export type AgentName = 'qwen-code' | 'claude-code' | 'codex' | 'gemini-cli' | 'opencode' | 'overturn'

/** One line of the session list. Counts are `null` while they have not been read. Times are integer milliseconds. */
export interface SessionSummary {
  readonly key: SessionKey
  /** Id that the agent recorded. */
  readonly id: string
  readonly agent: AgentName
  readonly title: string
  /** Folder that the log names, and whether it is here. */
  readonly recordedFolder: string | null
  /** Folder that we work on: the attached one, else the recorded one where it exists, else `null`. */
  readonly workspace: string | null
  readonly branch: string | null
  readonly model: string | null
  /** Absolute path of the log. */
  readonly file: string
  readonly sizeBytes: number
  readonly startedAt: number | null
  readonly lastActiveAt: number | null
  readonly turns: number | null
  readonly stat: DiffStat | null
  /** Files that the recorded edits changed. */
  readonly files: number | null
  /** Tokens and cost as the log records them, of set-aside turns too; `null` where it does not, or where they were not read. */
  readonly usage: Usage | null
  /** That the session is over, where its log or its place says so; `null` where nothing does. */
  readonly end: SessionEnd | null
  readonly problems: number
  /** The log grew within the last minute, and does not say that the session ended. */
  readonly isLive: boolean
  readonly isSample: boolean
  /** In a log of ours: the name that the agent gave itself; else `null`. */
  readonly client: string | null
  /** Its first turns are the very ones of another log: one was resumed or forked from the other, or is a copy of it. */
  readonly sharedTurns?: { readonly session: SessionKey; readonly turns: number }
}

/** `ended`: the agent was left; `archived`: a person put the session away. `at` where recorded. */
export interface SessionEnd {
  readonly at: number | null
  readonly how: 'ended' | 'archived'
}

export const problemKinds = [
  'bad-line',
  'torn-line',
  'glued-line',
  'oversized-line',
  'unknown-record',
  'missing-parent',
  'parent-cycle',
  'bad-snapshot',
  'bad-ledger',
  'missing-backup',
  'no-snapshots',
  'foreign-record',
  'hostile-path',
] as const
export type ProblemKind = (typeof problemKinds)[number]

/** Something in a log that was not understood; never fatal. `lines` are 1-based, the first 20 of them. */
export interface SessionProblem {
  readonly kind: ProblemKind
  readonly count: number
  /** One sentence: what it is and what it means for the reader. */
  readonly detail: string
  readonly lines: readonly number[]
}

/** One user prompt and all that followed. `index` is 1-based on the live branch, `null` on a dead one. */
export interface Turn {
  readonly promptId: PromptId
  readonly index: number | null
  /** The prompt as typed, at most 4,000 characters; the transcript holds the whole. */
  readonly prompt: string
  readonly startedAt: number
  /** Whether the log holds a prompt snapshot for it. */
  readonly hasSnapshot: boolean
}

/** A rewind that the recording agent did: the turns from `droppedFrom` on were set aside when it ran. */
export interface RecordedRewind {
  readonly at: number
  /** First turn of the branch that was set aside. */
  readonly droppedFrom: PromptId
  readonly dropped: readonly PromptId[]
  /** The live turn that it follows; `null` where it went back to the very start. */
  readonly after: PromptId | null
  /** `false` where the agent is known to leave files as they are when it goes back. */
  readonly restoresFiles?: boolean
}

/** A text that a log holds. `isWhole` is false where the recorder cut it; line ends and BOM may be lost in any case. */
export interface RecordedText {
  readonly text: string
  readonly isWhole: boolean
}

/** What a recorded tool call says that it did to one file. */
export interface RecordedEdit {
  readonly path: WorkspacePath
  readonly change:
    | { readonly kind: 'replace'; readonly oldText: string; readonly newText: string; readonly all: boolean }
    | { readonly kind: 'write'; readonly content: string }
    /** A shell command that the agent applied in memory. */
    | { readonly kind: 'sed'; readonly command: string }
    | { readonly kind: 'delete' }
  /** Contents as recorded before and after, previews with LF line ends; `null` where none (a new file, or cut away). */
  readonly before: RecordedText | null
  readonly after: RecordedText | null
  /** True where the record says that the file did not exist. */
  readonly isNewFile: boolean
  /** Unified diff as recorded, for display only; `null` where none or made up by the recorder. */
  readonly diff: string | null
  /**
   * `false` where the agent is known to change line ends or a BOM as it writes: what comes out is then told only for a file that has
   * LF alone and no BOM, and not for a new one.
   */
  readonly keepsBytes?: boolean
}

export type ToolKind = 'read' | 'edit' | 'command' | 'search' | 'subagent' | 'other'

/** `refused`: the user or the agent's policy said no; nothing ran. `failed`: it ran and reported an error. */
export type ToolStatus = 'done' | 'failed' | 'refused' | 'running'

export interface ToolCall {
  readonly callId: string
  readonly name: string
  readonly kind: ToolKind
  readonly status: ToolStatus
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** Arguments as JSON text, for reading. */
  readonly args: string
  /** Result text as recorded, cut to 64 KiB; `isCut` says so, `session.toolOutput` has the rest. */
  readonly output: string
  readonly isOutputCut: boolean
  readonly edit: RecordedEdit | null
  /** Of a patch over several files: what it says of each; for display only. */
  readonly patch?: readonly RecordedEdit[]
  /** The shell command, and its exit code where recorded. */
  readonly command: { readonly text: string; readonly exitCode: number | null; readonly directory: string | null } | null
  /** Whole content that a read showed the agent (LF, no BOM), with the path; `null` for a part of a file or other tools. */
  readonly seen: { readonly path: WorkspacePath; readonly text: string } | null
  /** Calls of the subagent that this call started, from its own log. */
  readonly subagent: { readonly name: string; readonly calls: readonly ToolCall[] } | null
}

/** One entry of a turn's transcript, in order. */
export type TranscriptEntry =
  | { readonly kind: 'prompt'; readonly text: string; readonly at: number }
  | { readonly kind: 'reply'; readonly text: string; readonly at: number; readonly model: string | null }
  | { readonly kind: 'thought'; readonly text: string; readonly at: number }
  | { readonly kind: 'call'; readonly call: ToolCall; readonly at: number }
  /** A record that is not understood or not about the talk: its type and raw JSON (cut to 16 KiB). */
  | { readonly kind: 'other'; readonly label: string; readonly raw: string; readonly at: number }
