import { randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { dataFolderError, isMissing } from '../base/disk-errors.js'
import { appendJsonLine, logSize } from '../base/json-lines.js'

/** What every record of a session's log says. */
export interface LogBase {
  readonly sessionId: string
  /** Folder of the session, absolute. */
  readonly folder: string
  readonly version: string
  readonly branch: string | null
}

/** What one record says beside that. `at` is when it happened, milliseconds; `null` for now. */
export interface RecordFields {
  readonly type: 'user' | 'assistant' | 'tool_result' | 'system'
  readonly at: number | null
  /** Without what only readers of other agents look for: it comes very often, and they pass over it. */
  readonly isBrief?: boolean
  readonly rest: Readonly<Record<string, unknown>>
}

/** Appends records to one log, each hanging on the one before. */
export interface RecordChain {
  /**
   * One record in one write, after all that were asked for before; on the disk when it resolves, unless it may be lost in a power
   * failure. A record that could not be written is left out of the chain.
   * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE.
   */
  append(fields: RecordFields, durability?: 'synced' | 'may-be-lost'): Promise<void>
}

const provenances = { user: 'real_user', assistant: 'assistant_output', tool_result: 'tool_result', system: 'system' } as const

/**
 * A chain in qwen-code's shape. It goes on after the record `after`; where the log has grown meanwhile, by another process or
 * before a restart, after the last record that is in it.
 */
export function createRecordChain(file: string, base: LogBase, after: string | null, now: () => number = Date.now): RecordChain {
  let parentUuid = after
  let knownSize = after === null ? 0 : logSize(file)
  let queue: Promise<void> = Promise.resolve()

  const put = async ({ type, at, rest, isBrief = false }: RecordFields, durability: 'synced' | 'may-be-lost'): Promise<void> => {
    try {
      if (logSize(file) !== knownSize) parentUuid = lastUuid(file) ?? parentUuid
      const uuid = randomUUID()
      const record = {
        uuid,
        parentUuid,
        sessionId: base.sessionId,
        timestamp: new Date(at ?? now()).toISOString(),
        type,
        ...(isBrief ? {} : { provenance: provenances[type], cwd: base.folder, version: base.version }),
        ...(base.branch === null || isBrief ? {} : { gitBranch: base.branch }),
        ...rest,
      }
      knownSize = (await appendJsonLine(file, record, durability)).to
      parentUuid = uuid
    } catch (thrown) {
      throw dataFolderError(thrown, 'the log of the session in it')
    }
  }

  return {
    append: (fields, durability = 'synced') => {
      const next = queue.then(() => put(fields, durability))
      queue = next.catch(() => undefined)
      return next
    },
  }
}

const firstTailBytes = 1 << 16

/** Identity of the last whole record of a log; `null` for a log without any. A torn last line does not count. */
export function lastUuid(file: string): string | null {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
  try {
    const { size } = fstatSync(handle)
    for (let length = firstTailBytes; ; length *= 8) {
      const from = Math.max(0, size - length)
      const tail = Buffer.alloc(size - from)
      const read = readSync(handle, tail, 0, tail.length, from)
      const found = lastUuidIn(tail.subarray(0, read), from === 0)
      if (found !== null || from === 0) return found
    }
  } finally {
    closeSync(handle)
  }
}

/** `isAll`: the first line is whole too. */
function lastUuidIn(tail: Buffer, isAll: boolean): string | null {
  for (let end = tail.lastIndexOf(10); end >= 0; ) {
    const before = end === 0 ? -1 : tail.lastIndexOf(10, end - 1)
    if (before < 0 && !isAll) return null
    const found = uuidOf(tail.toString('utf8', before + 1, end))
    if (found !== null) return found
    end = before
  }
  return null
}

function uuidOf(line: string): string | null {
  try {
    const record: unknown = JSON.parse(line)
    return typeof record === 'object' && record !== null && 'uuid' in record && typeof record.uuid === 'string' ? record.uuid : null
  } catch {
    return null
  }
}
