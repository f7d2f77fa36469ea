import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { SessionKey } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import type { Log } from '../base/log.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import { createContents, type Contents, type DiskView } from '../review/contents.js'
import { createDiskView } from '../review/disk-view.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createDiskStates, type DiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'

export interface SessionSource {
  /** The list of all sessions, newest first, once all places were looked through. */
  readonly list: (signal?: AbortSignal) => Promise<readonly SessionSummary[]>
  /** Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN. */
  readonly open: (key: SessionKey, signal?: AbortSignal) => Promise<RecordedSession>
  readonly store: BackupStore
  /** Without it what a recorded sed wrote stays unknown. */
  readonly sed?: SedRunner
  readonly log: Log
}

export interface SearchWatch {
  readonly signal?: AbortSignal
  /** Sessions looked at, and sessions in all. */
  readonly onProgress?: (done: number, total: number) => void
}

/** A session that is read to its end for one question, apart from the window's own. */
export interface SearchedSession {
  readonly summary: SessionSummary
  readonly recorded: RecordedSession
  readonly contents: Contents
  close(): void
}

/** Errors: those of `SessionSource.open`, CANCELLED. */
export async function openSearched(from: SessionSource, summary: SessionSummary, signal?: AbortSignal): Promise<SearchedSession> {
  const recorded = await from.open(summary.key, signal)
  try {
    await recorded.whenLoaded(signal)
    const disk = await diskOf(summary)
    const contents = createContents({ session: recorded, disk: () => disk, store: from.store, sed: from.sed })
    recorded.onChange(() => contents.refresh())
    return { summary, recorded, contents, close: () => recorded.close() }
  } catch (thrown) {
    recorded.close()
    throw thrown
  }
}

/** The files of the session's folder as they are; `null` where that is not here. */
async function diskOf({ workspace }: SessionSummary, states: DiskStates = createDiskStates()): Promise<DiskView | null> {
  if (workspace === null) return null
  const opened = await openWorkspace(workspace).catch(() => null)
  return opened && createDiskView(opened, states)
}

/** One session that cannot be read must not end a question about all of them; what nobody foresaw is logged. Errors: CANCELLED. */
export function passUnreadable({ log }: SessionSource, { key }: SessionSummary, thrown: unknown, signal: AbortSignal | undefined): void {
  throwIfAborted(signal)
  if (!(thrown instanceof ReviewError)) log.error('search.session-not-read', thrown, { session: key })
}
