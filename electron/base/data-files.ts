import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, futimesSync, mkdirSync, openSync, rename, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { dataFolderError } from './disk-errors.js'
import { syncData, syncFolder, writeAll } from './file-bytes.js'

const renameLater = promisify(rename)

/**
 * Makes a folder in the data folder with its parents, readable by this user only: it holds copies of private files.
 * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE.
 */
export function makeDataFolder(folder: string): void {
  try {
    makePrivateFolder(folder)
  } catch (thrown) {
    throw dataFolderError(thrown, 'a folder in it')
  }
}

/** The same anywhere. Errors: those of the system; EEXIST where something else has its name. */
export function makePrivateFolder(folder: string): void {
  // Looking is cheap; making what is there already waits for the file system's journal.
  if (isFolder(folder)) return
  // Parent by parent: with `recursive` Node never returns where a file system lets nothing be made in a folder that is there.
  const parent = dirname(folder)
  if (parent !== folder) makePrivateFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (thrown) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw thrown
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}

/** Tidies up after a write that failed: its own reason is what counts, not why this cannot be removed either. */
export function removeUnfinished(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nobody takes it for one of ours that is whole.
  }
}

/**
 * Writes a new file of ours, synced but its name not yet; for this user only, unless told otherwise. `modifiedAt` is in milliseconds.
 * Errors: those of the system; nothing is left behind.
 */
export async function writeNewDataFile(file: string, content: string | Uint8Array, as: { readonly mode?: number; readonly modifiedAt?: number } = {}): Promise<void> {
  const handle = openSync(file, 'wx', 0o600)
  try {
    if (as.mode !== undefined) fchmodSync(handle, as.mode)
    await writeAll(handle, typeof content === 'string' ? Buffer.from(content, 'utf8') : content)
    if (as.modifiedAt !== undefined) futimesSync(handle, as.modifiedAt / 1000, as.modifiedAt / 1000)
    await syncData(handle)
  } catch (thrown) {
    removeUnfinished(file)
    throw thrown
  } finally {
    closeSync(handle)
  }
}

/**
 * Replaces a file of ours as a whole: after a crash it holds the old bytes or the new ones, never a part.
 * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE.
 */
export async function replaceDataFile(file: string, content: string | Uint8Array): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeNewDataFile(aside, content)
    await renameLater(aside, file)
    await syncFolder(dirname(file))
  } catch (thrown) {
    removeUnfinished(aside)
    throw dataFolderError(thrown, 'a file in it')
  }
}
