import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { storeOf } from './codex-segments.js'
import { parseObject, textAt } from './json-values.js'

/** So much of the end of the file is read: the names of tens of thousands of sessions. */
const largestBytes = 4 << 20
/** How often the disk is asked whether there are new names. */
const checkMs = 2000

interface Names {
  readonly stamp: string
  readonly checkedAt: number
  readonly names: ReadonlyMap<string, string>
}

const known = new Map<string, Names>()

/**
 * The name that a thread was given last; `null` where it has none.
 * Source: Codex adds a line with `id`, `thread_name` and `updated_at` to `session_index.jsonl` beside its folder of sessions each time
 * that a name is given; the last one counts.
 */
export function threadName(file: string, thread: string, now = Date.now()): string | null {
  const store = storeOf(file)
  return store === null ? null : (namesIn(join(store, 'session_index.jsonl'), now).get(thread) ?? null)
}

function namesIn(file: string, now: number): ReadonlyMap<string, string> {
  const before = known.get(file)
  if (before && Math.abs(now - before.checkedAt) < checkMs) return before.names
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  const stamp = stats?.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : ''
  const names = stamp === '' ? new Map<string, string>() : before?.stamp === stamp ? before.names : readNames(file)
  known.set(file, { stamp, checkedAt: now, names })
  return names
}

function readNames(file: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const line of readEnd(file).split('\n')) {
    const record = parseObject(line)
    const [id, name] = [textAt(record, 'id'), textAt(record, 'thread_name')?.trim()]
    if (id !== null && name !== undefined && name !== '') names.set(id, name)
  }
  return names
}

/** The end of a plain file, and no more of it than is allowed; nothing where it cannot be read. */
function readEnd(file: string): string {
  try {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const { size } = fstatSync(handle)
      const bytes = Buffer.alloc(Math.min(size, largestBytes))
      return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, size - bytes.length))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}
