import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../base/disk-errors.js'
import { syncData, syncFolder, writeAll } from '../base/file-bytes.js'
import type { PackedBlob } from './backup-pack.js'
import { youngMs } from './kept-files.js'

/** A blob as it is to be stored: deflated where its own size is told. */
export interface StoredBlob {
  readonly sha256: string
  readonly stored: Uint8Array
  readonly sizeBytes: number | null
}

/** Blobs that take no more than this, all in all, are few enough for a row. */
export const mostAtOnceBytes = 256 * 1024

/** For each blob: `[magic][hash][u32 bytes stored][u32 own size, all ones where it is not deflated][bytes]`. */
const magic = Buffer.from('ovtrow1\n', 'latin1')
const storedAt = magic.length + 32
const sizeAt = storedAt + 4
export const rowHeadBytes = sizeAt + 4
const notDeflated = 0xffffffff
/** A row that has grown so far is left, and another one begun. */
const fullBytes = 2 * 1024 * 1024

interface OpenRow {
  readonly file: string
  /** Open while somebody uses it. */
  handle: number
  users: number
  sizeBytes: number
  /** Blobs that are on the disk. */
  blobs: number
  writtenAt: number
  /** The folder has its name on the disk. */
  readonly named: Promise<void>
  syncing: Promise<void>
  nextSync: Promise<void> | null
}

export function isRow(file: string): boolean {
  return file.endsWith('.row')
}

/**
 * Few blobs at a time, one behind the other in a file that grows: a sync of it costs less than those of a new file and its folder,
 * and all who wait at the same time share one.
 *
 * Shape: one process alone writes to a row, and never after a failure, so that what a crash or a full disk leaves of a blob is
 * the end of its row. A row that nobody wrote to for half an hour is left too: others may take it away when it is an hour old.
 */
export class BackupRow {
  #row: OpenRow | null = null

  constructor(private readonly folder: string) {}

  /** Adds blobs of at most `mostAtOnceBytes`; on the disk when it resolves. Errors: those of the disk; then none of them counts. */
  async append(blobs: readonly StoredBlob[]): Promise<ReadonlyMap<string, PackedBlob>> {
    const row = this.#open()
    row.users++
    try {
      const added = new Map<string, PackedBlob>()
      const parts: Uint8Array[] = []
      for (const blob of blobs) {
        const { sha256, stored, sizeBytes } = blob
        added.set(sha256, placed(row.file, row.sizeBytes + rowHeadBytes, stored.length, sizeBytes))
        parts.push(headOf(blob), stored)
        row.sizeBytes += rowHeadBytes + stored.length
      }
      row.writtenAt = Date.now()
      // So few bytes are written in place: whoever comes next writes behind them.
      await writeAll(row.handle, Buffer.concat(parts))
      await Promise.all([synced(row), row.named])
      row.blobs += blobs.length
      return added
    } catch (thrown) {
      if (this.#row === row) this.#row = null
      throw thrown
    } finally {
      if (--row.users === 0) {
        closeSync(row.handle)
        if (this.#row !== row && row.blobs === 0) rmSync(row.file, { force: true })
      }
    }
  }

  /** Whether blobs may go into this file, some of which do not count yet. */
  isWriting(file: string): boolean {
    return this.#row?.file === file
  }

  #open(): OpenRow {
    const row = this.#row
    if (row && row.sizeBytes < fullBytes && Date.now() - row.writtenAt < youngMs / 2) {
      if (row.users > 0) return row
      const handle = openToAppend(row.file)
      if (handle !== null) {
        row.handle = handle
        row.sizeBytes = fstatSync(handle).size
        return row
      }
    }
    const file = join(this.folder, `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.row`)
    const handle = openSync(file, 'ax', 0o600)
    const named = syncFolder(this.folder)
    named.catch(() => undefined)
    return (this.#row = { file, handle, users: 0, sizeBytes: 0, blobs: 0, writtenAt: 0, named, syncing: Promise.resolve(), nextSync: null })
  }
}

/** The blobs of a row, by what it says. A damaged part is passed over; whoever reads a blob checks it. Errors: those of the disk. */
export async function readRow(file: string): Promise<ReadonlyMap<string, PackedBlob>> {
  const bytes = await readFile(file)
  const found = new Map<string, PackedBlob>()
  const isMagicAt = (at: number): boolean => bytes.compare(magic, 0, magic.length, at, at + magic.length) === 0
  for (let at = bytes.indexOf(magic); at >= 0 && at + rowHeadBytes <= bytes.length; ) {
    const storedBytes = bytes.readUInt32BE(at + storedAt)
    const sizeBytes = bytes.readUInt32BE(at + sizeAt)
    const end = at + rowHeadBytes + storedBytes
    if (end <= bytes.length) found.set(bytes.toString('hex', at + magic.length, at + storedAt), placed(file, at + rowHeadBytes, storedBytes, sizeBytes === notDeflated ? null : sizeBytes))
    at = end === bytes.length || (end < bytes.length && isMagicAt(end)) ? end : bytes.indexOf(magic, at + 1)
  }
  return found
}

function headOf({ sha256, stored, sizeBytes }: StoredBlob): Uint8Array {
  const head = Buffer.alloc(rowHeadBytes)
  magic.copy(head)
  head.write(sha256, magic.length, 'hex')
  head.writeUInt32BE(stored.length, storedAt)
  head.writeUInt32BE(sizeBytes ?? notDeflated, sizeAt)
  return head
}

function placed(file: string, offset: number, storedBytes: number, sizeBytes: number | null): PackedBlob {
  return { file, offset, storedBytes, sizeBytes: sizeBytes ?? storedBytes, isDeflated: sizeBytes !== null }
}

/** A sync that begins from now on: one under way may have missed what was written a moment ago. */
function synced(row: OpenRow): Promise<void> {
  const sync = (): Promise<void> => {
    row.nextSync = null
    return (row.syncing = syncData(row.handle))
  }
  return (row.nextSync ??= row.syncing.then(sync, sync))
}

/** `null` when the row is gone. */
function openToAppend(file: string): number | null {
  try {
    return openSync(file, constants.O_WRONLY | constants.O_APPEND)
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}
