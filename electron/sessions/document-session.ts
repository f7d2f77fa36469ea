import { ReviewError } from '../../shared/errors.js'
import type { PromptId } from '../../shared/ids.js'
import type { AgentName, RecordedRewind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
import type { Usage } from '../../shared/usage.js'
import type { Log } from '../base/log.js'
import type { BackupSource } from '../history/backup-source.js'
import { followFile } from './log-follower.js'
import { orAborted } from './or-aborted.js'
import type { LedgerPages, RecordedSession, SessionLedger, SetAsideBranch } from './recorded-session.js'

const longestOutput = 16_000_000

/** A session as its store told it at one moment; texts are read when asked for. */
export interface SessionDocument {
  readonly id: string
  readonly folder: string | null
  readonly turns: readonly Turn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  readonly problems: readonly SessionProblem[]
  /** `null` for a turn that is not there. */
  readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[] | null>
  /** Of one turn, or of all with `null`; `null` where nothing is recorded. */
  usage(promptId: PromptId | null, signal?: AbortSignal): Promise<Usage | null>
  /** Whole output of one call; `null` where none is recorded. */
  readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string | null>
  rawLines: RecordedSession['rawLines']
  ledger(signal?: AbortSignal): Promise<LedgerPages>
}

/** What can be shown of a big session at once. */
export interface BegunDocument {
  readonly id: string
  readonly folder: string | null
  readonly newestPrompts: RecordedSession['newestPrompts']
  readonly sizeBytes: number
}

/** Where such a session comes from. */
export interface DocumentSource {
  readonly agent: AgentName
  /** Files that change when the session does. */
  readonly files: readonly string[]
  /** Another text whenever the session may have changed; cheap. */
  stamp(): string
  /** What both ends of a big session say; `null` for one that is read in a moment. Errors: those of `read`. */
  begin(signal?: AbortSignal): Promise<BegunDocument | null>
  /** `onProgress` is told how many bytes were read. Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN, CANCELLED. */
  read(signal?: AbortSignal, onProgress?: (done: number) => void): Promise<SessionDocument>
  close(): void
}

/**
 * Opens a session that is read as a whole, and read again when it changes. A big one resolves as soon as its ends were read.
 * Errors: those of `read`.
 */
export async function openDocumentSession(source: DocumentSource, options: { readonly isFollowed: boolean; readonly log: Log }, signal?: AbortSignal): Promise<RecordedSession> {
  const stamp = source.stamp()
  try {
    const begun = await source.begin(signal)
    return new DocumentSession(source, begun ? null : await source.read(signal), stamp, options, begun)
  } catch (thrown) {
    source.close()
    throw thrown
  }
}

/** Such stores keep no backups by name. */
const noStoredBackups: BackupSource = { read: async () => ({ kind: 'missing' }), sizeOf: async () => null }

class DocumentSession implements RecordedSession {
  readonly agent: AgentName
  loading: RecordedSession['loading'] = null
  newestPrompts: RecordedSession['newestPrompts'] = []
  readonly backups = noStoredBackups
  readonly ledger: SessionLedger = { pages: (signal) => this.pages(signal) }
  private readonly listeners = new Set<() => void>()
  private readonly ended = new AbortController()
  private readonly unfollow: readonly (() => void)[]
  private work: Promise<void> = Promise.resolve()
  private known: { readonly document: SessionDocument; readonly pages: Promise<LedgerPages> } | null = null

  constructor(
    private readonly source: DocumentSource,
    private document: SessionDocument | null,
    private stamp: string,
    private readonly options: { readonly isFollowed: boolean; readonly log: Log },
    private readonly begun: BegunDocument | null,
  ) {
    this.agent = source.agent
    if (begun) {
      this.newestPrompts = begun.newestPrompts
      this.work = this.load(begun.sizeBytes)
      this.work.catch(() => undefined)
    }
    this.unfollow = options.isFollowed ? source.files.map((file) => followFile(file, () => void this.refresh())) : []
  }

  get id(): string {
    return this.document?.id ?? this.begun?.id ?? ''
  }

  get folder(): string | null {
    return (this.document ?? this.begun)?.folder ?? null
  }

  get turns(): readonly Turn[] {
    return this.document?.turns ?? []
  }

  get setAside(): readonly SetAsideBranch[] {
    return this.document?.setAside ?? []
  }

  get rewinds(): readonly RecordedRewind[] {
    return this.document?.rewinds ?? []
  }

  get problems(): readonly SessionProblem[] {
    return this.document?.problems ?? []
  }

  async whenLoaded(signal?: AbortSignal): Promise<void> {
    await orAborted(this.loading ? this.work : this.refresh(), signal)
  }

  async readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
    const entries = await (await this.loaded(signal)).readTurn(promptId, signal)
    if (!entries) throw new ReviewError('TURN_NOT_FOUND', 'This turn is not in the session. Look at the list of turns.', { details: { promptId } })
    return entries
  }

  async readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string> {
    const output = await (await this.loaded(signal)).readOutput(promptId, callId, signal)
    if (output === null) throw new ReviewError('CONTENT_UNKNOWN', 'The log holds no output of this call.')
    return output.slice(0, longestOutput)
  }

  async usage(promptId: PromptId | null, signal?: AbortSignal): Promise<Usage | null> {
    return (await this.loaded(signal)).usage(promptId, signal)
  }

  async snapshotOf(): Promise<null> {
    return null
  }

  async backupHistory(): ReturnType<RecordedSession['backupHistory']> {
    return new Map()
  }

  async rawLines(lines: readonly number[], signal?: AbortSignal): ReturnType<RecordedSession['rawLines']> {
    return (await this.loaded(signal)).rawLines(lines, signal)
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  close(): void {
    if (this.ended.signal.aborted) return
    this.ended.abort()
    for (const end of this.unfollow) end()
    this.listeners.clear()
    this.source.close()
  }

  private async load(total: number): Promise<void> {
    const { stamp } = this
    this.stamp = ''
    this.loading = { done: 0, total }
    try {
      this.document = await this.source.read(this.ended.signal, (done) => {
        this.loading = { done, total }
      })
      this.stamp = stamp
    } finally {
      this.loading = null
      this.newestPrompts = []
    }
    for (const listener of this.listeners) listener()
  }

  /** The document, once all of it was read. */
  private async loaded(signal?: AbortSignal): Promise<SessionDocument> {
    if (!this.document) await this.whenLoaded(signal)
    if (!this.document) throw new ReviewError('CANCELLED', 'The session was closed. Open it again.')
    return this.document
  }

  private async pages(signal?: AbortSignal): Promise<LedgerPages> {
    const document = await this.loaded(signal)
    if (this.known?.document !== document) {
      const pages = document.ledger(this.ended.signal)
      this.known = { document, pages }
      // A failed attempt is not kept.
      pages.catch(() => {
        if (this.known?.pages === pages) this.known = null
      })
    }
    return orAborted(this.known.pages, signal)
  }

  private refresh(): Promise<void> {
    this.work = this.work.catch(() => undefined).then(async () => {
      const stamp = this.source.stamp()
      if (this.ended.signal.aborted || stamp === this.stamp) return
      this.document = await this.source.read(this.ended.signal)
      this.stamp = stamp
      for (const listener of this.listeners) listener()
    })
    // Whoever waits for it is told; a hint that nobody waits for must not end the process.
    this.work.catch((thrown: unknown) => {
      if (!this.ended.signal.aborted) this.options.log.error('session-not-followed', thrown)
    })
    return this.work
  }
}
