import { ReviewError, type ErrorCode } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type OperationId, type WorkspacePath } from '../../shared/ids.js'
import type { FileResult, Receipt, ReceiptFile, RewindAction } from '../../shared/rewind.js'
import { diskError, systemCode } from '../base/disk-errors.js'
import { breathe, inParallel, weightOf } from '../base/pool.js'
import type { Seen } from '../workspace/disk-states.js'
import { hardLimitBytes } from '../workspace/text-decoding.js'
import { folderOf, makeParents, modeOf, parentsOf, readBytes } from '../workspace/text-files.js'
import type { BackupBatch } from './backup-store.js'
import type { KnownContent } from './content.js'
import type { HistoryParts, Watch } from './history-parts.js'
import type { Intent, OperationFile, OperationSubject } from './operation.js'
import { removeEmptyFolders, settleFiles, syncFolders } from './settle.js'
import { checkBytes, isFolderRemoval, writeState } from './write-state.js'

/** One file that is to be written. */
export interface PlannedChange {
  readonly path: WorkspacePath
  readonly action: RewindAction
  readonly reason: string
  readonly before: Seen
  readonly after: FileState
  /** The bytes of an `after` that is a file with other content, else `null`. */
  readonly read: ((signal: AbortSignal | undefined) => Promise<Uint8Array>) | null
  readonly untyped: { readonly before: KnownContent | null; readonly after: KnownContent | null } | 'kept'
}

/** A planned operation; `changes` are in path order. */
export interface PlannedOperation {
  readonly id: OperationId
  readonly subject: OperationSubject
  readonly label: string
  readonly startedAt: number
  readonly changes: readonly PlannedChange[]
  /** Receipt lines of the files that are not written. */
  readonly others: readonly ReceiptFile[]
  /** Whether a folder may go when a delete has emptied it. */
  readonly mayEmpty: (folder: WorkspacePath) => boolean
  /** Mode for a folder that has to be made, where it is known. */
  readonly modeOfFolder: (folder: string) => number | null
}

/** A change whose bytes, old and new, are safe in the store. */
interface ReadyChange {
  readonly change: PlannedChange
  /** `null`: no bytes to write, or the store has them, or they are too much to hold; then they are read from it. */
  readonly bytes: Uint8Array | null
  readonly untyped: OperationFile['untyped']
}

/** New contents held in memory between the snapshot and the write; beyond this they are read from the store again. */
const heldBytes = 64 * 1024 * 1024

/**
 * Carries out an operation. The workspace lock must be held.
 *
 * Order: everything that stands there now, and everything that will, goes into the store, and the intent into the journal; then
 * files are written in path order, 16 at a time, each replaced atomically, synced and read back; emptied folders go; the
 * receipt goes into the journal. A crash at any point leaves what `recover` can end.
 *
 * Errors: single files fail by themselves and are named in the receipt. As a whole: DISK_FULL and DATA_FOLDER_UNWRITABLE when the
 * snapshot or the intent cannot be kept (nothing was written); CANCELLED (what was written has been put back, the message says so).
 */
export async function applyChanges(parts: HistoryParts, operation: PlannedOperation, watch: Watch): Promise<Receipt> {
  const failed: ReceiptFile[] = []
  const batch = parts.store.batch()
  const ready = await keepContents(parts, operation, watch, failed, batch)
  const intent = intentOf(parts, operation, ready)
  try {
    if (watch.signal?.aborted) throw new ReviewError('CANCELLED', 'Cancelled. No file was changed.')
    await Promise.all([batch.seal(), parts.journal.begin(intent)])
  } catch (thrown) {
    await batch.discard()
    throw thrown
  }

  const written = await writeFiles(parts, operation, ready, watch)
  if (watch.signal?.aborted) throw await putBack(parts, operation, intent)

  const removed = await removeEmptyFolders(parts, [...intent.emptiedFolders.map((folder) => folder.path), ...intent.madeFolders])
  await syncFolders(parts, intent)
  const files = [...operation.others, ...failed, ...written.map((file) => withFolderNote(file, removed))].sort(byPath)
  const receipt = receiptOf(parts, operation, intent, files)
  const outcome = files.some(isOpen) ? 'partly' : 'done'
  try {
    await parts.journal.finish({ id: operation.id, receipt, outcome, recovered: null })
  } catch (thrown) {
    // The files are written and read back; the next start finds them so and ends the operation.
    parts.log.error('history.outcome-not-kept', thrown, { operation: operation.id })
  }
  return receipt
}

/** A receipt line of a file that was not written. */
export function receiptLine(path: WorkspacePath, action: RewindAction, result: FileResult, reason: string, state: FileState, error: ErrorCode | null = null): ReceiptFile {
  return { path, action, result, reason, error, sha256: state.kind === 'file' ? state.sha256 : null }
}

