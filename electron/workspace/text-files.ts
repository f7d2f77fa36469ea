import crypto from 'node:crypto'
import { chownSync, closeSync, constants, createReadStream, fchmodSync, fchownSync, fstatSync, mkdirSync, open, openSync, readlinkSync, realpathSync, rename, rmdir, symlink, unlink, type Stats } from 'node:fs'
import { chmod, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import { diskError, isCancelled, isMissing, systemCode } from '../base/disk-errors.js'
import { peek, readAll, readOnlyFile, syncData, writeAll } from '../base/file-bytes.js'
import { lookAt } from './look-at.js'
import { hardLimitBytes } from './text-decoding.js'
import type { Place, Workspace } from './workspace.js'

const openLater = promisify(open)
const renameLater = promisify(rename)
const unlinkLater = promisify(unlink)
const symlinkLater = promisify(symlink)
const rmdirLater = promisify(rmdir)

const isWindows = process.platform === 'win32'
const isRoot = !isWindows && process.getuid?.() === 0

export function sha256Of(bytes: Uint8Array): string {
  // The one call is twice as fast for small files; Node has it since 20.12.
  return typeof crypto.hash === 'function' ? crypto.hash('sha256', bytes) : crypto.createHash('sha256').update(bytes).digest('hex')
}

/** Permission bits as our records hold them; `null` where the system has none. */
export function modeOf(stats: Stats): number | null {
  return isWindows ? null : stats.mode & 0o777
}

/** Whether two looks saw the same file, not written or given another mode between them, within the step of the disk's clock. */
export function isUntouched(before: Stats | null, now: Stats | null): boolean {
  if (!before || !now) return before === now
  const isSameFile = before.ino === now.ino && before.size === now.size && before.mode === now.mode
  return isSameFile && before.mtimeMs === now.mtimeMs && before.ctimeMs === now.ctimeMs
}

/**
 * Bytes of a regular file, with what the open file said of itself.
 * Errors: FILE_NOT_FOUND, FILE_OVERSIZED (above `limitBytes`), FILE_UNREADABLE (a link, folder or device), PERMISSION_DENIED.
 */
export async function readBytes(
  place: Place,
  name: string,
  limitBytes = hardLimitBytes,
  signal?: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly stats: Stats }> {
  throwIfAborted(signal)
  try {
    return await readAll(place.absolute, readOnlyFile, (stats) => {
      checkRegular(stats)
      if (stats.size <= limitBytes) return
      throw new ReviewError('FILE_OVERSIZED', `${name} is larger than ${limitBytes / 1024 / 1024} MiB.`, { details: { sizeBytes: stats.size } })
    })
  } catch (thrown) {
    throw systemCode(thrown) === 'ELOOP' ? new ReviewError('FILE_UNREADABLE', `${name} is a link now.`, { cause: thrown }) : diskError(thrown, name)
  }
}

/** A state, and the stats of the very file that was read for it. */
export interface StateThen {
  readonly state: FileState
  readonly stats: Stats | null
}

/**
 * What lies at a place: a file with its hash (of any size), a link with its target, a folder, nothing. What cannot be read, or
 * is none of these, is unknown; never absent. Throws for an abort only.
 */
export async function stateAt(place: Place, signal?: AbortSignal): Promise<FileState> {
  return (await readState(place, signal)).state
}

/** The same, with the stats that tell later whether it still is so. */
export async function readState(place: Place, signal?: AbortSignal): Promise<StateThen> {
  const { stats } = place
  if (!stats) return { state: { kind: 'absent' }, stats }
  if (stats.isDirectory()) return { state: { kind: 'folder' }, stats }
  throwIfAborted(signal)
  try {
    if (stats.isSymbolicLink()) return { state: { kind: 'link', target: await readlink(place.absolute) }, stats }
    const small = peek(place.absolute, readOnlyFile, checkRegular, (bytes, then) => ({ state: fileStateOf(bytes, then), stats: then }))
    return small ?? (await largeState(place, signal))
  } catch (thrown) {
    if (isCancelled(thrown)) throw thrown
    return isMissing(thrown) ? { state: { kind: 'absent' }, stats: null } : { state: { kind: 'unknown', reason: 'unreadable' }, stats }
  }
}

/** The state of a file with these bytes. */
export function fileStateOf(bytes: Uint8Array, stats: Stats): FileState {
  return { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: modeOf(stats) }
}

/** What is to stand at a place. A `null` mode keeps the mode of the file there, or is the system's usual one. */
export type NewContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mode: number | null }
  | { readonly kind: 'link'; readonly target: string }

