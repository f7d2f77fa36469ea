import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { AgentName, ProblemKind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import type { Log } from '../base/log.js'
import { followFile } from './log-follower.js'
import { orAborted } from './or-aborted.js'
import { readLogEnds, type LogEnds } from './log-ends.js'
import { LogReader } from './log-reader.js'
import { joinProblems, ProblemTally } from './problem-tally.js'
import { qwenBackups, type QwenBackups } from './qwen-backups.js'
import { finishCall, outputOf } from './qwen-calls.js'
import { SnapshotHistory } from './qwen-history.js'
import { decodeTurn, keptRaw, type DraftEntry } from './qwen-records.js'
import { startsAgent, SubagentLogs } from './qwen-subagents.js'
import { readTurnRecords } from './qwen-turn-records.js'
import { shapeOf, type SessionShape, type TurnPlace } from './qwen-turns.js'
import type { BackupEntry, RecordedSession } from './recorded-session.js'
import { recordKind } from './record-sniff.js'

/** While a log is read for the first time its turns are shown at this many bytes, and at each doubling. */
const firstShownBytes = 4 << 20
const longestOutput = 16_000_000

export interface QwenSessionOptions {
  readonly file: string
  readonly agent: AgentName
  /** Where the index of the log is kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** Folders that hold a folder of backups for each session, the nearest first. */
  readonly backupHomes: readonly string[]
  /** Those of them that nobody has copied, so that the modes of their files are those that were recorded. */
  readonly exactHomes?: readonly string[]
  /** Whether the log is read on while it grows. */
  readonly isFollowed: boolean
  readonly log: Log
}

/**
 * Opens a log of qwen-code, or of a session of ours. Resolves as soon as both of its ends were read; `whenLoaded` waits for all.
 * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
 */
export async function openQwenSession(options: QwenSessionOptions, signal?: AbortSignal): Promise<RecordedSession> {
  const reader = await LogReader.open({ file: options.file, indexFile: options.indexFile, isKept: true, isDeep: true })
  try {
    if (reader.sniffer.format !== 'qwen') {
      throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
    }
    const ends = await readLogEnds(reader.log, reader.size, reader.sniffer)
    throwIfAborted(signal)
    return new QwenSession(reader, ends, options)
  } catch (thrown) {
    reader.close()
    throw thrown
  }
}

class QwenSession implements RecordedSession {
  readonly agent: AgentName
  readonly id: string
  readonly backups: QwenBackups
  loading: RecordedSession['loading']
  newestPrompts: RecordedSession['newestPrompts']
  private shape: SessionShape
  private history: SnapshotHistory
  private changes: Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> | null = null
  /** Found while records are read, beyond what the index found. */
  private readonly found = new ProblemTally()
  private readonly reported = new Set<number>()
  private missingBackups = 0
  private readonly subagents: SubagentLogs
  private readonly ended = new AbortController()
  private readonly listeners = new Set<() => void>()
  private readonly unfollow: () => void
  /** Loading and growing, one after the other. */
  private work: Promise<void>
  private saving: Promise<void> = Promise.resolve()

  constructor(
    private readonly reader: LogReader,
    private readonly ends: LogEnds,
    private readonly options: QwenSessionOptions,
  ) {
    this.agent = options.agent
    this.id = ends.sessionId ?? ''
    this.newestPrompts = ends.newestPrompts
    this.backups = qwenBackups(options.backupHomes, this.id, options.exactHomes)
    this.loading = { done: 0, total: reader.size }
    this.shape = shapeOf(reader.index)
    this.history = this.newHistory()
    this.subagents = new SubagentLogs(options.file, this.id, { folder: this.folder, isOpen: false, hasDisplays: false })
    this.work = this.load()
    this.work.catch(() => undefined)
    this.unfollow = options.isFollowed ? followFile(options.file, () => void this.grow()) : () => undefined
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
    const hasNone = this.loading === null && branches.live.length > 0 && this.history.isEmpty
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
    const place = await this.placeOf(promptId, signal)
    const isOpen = place.live !== null && place.turn.index === this.turns.length
    const context = { folder: this.folder, isOpen, hasDisplays: true }
    const entries: TranscriptEntry[] = []
    for (const entry of await this.decode(place, signal)) {
      if (entry.kind !== 'call') {
        entries.push(entry)
        continue
      }
      const calls = startsAgent(entry.draft) ? await this.subagents.callsOf(entry.draft.callId, signal) : []
      entries.push({ kind: 'call', call: finishCall(entry.draft, context, calls), at: entry.at })
    }
    return entries
  }

  async readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string> {
    const entries = await this.decode(await this.placeOf(promptId, signal), signal)
    const drafts = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.draft] : []))
    let draft = drafts.find((each) => each.callId === callId) ?? null
    for (const each of drafts.filter(startsAgent)) draft ??= await this.subagents.find(each.callId, callId, signal)
    if (!draft?.response) throw new ReviewError('CONTENT_UNKNOWN', 'The log holds no output of this call.')
    return outputOf(draft).slice(0, longestOutput)
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
    const found: { line: number; raw: string; isCut: boolean }[] = []
    for (const line of lines) {
      const bytes = await this.reader.readLine(line, keptRaw + 1)
      throwIfAborted(signal)
      if (bytes) found.push({ line, raw: bytes.toString('utf8', 0, keptRaw), isCut: bytes.length > keptRaw })
    }
    return found
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
    this.missingBackups = 0
  }

  private publish(): void {
    this.shape = shapeOf(this.reader.index)
    this.history = this.newHistory()
    this.changes = null
    this.subagents.refresh()
    this.tell()
  }

  private tell(): void {
    for (const listener of this.listeners) listener()
  }

  private newHistory(): SnapshotHistory {
    return new SnapshotHistory(this.reader, this.shape, this.folder, (problems, row) => this.report(problems, row))
  }

  private async readChanges(): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>> {
    const { signal } = this.ended
    await this.work
    const before = this.problems.length
    const changes = await this.history.changes(signal)
    const named = new Set([...changes.values()].flat().flatMap(({ backup }) => (backup.kind === 'stored' ? [backup.backupName] : [])))
    const here = named.size > 0 ? await this.backups.names() : new Set()
    this.missingBackups = [...named].filter((name) => !here.has(name)).length
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

  private async decode(place: TurnPlace, signal?: AbortSignal): Promise<readonly DraftEntry[]> {
    const { reader } = this
    const { index } = reader
    const records = await readTurnRecords(reader, this.shape, place, (row) => this.report(['bad-line'], row), signal)
    // The log was replaced while it was read.
    if (reader.index !== index) return this.decode(await this.placeOf(place.turn.promptId, signal), signal)
    return decodeTurn(records)
  }
}
