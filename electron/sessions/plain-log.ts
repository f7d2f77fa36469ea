import { closeSync, lstatSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { scanLines } from './jsonl.js'
import { parseObject } from './json-values.js'
import type { ReadRecord } from './turn-records.js'

/** What of a log beside a session's own is read. */
const largestLogBytes = 64 << 20

/**
 * The records of a log that lies beside a session's, read whole; `record` is `null` for a line that is broken or too long, and for an
 * end that is not read. Names come from logs and are hostile: nothing is read behind a link.
 */
export async function readPlainLog(file: string, signal?: AbortSignal): Promise<readonly ReadRecord[]> {
  const size = plainSize(file)
  if (size === null) return []
  const handle = openSync(file, 'r')
  try {
    const records: ReadRecord[] = []
    const read = await scanLines(handle, { from: 0, to: Math.min(size, largestLogBytes), signal }, (bytes, start, end, _offset, length) => {
      if (start === end) return
      const record = end - start === length ? parseObject(bytes.toString('utf8', start, end)) : null
      records.push({ record, raw: Buffer.alloc(0), length })
    })
    throwIfAborted(signal)
    if (read < size) records.push({ record: null, raw: Buffer.alloc(0), length: size - read })
    return records
  } finally {
    closeSync(handle)
  }
}

/** Size of a plain file; `null` for a link, for anything else, and for nothing. */
export function plainSize(file: string): number | null {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    // A folder that is a link would lead out of the store.
    const isInside = lstatSync(dirname(file), { throwIfNoEntry: false })?.isDirectory() ?? false
    return stats?.isFile() && isInside ? stats.size : null
  } catch {
    return null
  }
}
