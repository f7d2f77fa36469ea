// Above 300 lines: what a session tells, how it grows and how it ends share one small state.
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { AgentName, ProblemKind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import type { Usage } from '../../shared/usage.js'
import type { Log } from '../base/log.js'
import type { BackupHistory } from './backup-history.js'
import type { JsonObject } from './json-values.js'
import { readLogEnds, type LogEnds } from './log-ends.js'
import { followFile } from './log-follower.js'
import { LogReader } from './log-reader.js'
import { keptRaw } from './lost-record.js'
import { orAborted } from './or-aborted.js'
import type { SessionBackups } from './own-backups.js'
import { joinProblems, ProblemTally } from './problem-tally.js'
import type { BackupEntry, RecordedSession, SessionLedger } from './recorded-session.js'
import { recordKind, type LogFormat } from './record-sniff.js'
import { sumsOf } from './recorded-sums.js'
import { usageOfTurn, type UsageBeside } from './recorded-usage.js'
import { shapeOf, type SessionShape, type TurnPlace } from './session-shape.js'
import { readRecords, type ReadRecord } from './turn-records.js'

/** While a log is read for the first time its turns are shown at this many bytes, and at each doubling. */
const firstShownBytes = 4 << 20
const longestOutput = 16_000_000

export interface JsonlOptions {
  readonly file: string
  readonly agent: AgentName
  /** Where the index of the log is kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** Whether the log is read on while it grows. */
  readonly isFollowed: boolean
  readonly log: Log
}

/** A log as it is being read. */
export interface OpenedLog {
  readonly reader: LogReader
  readonly ends: LogEnds
  readonly id: string
  /** Folder that the log names, as far as it was read. */
  readonly folder: () => string | null
  /** Its turns, as far as it was read. */
  readonly shape: () => SessionShape
  /** Resolves when the log, as long as it was, has been indexed. */
  readonly whenIndexed: () => Promise<void>
  /** The transcript of a turn. Errors: TURN_NOT_FOUND. */
  readonly readTurn: (promptId: PromptId) => Promise<readonly TranscriptEntry[]>
  /** Counts what is wrong with a record; only what is found when it is read for the first time. */
  readonly report: (problems: readonly ProblemKind[], row: number) => void
}

/** What is one agent's own in a log of JSON lines. */
export interface LogParts {
  readonly backups: SessionBackups
  /** Exact states, where the agent keeps such, or where they can be told from its records; else `null`. Asked anew for each revision. */
  readonly ledger: (SessionLedger & { forget(): void }) | null
  /** The prompt snapshots of a new revision of the log. */
  history(shape: SessionShape): BackupHistory
  /** The records of a turn, in the order in which they are to be decoded. */
  rowsOf(shape: SessionShape, place: TurnPlace): readonly number[]
  /** Makes one of two records that have the same identity. */
  join(first: JsonObject, later: JsonObject): JsonObject
  /** The transcript of a turn. `isOpen` says that it may still grow. */
  transcript(records: readonly ReadRecord[], isOpen: boolean, signal?: AbortSignal): Promise<readonly TranscriptEntry[]>
  /** The whole output of a call, of a subagent's too; `null` where the records hold none. */
  outputOf(records: readonly ReadRecord[], callId: string, signal?: AbortSignal): Promise<string | null>
  /** What logs beside this one tell of tokens. */
  readonly usageBeside: UsageBeside
  /** The log went on: what lies beside it may have changed. */
  refresh(): void
}

/** How the sessions of one format are read; one object an agent. */
export interface JsonlFormat {
  readonly format: LogFormat
  /** Id of the session, by what its ends say and by its file. */
  idOf(ends: LogEnds, file: string): string
  parts(log: OpenedLog): LogParts
}

/**
 * Opens a log of JSON lines. Resolves as soon as both of its ends were read; `whenLoaded` waits for all.
 * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
 */
export async function openJsonlSession(options: JsonlOptions, format: JsonlFormat, signal?: AbortSignal): Promise<RecordedSession> {
  const reader = await LogReader.open({ file: options.file, indexFile: options.indexFile, isKept: true, isDeep: true })
  try {
    if (reader.sniffer.format !== format.format) {
      throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
    }
    const ends = await readLogEnds(reader.log, reader.size, reader.sniffer)
    throwIfAborted(signal)
    return new JsonlSession(reader, ends, options, format)
  } catch (thrown) {
    reader.close()
    throw thrown
  }
}

class JsonlSession implements RecordedSession {
  readonly agent: AgentName
  readonly id: string
  readonly backups: SessionBackups
  loading: RecordedSession['loading']
  newestPrompts: RecordedSession['newestPrompts']
  private shape: SessionShape
  private history: BackupHistory
  private changes: Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> | null = null
  /** Found while records are read, beyond what the index found. */
  private readonly found = new ProblemTally()
  private readonly reported = new Set<number>()
  private missingBackups = 0
  private readonly parts: LogParts
  private readonly ended = new AbortController()
  private readonly listeners = new Set<() => void>()
  private readonly unfollow: () => void
  /** Loading and growing, one after the other. */
  private work: Promise<void>
  private saving: Promise<void> = Promise.resolve()

  constructor(
    private readonly reader: LogReader,
    private readonly ends: LogEnds,
    private readonly options: JsonlOptions,
    format: JsonlFormat,
  ) {
    this.agent = options.agent
    this.id = format.idOf(ends, options.file)
    this.newestPrompts = ends.newestPrompts
    this.loading = { done: 0, total: reader.size }
    this.shape = shapeOf(reader.index)
    this.parts = format.parts({
      reader,
      ends,
      id: this.id,
      folder: () => this.folder,
      shape: () => this.shape,
      whenIndexed: () => this.work,
      readTurn: (promptId) => this.readTurn(promptId),
      report: (problems, row) => this.report(problems, row),
    })
    this.backups = this.parts.backups
    this.history = this.parts.history(this.shape)
    this.work = this.load()
    this.work.catch(() => undefined)
    this.unfollow = options.isFollowed ? followFile(options.file, () => void this.grow()) : () => undefined
  }

  get ledger(): LogParts['ledger'] {
    return this.parts.ledger
  }

  get folder(): string | null {
    return this.ends.folder ?? this.reader.index.facts.folder
  }

  get turns(): readonly Turn[] {
    return this.shape.turns
  }

  get setAside(): RecordedSession['setAside'] {
    return this.shape.setAside
  }

  get rewinds(): RecordedSession['rewinds'] {
    return this.shape.rewinds
  }

  get problems(): readonly SessionProblem[] {
    const { index } = this.reader
    const { branches } = this.shape
    const whole = new ProblemTally()
    for (const row of branches.gaps) whole.add('missing-parent', index.lineOf(row))
    for (const row of branches.circles) whole.add('parent-cycle', index.lineOf(row))
    if (this.missingBackups > 0) whole.add('missing-backup', null, this.missingBackups)
    const hasNone = this.loading === null && branches.live.length > 0 && this.history.isEmpty && this.ledger === null
    if (hasNone) whole.add('no-snapshots', null)
    return joinProblems(index.problems(), this.found.list(), whole.list())
  }

  async whenLoaded(signal?: AbortSignal): Promise<void> {
    const isLoading = this.loading !== null
    await orAborted(this.work, signal)
    if (isLoading) return
    await orAborted(this.grow(), signal)
  }

  async readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
    const { place, records } = await this.recordsOf(promptId, signal)
    const { prompts, sniffer } = this.reader.index
    // What came after it may have been taken back: it has ended all the same.
    const isLast = sniffer.hasIds || place.prompt === prompts.length - 1
    const isOpen = place.live !== null && place.turn.index === this.turns.length && isLast
    return this.parts.transcript(records, isOpen, signal)
  }

  async readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string> {
    const { records } = await this.recordsOf(promptId, signal)
    const output = await this.parts.outputOf(records, callId, signal)
    if (output === null) throw new ReviewError('CONTENT_UNKNOWN', 'The log holds no output of this call.')
    return output.slice(0, longestOutput)
  }

  async usage(promptId: PromptId | null, signal?: AbortSignal): Promise<Usage | null> {
    const { reader, parts } = this
    if (promptId !== null) return usageOfTurn(reader, parts.rowsOf(this.shape, await this.placeOf(promptId, signal)), parts.usageBeside, signal)
    await this.whenLoaded(signal)
    return (await sumsOf(reader, parts.usageBeside, { signal })).usage
  }

  async snapshotOf(promptId: PromptId, signal?: AbortSignal): Promise<PromptSnapshot | null> {
    return this.history.snapshotOf(await this.placeOf(promptId, signal), signal)
  }

  async backupHistory(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    // Shared by all who ask: the signal of one ends only its own waiting. A failed attempt is not kept.
    const changes = (this.changes ??= this.readChanges())
    changes.catch(() => {
      if (this.changes === changes) this.changes = null
    })
    return orAborted(changes, signal)
  }

  async rawLines(lines: readonly number[], signal?: AbortSignal): ReturnType<RecordedSession['rawLines']> {
    return this.reader.readLines(lines, keptRaw, signal)
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  close(): void {
    if (this.ended.signal.aborted) return
    this.ended.abort()
    this.unfollow()
    this.listeners.clear()
    this.work = this.work
      .catch(() => undefined)
      .then(() => {
        this.save()
        return this.saving
      })
      .then(() => this.reader.close())
  }

  private async load(): Promise<void> {
    let shownAt = firstShownBytes
    const { signal } = this.ended
    try {
      await this.reader.load(signal, (done, total) => {
        this.loading = { done, total }
        if (done < shownAt || done === total) return
        shownAt = done * 2
        this.publish()
      })
    } catch (thrown) {
      if (thrown instanceof ReviewError) throw thrown
      throw new ReviewError('SESSION_UNREADABLE', 'The log of this session cannot be read to its end. Check the disk.', { cause: thrown })
    } finally {
      this.loading = null
    }
    this.newestPrompts = []
    this.publish()
    this.save()
  }

  /** Keeps the index, while others go on. */
  private save(): void {
    this.saving = this.saving
      .then(() => this.reader.save())
      .catch((thrown: unknown) => this.options.log.error('session-index-unsaved', thrown))
  }

  private grow(): Promise<void> {
    this.work = this.work
      .then(async () => {
        if (this.ended.signal.aborted) return
        const change = await this.reader.grow(this.ended.signal)
        if (change === 'replaced') this.forget()
        if (change !== 'same') this.publish()
      })
    // Whoever waits for it is told; a hint that nobody waits for must not end the process.
    this.work.catch((thrown: unknown) => this.options.log.error('session-not-followed', thrown))
    return this.work
  }

  private forget(): void {
    this.found.reset([])
    this.reported.clear()
    this.parts.ledger?.forget()
    this.missingBackups = 0
  }

  private publish(): void {
    this.shape = shapeOf(this.reader.index)
    this.history = this.parts.history(this.shape)
    this.changes = null
    this.parts.refresh()
    this.tell()
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }

  private async readChanges(): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    const { signal } = this.ended
    await this.work
    const before = this.problems.length
    const changes = await this.history.changes(signal)
    const named = new Set([...changes.values()].flat().flatMap(({ backup }) => (backup.kind === 'stored' ? [backup.backupName] : [])))
    this.missingBackups = await this.backups.missingOf(named)
    if (this.problems.length !== before) this.tell()
    return changes
  }

  /** Counts what is wrong with a record when it is read for the first time. */
  private report(problems: readonly ProblemKind[], row: number): void {
    const { index } = this.reader
    if (this.reported.has(row)) return
    this.reported.add(row)
    const isKnown = index.rows.kindOf(row) === recordKind.bad
    for (const problem of problems) if (problem !== 'bad-line' || !isKnown) this.found.add(problem, index.lineOf(row))
  }

  private async placeOf(promptId: PromptId, signal?: AbortSignal): Promise<TurnPlace> {
    if (!this.shape.places.has(promptId)) await this.whenLoaded(signal)
    const place = this.shape.places.get(promptId)
    if (place) return place
    throw new ReviewError('TURN_NOT_FOUND', 'This turn is not in the session. Look at the list of turns.', { details: { promptId } })
  }

  private async recordsOf(promptId: PromptId, signal?: AbortSignal): Promise<{ readonly place: TurnPlace; readonly records: readonly ReadRecord[] }> {
    const { reader, parts } = this
    const { index } = reader
    const place = await this.placeOf(promptId, signal)
    const records = await readRecords(reader, parts.rowsOf(this.shape, place), { onBroken: (row) => this.report(['bad-line'], row), join: parts.join, signal })
    // The log was replaced while it was read.
    return reader.index === index ? { place, records } : this.recordsOf(promptId, signal)
  }
}
