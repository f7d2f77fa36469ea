import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { makeDataFolder, replaceDataFile } from '../base/data-files.js'
import { isMissing } from '../base/disk-errors.js'
import { lookAtBytes, readBytes } from './file-reads.js'
import { maxLineBytes, scanLines } from './jsonl.js'
import { formatHeadBytes, formatHeadSteps, tellFormat } from './log-format.js'
import { encodeLogIndex, loadLogIndex, type LogStamp } from './log-index-file.js'
import { LogIndex } from './log-index.js'
import type { RecordSniffer } from './record-sniff.js'

/** What is read at once below this is parsed line by line, so that each broken line is found. A log above it has its index saved. */
const smallBytes = 4 << 20
const headHashBytes = 4096
const tailHashBytes = 256
/** Rows that lie this near to each other are read in one piece. */
const rowGapBytes = 1 << 16
const rowSpanBytes = 4 << 20
const carriageReturn = 13

export interface LogReaderOptions {
  readonly file: string
  /** Where the index of this log is kept; `null` for nowhere. */
  readonly indexFile: string | null
  /** Whether the index will be saved or the log be read on. */
  readonly isKept: boolean
  /** Whether each broken line of a small log is to be found now, and not when it is read; takes five times as long. */
  readonly isDeep: boolean
}

/** What is told while a log is read: bytes read, and bytes in all. */
export type LoadProgress = (done: number, total: number) => void

/**
 * One log on the disk with its index: reads it whole once, then only what was added, and any record on demand by its place.
 * Calls that change the index must not overlap; the owner sees to that.
 */
export class LogReader {
  index: LogIndex
  /** Size of the log when it was last looked at. */
  size = 0
  private savedEnd = -1
  private readonly replaced: number[] = []
  private reads = 0
  private isClosed = false
  /** The last line, where it has no line end. */
  private rest: Buffer = Buffer.alloc(0)
  /** False while reading, and for good where it was broken off: then the index is made anew. */
  private isWhole = false
  /** What the log was when the index was made; `null` where it will be neither saved nor followed. */
  private stamp: LogStamp | null = null

  private constructor(
    private readonly options: LogReaderOptions,
    readonly sniffer: RecordSniffer,
    private handle: number,
    private stats: Stats,
  ) {
    this.index = new LogIndex(sniffer, stats.size)
    this.size = stats.size
  }

  /**
   * Opens a log and tells its format; nothing is indexed yet.
   * Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN.
   */
  static async open(options: LogReaderOptions): Promise<LogReader> {
    const handle = openLog(options.file)
    try {
      const stats = fstatSync(handle)
      const sniffer = await snifferFor(handle, stats.size)
      if (!sniffer) {
        throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
      }
      return new LogReader(options, sniffer, handle, stats)
    } catch (thrown) {
      closeSync(handle)
      throw thrown
    }
  }

  /** Indexes the log: from the saved index and what was added since, or all of it. */
  async load(signal?: AbortSignal, onProgress?: LoadProgress): Promise<void> {
    const { indexFile } = this.options
    const saved = indexFile === null ? null : await loadLogIndex(indexFile, this.sniffer)
    if (saved && (await this.fits(saved.index, saved.stamp))) {
      this.index = saved.index
      this.savedEnd = saved.index.end
      if (saved.stamp.size === this.size) {
        this.stamp = saved.stamp
        await this.readRest()
        this.isWhole = true
        return
      }
    }
    await this.extend(signal, onProgress)
  }

  /** Takes in what was added since. A log that was replaced or cut is indexed anew. */
  async grow(signal?: AbortSignal): Promise<'same' | 'grown' | 'replaced'> {
    const before = this.stats
    const found = await stat(this.options.file).catch(() => null)
    if (!found) return 'same'
    const isOther = found.ino !== before.ino || found.dev !== before.dev
    if (this.isWhole && !isOther && found.size === before.size && found.mtimeMs === before.mtimeMs) return 'same'
    const { stamp } = this
    if (isOther) {
      this.replaced.push(this.handle)
      this.handle = openLog(this.options.file)
    }
    this.stats = fstatSync(this.handle)
    this.size = this.stats.size
    const isKept = this.isWhole && stamp !== null && !isOther && this.stats.size > before.size && (await this.isUnchangedBefore(this.index.end, stamp))
    if (!isKept) {
      this.index = new LogIndex(this.sniffer)
      this.savedEnd = -1
    }
    await this.extend(signal)
    return isKept ? 'grown' : 'replaced'
  }

