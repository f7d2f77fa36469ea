import type { DiffStat } from '../../shared/changes.js'
import type { JsonObject } from './json-values.js'
import type { UsageSum } from './usage-sum.js'

/** What one line of a log is, in one byte of the index. */
export const recordKind = {
  blank: 0,
  /** A person's prompt: a turn begins. */
  prompt: 1,
  /** What a person said in the middle of a turn. */
  interjection: 2,
  /** A message that no person typed (cron, background task): no turn, and what follows may be another prompt's. */
  signal: 3,
  reply: 4,
  result: 5,
  /** Prompt snapshots, of the turn that they stand in. */
  snapshot: 6,
  snapshotDelta: 7,
  /** Prompt snapshots that name other turns (too). */
  otherSnapshot: 8,
  telemetry: 9,
  rewind: 10,
  compression: 11,
  /** Anything else on the chain of parents. */
  note: 12,
  /** The same, of a type that is not known. */
  strange: 13,
  /** Known, and no part of the chain. */
  side: 14,
  /** Not known, or without identity. */
  unknown: 15,
  bad: 16,
  /** Of another session. */
  foreign: 17,
  /** Our own exact record of what changed on the disk. */
  ledger: 18,
  /** Prompt snapshots, whole ones and additions, that name the prompt they are of; wherever they stand, they are no part of the talk. */
  copies: 19,
  addedCopies: 20,
  /** The agent's running account of tokens, where it is a record of its own. */
  usage: 21,
} as const
export type RecordKind = (typeof recordKind)[keyof typeof recordKind]

/**
 * Where a sniffed line has its identity: 36 bytes each. `parentStart` is -1 for a first record, `sessionStart` where whatever stands
 * in the log belongs to its session. Without identity (`idStart` -1) a record that names a parent hangs on it, but is no part of the
 * chain; one that names none belongs to the prompt before it.
 */
export interface SniffSpot {
  idStart: number
  parentStart: number
  sessionStart: number
}

/** What a parsed record is; ids are `null` where it has none. */
export interface Classified {
  readonly kind: RecordKind
  readonly id: string | null
  readonly parentId: string | null
  readonly sessionId: string | null
}

export type LogFormat = 'qwen' | 'claude' | 'codex' | 'gemini' | 'opencode'

/** The records of one agent that tell of tokens. */
export interface UsageRecords {
  readonly kinds: ReadonlySet<RecordKind>
  /** Whether they are readings of a running sum, so that one tells something only beside the one before. */
  readonly isRunning: boolean
  /** Adds what a record of such a kind tells; `null` for a line whose kind was not looked at. */
  take(bytes: Buffer, kind: RecordKind | null, sum: UsageSum): void
}

/** Lines that edits brought in and took away as their record counts them, and the files that it names, each always the same way. */
export interface CountedEdits extends DiffStat {
  readonly paths: readonly string[]
  /** The call that made them, where records have no identity of their own: several may tell of one. */
  readonly callId?: string | null
}

export interface EditRecords {
  readonly kinds: ReadonlySet<RecordKind>
  /** `null` for a record that says nothing of edits. */
  readonly take: (record: Buffer, kind: RecordKind) => CountedEdits | null
}

/** How to tell the records of one agent's log apart. Holds nothing; one object an agent. */
export interface RecordSniffer {
  readonly format: LogFormat
  /** Whether records form a chain of parents. Without, `sniff` leaves the spot alone. */
  readonly hasIds: boolean
  /** First bytes of a record, for finding records that were glued onto one line. */
  readonly opening: Buffer
  /** Bytes that stand right before a record's identity, where a long message may come before that. */
  readonly lateMark?: Buffer
  /** The kind by the first bytes of a line, read in place; `null` where only the parsed line can tell. */
  sniff(bytes: Buffer, start: number, end: number, spot: SniffSpot): RecordKind | null
  /** Where the time of a sniffed line stands, 24 bytes; -1 where only the parsed line can tell. */
  timePlace(line: Buffer, spot: SniffSpot): number
  /** The kind by the parsed line: the truth, which `sniff` must never contradict. */
  classify(record: JsonObject): Classified
  /**
   * Whether a first record in the middle of the log begins the live branch, as where the agent went back to the very start; else it
   * counts as a gap, and what stands before it is shown for reading.
   */
  readonly rootsAreSure: boolean
  /** What the person typed. */
  promptText(record: JsonObject): string
  /** The promptId that a prompt's own record names; a snapshot's word counts more. */
  promptIdOf(record: JsonObject): string | null
  /** The first promptId that a snapshot line names; `null` where it stands too far in. */
  snapshotPromptId(bytes: Buffer, start: number, end: number): string | null
  /** The promptId of a telemetry record. */
  telemetryPromptId(record: JsonObject): string | null
  /** How records tell of edits; without it the list does not count them. */
  readonly edits?: EditRecords
  /** How records tell of tokens; without it nothing is known of them. */
  readonly usage?: UsageRecords
  /**
   * Whether a record says that the session is over (`ended`), or that it went on (`going`); `null` where it says neither. The last
   * one that says anything counts. `lineage` is that of the log's head.
   */
  endOf?(record: JsonObject, lineage: readonly string[]): 'ended' | 'going' | null
  /** A title that a record gives to the session; of several the lowest rank counts, of those the newest. */
  titleOf(record: JsonObject): { readonly text: string; readonly rank: number } | null
  /** The kind of those records, and bytes of which one stands in each. */
  readonly titles: { readonly kind: RecordKind; readonly marks: readonly Buffer[] }
  /**
   * Names in a record before the first prompt, that one included, by which the reader tells copies and continuations of a session
   * apart: kept with the log's ends, with whatever meaning the reader gives them.
   */
  lineageOf(record: JsonObject): readonly string[]
  /** How many prompts a rewind took back; without parents only this tells. */
  takenBackBy?(record: JsonObject): number | null
  /**
   * What a record says of its session under the names `sessionId`, `cwd`, `gitBranch` and `model`; left out where it has them itself.
   */
  factsOf?(record: JsonObject): JsonObject
}