/**
 * Puts a file or link at a place, atomically and durably: written to `aside` (in the same folder, must not exist), synced,
 * renamed. The name in the folder is durable after `syncFolder`.
 *
 * Nothing is written through a link: the name itself is replaced. Root keeps the owner of the file (or the
 * folder's, for a new file). Other hard links to the old file keep the old bytes; extended attributes are not carried over.
 * Errors: FILE_CHANGED_SINCE_READ when the place is no longer as in `expected` just before the rename (the aside file is
 * removed), DISK_FULL, PERMISSION_DENIED.
 */
export async function putContent(place: Place, name: string, content: NewContent, aside: string, expected: Stats | null): Promise<void> {
  await inFolder(place.folder, name, async (within, isStill) => {
    const [from, to] = [within(aside), within(place.absolute)]
    try {
      if (content.kind === 'link') await symlinkLater(content.target, from)
      else await writeAside(place, content, from)
      if (!isUntouched(expected, lookAt(to)) || !isStill()) throw changedNow(name)
      await renameOver(from, to)
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') await unlinkLater(from).catch(() => undefined)
      throw diskError(thrown, name)
    }
  })
}

/**
 * Changes the permission bits of a regular file and nothing else.
 * Errors: FILE_CHANGED_SINCE_READ, PERMISSION_DENIED, FILE_UNREADABLE.
 */
export async function setMode(place: Place, name: string, mode: number, expected: Stats | null): Promise<void> {
  await inFolder(place.folder, name, async (within, isStill) => {
    let file: number | null = null
    try {
      file = openSync(within(place.absolute), readOnlyFile)
      if (!isUntouched(expected, fstatSync(file)) || !isStill()) throw changedNow(name)
      fchmodSync(file, mode)
      await syncData(file)
    } catch (thrown) {
      throw diskError(thrown, name)
    } finally {
      if (file !== null) closeSync(file)
    }
  })
}

/**
 * Deletes a file or link: it is moved to `aside` (in the same folder, must not exist), and only what proves to be the expected one
 * goes; another one, that came in its place at the last moment, is moved back.
 * Errors: FILE_CHANGED_SINCE_READ, PERMISSION_DENIED.
 */
export async function deleteFile(place: Place, name: string, expected: Stats | null, aside: string): Promise<void> {
  await inFolder(place.folder, name, async (within, isStill) => {
    const [from, to] = [within(place.absolute), within(aside)]
    if (!isUntouched(expected, lookAt(from)) || !isStill()) throw changedNow(name)
    try {
      await renameOver(from, to)
      if (lookAt(to)?.ino !== expected?.ino) {
        await renameOver(to, from)
        throw changedNow(name)
      }
      await unlinkLater(to)
    } catch (thrown) {
      throw diskError(thrown, name)
    }
  })
}

/**
 * The place of a path after making the missing folders above it; `modeOfFolder` tells the mode of one that stood there before,
 * else `null`.
 * Errors: OUTSIDE_WORKSPACE, DISK_FULL, PERMISSION_DENIED.
 */
export async function makeParents(workspace: Workspace, path: string, modeOfFolder: (path: string) => number | null): Promise<Place> {
  for (const folder of parentsOf(path).reverse()) {
    const place = workspace.resolveInside(folder)
    if (!place.stats) await makeFolder(place, folder, modeOfFolder(folder))
  }
  return workspace.resolveInside(path)
}

/** Makes a folder whose parent is there; one that has come meanwhile is as good. Errors: FILE_CHANGED_SINCE_READ, DISK_FULL, PERMISSION_DENIED. */
export async function makeFolder(place: Place, name: string, mode: number | null): Promise<void> {
  await inFolder(place.folder, name, async (within) => {
    const made = within(place.absolute)
    try {
      mkdirSync(made)
      const owner = isRoot ? lookAt(place.folder) : null
      if (owner && (owner.uid !== 0 || owner.gid !== 0)) chownSync(made, owner.uid, owner.gid)
      if (mode !== null) await chmod(made, mode)
    } catch (thrown) {
      if (systemCode(thrown) !== 'EEXIST') throw diskError(thrown, name)
    }
  })
}

/** Removes a folder when it is empty; says whether it did. Errors: PERMISSION_DENIED. */
export async function removeEmptyFolder(place: Place, name: string): Promise<boolean> {
  return inFolder(place.folder, name, async (within) => {
    try {
      await rmdirLater(within(place.absolute))
      return true
    } catch (thrown) {
      const code = systemCode(thrown)
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || isMissing(thrown)) return false
      throw diskError(thrown, name)
    }
  })
}

