import { leaves, promptText, userRecordKind } from './claude-messages.js'
import { linesOf } from './claude-patch.js'
import { claudeUsage } from './claude-usage.js'
import { indexOfKey, isExactly, isPlain, newPairSpot, rareKey, readPair, standsAt } from './json-bytes.js'
import { enterValue, findKey } from './json-keys.js'
import { objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type Classified, type RecordKind, type RecordSniffer } from './record-sniff.js'

// A record of the talk begins {"parentUuid":"…" or null,"isSidechain":false, and has its own identity behind its message, before its
// time. Of most records little follows, so that it is looked for at their ends; of a result, all that the tool did. Other records
// begin {"type":"…".
const opening = Buffer.from('{"parentUuid":')
const noParent = Buffer.from('null,')
const mainChain = Buffer.from('"isSidechain":false,')
const sideChain = Buffer.from('"isSidechain":true,')
const uuidKey = Buffer.from(',"uuid":"')
const timeKey = Buffer.from('","timestamp":"')
const typeOpening = Buffer.from('{"type":"')
const snapshotOpening = Buffer.from('{"type":"file-history-snapshot","messageId":"')
const snapshotKey = Buffer.from('","snapshot":{"messageId":"')
const messageOpening = Buffer.from('"message":{')
const attachmentOpening = Buffer.from('"attachment":{')
const promptOpening = Buffer.from('"promptId":"')
const userOpening = Buffer.from('"type":"user","message":{"role":"user","content":')
const resultOpening = Buffer.from('[{"tool_use_id":"')
const resultType = Buffer.from('","type":"tool_result"')
const ofAssistant = Buffer.from('"type":"assistant"')
const ofAttachment = Buffer.from('"type":"attachment"')
const type = Buffer.from('type')
const typeKey = Buffer.from('"type":"')
const toldKey = rareKey('"toolUseResult":{', 'U')
const patchKey = rareKey('"structuredPatch":[{', 'P')
const createdKey = Buffer.from('"type":"create"')
const user = Buffer.from('user')
const assistant = Buffer.from('assistant')
const attachment = Buffer.from('attachment')
const progress = Buffer.from('progress')
const message = Buffer.from('message')
const content = Buffer.from('content')
const toolResult = Buffer.from('tool_result')
const idBytes = 36
const idWords = idBytes / 4
/** Where a record's identity stands before its end, unless a long result follows. */
const tailBytes = 512
/** From here on it pays to look for a long key instead of a short one. */
const longBytes = 2048
const quote = 34
const comma = 44
const openBrace = 123
const openBracket = 91
const closeBracket = 93
const closeBrace = 125
const pair = newPairSpot()

/**
 * The key of a time with the hour of the record before, which most often is this one's too: long keys are found several times as fast.
 * A wrong guess costs time only.
 */
const usualTime = Buffer.concat([timeKey, Buffer.from('0000-00-00T00')])
const hourBytes = usualTime.length - timeKey.length

/** Records of the session's state, of which the latest counts; no part of the talk. */
const stateTypes: ReadonlySet<string> = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'artifact-autoreact-ledger',
  'artifact-comment-monitor',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'content-replacement',
  'cost-state',
  'custom-title',
  'frame-link',
  'last-prompt',
  'marble-origami-commit',
  'marble-origami-snapshot',
  'mode',
  'permission-mode',
  'pr-link',
  'queue-operation',
  'speculation-accept',
  'summary',
  'tag',
  'task-summary',
  'worktree-state',
])

const systemSubtypes: ReadonlySet<string> = new Set([
  'agents_killed',
  'api_error',
  'api_metrics',
  'away_summary',
  'bridge_status',
  'file_snapshot',
  'informational',
  'local_command',
  'memory_saved',
  'microcompact_boundary',
  'model_consent_fallback',
  'permission_retry',
  'scheduled_task_fire',
  'stop_hook_summary',
  'turn_duration',
])

