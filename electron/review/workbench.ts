import type { SessionKey } from '../../shared/ids.js'
import { ReviewError } from '../../shared/errors.js'
import type { SessionSummary } from '../../shared/session.js'
import type { Log } from '../base/log.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import { openSessionHistory, type SessionHistory } from '../history/session-history.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { baseOfWorktree, worktreeOf } from '../workspace/worktree.js'
import { createBaseTree } from './base-tree.js'
import { createDiskView } from './disk-view.js'
import { createOpenedSession, type OpenedSession, type OpenedSessionDeps } from './opened-session.js'
import { openReviewMarks } from './review-marks.js'
import type { TextComparer } from './text-comparer.js'

/** A session with all that works on it. `history` is `null` while its folder is not here. */
export interface Opened {
  readonly summary: () => SessionSummary
  readonly recorded: RecordedSession
  readonly review: OpenedSession
  readonly history: SessionHistory | null
  /** Where the backups of our own sessions lie. */
  readonly store: BackupStore
}

export interface WorkbenchDeps {
  readonly dataFolder: string
  readonly store: BackupStore
  readonly comparer: TextComparer
  /** Without it what a recorded sed wrote stays unknown. */
  readonly sed?: SedRunner
  readonly log: Log
  /** Errors: SESSION_NOT_FOUND. */
  readonly summaryOf: (key: SessionKey) => SessionSummary
  readonly openRecorded: (key: SessionKey, signal?: AbortSignal) => Promise<RecordedSession>
  readonly onChanged: (key: SessionKey) => void
}

/** The sessions that are open now, each opened once and shared by all callers. */
export interface Workbench {
  /** Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN. */
  open(key: SessionKey): Promise<Opened>
  /** Closes a session; the next `open` starts afresh, on the folder that is attached then. */
  forget(key: SessionKey): void
  close(): void
}

export function createWorkbench(deps: WorkbenchDeps): Workbench {
  const opened = new Map<SessionKey, Promise<Opened>>()

  const forget = (key: SessionKey): void => {
    const session = opened.get(key)
    opened.delete(key)
    session?.then(({ review }) => review.close(), () => undefined)
  }

  return {
    open: (key) => {
      const known = opened.get(key)
      if (known) return known
      const opening = openSession(deps, key)
      opened.set(key, opening)
      // A session that could not be opened may open the next time.
      opening.catch(() => opened.get(key) === opening && opened.delete(key))
      return opening
    },
    forget,
    close: () => [...opened.keys()].forEach(forget),
  }
}

async function openSession(deps: WorkbenchDeps, key: SessionKey): Promise<Opened> {
  const { dataFolder, store, comparer, log } = deps
  const summary = (): SessionSummary => deps.summaryOf(key)
  const folder = summary().workspace
  const recorded = await deps.openRecorded(key)
  const attached = folder === null ? null : await attach(deps, key, folder)
  const review = createOpenedSession({
    session: recorded,
    summary,
    attached,
    worktree: worktreeIn(dataFolder, folder),
    store,
    marks: await openReviewMarks(dataFolder, key),
    comparer,
    sed: deps.sed,
    onChanged: () => deps.onChanged(key),
  })
  log.info('session.opened', { session: key, isAttached: attached !== null })
  return { summary, recorded, review, history: attached?.history ?? null, store }
}

/** The worktree of ours that a session works in; `null` for any other folder. */
function worktreeIn(dataFolder: string, folder: string | null): OpenedSessionDeps['worktree'] {
  const root = folder === null ? null : (worktreeOf(folder)?.root ?? null)
  const commit = root === null ? null : baseOfWorktree(dataFolder, root)
  return root === null || commit === null ? null : { base: createBaseTree(root, commit), branch: () => worktreeOf(root)?.branch ?? null }
}

async function attach({ dataFolder, store, log }: WorkbenchDeps, key: SessionKey, folder: string): Promise<{ history: SessionHistory; disk: ReturnType<typeof createDiskView> }> {
  const workspace = await openWorkspace(folder)
  const disk = createDiskStates()
  const history = await openSessionHistory({ dataFolder, session: key, workspace, store, log, disk })
  return { history, disk: createDiskView(workspace, disk) }
}

/** The history of a session whose folder is here. Errors: WORKSPACE_MISSING. */
export function historyOf({ history }: Opened): SessionHistory {
  if (!history) throw new ReviewError('WORKSPACE_MISSING', 'The folder of this session is not here. Attach it (--workspace DIR on the command line), then try again.')
  return history
}
