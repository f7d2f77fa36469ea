import type { PromptId } from '../../shared/ids.js'
import type { AgentName, RecordedRewind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import { CodexLedger, type LedgerTurn } from './codex-ledger.js'
import type { SegmentFacts } from './codex-segments.js'
import { skippedType } from './codex-turn.js'
import { parseObject } from './json-values.js'
import type { OpenedLog } from './jsonl-session.js'
import type { LogIndex } from './log-index.js'
import type { LogReader } from './log-reader.js'
import { joinProblems } from './problem-tally.js'
import { recordKind, type RecordKind } from './record-sniff.js'
import type { RecordedSession, SetAsideBranch } from './recorded-session.js'
import type { ReadRecord } from './turn-records.js'

/** One file of a session. Of an earlier one only what stands before `endOffset` counts. */
export interface Segment {
  readonly file: string
  readonly session: RecordedSession
  readonly log: OpenedLog
  readonly endOffset: number
  readonly facts: SegmentFacts
}

/** Kinds of records that tell what happened to files, or that something is missing. */
const ofFiles: ReadonlySet<RecordKind> = new Set<RecordKind>([recordKind.ledger, recordKind.reply, recordKind.bad, recordKind.unknown, recordKind.strange])

/** A record's number stands among its first fields. */
const numberedBytes = 120

/** The turns of one segment: those that the session goes on from, and those that it left behind. */
interface SegmentTurns {
  readonly segment: Segment
  readonly kept: readonly Turn[]
  readonly left: readonly Turn[]
}

/**
 * A session of Codex over all of its files, the oldest first. Going back to an earlier prompt begins a new file, and so does a fork; what
 * the earlier file holds after that place was set aside, but what it did to files was done.
 */
export class CodexSession implements RecordedSession {
  readonly agent: AgentName
  readonly id: string
  readonly backups: RecordedSession['backups']
  readonly ledger: CodexLedger
  private readonly own: Segment
  private readonly indexes = new Map<LogIndex, number>()
  private shown: { readonly of: readonly (readonly Turn[])[]; readonly turns: readonly SegmentTurns[]; readonly live: readonly Turn[] } | null = null

  constructor(
    private readonly segments: readonly Segment[],
    workspace: string | null,
  ) {
    const own = segments.at(-1)
    if (!own) throw new Error('A session has at least one file.')
    this.own = own
    this.agent = own.session.agent
    this.id = own.session.id
    this.backups = own.session.backups
    this.ledger = new CodexLedger({ turns: () => this.ledgerTurns(), origin: async () => this.origin() }, workspace)
  }

  get folder(): string | null {
    return this.own.session.folder
  }

  get loading(): RecordedSession['loading'] {
    return this.segments.find(({ session }) => session.loading !== null)?.session.loading ?? null
  }

  get newestPrompts(): RecordedSession['newestPrompts'] {
    return this.own.session.newestPrompts
  }

  get turns(): readonly Turn[] {
    return this.look().live
  }

  get setAside(): readonly SetAsideBranch[] {
    let after: PromptId | null = null
    return this.look().turns.flatMap(({ segment, kept, left }): readonly SetAsideBranch[] => {
      after = kept.at(-1)?.promptId ?? after
      return left.length > 0 && this.isRewound(segment) ? [{ after, turns: left.map((turn) => ({ ...turn, index: null })) }] : []
    })
  }

  get rewinds(): readonly RecordedRewind[] {
    return this.setAside.flatMap(({ after, turns }) => {
      const first = turns[0]
      const segment = this.segments[this.segments.findIndex(({ session }) => session.turns.some(({ promptId }) => promptId === first?.promptId)) + 1]
      return first ? [{ at: segment?.facts.beganAt ?? first.startedAt, droppedFrom: first.promptId, dropped: turns.map(({ promptId }) => promptId), after }] : []
    })
  }

  get problems(): readonly SessionProblem[] {
    // The first one may go on from a file that is no longer there.
    const isCut = this.segments[0]?.facts.base !== null
    const detail = 'The session goes on from a file that is not here: what came before is not shown.'
    const missing: readonly SessionProblem[] = isCut ? [{ kind: 'missing-parent', count: 1, detail, lines: [1] }] : []
    return joinProblems(...this.segments.map(({ session }) => session.problems.filter(({ kind }) => kind !== 'no-snapshots')), missing)
  }

  async whenLoaded(signal?: AbortSignal): Promise<void> {
    for (const { session } of this.segments) await session.whenLoaded(signal)
  }

  async readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
    return (await this.ownerOf(promptId, signal)).readTurn(promptId, signal)
  }

  async readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string> {
    return (await this.ownerOf(promptId, signal)).readOutput(promptId, callId, signal)
  }

  async snapshotOf(): Promise<PromptSnapshot | null> {
    return null
  }

  async backupHistory(): ReturnType<RecordedSession['backupHistory']> {
    return new Map()
  }

  rawLines(...asked: Parameters<RecordedSession['rawLines']>): ReturnType<RecordedSession['rawLines']> {
    return this.own.session.rawLines(...asked)
  }

  onChange(listener: () => void): () => void {
    const stops = this.segments.map(({ session }) => session.onChange(listener))
    return () => stops.forEach((stop) => stop())
  }

  close(): void {
    for (const { session } of this.segments) session.close()
  }

  private async ownerOf(promptId: PromptId, signal?: AbortSignal): Promise<RecordedSession> {
    const find = (): Segment | undefined => this.segments.findLast(({ session }) => session.turns.some((turn) => turn.promptId === promptId))
    if (!find()) await this.whenLoaded(signal)
    return (find() ?? this.own).session
  }

  /** The turns of all files as they are known now. */
  private look(): NonNullable<typeof this.shown> {
    const of = this.segments.map(({ session }) => session.turns)
    if (this.shown && this.shown.of.every((turns, at) => turns === of[at])) return this.shown
    const taken = new Set<PromptId>()
    // Of two turns with one identity that of the later file counts.
    const turns = this.segments
      .map((segment, at): SegmentTurns => {
        const isLater = (promptId: PromptId): boolean => of.slice(at + 1).some((later) => later.some((turn) => turn.promptId === promptId))
        const own = (of[at] ?? []).filter(({ promptId }) => !taken.has(promptId) && !isLater(promptId))
        for (const { promptId } of own) taken.add(promptId)
        const isKept = (turn: Turn): boolean => this.offsetOf(segment, turn) < segment.endOffset
        return { segment, kept: own.filter(isKept), left: own.filter((turn) => !isKept(turn)) }
      })
    const live = turns.flatMap(({ kept }) => kept).map((turn, at) => ({ ...turn, index: at + 1 }))
    this.shown = { of, turns, live }
    return this.shown
  }

  private offsetOf({ log }: Segment, { promptId }: Turn): number {
    const place = log.shape().places.get(promptId)
    const { rows, prompts } = log.reader.index
    return rows.offsetOf(prompts[place?.prompt ?? -1]?.row ?? 0)
  }

  /** Whether the file that goes on from a segment is of the same thread: else it is a fork, and the rest is another session's. */
  private isRewound(segment: Segment): boolean {
    const next = this.segments[this.segments.indexOf(segment) + 1]
    return next !== undefined && next.facts.thread === segment.facts.thread
  }

  private origin(): { folder: string; commit: string | null; version: string | null } {
    const { commit = null } = this.segments[0]?.facts ?? {}
    return { folder: this.folder ?? '/', commit, version: this.own.facts.version }
  }

  private async ledgerTurns(): Promise<readonly LedgerTurn[]> {
    for (const { log } of this.segments) await log.whenIndexed()
    const { turns, live } = this.look()
    return turns.flatMap(({ segment, kept, left }, at) => {
      const following = turns.slice(at + 1).flatMap((later) => later.kept)[0]
      const began = this.segments[at + 1]?.facts.beganAt ?? Infinity
      const first = kept[0] ?? following ?? live.at(-1)
      const ahead = first ? [this.ledgerTurn(segment, first.promptId, null, true)] : []
      const aside = following ?? live.at(-1)
      const [last] = kept.slice(-1)
      return [
        ...ahead,
        ...kept.map((turn) => this.ledgerTurn(segment, turn.promptId, turn, false)),
        // The place may be in the middle of a turn: the rest of it was done all the same.
        ...(last && aside && segment.endOffset !== Infinity ? [this.ledgerTurn(segment, aside.promptId, last, following !== undefined, true)] : []),
        ...left.filter(({ startedAt }) => startedAt <= began).flatMap((turn) => (aside ? [this.ledgerTurn(segment, aside.promptId, turn, following !== undefined)] : [])),
      ]
    })
  }

  /** A turn of a file, or with `null` what stands before the first one. */
  private ledgerTurn({ log, endOffset }: Segment, promptId: PromptId, turn: Turn | null, isBeforeTurn: boolean, isRest = false): LedgerTurn {
    const { index } = log.reader
    const { rows } = index
    const shape = log.shape()
    const range = turn ? shape.places.get(turn.promptId)?.live : { from: 0, to: shape.branches.live[0]?.from ?? rows.count }
    const [from, to] = [range?.from ?? 0, range?.to ?? 0]
    const isLeft = rows.offsetOf(shape.branches.chain[from] ?? 0) >= endOffset
    const counts = (row: number): boolean => rows.kindOf(row) !== recordKind.blank && (isLeft || rows.offsetOf(row) < endOffset !== isRest)
    // The one before tells whether the first one goes on from it.
    const own = [...shape.branches.chain.subarray(Math.max(0, from - 1), to)].filter(counts)
    return {
      promptId,
      isBeforeTurn,
      isOpen: turn !== null && turn.promptId === this.own.session.turns.at(-1)?.promptId,
      version: `${this.numberOf(index)} ${from} ${to} ${isRest}`,
      read: (signal) => readOfFiles(log.reader, own, from, signal),
    }
  }

  /** A log that is replaced gets another index. */
  private numberOf(index: LogIndex): number {
    const known = this.indexes.get(index) ?? this.indexes.size
    this.indexes.set(index, known)
    return known
  }
}

/** Records that tell of files, and of the others, and of the one before `first`, only their numbers. */
async function readOfFiles(reader: LogReader, own: readonly number[], first: number, signal: AbortSignal | undefined): Promise<readonly ReadRecord[]> {
  const { rows } = reader.index
  const records: ReadRecord[] = []
  await reader.readRows(
    own,
    (row, bytes) => {
      const length = rows.lengthOf(row)
      const isWanted = row >= first && (ofFiles.has(rows.kindOf(row)) || rows.kindOf(row) === recordKind.prompt)
      const isWhole = bytes.length === length
      const said = /"ordinal":(\d{1,12})[,}]/.exec(bytes.toString('latin1', 0, numberedBytes))?.[1]
      const skipped = { type: skippedType, ...(said === undefined ? {} : { ordinal: Number(said) }) }
      if (isWanted) records.push({ record: isWhole ? parseObject(bytes.toString()) : null, raw: Buffer.alloc(0), length })
      else if (row >= first || said !== undefined) records.push({ record: skipped, raw: Buffer.alloc(0), length })
    },
    signal,
  )
  return records
}
