import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { readWal, readWalHeader, type WalSnapshot } from './sqlite-wal.js'

/** Pages that are kept, so that the upper levels of a tree are read once. */
const keptPages = 2_000
const headerBytes = 100
const magic = 'SQLite format 3\0'
/** Files have a time that is only so exact. */
const clockStepNs = 50_000_000n

interface OpenedFiles {
  readonly file: string
  readonly database: number
  readonly log: number | null
  readonly wal: WalSnapshot | null
}

/** The log of each database as it was read last, so that one which grew is not read from its beginning. */
const lastLogs = new Map<string, WalSnapshot>()

/** How things were when the database was opened. */
interface SeenState {
  readonly isLogged: boolean
  /** Size and time of the database. */
  readonly stamp: string
  /** Its own count of changes, for one without a log. */
  readonly changes: number
  readonly shared: SharedMemory | null
  /** The first bytes of the log. */
  readonly logHead: Buffer | null
  readonly written: string
}

/** The database holds what no database can hold: a damaged file, or one that was being written. */
export class DatabaseDamaged extends Error {}
/** Someone writes to it at this moment; a moment later it can be read. */
export class DatabaseBusy extends Error {}

/**
 * The pages of a database as they were when it was opened. Nothing is locked and nothing written, so a writer may disturb the
 * picture; `isStill` tells, and what was read before counts only if it says yes.
 *
 * Source: SQLite's descriptions of its file format and of its shared-memory file. With a write-ahead log the database itself changes
 * only when frames are moved into it. Frames that we know of do no harm: their pages are read from the log. Later ones do, and
 * a log that began anew.
 */
export class DatabasePages {
  private readonly cache = new Map<number, Buffer>()

  private constructor(
    private readonly files: OpenedFiles,
    private readonly seen: SeenState,
    readonly pageSize: number,
    readonly usableSize: number,
    readonly pageCount: number,
  ) {}

  /** Errors: DatabaseDamaged, DatabaseBusy, those of the system. */
  static open(file: string): DatabasePages {
    const database = openSync(file, 'r')
    let log: number | null = null
    try {
      const stats = fstatSync(database, { bigint: true })
      const written = writtenStamp(file)
      const head = Buffer.alloc(headerBytes)
      if (readSync(database, head, 0, headerBytes, 0) < headerBytes || head.toString('latin1', 0, 16) !== magic) throw new DatabaseDamaged('no database')
      const isLogged = head[19] === 2
      const shared = isLogged ? readShared(file) : null
      // Without a better witness the time of the file tells of writes, if it is not the present one.
      const isFresh = BigInt(Date.now()) * 1_000_000n - stats.mtimeNs < clockStepNs
      if (isLogged ? !shared && isFresh : isHot(file)) throw new DatabaseBusy()
      const changes = head.readUInt32BE(24)
      log = isLogged ? openLog(file) : null
      const logHead = log === null ? null : readWalHeader(log)
      const wal = log === null ? null : readWal(log, lastLogs.get(file))
      if (wal) lastLogs.set(file, wal)
      else lastLogs.delete(file)
      // The header as the log has it counts before the one in the file.
      const offset = wal?.offsets.get(1)
      if (offset !== undefined && log !== null) readSync(log, head, 0, headerBytes, offset)
      const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
      const usableSize = pageSize - (head[20] ?? 0)
      const isOdd = pageSize < 512 || (pageSize & (pageSize - 1)) !== 0 || usableSize < 480 || (wal !== null && wal.pageSize !== pageSize)
      if (isOdd || head.readUInt32BE(56) > 1) throw new DatabaseDamaged('a header that is not known')
      const inFile = Math.floor(Number(stats.size) / pageSize)
      const pageCount = wal !== null && wal.pageCount > 0 ? wal.pageCount : inFile
      const seen = { stamp: stampOf(stats), changes, shared, logHead, written, isLogged }
      return new DatabasePages({ database, log, wal, file }, seen, pageSize, usableSize, pageCount)
    } catch (thrown) {
      closeSync(database)
      if (log !== null) closeSync(log)
      throw thrown
    }
  }

