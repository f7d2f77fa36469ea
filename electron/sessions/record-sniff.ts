import { isExactly, newPairSpot, readPair } from './json-bytes.js'
import { isObject, listAt, objectAt, textAt, type JsonObject } from './json-values.js'

/** What one line of a log is, in one byte of the index. */
export const recordKind = {
  blank: 0,
  /** A person's prompt: a turn begins. */
  prompt: 1,
  /** What a person said in the middle of a turn. */
  interjection: 2,
  /** A message that no person typed (cron, background task): no turn, and what follows may be another prompt's. */
  signal: 3,
  reply: 4,
  result: 5,
  /** Prompt snapshots, of the turn that they stand in. */
  snapshot: 6,
  snapshotDelta: 7,
  /** Prompt snapshots that name other turns (too). */
  otherSnapshot: 8,
  telemetry: 9,
  rewind: 10,
  compression: 11,
  /** Anything else on the chain of parents. */
  note: 12,
  /** The same, of a type that is not known. */
  strange: 13,
  /** Known, and no part of the chain. */
  side: 14,
  /** Not known, or without identity. */
  unknown: 15,
  bad: 16,
  /** Of another session. */
  foreign: 17,
} as const
export type RecordKind = (typeof recordKind)[keyof typeof recordKind]

/** Where a sniffed line has its identity: 36 bytes each. `parentStart` is -1 for a first record. */
export interface SniffSpot {
  idStart: number
  parentStart: number
  sessionStart: number
}

/** What a parsed record is; ids are `null` where it has none. */
export interface Classified {
  readonly kind: RecordKind
  readonly id: string | null
  readonly parentId: string | null
  readonly sessionId: string | null
}

export type LogFormat = 'qwen' | 'claude' | 'codex'

/** How to tell the records of one agent's log apart. Holds nothing; one object an agent. */
export interface RecordSniffer {
  readonly format: LogFormat
  /** Whether records form a chain of parents. Without, `sniff` leaves the spot alone. */
  readonly hasIds: boolean
  /** First bytes of a record, for finding records that were glued onto one line. */
  readonly opening: Buffer
  /** The kind by the first bytes of a line, read in place; `null` where only the parsed line can tell. */
  sniff(bytes: Buffer, start: number, end: number, spot: SniffSpot): RecordKind | null
  /** The kind by the parsed line: the truth, which `sniff` must never contradict. */
  classify(record: JsonObject): Classified
  /** What the person typed. */
  promptText(record: JsonObject): string
  /** The first promptId that a snapshot line names; `null` where it stands too far in. */
  snapshotPromptId(bytes: Buffer, start: number, end: number): string | null
  /** The promptId of a telemetry record. */
  telemetryPromptId(record: JsonObject): string | null
}

const user = Buffer.from('user')
const assistant = Buffer.from('assistant')
const type = Buffer.from('type')
const role = Buffer.from('role')
const message = Buffer.from('message')
const content = Buffer.from('content')
const payload = Buffer.from('payload')
const toolResult = Buffer.from('tool_result')
const typeKey = '"type":"'
/** How far into a line its type may stand; before it are the working folder and the branch. */
const headBytes = 420
const quote = 34
const openBrace = 123
const openBracket = 91

const spot = newPairSpot()

/** Moves along the pairs of an object, from the one at `at`; false where the key does not stand before another nested value. */
function findKey(bytes: Buffer, at: number, end: number, key: Buffer): boolean {
  while (at >= 0 && at < end) {
    spot.keyStart = spot.keyEnd = 0
    at = readPair(bytes, at, end, spot)
    if (isExactly(bytes, spot.keyStart, spot.keyEnd, key)) return true
  }
  return false
}

/** The same inside the object that is the present value. */
function enter(bytes: Buffer, end: number, key: Buffer): boolean {
  return bytes[spot.valueStart] === openBrace && findKey(bytes, spot.valueStart + 1, end, key)
}

const noIds = { id: null, parentId: null, sessionId: null }
const noPromptIds = { snapshotPromptId: () => null, telemetryPromptId: () => null }

/** Kinds of Claude Code's records; its chain of parents is not read. */
export const claudeSniffer: RecordSniffer = {
  format: 'claude',
  hasIds: false,
  opening: Buffer.from('{"parentUuid":'),
  ...noPromptIds,
  sniff(bytes, start, end) {
    const head = bytes.toString('latin1', start, Math.min(end, start + headBytes))
    const at = head.indexOf(typeKey)
    const close = at < 0 ? -1 : head.indexOf('"', at + typeKey.length)
    // The first one is the record's own where nothing nested comes before it.
    if (close < 0 || /[{[]/.test(head.slice(1, at))) return null
    const kind = head.slice(at + typeKey.length, close)
    if (kind === 'assistant') return recordKind.reply
    if (kind !== 'user') return claudeKind(kind)
    // A result is a user record too: the first block of the message tells.
    const pair = start + close + 2
    if (!findKey(bytes, pair, end, message) || !enter(bytes, end, content)) return null
    const block = spot.valueStart
    if (bytes[block - 1] === quote) return recordKind.prompt
    if (bytes[block] !== openBracket || bytes[block + 1] !== openBrace || !findKey(bytes, block + 2, end, type)) return null
    return isExactly(bytes, spot.valueStart, spot.valueEnd, toolResult) ? recordKind.result : recordKind.prompt
  },
  classify(record) {
    const kind = textAt(record, 'type') ?? ''
    if (kind === 'assistant') return { kind: recordKind.reply, ...noIds }
    if (kind !== 'user') return { kind: claudeKind(kind), ...noIds }
    const first = listAt(objectAt(record, 'message'), 'content')[0]
    const isResult = isObject(first) && first['type'] === 'tool_result'
    return { kind: isResult ? recordKind.result : recordKind.prompt, ...noIds }
  },
  promptText: (record) => blocksText(objectAt(record, 'message')?.['content']),
}

function claudeKind(type: string): RecordKind {
  return type === 'file-history-snapshot' ? recordKind.snapshot : recordKind.note
}

/** Kinds of Codex's records. */
export const codexSniffer: RecordSniffer = {
  format: 'codex',
  hasIds: false,
  opening: Buffer.from('{"timestamp":'),
  ...noPromptIds,
  sniff(bytes, start, end) {
    if (bytes[start] !== openBrace || !findKey(bytes, start + 1, end, payload)) return null
    const inner = spot.valueStart + 1
    if (!enter(bytes, end, type)) return null
    if (!isExactly(bytes, spot.valueStart, spot.valueEnd, message)) return recordKind.note
    if (!findKey(bytes, inner, end, role)) return null
    if (isExactly(bytes, spot.valueStart, spot.valueEnd, assistant)) return recordKind.reply
    // The same payload under another outer type is no prompt, so the parsed line decides.
    return isExactly(bytes, spot.valueStart, spot.valueEnd, user) ? recordKind.prompt : recordKind.note
  },
  classify(record) {
    const inner = objectAt(record, 'payload')
    const isMessage = textAt(record, 'type') === 'response_item' && textAt(inner, 'type') === 'message'
    if (!isMessage) return { kind: recordKind.note, ...noIds }
    const speaker = textAt(inner, 'role')
    const kind = speaker === 'user' ? recordKind.prompt : speaker === 'assistant' ? recordKind.reply : recordKind.note
    return { kind, ...noIds }
  },
  promptText: (record) => blocksText(objectAt(record, 'payload')?.['content']),
}

function blocksText(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((block) => (isObject(block) ? (textAt(block, 'text') ?? '') : '')).join('')
}
