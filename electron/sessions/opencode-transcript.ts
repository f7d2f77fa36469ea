import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { cutText, numberAt, objectAt, textAt, type JsonObject } from './json-values.js'
import { callOf, outputOf, subagentSessionOf } from './opencode-calls.js'
import type { OpencodeRecords, StoredMessage, StoredRecord } from './opencode-records.js'
import { isTyped, promptIn, type OpencodeTurn } from './opencode-turns.js'

const keptRaw = 16_384
const keptValue = 4_096

/** Parts that only keep account of steps. */
const bookkeeping: ReadonlySet<string> = new Set(['step-start', 'step-finish', 'patch', 'snapshot'])

/** Everything of one turn, in order. */
export async function transcriptOf(
  records: OpencodeRecords,
  sessionId: string,
  folder: string | null,
  turn: OpencodeTurn,
  isOpen: boolean,
): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = []
  const context = { records, folder, isOpen, shown: new Set([sessionId]) }
  for await (const message of messagesOf(records, sessionId, turn)) entries.push(...(await entriesOf(message, context)))
  return entries
}

interface TurnContext {
  readonly records: OpencodeRecords
  readonly folder: string | null
  readonly isOpen: boolean
  /** Sessions whose calls were shown; each is shown once. */
  readonly shown: Set<string>
}

/** The whole output of a call of a turn, or of a subagent's; `null` where none is recorded. */
export async function outputIn(records: OpencodeRecords, sessionId: string, turn: OpencodeTurn, callId: string): Promise<string | null> {
  for await (const { parts } of messagesOf(records, sessionId, turn)) {
    const found = await findCall(records, parts, callId, new Set([sessionId]))
    if (found) return outputOf(found)
  }
  return null
}

async function* messagesOf(records: OpencodeRecords, sessionId: string, { messageIds, removed }: OpencodeTurn): AsyncGenerator<StoredMessage> {
  for (const id of messageIds) {
    const message = await records.message(sessionId, id)
    if (message) yield { ...message, parts: await partsOf(records, id) }
  }
  yield* removed
}

async function partsOf(records: OpencodeRecords, messageId: string): Promise<readonly StoredRecord[]> {
  const parts: StoredRecord[] = []
  for await (const part of records.parts(messageId)) parts.push(part)
  return parts
}

async function entriesOf({ data: message, createdAt, parts }: StoredMessage, context: TurnContext): Promise<readonly TranscriptEntry[]> {
  const isUser = textAt(message, 'role') === 'user'
  const entries: TranscriptEntry[] = []
  if (message === null) entries.push({ kind: 'other', label: 'unreadable line', raw: '', at: createdAt })
  const typed = isUser ? promptIn(parts) : null
  if (typed !== null) entries.push({ kind: 'prompt', text: typed, at: createdAt })
  for (const { data } of parts) {
    const at = numberAt(objectAt(data, 'time'), 'start') ?? numberAt(objectAt(objectAt(data, 'state'), 'time'), 'start') ?? createdAt
    if (data === null) {
      entries.push({ kind: 'other', label: 'unreadable line', raw: '', at })
      continue
    }
    const type = textAt(data, 'type') ?? ''
    const text = textAt(data, 'text') ?? ''
    if (type === 'tool') entries.push({ kind: 'call', call: callOf(data, { ...context, subagentCalls: await subagentCalls(data, context) }), at })
    else if (type === 'text' && !isUser) entries.push({ kind: 'reply', text, at, model: textAt(message, 'modelID') })
    else if (type === 'reasoning') entries.push({ kind: 'thought', text, at })
    else if (!bookkeeping.has(type) && !(isUser && isTyped(data))) entries.push({ kind: 'other', label: type === '' ? 'part' : type, raw: rawOf(data), at })
  }
  const error = objectAt(message, 'error')
  return error ? [...entries, { kind: 'other', label: textAt(error, 'name') ?? 'error', raw: rawOf(error), at: createdAt }] : entries
}

/** The calls of the session in which a subagent worked, its own subagents' calls inside. */
async function subagentCalls(part: JsonObject, context: TurnContext): Promise<readonly ToolCall[]> {
  const { records, shown } = context
  const id = subagentSessionOf(part)
  const calls: ToolCall[] = []
  if (id === null || shown.has(id)) return calls
  shown.add(id)
  for await (const message of records.messages(id)) {
    for (const { data } of await partsOf(records, message.id)) {
      if (data !== null && textAt(data, 'type') === 'tool') calls.push(callOf(data, { ...context, subagentCalls: await subagentCalls(data, context) }))
    }
  }
  return calls
}

async function findCall(records: OpencodeRecords, parts: readonly StoredRecord[], callId: string, looked: Set<string>): Promise<JsonObject | null> {
  for (const { data, id } of parts) {
    if (data === null || textAt(data, 'type') !== 'tool') continue
    if ((textAt(data, 'callID') ?? id) === callId) return data
    const session = subagentSessionOf(data)
    if (session === null || looked.has(session)) continue
    looked.add(session)
    for await (const message of records.messages(session)) {
      const found = await findCall(records, await partsOf(records, message.id), callId, looked)
      if (found) return found
    }
  }
  return null
}

/** A record as JSON for reading; long values, such as an attached image, are cut. */
function rawOf(record: JsonObject): string {
  const shortened = (_: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > keptValue ? `${value.slice(0, keptValue)}… (${value.length} characters)` : value
  return cutText(JSON.stringify(record, shortened), keptRaw)
}
