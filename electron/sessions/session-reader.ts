import type { AgentName } from '../../shared/session.js'
import type { Usage } from '../../shared/usage.js'
import type { Log } from '../base/log.js'
import type { RecognisedSed } from '../edits/sed-command.js'
import type { BackupSource } from '../history/backup-source.js'
import type { CatalogEntry } from './log-catalog.js'
import type { CatalogEnds, LogCounts } from './log-looks.js'
import type { EarlierPart } from './codex-segments.js'
import type { LogEnds } from './log-ends.js'
import type { LogFile } from './log-files.js'
import type { RecordedSession } from './recorded-session.js'
import type { UsageBeside } from './recorded-usage.js'
import type { LogFormat } from './record-sniff.js'

/** The bytes that a recorded sed made of a file's bytes; `null` where that is not certain. */
export type SedOutcome = (parsed: RecognisedSed, before: Uint8Array, signal?: AbortSignal) => Promise<Uint8Array | null>

export type Environment = Readonly<Record<string, string | undefined>>

/** What there is to know of this computer. */
export interface Surroundings {
  readonly environment: Environment
  /** This user's home folder. */
  readonly home: string
  /** Where we keep our own data. */
  readonly dataFolder: string
}

export interface OpenOptions extends Surroundings {
  readonly file: string
  readonly agent: AgentName
  /** Where an index of the log may be kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** The folder of the session on this computer, where it is here: bytes may be proved by what lies there now. */
  readonly workspace: string | null
  /** Where our own sessions keep their backups. */
  readonly store?: BackupSource
  /** What a recorded sed made of bytes; without it that stays unknown. */
  readonly sedOutcome?: SedOutcome
  /** Whether the log is read on while it grows. */
  readonly isFollowed: boolean
  readonly log: Log
}

/** Logs that are no JSONL: the library asks for what it shows of them. */
export interface OtherLogs {
  /** Whether a file of this name, anywhere in the agent's folders, may hold sessions. */
  isLog(name: string): boolean
  /**
   * The sessions that a file holds, each as a log of its own: for one that holds many, `file` is `<file>#<session id>`, and size
   * and time are such that they change when the session does. Never throws; nothing for a file that is none of the agent's.
   */
  sessionsIn(found: LogFile): Promise<readonly LogFile[]>
  /**
   * What both ends of a log say, without reading what is between; `null` where they do not tell. Left out where `look` is as fast.
   * Errors: those of `open`.
   */
  endsOf?(file: string, signal?: AbortSignal): Promise<CatalogEnds | null>
  /** What the list shows. Errors: those of `open`. */
  look(file: string, signal?: AbortSignal): Promise<{ readonly ends: LogEnds; readonly counts: LogCounts | null }>
}

/** All that the library knows of one agent: where its logs are, and how one is opened. */
export interface SessionReader {
  readonly format: LogFormat
  readonly agent: AgentName
  /** The agent's own folder, as it is called in a home: `.qwen`. */
  readonly homeName: string
  /** The agent's own folders on this computer, its environment variables honoured. Absolute. */
  homes(environment: Environment, home: string): readonly string[]
  /** Where in such a folder the logs are. */
  logFolders(agentHome: string): readonly string[]
  /** `null` where logs are `*.jsonl` files that `tellFormat` tells. */
  readonly others: OtherLogs | null
  /** What logs beside a log of JSON lines tell of tokens; left out where there are none. */
  usageBeside?(file: string): UsageBeside
  /** What a log of JSON lines goes on from, so that its session is both; left out where each log is a session. */
  earlierPart?(file: string, lineage: LogEnds['lineage'], signal?: AbortSignal): Promise<EarlierPart | null>
  /** Whether a log lies where the agent puts sessions that a person has put away. */
  isArchived?(file: string): boolean
  /** Files, among the agent's logs as they were found, that the list leaves out, since another one holds all that they hold. */
  coveredLogs(logs: readonly CatalogEntry[]): ReadonlySet<string>
  /** Tokens and cost of covered logs that count with another one, by that one. */
  usageOfStarted?(logs: readonly CatalogEntry[]): ReadonlyMap<string, Usage>
  /** The title that the agent keeps of a session beside its log, where it does so; it counts before what the log says. */
  titleBeside?(file: string, sessionId: string): string | null
  /** Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN. */
  open(options: OpenOptions, signal?: AbortSignal): Promise<RecordedSession>
}
