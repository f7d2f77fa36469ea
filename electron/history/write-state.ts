import type { Stats } from 'node:fs'
import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { DiskStates, Seen } from '../workspace/disk-states.js'
import { asideOf, deleteFile, makeFolder, putContent, removeEmptyFolder, setMode, sha256Of } from '../workspace/text-files.js'
import { lookAt } from '../workspace/look-at.js'
import type { Place } from '../workspace/workspace.js'

/** One file to be brought from a known state to another. */
export interface StateChange {
  readonly path: WorkspacePath
  /** What must stand there right before the write. */
  readonly before: Seen
  readonly after: FileState
  /** Bytes for an `after` that is a file with other content. */
  readonly bytes: Uint8Array | null
  /** Names the file aside; unique within the operation. */
  readonly index: number
}

/**
 * Brings one file to a state and reads it back. `place` must be fresh, and its folder there.
 *
 * Returns the state that was read back, which equals `after` (a `null` mode matches any).
 * Errors: FILE_CHANGED_SINCE_READ when the disk is no longer in the state `before` (nothing is written), or is not in the state
 * `after` afterwards; DISK_FULL, PERMISSION_DENIED.
 */
export async function writeState(place: Place, disk: DiskStates, operation: string, change: StateChange): Promise<FileState> {
  const { path, before, after, bytes, index } = change
  if (before.state.kind === 'folder' || after.kind === 'folder') return writeFolder(place, path, after)
  const expected = await confirmed(disk, place, path, before)
  const aside = asideOf(place, operation, index)
  if (after.kind === 'absent') await deleteFile(place, path, expected, aside)
  else if (after.kind === 'link') await putContent(place, path, { kind: 'link', target: after.target }, aside, expected)
  else if (after.kind === 'file' && bytes) await putContent(place, path, { kind: 'bytes', bytes, mode: after.mode }, aside, expected)
  else if (after.kind === 'file' && after.mode !== null) await setMode(place, path, after.mode, expected)

  const now = await disk.look({ ...place, stats: lookAt(place.absolute) })
  if (isState(now.state, after)) return now.state
  throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} was written, but does not read back as planned. Look at it, then try again.`)
}

/** A folder by itself: what is in it is a matter of its files, so only an empty one goes. */
async function writeFolder(place: Place, path: WorkspacePath, after: FileState): Promise<FileState> {
  if (after.kind === 'folder') await makeFolder(place, path, null)
  else if (after.kind === 'absent' && place.stats?.isDirectory() && !(await removeEmptyFolder(place, path))) throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} is not empty, so it stays.`)
  const now = lookAt(place.absolute)
  if (after.kind === 'folder' ? now?.isDirectory() : now === null) return after
  throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} does not read back as planned. Look at it, then try again.`)
}

/** Whether a change takes a folder away: such come after all others, inner ones first, when it is empty. */
export function isFolderRemoval(from: FileState, to: FileState): boolean {
  return from.kind === 'folder' && to.kind === 'absent'
}

/** Whether a state on the disk is the wanted one. A mode that is not known matches any. */
export function isState(disk: FileState, wanted: FileState): boolean {
  if (disk.kind === 'file' && wanted.kind === 'file') {
    return disk.sha256 === wanted.sha256 && (disk.mode === null || wanted.mode === null || disk.mode === wanted.mode)
  }
  if (disk.kind === 'link' && wanted.kind === 'link') return disk.target === wanted.target
  return disk.kind === wanted.kind && disk.kind !== 'unknown'
}

/** Checks bytes that came from elsewhere before they may be written anywhere. Errors: BACKUP_DAMAGED. */
export function checkBytes(path: WorkspacePath, bytes: Uint8Array, sha256: string): Uint8Array {
  if (sha256Of(bytes) === sha256) return bytes
  throw new ReviewError('BACKUP_DAMAGED', `The backup of ${path} does not match its hash. The file was left as it is.`)
}

/** What a look must see for the place to be still in the planned state; times that cannot tell are settled by another read. */
async function confirmed(disk: DiskStates, place: Place, path: WorkspacePath, before: Seen): Promise<Stats | null> {
  if (before.isSettled) return before.stats
  const again = await disk.look(place)
  if (isState(again.state, before.state)) return again.stats
  throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} was changed by somebody else a moment ago. Look at it, then try again.`)
}
