import type { DiffStat } from './changes.js'
import type { PromptId, WorkspacePath } from './ids.js'
import type { RecordedEdit } from './session.js'

/** A moment on a session's timeline, or the disk as it is now. */
export type Moment =
  /** As the turn began. */
  | { readonly kind: 'start'; readonly promptId: PromptId }
  /** As the agent left things at the end of the turn, before anyone else typed. */
  | { readonly kind: 'end'; readonly promptId: PromptId }
  /** Right after one of the changes that the agent made in the turn, counted from 1; only sessions that ran under us know it. */
  | { readonly kind: 'step'; readonly promptId: PromptId; readonly step: number }
  | { readonly kind: 'disk' }

/** How a content is known. `none` goes with unknown. */
export type ContentSource =
  /** From a backup, byte for byte. */
  | 'backup'
  /** A recorded edit applied to known bytes, checked against what the record says came out. */
  | 'edit'
  /** Recorded whole, and nothing lost on the way into the record. */
  | 'record'
  /** The text of a shell command says it. */
  | 'command'
  /** From a repository of git, or from an agent's own one in its format, byte for byte. */
  | 'git'
  /** Read from the disk now. */
  | 'disk'
  | 'none'

/** Why a content is not known; each has one sentence in the window. */
export type UnknownReason =
  | 'no-record'
  | 'backup-missing'
  | 'backup-failed'
  | 'changed-by-command'
  | 'records-disagree'
  | 'log-broken'
  | 'outside-workspace'
  | 'unreadable'

/** What a path is at one moment. `mode` holds the permission bits (0o777); `null` where the record has none. */
export type FileState =
  | { readonly kind: 'file'; readonly sha256: string; readonly sizeBytes: number; readonly mode: number | null }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/** Who made a change, as far as the records tell. */
export type ChangeCause = 'edit' | 'sed' | 'command' | 'user' | 'subagent' | 'rewind' | 'unknown'

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'mode' | 'unknown' | 'refused'

/** Facts about a change that a line diff does not show; each is a badge. */
export type ChangeBadge =
  | { readonly kind: 'line-ends'; readonly before: LineEnds | null; readonly after: LineEnds | null }
  | { readonly kind: 'bom'; readonly before: boolean; readonly after: boolean }
  | { readonly kind: 'encoding'; readonly before: string | null; readonly after: string | null }
  | { readonly kind: 'mode'; readonly before: number | null; readonly after: number | null }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'final-newline'; readonly before: boolean | null; readonly after: boolean | null }
  | { readonly kind: 'only-blanks' }
  | { readonly kind: 'binary'; readonly beforeBytes: number | null; readonly afterBytes: number | null }
  | { readonly kind: 'oversized'; readonly sizeBytes: number }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly side: 'before' | 'after' | 'both'; readonly reason: UnknownReason }
  | { readonly kind: 'backup-failed' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'outside-workspace' }
  /** The comparison holds what others than the agent changed as well. */
  | { readonly kind: 'with-typing' }

export type LineEnds = 'lf' | 'crlf' | 'mixed' | 'none'

/** An edit as a log has it, for display. */
export type ShownEdit = Pick<RecordedEdit, 'change' | 'diff'>

/** One file of a scope with both of its sides. */
export interface ReadChange {
  readonly change: FileChange
  readonly before: FileSide
  readonly after: FileSide
  /** Of a turn, where a side is not known: what its calls say that they changed, in order. */
  readonly edits: readonly ShownEdit[]
}

/** One changed file of a scope. `stat` is `null` where it cannot be counted (binary, unknown). */
export interface FileChange {
  readonly path: WorkspacePath
  readonly kind: ChangeKind
  readonly stat: DiffStat | null
  readonly cause: ChangeCause
  readonly sources: { readonly before: ContentSource; readonly after: ContentSource }
  readonly badges: readonly ChangeBadge[]
  /** Binds a reviewed mark to content: hash over both sides; `null` where a side is unknown. */
  readonly contentKey: string | null
  readonly review: 'none' | 'reviewed' | 'changed-since'
}

/** One side of a diff as the window shows it. Text is decoded, line ends kept, BOM taken off (a badge tells). */
export type FileSide =
  | { readonly kind: 'text'; readonly text: string; readonly sizeBytes: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'binary'; readonly sizeBytes: number; readonly sha256: string }
  | { readonly kind: 'oversized'; readonly sizeBytes: number }
  | { readonly kind: 'unreadable'; readonly reason: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/** Which two moments the changes pane compares. */
export type Scope =
  | { readonly kind: 'turn'; readonly promptId: PromptId }
  /** From the start of the turn to the disk. */
  | { readonly kind: 'to-disk'; readonly promptId: PromptId }
  | { readonly kind: 'session' }
  /** From the start of `from` to the end of `to`; what others changed in between is taken out where it can be told apart, as in a turn. */
  | { readonly kind: 'range'; readonly from: PromptId; readonly to: PromptId }
  /** From what was marked as reviewed to the present content of the turn's files. */
  | { readonly kind: 'since-reviewed' }
  /** What changed between the end of the turn (or the last one before the disk) and the next start, by others than the agent. */
  | { readonly kind: 'by-user'; readonly after: PromptId }
  /** What others changed in the middle of the turn, before the agent went on with the same files. */
  | { readonly kind: 'user-in-turn'; readonly promptId: PromptId }
  /** What one of our own operations (rewind, take-back, undo) changed. */
  | { readonly kind: 'operation'; readonly operationId: string }
  /** From the commit that the session's worktree left from to the disk, whoever changed it. */
  | { readonly kind: 'base' }
