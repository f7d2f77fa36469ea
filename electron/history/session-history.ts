import { randomBytes } from 'node:crypto'
import { ReviewError } from '../../shared/errors.js'
import { operationId, type OperationId, type SessionKey, type WorkspacePath } from '../../shared/ids.js'
import type { Receipt, RewindChoices, RewindFileTexts, RewindPlan, RewindTarget, TakeBackPlan } from '../../shared/rewind.js'
import type { Log } from '../base/log.js'
import { createDiskStates, type DiskStates } from '../workspace/disk-states.js'
import { openWorkspace, type Workspace } from '../workspace/workspace.js'
import type { BackupStore } from './backup-store.js'
import type { HistoryParts, Watch } from './history-parts.js'
import { openJournal, operationOf, type Journal } from './journal.js'
import { recover } from './recover.js'
import { applyRewind, fileTexts, previewRewind, type RewindInput, type RewindRequest } from './rewind.js'
import { applyTakeBack, previewTakeBack, type TakeBackRequest } from './take-back.js'
import { reversalOf } from './undo.js'
import { abandonedOperations, withWorkspaceLock, type LockNote } from './workspace-lock.js'

/** A rewind as it is asked for. */
export interface SessionRewind {
  readonly target: RewindTarget
  /** Name of the target's turn: "turn 4". */
  readonly turn: string
  /** Every file that may differ from the target, each path once. */
  readonly files: readonly RewindInput[]
  readonly choices: RewindChoices
}

/**
 * All that changes, or would change, the files of one session's workspace. Each writing call is one operation: alone on the
 * workspace over all processes, journaled, and undoable.
 * Errors of the writing ones: REWIND_RUNNING, DATA_FOLDER_UNWRITABLE, and those of `applyChanges`.
 */
export interface SessionHistory {
  readonly journal: Journal
  /** What was found of operations that a crash had cut off, when this was opened or later; `null` for nothing. */
  recovered(): string | null
  /** Writes nothing. */
  preview(rewind: SessionRewind, watch?: Watch): Promise<RewindPlan>
  /** Errors: INVALID_PARAMS for a path that is none of the rewind's. */
  fileTexts(rewind: SessionRewind, path: WorkspacePath, signal?: AbortSignal): Promise<RewindFileTexts>
  /** `planHash` of the preview that a person saw; `null` only where nobody was asked. Errors: REWIND_PLAN_STALE. */
  apply(rewind: SessionRewind, planHash: string | null, watch?: Watch): Promise<Receipt>
  /** `null` takes the newest. Later typing survives; what is in its way is left and named. Errors: NOTHING_TO_UNDO. */
  undo(operation: OperationId | null, watch?: Watch, choices?: RewindChoices): Promise<Receipt>
  /** Errors: NOTHING_TO_REDO. */
  redo(operation: OperationId | null, watch?: Watch, choices?: RewindChoices): Promise<Receipt>
  /** Writes nothing. Errors: HUNK_NOT_FOUND, CONTENT_UNKNOWN. */
  previewTakeBack(request: TakeBackRequest, signal?: AbortSignal): Promise<TakeBackPlan>
  /** Errors: TAKE_BACK_CONFLICT, REWIND_PLAN_STALE. */
  takeBack(request: TakeBackRequest, planHash: string, watch?: Watch): Promise<Receipt>
  /** Runs `work` while nothing else of ours, in any process, changes the workspace. Errors: REWIND_RUNNING, and those of `work`. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Errors: NOTHING_TO_UNDO when there is no such operation, or it has no receipt yet. */
  receipt(operation: OperationId): Receipt
}

export interface SessionHistoryOptions {
  readonly dataFolder: string
  readonly session: SessionKey
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly log: Log
  /** Shared between the histories of one workspace, so that files are hashed once. */
  readonly disk?: DiskStates
  readonly now?: () => number
  readonly newId?: () => OperationId
}