  /**
   * Saves the index where that pays and where it is not saved as it is.
   * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE.
   */
  async save(): Promise<void> {
    const { index, stamp } = this
    const { indexFile } = this.options
    if (indexFile === null || !stamp || !this.isWhole || index.end < smallBytes || index.end === this.savedEnd) return
    // In one piece without waiting: nobody sees the index without its last record.
    index.dropRest()
    const bytes = encodeLogIndex(index, stamp)
    this.takeRest()
    this.savedEnd = index.end
    makeDataFolder(dirname(indexFile))
    await replaceDataFile(indexFile, bytes)
  }

  /** Bytes of one record; those above the bound are cut to their first 64 KiB. */
  async readRow(row: number): Promise<Buffer> {
    const { rows } = this.index
    return this.read(rows.offsetOf(row), keptLength(rows.lengthOf(row)))
  }

  /** The first bytes of a line by its 1-based number, a torn last one included; `null` where there is none. */
  async readLine(line: number, length: number): Promise<Buffer | null> {
    const { rows, lines, end } = this.index
    const startOf = (each: number): number => (each <= lines ? rows.offsetOf(this.index.rowOf(each)) : each === lines + 1 ? end : this.size)
    const from = startOf(line)
    const to = line < lines ? startOf(line + 1) - 1 : line === lines && end > from ? end - 1 : this.size
    if (line < 1 || line > lines + 1 || from >= this.size) return null
    const bytes = await this.read(from, Math.min(length, to - from))
    return bytes[bytes.length - 1] === carriageReturn ? bytes.subarray(0, -1) : bytes
  }

  /** Lines as text by number, each cut to so many bytes. */
  async readLines(lines: readonly number[], length: number, signal?: AbortSignal): Promise<readonly { readonly line: number; readonly raw: string; readonly isCut: boolean }[]> {
    const found: { line: number; raw: string; isCut: boolean }[] = []
    for (const line of lines) {
      const bytes = await this.readLine(line, length + 1)
      throwIfAborted(signal)
      if (bytes) found.push({ line, raw: bytes.toString('utf8', 0, length), isCut: bytes.length > length })
    }
    return found
  }

  /** Reads records in the given order, neighbours in one piece. */
  readRows(wanted: readonly number[], visit: (row: number, bytes: Buffer) => void, signal?: AbortSignal): Promise<void> {
    return this.readPieces(wanted, async (start, length, take) => take(await this.read(start, length)), visit, signal)
  }

  /** The same for a visitor that keeps none of the bytes: they are used again. */
  passRows(wanted: readonly number[], visit: (row: number, bytes: Buffer) => void, signal?: AbortSignal): Promise<void> {
    return this.readPieces(wanted, (start, length, take) => this.look(start, length, take), visit, signal)
  }

  private async readPieces(
    wanted: readonly number[],
    read: (start: number, length: number, take: (bytes: Buffer) => void) => Promise<void>,
    visit: (row: number, bytes: Buffer) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { rows } = this.index
    for (let from = 0; from < wanted.length; ) {
      const start = rows.offsetOf(wanted[from] ?? 0)
      let to = from
      let end = start
      for (; to < wanted.length; to++) {
        const row = wanted[to] ?? 0
        const offset = rows.offsetOf(row)
        const next = offset + keptLength(rows.lengthOf(row))
        const isNear = offset >= end && offset - end <= rowGapBytes && next - start <= rowSpanBytes
        if (to > from && !isNear) break
        end = next
      }
      await read(start, end - start, (bytes) => {
        throwIfAborted(signal)
        for (; from < to; from++) {
          const row = wanted[from] ?? 0
          const at = rows.offsetOf(row) - start
          visit(row, bytes.subarray(at, at + keptLength(rows.lengthOf(row))))
        }
      })
    }
  }

