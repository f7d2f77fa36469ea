import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { isMissing } from './disk-errors.js'
import { readAll, syncData, writeAll } from './file-bytes.js'

/** What reading a log of ours yields. A line that is no JSON is counted and skipped; later good ones count. */
export interface JsonLines {
  readonly records: readonly unknown[]
  readonly badLines: number
  /** Where the next read goes on: the end of the last whole line. */
  readonly nextOffset: number
}

/** Reads the whole lines of a log from a byte offset. A missing file is an empty one. */
export async function readJsonLines(file: string, offset = 0): Promise<JsonLines> {
  const all = await readIfThere(file)
  const bytes = Buffer.from(all.buffer, all.byteOffset, all.length).subarray(offset)
  const records: unknown[] = []
  let badLines = 0
  let at = 0
  // Split at byte 10 only: JSON strings may hold U+2028, at which line readers split too.
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
    const line = bytes.toString('utf8', at, end)
    at = end + 1
    if (line.trim() === '') continue
    try {
      records.push(JSON.parse(line))
    } catch {
      badLines++
    }
  }
  return { records, badLines, nextOffset: offset + at }
}

/**
 * Appends one record as one line, and waits until it is on the disk unless told that it may be lost in a power failure. A torn
 * last line of a crashed writer is closed first, so that it cannot swallow this record. Returns the log's size before and after.
 */
export async function appendJsonLine(
  file: string,
  record: unknown,
  durability: 'synced' | 'may-be-lost' = 'synced',
): Promise<{ readonly from: number; readonly to: number }> {
  const handle = openSync(file, 'a+', 0o600)
  try {
    const { size } = fstatSync(handle)
    const last = Buffer.alloc(1)
    if (size > 0) readSync(handle, last, 0, 1, size - 1)
    const isTorn = size > 0 && last[0] !== 10
    const line = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(record)}\n`, 'utf8')
    await writeAll(handle, line)
    if (durability === 'synced') await syncData(handle)
    return { from: size, to: size + line.length }
  } finally {
    closeSync(handle)
  }
}

/** Size of a log in bytes; 0 when it is missing. */
export function logSize(file: string): number {
  try {
    return statSync(file).size
  } catch (thrown) {
    if (isMissing(thrown)) return 0
    throw thrown
  }
}

async function readIfThere(file: string): Promise<Uint8Array> {
  try {
    return (await readAll(file, 'r')).bytes
  } catch (thrown) {
    if (isMissing(thrown)) return new Uint8Array()
    throw thrown
  }
}