/** Opens the history of a session on a workspace, and ends what a crash had cut off there. */
export async function openSessionHistory(options: SessionHistoryOptions): Promise<SessionHistory> {
  const { dataFolder, session, workspace, log, now = Date.now, newId = newOperationId } = options
  const journal = await openJournal(dataFolder, session, workspace.root, log)
  const parts: HistoryParts = { ...options, journal, disk: options.disk ?? createDiskStates(now), now, newId }
  const note: LockNote = { session, workspace: workspace.root }
  const sentences: string[] = []

  const alone = <Result>(work: () => Promise<Result>): Promise<Result> =>
    withWorkspaceLock(dataFolder, note, async (leftBehind) => {
      if (leftBehind && leftBehind.session !== session) {
        await recover({ ...parts, session: leftBehind.session, journal: await openJournal(dataFolder, leftBehind.session, workspace.root, log) })
      }
      await journal.refresh()
      sentences.push(...(await recover(parts)))
      return work()
    })

  if (journal.pending().length > 0) {
    await alone(() => Promise.resolve()).catch((thrown: unknown) => {
      // Another process is in the middle of it; it will end it itself.
      if (!(thrown instanceof ReviewError) || thrown.code !== 'REWIND_RUNNING') throw thrown
    })
  }

  const reverse = (kind: 'undo' | 'redo', id: OperationId | null, watch: Watch, choices: RewindChoices): Promise<Receipt> =>
    alone(() => applyRewind(parts, reversalOf(parts, kind, id, choices), null, watch))

  return {
    journal,
    recovered: () => (sentences.length === 0 ? null : sentences.join(' ')),
    preview: async (rewind, watch = {}) => ({ target: rewind.target, ...(await previewRewind(parts, requestOf(rewind), watch)) }),
    fileTexts: (rewind, path, signal) => fileTexts(parts, requestOf(rewind), path, signal),
    apply: (rewind, planHash, watch = {}) => alone(() => applyRewind(parts, requestOf(rewind), planHash, watch)),
    undo: (id, watch = {}, choices = everything) => reverse('undo', id, watch, choices),
    redo: (id, watch = {}, choices = everything) => reverse('redo', id, watch, choices),
    previewTakeBack: (request, signal) => previewTakeBack(parts, request, signal),
    alone,
    takeBack: (request, planHash, watch = {}) => alone(() => applyTakeBack(parts, request, planHash, watch)),
    receipt: (id) => {
      const { end } = operationOf(journal, id)
      if (!end) throw new ReviewError('NOTHING_TO_UNDO', 'This operation has not ended yet. Wait a moment, then look again.')
      return end.receipt
    },
  }
}

/**
 * Ends every operation that a crash had cut off, whatever session it belonged to; for the start of the app. What cannot be
 * ended now (its folder is not here) is tried again when its session is opened. Returns one text for each session.
 */
export async function recoverAll(dataFolder: string, store: BackupStore, log: Log): Promise<ReadonlyMap<SessionKey, string>> {
  const recovered = new Map<SessionKey, string>()
  for (const note of await abandonedOperations(dataFolder, log)) {
    try {
      const workspace = await openWorkspace(note.workspace)
      const history = await openSessionHistory({ dataFolder, session: note.session, workspace, store, log })
      const sentence = history.recovered()
      if (sentence !== null) recovered.set(note.session, sentence)
    } catch (thrown) {
      log.error('history.not-recovered', thrown, { session: note.session })
    }
  }
  return recovered
}

const everything: RewindChoices = { paths: null, resolutions: {} }

function requestOf({ target, turn, files, choices }: SessionRewind): RewindRequest {
  const label = target.kind === 'step' ? `the state after change ${target.step} of ${turn}` : `the ${target.kind} of ${turn}`
  return { subject: { kind: 'rewind', target }, label, words: { to: target.kind === 'start' ? turn : label, by: turn }, files, choices }
}

/** Sorts by time, and is fit to stand in a file name. */
function newOperationId(): OperationId {
  return operationId(`${Date.now().toString(36)}${randomBytes(5).toString('hex')}`)
}