const withoutId = { id: null, parentId: null, sessionId: null }

/**
 * Kinds of the records of Claude Code.
 * Source: recorded logs of 2.1.197 and 1.0.60, and published schemas of the versions between.
 */
export const claudeSniffer: RecordSniffer = {
  format: 'claude',
  hasIds: true,
  rootsAreSure: true,
  opening,
  lateMark: uuidKey,

  sniff(bytes, start, end, spot) {
    spot.idStart = spot.parentStart = spot.sessionStart = -1
    if (!standsAt(bytes, start, opening)) return sniffState(bytes, start, end, spot)
    let at = start + opening.length
    let parent = -1
    if (bytes[at] === quote) {
      parent = at + 1
      at = parent + idBytes + 2
      if (bytes[at - 2] !== quote || bytes[at - 1] !== comma || !isPlain(bytes, parent, idWords)) return null
    } else {
      if (!standsAt(bytes, at, noParent)) return null
      at += noParent.length
    }
    const isMain = standsAt(bytes, at, mainChain)
    if (!isMain && !standsAt(bytes, at, sideChain)) return null
    at += isMain ? mainChain.length : sideChain.length
    const told = kindByHead(bytes, at, end)
    if (told === null) return null
    const id = told === recordKind.result || told === recordKind.prompt ? idBehindMessage(bytes, at, end, told) : idAtEnd(bytes, at, end)
    if (id < 0) return null
    const kind = told === kindIsLate ? kindBefore(bytes, id - uuidKey.length) : told
    // Older versions keep the talk with a subagent among the rest.
    if (kind === null || !isMain) return kind === null ? null : recordKind.side
    spot.idStart = id
    spot.parentStart = parent
    return kind
  },

  timePlace: (_, { idStart }) => (idStart < 0 ? -1 : idStart + idBytes + timeKey.length),

  classify,
  promptText,
  promptIdOf: (record) => textAt(record, 'promptId'),
  snapshotPromptId: () => null,
  telemetryPromptId: () => null,

  edits: {
    kinds: new Set([recordKind.result]),
    take: (result) => {
      const record = mayTellEdit(result) ? parseObject(result.toString()) : null
      const told = objectAt(record, 'toolUseResult')
      const path = textAt(told, 'filePath')
      return { ...linesOf(told), paths: path === null ? [] : [path] }
    },
  },

  usage: claudeUsage,
  endOf: (record) => {
    const attachment = objectAt(record, 'attachment')
    if (textAt(attachment, 'hookEvent') === 'SessionEnd') return 'ended'
    if (record['isSidechain'] === true) return null
    if (record['type'] === 'assistant') return 'going'
    if (record['type'] !== 'user') return null
    return leaves(record) ? 'ended' : userRecordKind(record) === 'other' ? null : 'going'
  },

  titles: { kind: recordKind.side, marks: ['custom-title', 'ai-title', 'summary'].map((each) => Buffer.from(each)) },
  titleOf: (record) => {
    const given = textAt(record, 'customTitle')
    const made = textAt(record, 'aiTitle')
    const old = textAt(record, 'summary')
    switch (record['type']) {
      case 'custom-title':
        return given === null ? null : { text: given, rank: 0 }
      case 'ai-title':
        return made === null ? null : { text: made, rank: 1 }
      case 'summary':
        return old === null ? null : { text: old, rank: 2 }
      default:
        return null
    }
  },

  // Where a copy of a session begins: at its first prompt, or at the compaction that it was copied from on.
  lineageOf: (record) => {
    const id = textAt(record, 'uuid')
    const { kind } = classify(record)
    return id !== null && (kind === recordKind.prompt || kind === recordKind.compression) ? [id] : []
  },
}

/** Whether a result may tell of an edit: of a patch behind the name of what the tool did, or of a new file. */
function mayTellEdit(result: Buffer): boolean {
  const told = indexOfKey(result, toldKey)
  if (told < 0) return false
  const first = told + toldKey.whole.length
  return standsAt(result, first, createdKey) || indexOfKey(result, patchKey, first) >= 0 || (!standsAt(result, first, typeKey) && result.indexOf(createdKey, first) >= 0)
}

