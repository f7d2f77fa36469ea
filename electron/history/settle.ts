import { ReviewError, type ErrorCode } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { isMissing } from '../base/disk-errors.js'
import { syncFolder } from '../base/file-bytes.js'
import { inParallel } from '../base/pool.js'
import { asideOf, folderOf, makeParents, removeAside, removeEmptyFolder } from '../workspace/text-files.js'
import type { HistoryParts } from './history-parts.js'
import type { Intent, OperationFile } from './operation.js'
import { isFolderRemoval, isState, writeState } from './write-state.js'

/** What settling works with. */
export type SettleParts = Pick<HistoryParts, 'workspace' | 'disk' | 'store' | 'log'>
/** What it must know of an operation. */
export type SettleIntent = Pick<Intent, 'id' | 'files' | 'madeFolders' | 'emptiedFolders'>

/** What became of one file of an operation that is being ended. */
export interface Settled {
  readonly file: OperationFile
  /** `elsewhere`: in neither state, so somebody changed it since; it was left. `stuck`: could not be written. */
  readonly kind: 'wanted' | 'elsewhere' | 'stuck'
  readonly now: FileState
  readonly error: ErrorCode | null
}

/** Whether a file is as before the operation, as after it, or neither. */
export type Standing = 'before' | 'after' | 'elsewhere'

/** Where each file of an operation stands now. */
export async function standing(parts: SettleParts, intent: SettleIntent): Promise<readonly Standing[]> {
  const stand: Standing[] = []
  for (const file of intent.files) {
    const now = await stateNow(parts, file.path)
    stand.push(isState(now, file.after) ? 'after' : isState(now, file.before) ? 'before' : 'elsewhere')
  }
  return stand
}

/**
 * Brings the files of an operation all to its start or all to its end, as far as nobody else changed them. Bytes come from the
 * store. May be cut off and called again.
 */
export async function settleFiles(parts: SettleParts, intent: SettleIntent, wanted: 'before' | 'after'): Promise<readonly Settled[]> {
  const settled: Settled[] = []
  const isLast = (file: OperationFile): boolean => (wanted === 'before' ? isFolderRemoval(file.after, file.before) : isFolderRemoval(file.before, file.after))
  const settle = async (file: OperationFile, index: number): Promise<void> => {
    settled[index] = await settleFile(parts, intent, file, index, wanted)
  }
  await inParallel(intent.files, (file, index) => (isLast(file) ? Promise.resolve() : settle(file, index)))
  // A path sorts before those below it.
  for (const [index, file] of [...intent.files.entries()].filter(([, each]) => isLast(each)).reverse()) await settle(file, index)
  const leaving = wanted === 'before' ? intent.madeFolders : intent.emptiedFolders.map((folder) => folder.path)
  await removeEmptyFolders(parts, leaving)
  await syncFolders(parts, intent)
  return settled
}

/** Removes what a cut-off operation left beside its files; only names that it itself had chosen. */
export async function removeAsides(parts: SettleParts, intent: SettleIntent): Promise<void> {
  await inParallel(intent.files, async (file, index) => {
    try {
      await removeAside(asideOf(parts.workspace.resolveInside(file.path), intent.id, index))
    } catch (thrown) {
      parts.log.error('history.aside-left', thrown, { path: file.path })
    }
  })
}

/** Removes those of the folders that are empty, inner ones first; returns the removed. What cannot be removed stays. */
export async function removeEmptyFolders(parts: SettleParts, folders: readonly WorkspacePath[]): Promise<ReadonlySet<WorkspacePath>> {
  const removed = new Set<WorkspacePath>()
  const innerFirst = [...new Set(folders)].sort((one, two) => two.split('/').length - one.split('/').length)
  for (const folder of innerFirst) {
    try {
      const place = parts.workspace.resolveInside(folder)
      if (place.stats?.isDirectory() && (await removeEmptyFolder(place, folder))) removed.add(folder)
    } catch (thrown) {
      parts.log.error('history.folder-left', thrown, { folder })
    }
  }
  return removed
}

/** Makes the names of files and folders that came, went or were replaced durable. */
export async function syncFolders(parts: SettleParts, intent: SettleIntent): Promise<void> {
  const names = [...intent.files, ...intent.emptiedFolders].map((each) => each.path)
  const folders = new Set([...names, ...intent.madeFolders].map(folderOf))
  await inParallel([...folders], async (folder) => {
    try {
      await syncFolder(folder === '' ? parts.workspace.root : parts.workspace.resolveInside(folder).absolute)
    } catch (thrown) {
      // A folder that went needs no sync; one that cannot be synced is a matter of the disk, and the files were read back.
      if (!isMissing(thrown)) parts.log.error('history.folder-not-synced', thrown, { folder })
    }
  })
}

async function settleFile(parts: SettleParts, intent: SettleIntent, file: OperationFile, index: number, wanted: 'before' | 'after'): Promise<Settled> {
  const to = file[wanted]
  const from = wanted === 'before' ? file.after : file.before
  let now: FileState = { kind: 'unknown', reason: 'unreadable' }
  try {
    const seen = await parts.disk.look(parts.workspace.resolveInside(file.path))
    now = seen.state
    if (isState(now, to)) return { file, kind: 'wanted', now, error: null }
    if (!isState(now, from)) return { file, kind: 'elsewhere', now, error: 'FILE_CHANGED_SINCE_READ' }
    const isSameBytes = to.kind === 'file' && now.kind === 'file' && to.sha256 === now.sha256
    const bytes = to.kind === 'file' && !isSameBytes ? await parts.store.readBlob(to.sha256) : null
    const place = await makeParents(parts.workspace, file.path, modeOfFolder(intent))
    const state = await writeState(place, parts.disk, intent.id, { path: file.path, before: seen, after: to, bytes, index })
    return { file, kind: 'wanted', now: state, error: null }
  } catch (thrown) {
    parts.log.error('history.file-not-settled', thrown, { path: file.path, operation: intent.id })
    return { file, kind: 'stuck', now, error: thrown instanceof ReviewError ? thrown.code : 'INTERNAL' }
  }
}

function modeOfFolder(intent: SettleIntent): (folder: string) => number | null {
  return (folder) => intent.emptiedFolders.find((each) => each.path === folder)?.mode ?? null
}

async function stateNow(parts: SettleParts, path: WorkspacePath): Promise<FileState> {
  try {
    return (await parts.disk.look(parts.workspace.resolveInside(path))).state
  } catch {
    return { kind: 'unknown', reason: 'outside-workspace' }
  }
}
