import { promptText, userRecordKind } from './claude-messages.js'
import { linesOf } from './claude-patch.js'
import { isExactly, newPairSpot, readPair, standsAt } from './json-bytes.js'
import { enterValue, findKey } from './json-keys.js'
import { objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type Classified, type RecordKind, type RecordSniffer } from './record-sniff.js'

// A record of the talk begins {"parentUuid":"…" or null,"isSidechain":false, and has its own identity behind its message, before its
// time: so what stands before it is looked over in one search. Other records begin {"type":"…".
const opening = Buffer.from('{"parentUuid":')
const noParent = Buffer.from('null,')
const mainChain = Buffer.from('"isSidechain":false,')
const uuidKey = Buffer.from(',"uuid":"')
const timeKey = Buffer.from('","timestamp":"')
const typeOpening = Buffer.from('{"type":"')
const snapshotOpening = Buffer.from('{"type":"file-history-snapshot","messageId":"')
const snapshotKey = Buffer.from('","snapshot":{"messageId":"')
const ofAssistant = Buffer.from('"type":"assistant"')
const ofAttachment = Buffer.from('"type":"attachment"')
const type = Buffer.from('type')
const patchKey = Buffer.from('"structuredPatch":[{')
const createdKey = Buffer.from('"type":"create"')
const user = Buffer.from('user')
const message = Buffer.from('message')
const content = Buffer.from('content')
const toolResult = Buffer.from('tool_result')
const idBytes = 36
const quote = 34
const comma = 44
const openBrace = 123
const openBracket = 91
const closeBrace = 125
const backslash = 92
const pair = newPairSpot()

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
      if (bytes[at - 2] !== quote || bytes[at - 1] !== comma || !isPlain(bytes, parent)) return null
    } else {
      if (!standsAt(bytes, at, noParent)) return null
      at += noParent.length
    }
    if (!standsAt(bytes, at, mainChain)) return null
    // Beyond the line too, where it has none, which is rare: a piece of the bytes of its own costs more.
    const found = bytes.indexOf(uuidKey, at)
    const id = found + uuidKey.length
    if (found < 0 || id + idBytes > end || !standsAt(bytes, id + idBytes, timeKey) || !isPlain(bytes, id)) return null
    const kind = kindBefore(bytes, at + mainChain.length, found)
    if (kind === null) return null
    spot.idStart = id
    spot.parentStart = parent
    return kind
  },

  classify,
  promptText,
  promptIdOf: (record) => textAt(record, 'promptId'),
  snapshotPromptId: () => null,
  telemetryPromptId: () => null,

  countLines: (result) => {
    const record = result.includes(patchKey) || result.includes(createdKey) ? parseObject(result.toString()) : null
    return linesOf(objectAt(record, 'toolUseResult'))
  },

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

function sniffState(bytes: Buffer, start: number, end: number, spot: { parentStart: number }): RecordKind | null {
  if (standsAt(bytes, start, snapshotOpening)) {
    const of = start + snapshotOpening.length + idBytes + snapshotKey.length
    if (!standsAt(bytes, of - snapshotKey.length, snapshotKey) || bytes[of + idBytes] !== quote || !isPlain(bytes, of)) return null
    spot.parentStart = of
    return recordKind.copies
  }
  if (!standsAt(bytes, start, typeOpening)) return null
  const from = start + typeOpening.length
  const close = bytes.indexOf(quote, from)
  return close > 0 && close < end && close - from < 40 && stateTypes.has(bytes.toString('latin1', from, close)) ? recordKind.side : null
}

/** The kind of a record of the talk by what stands before its identity; whatever else is rare is left to the parser. */
function kindBefore(bytes: Buffer, from: number, id: number): RecordKind | null {
  if (standsAt(bytes, id - ofAssistant.length, ofAssistant)) return recordKind.reply
  if (standsAt(bytes, id - ofAttachment.length, ofAttachment)) return recordKind.note
  // Of a user record the message is the last thing before.
  if (bytes[id - 1] !== closeBrace || !findKey(bytes, from, id, type, pair)) return null
  if (!isExactly(bytes, pair.valueStart, pair.valueEnd, user)) return null
  const next = pair.valueEnd + 2
  readPair(bytes, next, id, pair)
  if (!isExactly(bytes, pair.keyStart, pair.keyEnd, message) || !enterValue(bytes, id, content, pair)) return null
  const block = pair.valueStart
  // Whether it is a prompt the parsed record tells; one that is too long to be parsed is taken for one.
  if (bytes[block - 1] === quote) return recordKind.prompt
  if (bytes[block] !== openBracket || bytes[block + 1] !== openBrace || !findKey(bytes, block + 2, id, type, pair)) return null
  return isExactly(bytes, pair.valueStart, pair.valueEnd, toolResult) ? recordKind.result : recordKind.prompt
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

function isPlain(bytes: Buffer, at: number): boolean {
  for (let i = at; i < at + idBytes; i++) if (bytes[i] === quote || bytes[i] === backslash) return false
  return true
}