function sniffState(bytes: Buffer, start: number, end: number, spot: { parentStart: number }): RecordKind | null {
  if (standsAt(bytes, start, snapshotOpening)) {
    const of = start + snapshotOpening.length + idBytes + snapshotKey.length
    if (!standsAt(bytes, of - snapshotKey.length, snapshotKey) || bytes[of + idBytes] !== quote || !isPlain(bytes, of, idWords)) return null
    spot.parentStart = of
    return recordKind.copies
  }
  if (!standsAt(bytes, start, typeOpening)) return null
  const from = start + typeOpening.length
  const close = bytes.indexOf(quote, from)
  return close > 0 && close < end && close - from < 40 && stateTypes.has(bytes.toString('latin1', from, close)) ? recordKind.side : null
}

/** The type stands behind the message. */
const kindIsLate = -1

/** The kind of a record of the talk by what stands before or in its message; whatever is rare is left to the parser. */
function kindByHead(bytes: Buffer, from: number, end: number): RecordKind | typeof kindIsLate | null {
  if (standsAt(bytes, from, messageOpening) || standsAt(bytes, from, attachmentOpening)) return kindIsLate
  const promptId = from + promptOpening.length
  const at = standsAt(bytes, from, promptOpening) && bytes[promptId + idBytes] === quote && isPlain(bytes, promptId, idWords) ? promptId + idBytes + 2 : from
  if (standsAt(bytes, at, userOpening)) {
    const block = at + userOpening.length
    // Whether it is a prompt the parsed record tells; one that is too long to be parsed is taken for one.
    if (bytes[block] === quote) return recordKind.prompt
    if (standsAt(bytes, block, resultOpening)) {
      const close = bytes.indexOf(quote, block + resultOpening.length)
      if (close >= 0 && close < end && standsAt(bytes, close, resultType)) return recordKind.result
    }
  }
  if (!findKey(bytes, from, end, type, pair)) return null
  const { valueStart, valueEnd } = pair
  if (isExactly(bytes, valueStart, valueEnd, assistant)) return recordKind.reply
  if (isExactly(bytes, valueStart, valueEnd, attachment) || isExactly(bytes, valueStart, valueEnd, progress)) return recordKind.note
  if (!isExactly(bytes, valueStart, valueEnd, user)) return null
  readPair(bytes, valueEnd + 2, end, pair)
  if (!isExactly(bytes, pair.keyStart, pair.keyEnd, message) || !enterValue(bytes, end, content, pair)) return null
  const block = pair.valueStart
  if (bytes[block - 1] === quote) return recordKind.prompt
  if (bytes[block] !== openBracket || bytes[block + 1] !== openBrace || !findKey(bytes, block + 2, end, type, pair)) return null
  return isExactly(bytes, pair.valueStart, pair.valueEnd, toolResult) ? recordKind.result : recordKind.prompt
}

function kindBefore(bytes: Buffer, idKey: number): RecordKind | null {
  if (standsAt(bytes, idKey - ofAssistant.length, ofAssistant)) return recordKind.reply
  return standsAt(bytes, idKey - ofAttachment.length, ofAttachment) ? recordKind.note : null
}

/** How far before its end the record before had its identity. */
let usualTail = 0

