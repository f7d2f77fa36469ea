import type { PromptId } from '../../shared/ids.js'
import type { AgentName, RecordedRewind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import { addUsage, type Usage } from '../../shared/usage.js'
import type { AgentLog, CodexAgents, Span } from './codex-agents.js'
import { CodexLedger, type LedgerTurn } from './codex-ledger.js'
import type { SegmentFacts } from './codex-segments.js'
import { skippedType } from './codex-turn.js'
import { parseObject } from './json-values.js'
import type { OpenedLog } from './jsonl-session.js'
import { countedRewinds } from './log-branches.js'
import type { LogIndex } from './log-index.js'
import type { LogReader } from './log-reader.js'
import { joinProblems } from './problem-tally.js'
import { sumsOf } from './recorded-sums.js'
import { recordKind, type RecordKind } from './record-sniff.js'
import type { RecordedSession, SetAsideBranch } from './recorded-session.js'
import type { SessionShape } from './session-shape.js'
import type { ReadRecord } from './turn-records.js'

/** One file of a session. Of an earlier one only what stands before `endOffset` counts. */
export interface Segment {
  readonly file: string
  readonly session: RecordedSession
  readonly log: OpenedLog
  readonly endOffset: number
  /** When the next file was begun. */
  readonly until: number
  readonly facts: SegmentFacts
  /** Agents that were started, of this thread. */
  readonly agents: CodexAgents
}

/** Kinds of records that tell what happened to files, or that something is missing. */
const ofFiles: ReadonlySet<RecordKind> = new Set<RecordKind>([recordKind.ledger, recordKind.reply, recordKind.bad, recordKind.unknown, recordKind.strange])

/** A record's number stands among its first fields. */
const numberedBytes = 120

/** A turn of a segment: the session goes on from it, or it was taken back, or the next segment does not go on from it. */
interface SegmentTurn {
  readonly turn: Turn
  readonly fate: 'kept' | 'taken back' | 'left'
}

interface SegmentTurns {
  readonly segment: Segment
  /** In the order of the file. */
  readonly turns: readonly SegmentTurn[]
  /** Times and turns of what was taken back within the segment, one entry for each time. */
  readonly rewinds: readonly { readonly at: number; readonly dropped: readonly Turn[] }[]
}

/** Turns that were set aside at once. */
interface LeftTurns {
  readonly at: number
  readonly after: PromptId | null
  readonly turns: readonly Turn[]
}

const keptOf = ({ turns }: SegmentTurns): readonly Turn[] => turns.flatMap(({ turn, fate }) => (fate === 'kept' ? [turn] : []))

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
  private shown: { readonly of: readonly SessionShape[]; readonly turns: readonly SegmentTurns[]; readonly live: readonly Turn[] } | null = null

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
    return this.leftTurns().map(({ after, turns }) => ({ after, turns: turns.map((turn) => ({ ...turn, index: null })) }))
  }

  get rewinds(): readonly RecordedRewind[] {
    return this.leftTurns().map(({ at, after, turns }) => {
      const dropped = turns.map(({ promptId }) => promptId)
      return { at, droppedFrom: dropped[0] ?? ('' as PromptId), dropped, after, restoresFiles: false }
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

  /** With what the agents took that were started. */
  async usage(promptId: PromptId | null, signal?: AbortSignal): Promise<Usage | null> {
    const own = promptId === null ? await this.ownUsage(signal) : await (await this.ownerOf(promptId, signal)).usage(promptId, signal)
    const { from, to } = promptId === null ? { from: -Infinity, to: Infinity } : this.spanOf(promptId)
    const agents = new Map<string, AgentLog>()
    for (const segment of this.segments) for (const agent of await segment.agents.all(signal)) agents.set(agent.file, agent)
    return [...agents.values()].filter(({ work }) => work.startedAt >= from && work.startedAt < to).reduce((sum, { usage }) => addUsage(sum, usage), own)
  }

  /** The last file's running sum has what came before it; where that one has none yet, that of the newest file that has one counts. */
  private async ownUsage(signal?: AbortSignal): Promise<Usage | null> {
    const own = await this.own.session.usage(null, signal)
    if (own) return own
    for (const { log, endOffset } of this.segments.slice(0, -1).reverse()) {
      await log.whenIndexed()
      const { usage } = await sumsOf(log.reader, async () => undefined, { signal, before: endOffset })
      if (usage) return usage
    }
    return null
  }

  /** From the start of a turn to that of the next one, which may have been set aside since. */
  private spanOf(promptId: PromptId): Span {
    const all = this.look().turns.flatMap(({ turns }) => turns.map(({ turn }) => turn))
    const from = all.find((turn) => turn.promptId === promptId)?.startedAt ?? Infinity
    return { from, to: Math.min(...all.map(({ startedAt }) => (startedAt > from ? startedAt : Infinity))) }
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
    const find = (): Segment | undefined => this.segments.findLast(({ log }) => log.shape().places.has(promptId))
    if (!find()) await this.whenLoaded(signal)
    return (find() ?? this.own).session
  }

  /** The turns of all files as they are known now. */
  private look(): NonNullable<typeof this.shown> {
    const of = this.segments.map(({ log }) => log.shape())
    if (this.shown && this.shown.of.every((shape, at) => shape === of[at])) return this.shown
    const taken = new Set<PromptId>()
    // Of two turns with one identity that of the later file counts.
    const turns = this.segments.map((segment, at): SegmentTurns => {
      const isLater = (promptId: PromptId): boolean => of.slice(at + 1).some(({ places }) => places.has(promptId))
      const places = [...(of[at]?.places.values() ?? [])].filter(({ turn }) => !taken.has(turn.promptId) && !isLater(turn.promptId))
      for (const { turn } of places) taken.add(turn.promptId)
      const { index } = segment.log.reader
      const rewinds = countedRewinds(index, segment.endOffset)
      const takenBack = new Set(rewinds.flatMap(({ dropped }) => dropped))
      const turnOf = (prompt: number): readonly Turn[] => places.flatMap((place) => (place.prompt === prompt ? [place.turn] : []))
      const fateOf = (prompt: number): SegmentTurn['fate'] => (index.rows.offsetOf(index.prompts[prompt]?.row ?? 0) >= segment.endOffset ? 'left' : takenBack.has(prompt) ? 'taken back' : 'kept')
      return {
        segment,
        turns: places.sort((one, two) => one.prompt - two.prompt).map(({ turn, prompt }) => ({ turn, fate: fateOf(prompt) })),
        rewinds: rewinds.map(({ at: time, dropped }) => ({ at: time, dropped: dropped.flatMap(turnOf) })),
      }
    })
    const live = turns.flatMap(keptOf).map((turn, at) => ({ ...turn, index: at + 1 }))
    this.shown = { of, turns, live }
    return this.shown
  }

  /** What was taken back, or left behind when the next file was begun; what a fork left is another session's. */
  private leftTurns(): readonly LeftTurns[] {
    let before: PromptId | null = null
    return this.look().turns.flatMap((of, at): readonly LeftTurns[] => {
      const { segment, turns, rewinds } = of
      const entry = before
      const keptBefore = (first: Turn | undefined): PromptId | null => turns.slice(0, turns.findIndex(({ turn }) => turn === first)).findLast(({ fate }) => fate === 'kept')?.turn.promptId ?? entry
      before = keptOf(of).at(-1)?.promptId ?? before
      const left = turns.flatMap(({ turn, fate }) => (fate === 'left' && this.isRewound(segment) ? [turn] : []))
      const began = { at: this.segments[at + 1]?.facts.beganAt ?? left[0]?.startedAt ?? 0, dropped: left }
      return [...rewinds, began].flatMap(({ at: time, dropped }) => (dropped.length === 0 ? [] : [{ at: time, after: keptBefore(dropped[0]), turns: dropped }]))
    })
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
    return turns.flatMap((of, at) => {
      const { segment, turns: own } = of
      const following = turns.slice(at + 1).flatMap(keptOf)[0]
      const began = this.segments[at + 1]?.facts.beganAt ?? Infinity
      const first = keptOf(of)[0] ?? following ?? live.at(-1)
      const ahead = first ? [this.ledgerTurn(segment, first.promptId, null, { isBeforeTurn: true })] : []
      // What was set aside was done all the same, before the next turn that was not.
      const aside = (turn: Turn, next: Turn | undefined, isRest = false): readonly LedgerTurn[] => {
        const beside = next ?? live.at(-1)
        return beside ? [this.ledgerTurn(segment, beside.promptId, turn, { isBeforeTurn: next !== undefined, isSetAside: true, isRest })] : []
      }
      const nextKept = (place: number): Turn | undefined => own.slice(place).find(({ fate }) => fate === 'kept')?.turn ?? following
      const counted = own.flatMap(({ turn, fate }, place): readonly LedgerTurn[] => {
        if (fate === 'kept') return [this.ledgerTurn(segment, turn.promptId, turn, {})]
        return fate === 'taken back' ? aside(turn, nextKept(place)) : []
      })
      const last = own.findLast(({ fate }) => fate !== 'left')?.turn
      // The place may be in the middle of a turn: the rest of it was done too.
      const rest = last && segment.endOffset !== Infinity ? aside(last, following, true) : []
      return [...ahead, ...counted, ...rest, ...own.flatMap(({ turn, fate }) => (fate === 'left' && turn.startedAt <= began ? aside(turn, following) : []))]
    })
  }

  /** A turn of a file, or with `null` what stands before the first one. */
  private ledgerTurn({ log, endOffset, until, agents }: Segment, promptId: PromptId, turn: Turn | null, { isBeforeTurn = false, isSetAside = false, isRest = false }: { isBeforeTurn?: boolean; isSetAside?: boolean; isRest?: boolean }): LedgerTurn {
    const { index } = log.reader
    const { rows, prompts } = index
    const prompt = turn ? (log.shape().places.get(turn.promptId)?.prompt ?? -1) : -1
    const from = prompts[prompt]?.row ?? 0
    const to = prompts[prompt + 1]?.row ?? rows.count
    const isLeft = rows.offsetOf(from) >= endOffset
    const counts = (row: number): boolean => rows.kindOf(row) !== recordKind.blank && (isLeft || rows.offsetOf(row) < endOffset !== isRest)
    // The one before tells whether the first one goes on from it.
    const own = rowsBetween(Math.max(0, from - 1), to).filter(counts)
    return {
      promptId,
      isBeforeTurn,
      isSetAside,
      isOpen: prompt === this.own.log.reader.index.prompts.length - 1 && log === this.own.log,
      version: `${this.numberOf(index)} ${from} ${to} ${isRest}`,
      read: (signal) => readOfFiles(log.reader, own, from, signal),
      agents,
      // The rest of a turn, and what stands before the first one, have none of their own.
      span: turn && !isRest ? { from: prompts[prompt]?.at ?? 0, to: prompts[prompt + 1]?.at ?? until } : null,
    }
  }

  /** A log that is replaced gets another index. */
  private numberOf(index: LogIndex): number {
    const known = this.indexes.get(index) ?? this.indexes.size
    this.indexes.set(index, known)
    return known
  }
}

export function rowsBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
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
