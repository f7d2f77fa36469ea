import { ReviewError } from '../../shared/errors.js'
import type { PromptId } from '../../shared/ids.js'
import type { AgentName, RecordedRewind, SessionProblem, TranscriptEntry, Turn } from '../../shared/session.js'
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
  /** Whole output of one call; `null` where none is recorded. */
  readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string | null>
  rawLines: RecordedSession['rawLines']
  ledger(signal?: AbortSignal): Promise<LedgerPages>
}

/** Where such a session comes from. */
export interface DocumentSource {
  readonly agent: AgentName
  /** Files that change when the session does. */
  readonly files: readonly string[]
  /** Another text whenever the session may have changed; cheap. */
  stamp(): string
  /** Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN, CANCELLED. */
  read(signal?: AbortSignal): Promise<SessionDocument>
  close(): void
}

/** Opens a session that is read as a whole, and read again when it changes. Errors: those of `read`. */
export async function openDocumentSession(source: DocumentSource, options: { readonly isFollowed: boolean; readonly log: Log }, signal?: AbortSignal): Promise<RecordedSession> {
  const stamp = source.stamp()
  try {
    return new DocumentSession(source, await source.read(signal), stamp, options)
  } catch (thrown) {
    source.close()
    throw thrown
  }
}

/** Such stores keep no backups by name. */
const noStoredBackups: BackupSource = { read: async () => ({ kind: 'missing' }), sizeOf: async () => null }

class DocumentSession implements RecordedSession {
  readonly agent: AgentName
  readonly loading = null
  readonly newestPrompts = []
  readonly backups = noStoredBackups
  readonly ledger: SessionLedger = { pages: (signal) => this.pages(signal) }
  private readonly listeners = new Set<() => void>()
  private readonly ended = new AbortController()
  private readonly unfollow: readonly (() => void)[]
  private work: Promise<void> = Promise.resolve()
  private known: { readonly document: SessionDocument; readonly pages: Promise<LedgerPages> } | null = null

  constructor(
    private readonly source: DocumentSource,
    private document: SessionDocument,
    private stamp: string,
    private readonly options: { readonly isFollowed: boolean; readonly log: Log },
  ) {
    this.agent = source.agent
    this.unfollow = options.isFollowed ? source.files.map((file) => followFile(file, () => void this.refresh())) : []
  }

  get id(): string {
    return this.document.id
  }

  get folder(): string | null {
    return this.document.folder
  }

  get turns(): readonly Turn[] {
    return this.document.turns
  }

  get setAside(): readonly SetAsideBranch[] {
    return this.document.setAside
  }

  get rewinds(): readonly RecordedRewind[] {
    return this.document.rewinds
  }

  get problems(): readonly SessionProblem[] {
    return this.document.problems
  }

  async whenLoaded(signal?: AbortSignal): Promise<void> {
    await orAborted(this.refresh(), signal)
  }

  async readTurn(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
    const entries = await this.document.readTurn(promptId, signal)
    if (!entries) throw new ReviewError('TURN_NOT_FOUND', 'This turn is not in the session. Look at the list of turns.', { details: { promptId } })
    return entries
  }

  async readOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string> {
    const output = await this.document.readOutput(promptId, callId, signal)
    if (output === null) throw new ReviewError('CONTENT_UNKNOWN', 'The log holds no output of this call.')
    return output.slice(0, longestOutput)
  }

  async snapshotOf(): Promise<null> {
    return null
  }

  async backupHistory(): ReturnType<RecordedSession['backupHistory']> {
    return new Map()
  }

  async rawLines(lines: readonly number[], signal?: AbortSignal): ReturnType<RecordedSession['rawLines']> {
    return this.document.rawLines(lines, signal)
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

  private pages(signal?: AbortSignal): Promise<LedgerPages> {
    const { document } = this
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
