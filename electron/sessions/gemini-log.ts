import { closeSync, fstatSync, openSync } from 'node:fs'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { readBytes } from './file-reads.js'
import { GeminiDocument, type GeminiMessage } from './gemini-operations.js'
import { isObject, listAt, objectAt, parseObject, type JsonObject } from './json-values.js'
import { LineScanner, maxLineBytes } from './jsonl.js'
import { ProblemTally } from './problem-tally.js'

/** An older log is one document; a larger one cannot be read. */
const largestDocument = 256 << 20
/** Longer lines are parsed only when they are looked at, where their first bytes tell what they are. */
const parsedLength = 16 << 10

const closingBrace = 125

/** A log as it was read: what its operations make, and where its texts are. */
export interface GeminiLog {
  readonly document: GeminiDocument
  readonly problems: ProblemTally
  readonly lines: number
  /** A message with all that is known of it. */
  read(message: GeminiMessage, signal?: AbortSignal): Promise<JsonObject>
}

/** Reads a log of either kind. Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN, CANCELLED. */
export async function readGeminiLog(file: string, signal?: AbortSignal): Promise<GeminiLog> {
  const document = new GeminiDocument()
  const problems = new ProblemTally()
  const lines = await withFile(file, async (handle, size) => {
    if (file.endsWith('.json')) {
      const whole = size <= largestDocument ? parseObject((await readBytes(handle, 0, size)).toString('utf8')) : null
      if (whole) document.apply(whole, 0, size)
      else problems.add('bad-line', 1)
      return 1
    }
    let line = 0
    const take = (bytes: Buffer, offset: number, length: number): void => {
      line++
      if (length > maxLineBytes) return problems.add('oversized-line', line)
      const isLong = bytes.length > parsedLength && bytes[bytes.length - 1] === closingBrace
      if (bytes.length === 0 || (isLong && document.note(bytes.toString('latin1', 0, 300), offset, bytes.length))) return
      const operation = parseObject(bytes.toString('utf8'))
      if (!operation) problems.add('bad-line', line)
      else if (document.apply(operation, offset, bytes.length) === 'unknown') problems.add('unknown-record', line)
    }
    const end = await new LineScanner().scan(handle, { from: 0, to: size, signal }, (bytes, start, stop, offset, length) => take(bytes.subarray(start, stop), offset, length))
    if (end < size && size - end <= maxLineBytes) {
      // The last line has no end: it is whole, or still being written.
      const rest = await readBytes(handle, end, size - end)
      if (parseObject(rest.toString('utf8'))) take(rest, end, rest.length)
      else problems.add('torn-line', line + 1)
    }
    return line
  })
  if (document.sessionId === null && document.order.length === 0) {
    throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
  }
  return { document, problems, lines, read: (message, abort) => withFile(file, (handle) => readMessage(handle, message, abort)) }
}

async function readMessage(handle: number, { id, spots }: GeminiMessage, signal: AbortSignal | undefined): Promise<JsonObject> {
  let message: JsonObject = { id }
  for (const { offset, length, index } of spots) {
    throwIfAborted(signal)
    const line = parseObject((await readBytes(handle, offset, length)).toString('utf8'))
    const listed = index === null ? line : listAt(objectAt(line, '$set') ?? line, 'messages')[index]
    if (isObject(listed)) message = joined(message, listed, index !== null)
  }
  return message
}

/** A list gives a message without its calls, and its text in another form: it only fills what is missing. */
function joined(known: JsonObject, later: JsonObject, isListed: boolean): JsonObject {
  const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  const merged: Record<string, unknown> = { ...known }
  for (const [key, value] of Object.entries(later)) {
    if (key === '__proto__' || key === 'id') continue
    if (isEmpty(merged[key]) || (!isListed && !isEmpty(value))) merged[key] = value
  }
  return merged
}

async function withFile<Value>(file: string, use: (handle: number, size: number) => Promise<Value>): Promise<Value> {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw isMissing
      ? new ReviewError('SESSION_NOT_FOUND', 'The log of this session is not there any more.', { cause })
      : new ReviewError('SESSION_UNREADABLE', 'The log may not be read by this user. Change its permissions.', { cause })
  }
  try {
    return await use(handle, fstatSync(handle).size)
  } finally {
    closeSync(handle)
  }
}
