import { closeSync, fstatSync, openSync } from 'node:fs'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { readBytes } from './file-reads.js'
import { GeminiDocument, promptOf, type GeminiMessage } from './gemini-operations.js'
import { editsIn, isMessage, sniffMessage, sniffUpdate, timeIn, tokensIn, type MessageSpot } from './gemini-sniff.js'
import { cutText, isObject, listAt, objectAt, parseObject, textAt, timeAt, type JsonObject } from './json-values.js'
import { lookAtTailLines, maxLineBytes, scanLines, tailSteps, type TailLine } from './jsonl.js'
import { cutPrompt, keptRaw, lostRecord } from './lost-record.js'
import { ProblemTally } from './problem-tally.js'

/** An older log is one document; a larger one cannot be read. */
const largestDocument = 256 << 20
/** Of larger logs the messages that no person typed are parsed only when they are looked at. */
const smallBytes = 4 << 20
const keptPrompt = 4000
/** How far the beginning of a log is looked through for the first prompt, and its end for the newest answer. */
const headSteps: readonly number[] = [1 << 14, 1 << 18]
const tailBytes = 1 << 16
/** So many of the newest messages are looked through for the model. */
const lookedThrough = 20

/** A log as it was read: what its operations make, and where its texts are. */
export interface GeminiLog {
  readonly document: GeminiDocument
  readonly problems: ProblemTally
  readonly lines: number
  /** Whether the lines of its edits were counted, which takes too long in a big log. */
  readonly hasLines: boolean
  /** A message with all that is known of it, and its lines that are too long to be read. */
  read(message: GeminiMessage, signal?: AbortSignal): Promise<ReadMessage>
}

export interface ReadMessage {
  readonly message: JsonObject
  readonly lost: readonly ReturnType<typeof lostRecord>[]
}

interface GeminiReading {
  readonly signal?: AbortSignal | undefined
  /** Whether each broken line of a small log is to be found now, and not when it is read. */
  readonly isDeep?: boolean
  /** Where to stop; the end of the file, where this is not given. */
  readonly to?: number
  readonly onProgress?: ((done: number) => void) | undefined
}

/** Reads a log of either kind. Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN, CANCELLED. */
export async function readGeminiLog(file: string, { signal, isDeep = true, to = Infinity, onProgress }: GeminiReading = {}): Promise<GeminiLog> {
  const document = new GeminiDocument()
  const problems = new ProblemTally()
  let hasLines = true
  const lines = await withFile(file, async (handle, size) => {
    if (file.endsWith('.json')) {
      const whole = size <= largestDocument ? parseObject((await readBytes(handle, 0, size)).toString('utf8')) : null
      if (whole) document.apply(whole, 0, size)
      else problems.add('bad-line', 1)
      return 1
    }
    let line = 0
    hasLines = size < smallBytes
    const take = (bytes: Buffer, start: number, stop: number, offset: number, length: number): void => {
      line++
      if (length > maxLineBytes) {
        problems.add('oversized-line', line)
        takeHead(document, bytes.subarray(start, stop), offset, length)
        return
      }
      if (start === stop || ((!isDeep || !hasLines) && isNoted(document, bytes, start, stop, offset, hasLines))) return
      const operation = parseObject(bytes.toString('utf8', start, stop))
      if (!operation) problems.add('bad-line', line)
      else if (document.apply(operation, offset, length) === 'unknown') problems.add('unknown-record', line)
    }
    const end = await scanLines(handle, { from: 0, to: Math.min(to, size), signal, ...(onProgress ? { onChunk: onProgress } : {}) }, take)
    if (to >= size && end < size && size - end <= maxLineBytes) {
      // The last line has no end: it is whole, or still being written.
      const rest = await readBytes(handle, end, size - end)
      if (parseObject(rest.toString('utf8'))) take(rest, 0, rest.length, end, rest.length)
      else problems.add('torn-line', line + 1)
    }
    await findModel(document, handle)
    return line
  })
  if (document.sessionId === null && document.order.length === 0) {
    throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
  }
  return { document, problems, lines, hasLines, read: (message, abort) => withFile(file, (handle) => readMessage(handle, message, abort)) }
}

/** The newest prompts of a log that is not read at once, with its size; `null` for a smaller one. Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE. */
export function newestPrompts(file: string, wanted: number): Promise<{ readonly sizeBytes: number; readonly prompts: readonly { readonly prompt: string; readonly startedAt: number }[] } | null> {
  return withFile(file, async (handle, sizeBytes) => {
    if (sizeBytes < smallBytes || file.endsWith('.json')) return null
    for (const tailBytes of tailSteps) {
      const prompts = await lookAtTailLines(handle, sizeBytes, tailBytes, (lines) =>
        lines.flatMap(({ bytes }) => {
          const message = isMessage(bytes) && sniffMessage(bytes, 0, bytes.length, spot) === null ? parseObject(bytes.toString()) : null
          const prompt = message && promptOf(message)
          return prompt === null ? [] : [{ prompt: cutText(prompt, keptPrompt), startedAt: timeAt(message, 'timestamp') ?? 0 }]
        }),
      )
      if (prompts.length > 0) return { sizeBytes, prompts: prompts.slice(0, wanted) }
    }
    return { sizeBytes, prompts: [] }
  })
}

