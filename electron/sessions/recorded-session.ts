import type { ChangeCause, ContentSource } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { AgentName, RecordedRewind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { Backup, PromptSnapshot } from '../../shared/snapshot.js'
import type { Usage } from '../../shared/usage.js'
import type { BackupSource } from '../history/backup-source.js'

/** A branch that a rewind, or a second writer, left behind. Its backups are never resolved. */
export interface SetAsideBranch {
  /** The live turn after which the branch left; `null` at the very start. */
  readonly after: PromptId | null
  readonly turns: readonly Turn[]
}

/** A file's entry in the snapshots of the live branch, from the turn on in which it changed until the next one listed. */
export interface BackupEntry {
  readonly promptId: PromptId
  readonly backup: Backup
  /** Backed up in the middle of the turn, before its first edit, and not at the turn's start. */
  readonly isAddedDuring: boolean
}

/** One entry of a ledger without its states. */
export interface LedgerMark {
  /** The live turn that it belongs to. */
  readonly promptId: PromptId
  /** It was seen as the turn began: somebody did it before. */
  readonly isBeforeTurn: boolean
  /** `null` for what no call did. */
  readonly callId: string | null
  readonly cause: ChangeCause
  readonly at: number
  readonly paths: readonly WorkspacePath[]
  /** What was not looked at, or not kept, and why: sentences for people. */
  readonly limits: readonly string[]
  /** No change: the file was seen for the first time, and what it was before is not known. */
  readonly isFirstSight?: boolean
  /** Done by turns that the agent took back since: no part of the turn that it stands with, and nobody else's work either. */
  readonly isSetAside?: boolean
}

/** The ledger as it stood at one revision of the log. Marks are in the order in which things happened. */
export interface LedgerPages {
  readonly paths: ReadonlySet<WorkspacePath>
  /** It was worked out from records: what commands did is not all in it. */
  readonly isPartial?: boolean
  ofPath(path: WorkspacePath): readonly LedgerMark[]
  ofTurn(promptId: PromptId): readonly LedgerMark[]
  /** Read again where it is not at hand. Errors: CONTENT_UNKNOWN where the log was replaced meanwhile. */
  changeOf(mark: LedgerMark, path: WorkspacePath): Promise<LedgerChange>
  /**
   * The bytes of one of its `file` states, where they are not in our store. They have that hash.
   * Errors: CONTENT_UNKNOWN where they cannot be had any more.
   */
  read?(sha256: string, signal?: AbortSignal): Promise<Uint8Array>
  /** How such a state is known; `backup` where this is not given. */
  sourceOf?(sha256: string): ContentSource
}

/**
 * What changed on the disk, call by call: seen there, of a session that ran under us; else worked out from the agent's records, with
 * each state proved or unknown. About a path that it does not name it says nothing.
 */
export interface SessionLedger {
  /** Reads what was added to the log since it was last asked. */
  pages(signal?: AbortSignal): Promise<LedgerPages>
}

/**
 * One session as its reader yields it: an index with turns, and everything else on demand by byte range, so that memory
 * does not follow the size of the log. It grows while the log is read or followed; `onChange` tells.
 */
export interface RecordedSession {
  readonly agent: AgentName
  readonly id: string
  /** Folder that the log names (the first record's), or `null`. */
  readonly folder: string | null
  readonly loading: { readonly done: number; readonly total: number } | null
  /** Newest first, from the tail of the log, before all of it was read. */
  readonly newestPrompts: readonly { readonly prompt: string; readonly startedAt: number }[]
  /** Live branch, in order. */
  readonly turns: readonly Turn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  readonly problems: readonly SessionProblem[]
  readonly backups: BackupSource
  /** `null` where states are told from prompt snapshots and calls alone. */
  readonly ledger: SessionLedger | null

  /** Resolves when the whole log (as long as it was at the call) has been indexed. */
  whenLoaded(signal?: AbortSignal): Promise<void>
  /**
   * Everything of one turn, live or set aside, subagents' calls inside the calls that started them.
   * Errors: TURN_NOT_FOUND.
   */
  readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]>
  /** Whole output of one call. Errors: TURN_NOT_FOUND, CONTENT_UNKNOWN. */
  readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string>
  /**
   * Tokens and cost of one turn with its subagents', live or set aside, or with `null` of the whole session; `null` where none are
   * recorded. Errors: TURN_NOT_FOUND.
   */
  usage(promptId: PromptId | null, signal?: AbortSignal): Promise<Usage | null>
  /** The folded snapshot of a live turn; `null` where the log has none. */
  snapshotOf(promptId: PromptId, signal?: AbortSignal): Promise<PromptSnapshot | null>
  /** All entries of the live branch by path, in turn order, repeated ones left out. Built on first use, then kept. */
  backupHistory(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>>
  /** Raw lines by 1-based number, each cut to 16 KiB. */
  rawLines(lines: readonly number[], signal?: AbortSignal): Promise<readonly { readonly line: number; readonly raw: string; readonly isCut: boolean }[]>
  /** One listener; returns the function that takes it off. */
  onChange(listener: () => void): () => void
  /** Stops following the log. */
  close(): void
}