/** Puts the present and the coming bytes of each file into the store. A file for which that fails is left and named. */
async function keepContents(parts: HistoryParts, operation: PlannedOperation, watch: Watch, failed: ReceiptFile[], batch: BackupBatch): Promise<readonly ReadyChange[]> {
  const ready: (ReadyChange | null)[] = []
  const total = operation.changes.length
  let held = 0
  let done = 0
  await inParallel(
    operation.changes,
    async (change, index) => {
      ready[index] = null
      if (watch.signal?.aborted) return
      if (index % 64 === 63) await breathe()
      try {
        await keepBefore(parts, change, batch, watch.signal)
        const bytes = await keepAfter(change, batch, watch.signal)
        const untyped = await keepUntyped(change, batch, watch.signal)
        const isHeld = bytes !== null && held + bytes.length <= heldBytes
        if (isHeld) held += bytes.length
        ready[index] = { change, bytes: isHeld ? bytes : null, untyped }
      } catch (thrown) {
        failed.push(failure(parts, change, thrown))
      }
      watch.progress?.({ done: ++done, total, label: 'Keeping what is there now' })
    },
    (change) => weightOf(sizeOf(change.before.state) + sizeOf(change.after)),
  )
  return ready.filter((each) => each !== null)
}

async function keepBefore(parts: HistoryParts, { path, before }: PlannedChange, batch: BackupBatch, signal: AbortSignal | undefined): Promise<void> {
  if (before.state.kind !== 'file') return
  const bytes = before.bytes ?? (await readBytes(parts.workspace.resolveInside(path), path, hardLimitBytes, signal)).bytes
  // Bytes that came with the look were hashed by it.
  if (!before.bytes) checkUnchanged(path, bytes, before.state.sha256)
  await batch.add(before.state.sha256, bytes)
}

/** Returns the bytes that it had to fetch; `null` where there are none, or the store has them already. */
async function keepAfter({ path, after, read }: PlannedChange, batch: BackupBatch, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  if (after.kind !== 'file' || !read || (await batch.has(after.sha256, after.sizeBytes))) return null
  const bytes = checkBytes(path, await read(signal), after.sha256)
  await batch.add(after.sha256, bytes)
  return bytes
}

/** Keeps the bytes that later typing will be told apart from. One whose bytes cannot be had counts as not known. */
async function keepUntyped({ path, untyped }: PlannedChange, batch: BackupBatch, signal: AbortSignal | undefined): Promise<OperationFile['untyped']> {
  if (untyped === 'kept') return undefined
  const keep = async (content: KnownContent | null): Promise<FileState | null> => {
    if (!content || content.state.kind === 'unknown') return null
    const { state } = content
    if (state.kind !== 'file' || (await batch.has(state.sha256, state.sizeBytes))) return state
    try {
      await batch.add(state.sha256, checkBytes(path, await content.read(signal), state.sha256))
      return state
    } catch (thrown) {
      if (thrown instanceof ReviewError && thrown.code !== 'CANCELLED') return null
      throw thrown
    }
  }
  return { before: await keep(untyped.before), after: await keep(untyped.after) }
}