/** What the last lines of a log say of it, each `null` where they do not tell. */
export interface GeminiTail {
  readonly model: string | null
  readonly title: string | null
  readonly lastActiveAt: number | null
}

/**
 * A log as far as its first prompt, and what its last lines say; `null` for an older log, which is one document, and where no prompt
 * is near the beginning. Errors: those of `readGeminiLog`.
 */
export async function readGeminiEnds(file: string, signal?: AbortSignal): Promise<{ readonly head: GeminiLog; readonly tail: GeminiTail } | null> {
  if (file.endsWith('.json')) return null
  for (const to of headSteps) {
    const head = await readGeminiLog(file, { signal, isDeep: false, to })
    if (head.document.order.every(({ prompt }) => prompt === null)) continue
    return { head, tail: await withFile(file, (handle, size) => lookAtTailLines(handle, size, tailBytes, lookAtTail)) }
  }
  return null
}

function lookAtTail(newestFirst: readonly TailLine[]): GeminiTail {
  let title: string | null = null
  let model: string | null = null
  let lastActiveAt: number | null = null
  for (const { bytes } of newestFirst) {
    const updated = sniffUpdate(bytes, 0, bytes.length)
    const type = updated < 0 ? sniffMessage(bytes, 0, bytes.length, spot) : null
    if (updated >= 0 || type !== null) lastActiveAt = Math.max(lastActiveAt ?? 0, timeIn(bytes, updated < 0 ? spot.timeStart : updated) ?? 0)
    const isAnswer = type === 'gemini' && model === null
    if (updated >= 0 || (type !== null && !isAnswer) || bytes.length > maxLineBytes) continue
    const line = parseObject(bytes.toString())
    const set = objectAt(line, '$set')
    model ??= textAt(line, 'model')
    title ??= textAt(set, 'summary')
    lastActiveAt = Math.max(lastActiveAt ?? 0, timeAt(line, 'timestamp') ?? timeAt(set, 'lastUpdated') ?? 0)
  }
  return { model, title, lastActiveAt: lastActiveAt === 0 ? null : lastActiveAt }
}

const spot: MessageSpot = { idStart: 0, idEnd: 0, timeStart: 0 }

/** Takes in a line by its first bytes; false where these do not tell enough. */
function isNoted(document: GeminiDocument, bytes: Buffer, start: number, end: number, offset: number, countsLines: boolean): boolean {
  const updated = sniffUpdate(bytes, start, end)
  if (updated >= 0) {
    document.touch(timeIn(bytes, updated))
    return true
  }
  const type = sniffMessage(bytes, start, end, spot)
  if (type === null) return false
  const edits = type === 'gemini' && countsLines ? editsIn(bytes.subarray(start, end)) : null
  if (edits === undefined) return false
  document.note(bytes.toString('latin1', spot.idStart, spot.idEnd), type, timeIn(bytes, spot.timeStart) ?? 0, type === 'gemini' ? tokensIn(bytes, start, end) : null, edits, offset, end - start)
  return true
}

/** Takes in a message whose line is too long to be parsed, as far as its first bytes tell of it. */
function takeHead(document: GeminiDocument, head: Buffer, offset: number, length: number): void {
  const [, id, timestamp, type] = /^\{"id":"([^"\\]+)","timestamp":"([^"\\]+)","type":"([a-z]+)",/.exec(head.toString('latin1', 0, 300)) ?? []
  if (id === undefined) return
  const isTyped = type === 'user' && !head.includes('"content":[{"functionResponse"')
  document.apply({ id, timestamp, type, content: isTyped ? cutPrompt(head, length) : '' }, offset, length)
}

/** The model of the newest answer, where its line was not parsed. */
async function findModel(document: GeminiDocument, handle: number): Promise<void> {
  for (const { spots } of document.order.slice(-lookedThrough).reverse()) {
    const newest = spots.at(-1)
    if (!newest || newest.index !== null || newest.offset <= document.modelFrom || newest.length > maxLineBytes) continue
    const model = textAt(parseObject((await readBytes(handle, newest.offset, newest.length)).toString('utf8')), 'model')
    if (model === null) continue
    document.model = model
    return
  }
}

async function readMessage(handle: number, { id, type, prompt, spots }: GeminiMessage, signal: AbortSignal | undefined): Promise<ReadMessage> {
  let message: JsonObject = { id, type }
  const lost: ReturnType<typeof lostRecord>[] = []
  for (const { offset, length, index } of spots) {
    throwIfAborted(signal)
    if (length > maxLineBytes) {
      if (prompt !== null) message = joined(message, { content: prompt }, true)
      lost.push(lostRecord(await readBytes(handle, offset, keptRaw), length))
      continue
    }
    const line = parseObject((await readBytes(handle, offset, length)).toString('utf8'))
    const listed = index === null ? line : listAt(objectAt(line, '$set') ?? line, 'messages')[index]
    if (isObject(listed)) message = joined(message, listed, index !== null)
  }
  return { message, lost }
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