/** The folder of a path; empty for the workspace itself. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The folders above a path, innermost first: `a/b` and `a` for `a/b/c`. */
export function parentsOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, depth) => names.slice(0, names.length - depth).join('/'))
}

/** Name beside a place under which an operation writes; known beforehand, so that what a crash left can be found and removed. */
export function asideOf(place: Place, operation: string, index: number): string {
  return join(dirname(place.absolute), `.overturn-${operation}-${index}.tmp`)
}

/** Removes what a cut-off operation left aside; fine when there is nothing. Errors: PERMISSION_DENIED. */
export async function removeAside(aside: string): Promise<void> {
  try {
    await unlinkLater(aside)
  } catch (thrown) {
    if (!isMissing(thrown)) throw diskError(thrown, 'A file left aside')
  }
}

async function writeAside(place: Place, content: { readonly bytes: Uint8Array; readonly mode: number | null }, aside: string): Promise<void> {
  const mode = content.mode ?? (place.stats?.isFile() ? place.stats.mode & 0o777 : null)
  const file = await openLater(aside, 'wx', mode ?? 0o666)
  try {
    await writeAll(file, content.bytes)
    const owner = isRoot ? (place.stats ?? lookAt(place.folder)) : null
    if (owner && (owner.uid !== 0 || owner.gid !== 0)) fchownSync(file, owner.uid, owner.gid)
    // Mostly `open` has given it already; asking is cheaper than setting.
    if (mode !== null && !isWindows && (fstatSync(file).mode & 0o777) !== mode) fchmodSync(file, mode)
    await syncData(file)
  } finally {
    closeSync(file)
  }
}

/** Windows refuses for a moment while a scanner or editor holds the file open. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await renameLater(from, to)
    } catch (thrown) {
      const isBusy = ['EBUSY', 'EPERM', 'EACCES'].includes(systemCode(thrown) ?? '')
      if (!isWindows || !isBusy || attempt === 6) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}

function changedNow(name: string): ReviewError {
  return new ReviewError('FILE_CHANGED_SINCE_READ', `${name} was changed by somebody else a moment ago. Look at it, then try again.`)
}

/** Linux: a handle that needs no right to read. Node has no name for it. */
const handleOnly = 0o10000000

/**
 * Runs `work` on names in one folder. On Linux they lead through the open folder itself, so that a link that somebody puts in its
 * place at any moment leads nothing elsewhere; other systems have only the check. `within` gives the path to use for one in the
 * folder, `isStill` tells whether the folder still stands where it was.
 * Errors: FILE_CHANGED_SINCE_READ where another one stands there now, and those of `work`.
 */
async function inFolder<Result>(folder: string, name: string, work: (within: (path: string) => string, isStill: () => boolean) => Promise<Result>): Promise<Result> {
  const plain = (): Promise<Result> => work((path) => path, () => isStillFolder(folder))
  if (process.platform !== 'linux') return plain()
  let handle: number
  try {
    handle = openSync(folder, handleOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch (thrown) {
    if (isMissing(thrown) || systemCode(thrown) === 'ELOOP') throw changedNow(name)
    throw diskError(thrown, name)
  }
  try {
    const through = `/proc/self/fd/${handle}`
    const leadsTo = placeOfHandle(through)
    // Without a /proc there is no way through it.
    if (leadsTo === null) return await plain()
    if (leadsTo !== folder) throw changedNow(name)
    return await work((path) => `${through}/${basename(path)}`, () => placeOfHandle(through) === folder)
  } finally {
    closeSync(handle)
  }
}

function placeOfHandle(through: string): string | null {
  try {
    return readlinkSync(through)
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}

/** Whether no folder of a path has become a link since the path was resolved. */
function isStillFolder(folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder
  } catch (thrown) {
    if (isMissing(thrown)) return false
    throw thrown
  }
}

function checkRegular(stats: Stats): void {
  if (!stats.isFile()) throw new ReviewError('FILE_UNREADABLE', 'This is no regular file.')
}

async function largeState(place: Place, signal: AbortSignal | undefined): Promise<StateThen> {
  const file = openSync(place.absolute, readOnlyFile)
  try {
    const stats = fstatSync(file)
    const hash = crypto.createHash('sha256')
    let sizeBytes = 0
    for await (const part of createReadStream('', { fd: file, autoClose: false, start: 0, highWaterMark: 4 * 1024 * 1024, signal })) {
      const bytes = part as Uint8Array
      hash.update(bytes)
      sizeBytes += bytes.length
    }
    return { state: { kind: 'file', sha256: hash.digest('hex'), sizeBytes, mode: modeOf(stats) }, stats }
  } finally {
    closeSync(file)
  }
}