/** The identity of a record with little behind it; -1 where it is not found. What has no more braces behind it is in no inner object. */
function idAtEnd(bytes: Buffer, from: number, end: number): number {
  // Of a line that is too long only what stands around the first one is there.
  const isWhole = bytes[end - 1] === closeBrace
  const usual = end - usualTail
  if (isWhole && usual - uuidKey.length >= from && standsAt(bytes, usual - uuidKey.length, uuidKey) && isId(bytes, usual, end) && bytes.indexOf(closeBrace, usual) === end - 1) return usual
  // Beyond the line too, where it has none, which is rare: a piece of the bytes of its own costs more.
  let found = bytes.indexOf(uuidKey, isWhole ? Math.max(from, end - tailBytes) : from)
  while (found >= 0 && found < end) {
    const id = found + uuidKey.length
    if (isId(bytes, id, end) && (!isWhole || bytes.indexOf(closeBrace, id) === end - 1)) {
      usualTail = end - id
      return id
    }
    found = bytes.indexOf(uuidKey, id)
  }
  return -1
}

/** The identity behind the message, after which all that a tool did may follow; -1 where it is not found. */
function idBehindMessage(bytes: Buffer, from: number, end: number, kind: RecordKind): number {
  let id = -1
  if (end - from >= longBytes) {
    const time = bytes.indexOf(usualTime, from)
    if (time >= 0 && time < end && standsAt(bytes, time - idBytes - uuidKey.length, uuidKey)) id = time - idBytes
  }
  if (id < 0) id = bytes.indexOf(uuidKey, from) + uuidKey.length
  if (id < uuidKey.length || !isId(bytes, id, end)) return -1
  const before = id - uuidKey.length
  return bytes[before - 1] === closeBrace && (kind === recordKind.prompt || bytes[before - 2] === closeBracket) ? id : -1
}

/** Whether an identity stands here and a time behind it, of which the hour is remembered. */
function isId(bytes: Buffer, id: number, end: number): boolean {
  const time = id + idBytes + timeKey.length
  if (time + hourBytes > end || !standsAt(bytes, time - timeKey.length, timeKey) || !isPlain(bytes, id, idWords)) return false
  for (let i = 0; i < hourBytes; i++) usualTime[timeKey.length + i] = bytes[time + i] ?? 0
  return true
}

function classify(record: JsonObject): Classified {
  const kind = record['type']
  if (kind === 'file-history-snapshot') {
    return { ...withoutId, kind: recordKind.copies, parentId: textAt(objectAt(record, 'snapshot'), 'messageId') ?? textAt(record, 'messageId') }
  }
  if (kind === 'file-history-delta') return { ...withoutId, kind: recordKind.addedCopies, parentId: textAt(record, 'messageId') }
  if (typeof kind === 'string' && stateTypes.has(kind)) return { ...withoutId, kind: recordKind.side }
  const id = textAt(record, 'uuid')
  const parentId = record['parentUuid'] ?? null
  if (id === null || id === '' || !(parentId === null || typeof parentId === 'string')) return { ...withoutId, kind: recordKind.unknown }
  // Older versions keep the talk with a subagent among the rest.
  if (record['isSidechain'] === true) return { ...withoutId, kind: recordKind.side }
  const place = { id, parentId, sessionId: null }
  switch (kind) {
    case 'assistant':
      return { ...place, kind: recordKind.reply }
    case 'user':
      return { ...place, kind: userKind(record, parentId) }
    case 'attachment':
    case 'progress':
      return { ...place, kind: recordKind.note }
    case 'system':
      return systemRecord(record, id, parentId)
    default:
      return { ...place, kind: recordKind.strange }
  }
}

function userKind(record: JsonObject, parentId: string | null): RecordKind {
  switch (userRecordKind(record)) {
    case 'prompt':
      return recordKind.prompt
    case 'result':
      return recordKind.result
    case 'compaction':
      return parentId === null ? recordKind.compression : recordKind.note
    case 'other':
      return recordKind.note
  }
}

function systemRecord(record: JsonObject, id: string, parentId: string | null): Classified {
  const subtype = textAt(record, 'subtype')
  if (subtype === 'compact_boundary') return { kind: recordKind.compression, id, parentId: parentId ?? textAt(record, 'logicalParentUuid'), sessionId: null }
  return { kind: subtype !== null && systemSubtypes.has(subtype) ? recordKind.note : recordKind.strange, id, parentId, sessionId: null }
}