  /** Errors: DatabaseDamaged where there is no such page. */
  page(number: number): Buffer {
    const known = this.cache.get(number)
    if (known) return known
    if (number < 1 || number > this.pageCount) throw new DatabaseDamaged(`no page ${number}`)
    const offset = this.files.wal?.offsets.get(number)
    const bytes = Buffer.alloc(this.pageSize)
    const { log } = this.files
    const [file, position] = offset !== undefined && log !== null ? [log, offset] : [this.files.database, (number - 1) * this.pageSize]
    const bytesRead = readSync(file, bytes, 0, this.pageSize, position)
    if (bytesRead < this.pageSize) throw new DatabaseDamaged(`page ${number} is cut off`)
    this.cache.set(number, bytes)
    if (this.cache.size > keptPages) for (const oldest of this.cache.keys()) if (this.cache.delete(oldest)) break
    return bytes
  }

  /** Whether no writer has disturbed what was read until now. */
  isStill(): boolean {
    const isSameStamp = stampOf(fstatSync(this.files.database, { bigint: true })) === this.seen.stamp
    if (!this.seen.isLogged) {
      const head = Buffer.alloc(4)
      readSync(this.files.database, head, 0, 4, 24)
      return isSameStamp && !isHot(this.files.file) && head.readUInt32BE(0) === this.seen.changes
    }
    const logHead = readStart(`${this.files.file}-wal`, 32)
    const isSameLog = logHead === null || this.seen.logHead === null ? logHead === this.seen.logHead : logHead.equals(this.seen.logHead)
    if (!isSameLog || statSync(this.files.file, { throwIfNoEntry: false })?.ino !== fstatSync(this.files.database).ino) return false
    const shared = readShared(this.files.file)
    if (!shared || !this.seen.shared) return isSameStamp
    return this.files.wal ? shared.moved <= this.files.wal.frames : shared.head.equals(this.seen.shared.head)
  }

  /** Whether nothing was written since it was opened. */
  isLatest(): boolean {
    return this.isStill() && this.seen.written === writtenStamp(this.files.file)
  }

  close(): void {
    closeSync(this.files.database)
    if (this.files.log !== null) closeSync(this.files.log)
  }
}

function openLog(file: string): number | null {
  try {
    return openSync(`${file}-wal`, 'r')
  } catch {
    return null
  }
}

/** A journal with a header says that a change was begun and not ended. */
function isHot(file: string): boolean {
  return readStart(`${file}-journal`, 8)?.some((byte) => byte !== 0) ?? false
}

/** Another text after each write to the database, to its log, or to what those who have it open tell each other. */
function writtenStamp(file: string): string {
  const stamps = [file, `${file}-wal`].map((each) => {
    const stats = statSync(each, { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stampOf(stats)}` : ''
  })
  return [...stamps, readShared(file)?.head.toString('hex') ?? ''].join('|')
}

function stampOf({ size, mtimeNs }: { readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${size} ${mtimeNs}`
}

/** What the programs that have the database open tell each other. */
interface SharedMemory {
  /** Another one with each change. */
  readonly head: Buffer
  /** How many frames of the log were moved into the database, or are about to be. */
  readonly moved: number
}

/** `null` where no program has the database open. The bytes from 120 to 127 are locked by others, so they are not touched. */
function readShared(file: string): SharedMemory | null {
  const start = readStart(`${file}-shm`, 100)
  const attempted = readStart(`${file}-shm`, 4, 128)
  if (!start || !attempted) return null
  // It is in the order of this machine's bytes, as the other programs are.
  const counts = new Uint32Array(Uint8Array.from([...start.subarray(96, 100), ...attempted]).buffer)
  return { head: start.subarray(0, 48), moved: Math.max(counts[0] ?? 0, counts[1] ?? 0) }
}

/** So many bytes of a file; `null` where it has fewer, or is not there. */
function readStart(path: string, length: number, position = 0): Buffer | null {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(length)
      return readSync(file, bytes, 0, length, position) === length ? bytes : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}