  /** The opened file, for a look at its ends. */
  get log(): number {
    return this.handle
  }

  /** Closes the log as soon as no read is under way: the system gives the number of a closed file to the next one. */
  close(): void {
    this.isClosed = true
    this.closeWhenIdle()
  }

  private read(offset: number, length: number): Promise<Buffer> {
    return this.whileOpen(() => readBytes(this.handle, offset, length))
  }

  private look<Value>(offset: number, length: number, look: (bytes: Buffer) => Value): Promise<Value> {
    return this.whileOpen(() => lookAtBytes(this.handle, offset, length, look))
  }

  private async whileOpen<Value>(read: () => Promise<Value>): Promise<Value> {
    if (this.isClosed) throw new ReviewError('CANCELLED', 'The session was closed. Open it again.')
    this.reads++
    try {
      return await read()
    } finally {
      this.reads--
      this.closeWhenIdle()
    }
  }

  private closeWhenIdle(): void {
    if (!this.isClosed || this.reads > 0) return
    for (const handle of [this.handle, ...this.replaced.splice(0)]) if (handle >= 0) closeSync(handle)
    this.handle = -1
  }

  private async extend(signal?: AbortSignal, onProgress?: LoadProgress): Promise<void> {
    const { index, size } = this
    this.isWhole = false
    index.dropRest()
    index.isDeep = this.options.isDeep && size - index.end < smallBytes
    const onChunk = onProgress && ((done: number) => onProgress(done, size))
    const scan = { from: index.end, to: size, signal, lateMark: this.sniffer.lateMark ?? null, ...(onChunk ? { onChunk } : {}) }
    index.end = await scanLines(this.handle, scan, index.visit)
    await this.readRest()
    if (this.options.isKept) this.stamp = await this.stampAt(index.end)
    this.isWhole = true
  }

  private async readRest(): Promise<void> {
    const { end } = this.index
    this.rest = await this.read(end, Math.min(Math.max(0, this.size - end), maxLineBytes))
    this.takeRest()
  }

  private takeRest(): void {
    this.index.visitRest(this.rest, this.index.end)
    this.index.rows.settle()
  }

  private async fits(index: LogIndex, saved: LogStamp): Promise<boolean> {
    const { stats } = this
    const isSame = stats.size === saved.size && stats.mtimeMs === saved.mtimeMs
    if (stats.ino !== saved.inode || (!isSame && stats.size <= saved.size)) return false
    return this.isUnchangedBefore(index.end, saved)
  }

  private async isUnchangedBefore(end: number, stamp: LogStamp): Promise<boolean> {
    const now = await this.stampAt(end)
    return now.headHash === stamp.headHash && now.tailHash === stamp.tailHash
  }

  private async stampAt(end: number): Promise<LogStamp> {
    const tailLength = Math.min(tailHashBytes, end)
    const head = await this.read(0, Math.min(headHashBytes, end))
    const tail = await this.read(end - tailLength, tailLength)
    const { size, mtimeMs, ino } = this.stats
    return { size, mtimeMs, inode: ino, headHash: hash(head), tailHash: hash(tail) }
  }
}

function openLog(file: string): number {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (cause) {
    if (isMissing(cause)) throw new ReviewError('SESSION_NOT_FOUND', 'The log of this session is no longer there. Choose another session.', { cause })
    throw new ReviewError('SESSION_UNREADABLE', 'The log of this session may not be read by this user. Change its permissions.', { cause })
  }
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw new ReviewError('SESSION_UNREADABLE', 'This is a folder or a device, not a session log. Choose another file.')
}

async function snifferFor(file: number, size: number): Promise<RecordSniffer | null> {
  let sniffer: RecordSniffer | null = null
  for (const length of formatHeadSteps) {
    const told = await lookAtBytes(file, 0, Math.min(size, length), tellFormat)
    sniffer = told.sniffer
    if (told.isSure || length >= size) break
  }
  return sniffer
}

function keptLength(length: number): number {
  return length > maxLineBytes ? formatHeadBytes : length
}

function hash(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
