import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, sep } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import { systemCode } from '../base/disk-errors.js'
import { lookAt } from './look-at.js'

/** Why a path may not be touched. */
export type OutsideReason =
  /** Absolute, with `..`, or no path at all. */
  | 'outside'
  /** A folder on the way is a link, so the file would lie where the path does not say. */
  | 'link'
  /** A folder on the way is a file. */
  | 'file'
  /** A `.git`, or something below one. */
  | 'git'
  /** A device, pipe or socket. */
  | 'device'
  /** A folder on the way may not be looked into. */
  | 'unreadable'

/** One file's place on the disk. */
export interface Place {
  readonly absolute: string
  /** Its folder, absolute; need not exist yet. */
  readonly folder: string
  /** What lies there now, the link itself for a link; `null` for nothing. */
  readonly stats: Stats | null
}

/** The opened folder. All reading and writing of a person's files goes by a place that it gave. */
export interface Workspace {
  /** Real path of the folder. */
  readonly root: string
  /**
   * The place of a relative path (`/` between names), whose tail need not exist.
   *
   * Every folder on the way is looked at: it must be a real folder, so that nothing is ever reached through a link. A last
   * name that is a link is given as the link itself. An existing file is found under another Unicode form of its
   * name, and where the file system ignores case, under the name that the disk has.
   * Errors: OUTSIDE_WORKSPACE with `details.why` (an `OutsideReason`).
   */
  resolveInside(path: string): Place
  /** The same, with the folders looked at once for all the paths of one quick pass; never to be kept. */
  pass(): (path: string) => Place
}

/**
 * Opens a folder as workspace.
 * Errors: WORKSPACE_MISSING.
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  let root: string
  try {
    root = await realpath(folder)
    if (!statSync(root).isDirectory()) throw new Error('not a folder')
  } catch (thrown) {
    throw new ReviewError('WORKSPACE_MISSING', 'The folder is not here. Attach the folder that this session belongs to.', {
      details: { folder },
      cause: thrown,
    })
  }
  return {
    root,
    resolveInside: (path) => resolve(root, path, new Map()),
    pass: () => {
      const folders = new Map<string, Folder>()
      return (path) => resolve(root, path, folders)
    },
  }
}

/** A folder that was looked at: where it is, and whether it is there yet. */
interface Folder {
  readonly absolute: string
  readonly exists: boolean
}

function resolve(root: string, path: string, folders: Map<string, Folder>): Place {
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  checkName(name, path)
  const folder = slash < 0 ? { absolute: root, exists: true } : folderOf(root, path.slice(0, slash), path, folders)
  const found = folder.exists ? find(folder.absolute, name, path) : null
  if (found && !found.stats.isFile() && !found.stats.isSymbolicLink() && !found.stats.isDirectory()) throw outside(path, 'device')
  return { absolute: below(folder.absolute, found?.name ?? name), folder: folder.absolute, stats: found?.stats ?? null }
}

function folderOf(root: string, parents: string, path: string, folders: Map<string, Folder>): Folder {
  const known = folders.get(parents)
  if (known) return known
  const slash = parents.lastIndexOf('/')
  const above = slash < 0 ? { absolute: root, exists: true } : folderOf(root, parents.slice(0, slash), path, folders)
  const name = parents.slice(slash + 1)
  checkName(name, path)
  const folder = enter(above, name, path)
  folders.set(parents, folder)
  return folder
}

function enter(folder: Folder, name: string, path: string): Folder {
  const found = folder.exists ? find(folder.absolute, name, path) : null
  if (!found) return { absolute: below(folder.absolute, name), exists: false }
  if (found.stats.isSymbolicLink()) throw outside(path, 'link')
  if (!found.stats.isDirectory()) throw outside(path, 'file')
  return { absolute: below(folder.absolute, found.name), exists: true }
}

/** The entry of a folder that a name means, with the name that the disk has for it. */
function find(folder: string, name: string, path: string): { readonly name: string; readonly stats: Stats } | null {
  const absolute = below(folder, name)
  try {
    const stats = lookAt(absolute)
    if (stats) return { name: ignoresCase && !stats.isSymbolicLink() ? basename(realpathSync.native(absolute)) : name, stats }
    // Only a name beyond ASCII has another Unicode form.
    if (/^[\x20-\x7e]*$/.test(name)) return null
    const composed = name.normalize('NFC')
    const twins = readdirSync(folder).filter((entry) => entry.normalize('NFC') === composed)
    const twin = twins.length === 1 ? twins[0] : undefined
    const twinStats = twin === undefined ? null : lookAt(below(folder, twin))
    return twin !== undefined && twinStats ? { name: twin, stats: twinStats } : null
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'EACCES' || code === 'EPERM') throw outside(path, 'unreadable', thrown)
    if (code === 'ENAMETOOLONG' || code === 'ELOOP' || code === 'EINVAL') throw outside(path, 'outside', thrown)
    throw thrown
  }
}

/** One checked name below a folder; `join` would take its time to clean what is clean. */
function below(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name
}

const isWindows = process.platform === 'win32'
const ignoresCase = isWindows || process.platform === 'darwin'

function checkName(name: string, path: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('\0')) throw outside(path, 'outside')
  if (isGitName(name)) throw outside(path, 'git')
  if (isWindows && /[\\:*?"<>|]|[. ]$/.test(name)) throw outside(path, 'outside')
  if (isWindows && /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name)) throw outside(path, 'device')
}

/** `.git` under every name by which some file system reaches it: other case, ignored code points, trailing dots, the short name. */
export function isGitName(name: string): boolean {
  if (plainName.test(name)) return false
  const plain = name
    .normalize('NFKC')
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .replace(/(:.*)$|[. ]+$/g, '')
    .toLowerCase()
  return plain === '.git' || plain === 'git~1'
}

/** Most names: nothing in them could make a `.git`. */
const plainName = /^[a-fh-z0-9_@-][\w@+-]*(\.\w+)*$/i

const sentences: Readonly<Record<OutsideReason, string>> = {
  outside: 'lies outside the workspace. Only files inside it can be changed.',
  link: 'is reached through a link. Use the path of the real folder.',
  file: 'has a file where its folder should be. Move that file away first.',
  git: 'belongs to git. Use git itself to change it.',
  device: 'is a device, pipe or socket and no file.',
  unreadable: 'lies in a folder that this user may not look into. Change its permissions first.',
}

function outside(path: string, why: OutsideReason, cause?: unknown): ReviewError {
  const shown = path.replaceAll('\0', '\\0').slice(0, 200)
  return new ReviewError('OUTSIDE_WORKSPACE', `${shown} ${sentences[why]}`, { details: { why }, cause })
}