function checkUnchanged(path: WorkspacePath, bytes: Uint8Array, sha256: string): void {
  try {
    checkBytes(path, bytes, sha256)
  } catch (thrown) {
    throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} was changed by somebody else a moment ago. Look at it, then try again.`, { cause: thrown })
  }
}

async function writeFiles(parts: HistoryParts, operation: PlannedOperation, ready: readonly ReadyChange[], watch: Watch): Promise<readonly ReceiptFile[]> {
  const written: ReceiptFile[] = []
  let done = 0
  const write = async ({ change, bytes }: ReadyChange, index: number): Promise<void> => {
    if (watch.signal?.aborted) return
    try {
      const { path, before, after, read } = change
      const found = parts.workspace.resolveInside(path)
      const place = after.kind === 'absent' || found.stats ? found : await makeParents(parts.workspace, path, operation.modeOfFolder)
      const content = bytes ?? (after.kind === 'file' && read ? await parts.store.readBlob(after.sha256) : null)
      const state = await writeState(place, parts.disk, operation.id, { path, before, after, bytes: content, index })
      written.push(receiptLine(path, change.action, resultOf(change), doneReason(change), state))
    } catch (thrown) {
      written.push(failure(parts, change, thrown))
    }
    watch.progress?.({ done: ++done, total: ready.length, label: 'Writing files' })
  }
  const isLast = ({ change }: ReadyChange): boolean => isFolderRemoval(change.before.state, change.after)
  await inParallel(ready, (each, index) => (isLast(each) ? Promise.resolve() : write(each, index)), ({ change }) => weightOf(sizeOf(change.after)))
  // A path sorts before those below it.
  for (const [index, each] of [...ready.entries()].filter(([, one]) => isLast(one)).reverse()) await write(each, index)
  return written
}

/** Ends a cancelled operation by undoing it; returns the error that says so. */
async function putBack(parts: HistoryParts, operation: PlannedOperation, intent: Intent): Promise<ReviewError> {
  const settled = await settleFiles(parts, intent, 'before')
  const files = settled.map(({ file, kind, now, error }) => {
    if (kind === 'wanted') return receiptLine(file.path, file.action, 'left', 'Cancelled. It is as it was before', now)
    return receiptLine(file.path, file.action, 'failed', 'Cancelled, but it could not be put back', now, error)
  })
  const stuck = settled.filter((each) => each.kind !== 'wanted').map((each) => each.file.path)
  const receipt = receiptOf(parts, operation, intent, files.sort(byPath))
  await parts.journal.finish({ id: operation.id, receipt, outcome: 'interrupted', recovered: null })
  if (stuck.length === 0) return new ReviewError('CANCELLED', 'Cancelled. Every file is as it was before.')
  return new ReviewError('CANCELLED', `Cancelled. ${stuck.length} of ${files.length} files could not be put back; look at them.`, { details: { paths: stuck } })
}

function intentOf(parts: HistoryParts, operation: PlannedOperation, ready: readonly ReadyChange[]): Intent {
  const resolve = parts.workspace.pass()
  const made = new Set<WorkspacePath>()
  const emptied = new Map<WorkspacePath, number | null>()
  for (const { path, before, after } of ready.map((each) => each.change)) {
    if (before.state.kind !== 'absent' && after.kind !== 'absent') continue
    for (const folder of parentsOf(path).map(workspacePath)) {
      if (after.kind === 'absent') {
        if (!operation.mayEmpty(folder) || emptied.has(folder)) continue
        const stats = resolve(folder).stats
        emptied.set(folder, stats && modeOf(stats))
      } else if (!made.has(folder) && !resolve(folder).stats) {
        made.add(folder)
      }
    }
  }
  return {
    id: operation.id,
    subject: operation.subject,
    label: operation.label,
    at: operation.startedAt,
    workspace: parts.workspace.root,
    files: ready.map(({ change: { path, action, before, after }, untyped }) => ({ path, action, before: before.state, after, ...(untyped && { untyped }) })),
    madeFolders: [...made].sort(),
    emptiedFolders: [...emptied].map(([path, mode]) => ({ path, mode })),
  }
}

function receiptOf(parts: HistoryParts, operation: PlannedOperation, intent: Intent, files: readonly ReceiptFile[]): Receipt {
  return {
    operationId: operation.id,
    action: operation.subject.kind,
    label: operation.label,
    startedAt: operation.startedAt,
    durationMs: Math.max(0, parts.now() - operation.startedAt),
    files,
    snapshot: { files: intent.files.length, sizeBytes: intent.files.reduce((sum, file) => sum + sizeOf(file.before), 0) },
  }
}

function resultOf({ action, before, after }: PlannedChange): FileResult {
  if (action === 'merge') return 'merged'
  if (after.kind === 'absent') return 'deleted'
  return before.state.kind === 'absent' ? 'recreated' : 'restored'
}

function doneReason({ action, reason, before, after }: PlannedChange): string {
  if (action === 'merge' || isFolderRemoval(before.state, after)) return reason
  if (after.kind === 'absent') return before.state.kind === 'file' ? `Kept in history, ${formatSize(before.state.sizeBytes)}` : 'Kept in history'
  if (before.state.kind !== 'absent') return reason
  return after.kind === 'file' && after.mode !== null ? `As it was, mode ${after.mode.toString(8)}` : 'As it was'
}

function withFolderNote(file: ReceiptFile, removed: ReadonlySet<WorkspacePath>): ReceiptFile {
  if (file.result !== 'deleted' || !removed.has(workspacePath(folderOf(file.path)))) return file
  return { ...file, reason: `${file.reason}. The empty folder went too` }
}

function failure(parts: HistoryParts, change: PlannedChange, thrown: unknown): ReceiptFile {
  // Nothing was to be taken from anyone: what others put into a folder keeps it there.
  if (isFolderRemoval(change.before.state, change.after) && thrown instanceof ReviewError && thrown.code === 'FILE_CHANGED_SINCE_READ') {
    return receiptLine(change.path, 'unchanged', 'unchanged', 'Other files are in it, so the folder stays', change.before.state)
  }
  const error = systemCode(thrown) === null ? thrown : diskError(thrown, change.path)
  if (error instanceof ReviewError) return receiptLine(change.path, change.action, 'failed', error.message, change.before.state, error.code)
  parts.log.error('history.file-failed', thrown, { path: change.path })
  const reason = 'It could not be written. The log in the data folder has the cause.'
  return receiptLine(change.path, change.action, 'failed', reason, change.before.state, 'INTERNAL')
}

/** A file that is not where the plan wanted it, other than by the person's own choice. */
function isOpen(file: ReceiptFile): boolean {
  return file.result === 'failed' || (file.result === 'left' && file.action !== 'unchanged')
}

function sizeOf(state: FileState): number {
  return state.kind === 'file' ? state.sizeBytes : 0
}

/** "9.1 kB", "171 kB", "38.2 MB". */
function formatSize(sizeBytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB']
  let value = sizeBytes
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

function byPath(one: { readonly path: string }, two: { readonly path: string }): number {
  return one.path < two.path ? -1 : one.path > two.path ? 1 : 0
}
