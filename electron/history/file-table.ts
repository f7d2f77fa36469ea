import type { BigIntStats } from 'node:fs'
import type { FileState } from '../../shared/file-state.js'

/** A folder whose files are followed; `path` is relative to the workspace, `''` for the workspace itself. */
export class Folder {
  readonly path: string
  /** Followed files and links, with their rows in the table. */
  readonly files = new Map<string, number>()
  readonly folders = new Map<string, Folder>()
  /** Names that were here at the last look and are ignored: to become followed, such a name need not be new. */
  ignored: Set<string> | null = null
  /** Whether names may have been here that nobody saw, so that a name first seen need not be new. */
  isPartial = false
  inode: bigint

  constructor(
    readonly parent: Folder | null,
    readonly name: string,
    inode: bigint,
  ) {
    this.path = parent ? parent.pathOf(name) : ''
    this.inode = inode
  }

  pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}/${name}`
  }

  /** Whether it is still a part of the tree below `root`. */
  isBelow(root: Folder): boolean {
    if (this === root) return true
    return this.parent !== null && this.parent.folders.get(this.name) === this && this.parent.isBelow(root)
  }
}

const firstRows = 1024
const mightHaveChanged = 1
const isBlob = 2
const isBlobGuess = 4

/**
 * What every followed file was at the last look, in columns: 60 bytes a file and its name, where an object for each would take
 * 400. What is known of a file's content is either the name of a git blob, kept in a column, or a state, kept for the few files
 * that have one.
 */
export class FileTable {
  readonly root: Folder
  count = 0
  folderCount = 1
  /** Folders that were made since this was last emptied, as far as is known. */
  newFolders: Folder[] = []
  #size = new Float64Array(firstRows)
  #mtime = new BigInt64Array(firstRows)
  #ctime = new BigInt64Array(firstRows)
  #inode = new BigInt64Array(firstRows)
  #mode = new Uint32Array(firstRows)
  #flags = new Uint8Array(firstRows)
  #blobs = new Uint8Array(0)
  #blobBytes = 0
  #rows = 0
  readonly #free: number[] = []
  readonly #states = new Map<number, FileState>()

  constructor(rootInode: bigint) {
    this.root = new Folder(null, '', rootInode)
  }

  addFolder(parent: Folder, name: string, inode: bigint): Folder {
    const folder = new Folder(parent, name, inode)
    parent.folders.set(name, folder)
    this.folderCount++
    return folder
  }

  /** Takes a folder out, with all below it; hands each folder that went to `onGone`. */
  removeFolder(folder: Folder, onGone: (folder: Folder) => void): void {
    for (const name of folder.files.keys()) this.remove(folder, name)
    for (const each of folder.folders.values()) this.removeFolder(each, onGone)
    if (folder.parent?.folders.get(folder.name) === folder) folder.parent.folders.delete(folder.name)
    this.folderCount--
    onGone(folder)
  }

  /** Adds a file, of which nothing is known yet. */
  add(folder: Folder, name: string): number {
    const row = this.#free.pop() ?? this.#rows++
    if (row >= this.#size.length) this.#grow()
    folder.files.set(name, row)
    this.#flags[row] = 0
    this.count++
    return row
  }

  remove(folder: Folder, name: string): void {
    const row = folder.files.get(name)
    if (row === undefined) return
    folder.files.delete(name)
    this.#states.delete(row)
    this.#free.push(row)
    this.count--
  }

  /** What a look at `lookedAt` (milliseconds) saw. A file so young that its next write may leave the same times is marked. */
  stamp(row: number, stats: BigIntStats, lookedAt: number): void {
    this.#size[row] = Number(stats.size)
    this.#mtime[row] = stats.mtimeNs
    this.#ctime[row] = stats.ctimeNs
    this.#inode[row] = BigInt.asIntN(64, stats.ino)
    this.#mode[row] = Number(stats.mode)
    this.#setFlag(row, mightHaveChanged, isYoung(stats, lookedAt))
  }

  /** Whether a look now saw the very same file, unchanged beyond doubt. */
  isSame(row: number, stats: BigIntStats): boolean {
    return !this.mightHaveChanged(row) && this.hasStamp(row, stats)
  }

  hasStamp(row: number, stats: BigIntStats): boolean {
    return (
      this.#ctime[row] === stats.ctimeNs &&
      this.#mtime[row] === stats.mtimeNs &&
      this.#size[row] === Number(stats.size) &&
      this.#inode[row] === BigInt.asIntN(64, stats.ino) &&
      this.#mode[row] === Number(stats.mode)
    )
  }

  mightHaveChanged(row: number): boolean {
    return this.#hasFlag(row, mightHaveChanged)
  }

  sizeOf(row: number): number {
    return this.#size[row] ?? 0
  }

  modeOf(row: number): number | null {
    return permissionsOf(this.#mode[row] ?? 0)
  }

  mtimeSecondsOf(row: number): number {
    return Number((this.#mtime[row] ?? 0n) / 1_000_000_000n)
  }

  /** What is known of the content, besides `blobOf`. */
  stateOf(row: number): FileState | null {
    return this.#states.get(row) ?? null
  }

  setState(row: number, state: FileState | null): void {
    this.#setFlag(row, isBlob | isBlobGuess, false)
    if (state) this.#states.set(row, state)
    else this.#states.delete(row)
  }

  /** The git blob that holds the very bytes of the file. */
  blobOf(row: number): string | null {
    return this.#hasFlag(row, isBlob) ? this.#blobName(row) : null
  }

  /** A git blob that may hold the bytes; whoever reads the file can tell. */
  blobGuessOf(row: number): string | null {
    return this.#hasFlag(row, isBlobGuess) ? this.#blobName(row) : null
  }

  setBlob(row: number, name: string, isCertain: boolean): void {
    const bytes = Buffer.from(name, 'hex')
    if (this.#blobBytes === 0) {
      this.#blobBytes = bytes.length
      this.#blobs = new Uint8Array(this.#size.length * bytes.length)
    }
    if (bytes.length !== this.#blobBytes) return
    this.#states.delete(row)
    this.#blobs.set(bytes, row * this.#blobBytes)
    this.#setFlag(row, isBlob, isCertain)
    this.#setFlag(row, isBlobGuess, !isCertain)
  }

  #blobName(row: number): string {
    return Buffer.from(this.#blobs.buffer, row * this.#blobBytes, this.#blobBytes).toString('hex')
  }

  #hasFlag(row: number, flag: number): boolean {
    return ((this.#flags[row] ?? 0) & flag) !== 0
  }

  #setFlag(row: number, flag: number, isSet: boolean): void {
    const flags = this.#flags[row] ?? 0
    this.#flags[row] = isSet ? flags | flag : flags & ~flag
  }

  #grow(): void {
    const rows = Math.ceil(this.#size.length * 1.5)
    this.#size = widened(this.#size, new Float64Array(rows))
    this.#mtime = widened(this.#mtime, new BigInt64Array(rows))
    this.#ctime = widened(this.#ctime, new BigInt64Array(rows))
    this.#inode = widened(this.#inode, new BigInt64Array(rows))
    this.#mode = widened(this.#mode, new Uint32Array(rows))
    this.#flags = widened(this.#flags, new Uint8Array(rows))
    this.#blobs = widened(this.#blobs, new Uint8Array(rows * this.#blobBytes))
  }
}

/**
 * Whether a write after a look may leave the change time that the look saw. Stamps move in steps: of a few milliseconds where
 * they have fractions, of up to two seconds on old file systems. No program can set the change time.
 */
export function isYoung(stats: BigIntStats, lookedAt: number): boolean {
  return lookedAt - Number(stats.ctimeNs / 1_000_000n) <= stepMsOf(stats)
}

export function stepMsOf(stats: BigIntStats): number {
  return stats.ctimeNs % 1_000_000_000n === 0n ? 2_100 : 50
}

/** Permission bits as our records hold them; `null` where the system has none. */
export function permissionsOf(mode: number): number | null {
  return process.platform === 'win32' ? null : mode & 0o777
}

interface Column<Self> {
  set(from: Self): void
}

function widened<Values extends Column<Values>>(from: Values, to: Values): Values {
  to.set(from)
  return to
}
