import { indexOfKey, isExactly, isPlain, newPairSpot, rareKey, type RareKey, readPair, standsAt } from './json-bytes.js'
import { isObject, listAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { qwenUsage } from './qwen-usage.js'
import { recordKind, type RecordKind, type RecordSniffer } from './record-sniff.js'

// A record begins {"uuid":"…","parentUuid":"…" or null,"sessionId":"…","timestamp":"…","type":"…", with ids of 36 bytes and
// times of 24: so everything stands at a known place.
const opening = Buffer.from('{"uuid":"')
const parentKey = Buffer.from('","parentUuid":')
const noParent = Buffer.from('null,"sessionId":"')
const sessionKey = Buffer.from('","sessionId":"')
const timeKey = Buffer.from('","timestamp":"')
const typeKey = Buffer.from('","type":"')
const idBytes = 36
const idWords = idBytes / 4
const timeBytes = 24
const shortestRecord = 200

const userType = Buffer.from('user"')
const assistantType = Buffer.from('assistant"')
const resultType = Buffer.from('tool_result"')
const systemType = Buffer.from('system"')
const subtypeKey = Buffer.from('subtype')
const quote = 34

/** How far into a line a promptId may stand; before it are the working folder and the branch. */
const promptIdWindows = [640, 16_384]
const promptIdKey = '"snapshots":[{"promptId":"'

/** User records that a person did not type as a prompt. */
const userKinds: Readonly<Record<string, RecordKind>> = {
  mid_turn_user_message: recordKind.interjection,
  realtime_message: recordKind.interjection,
  notification: recordKind.signal,
  cron: recordKind.signal,
  goal_runtime: recordKind.signal,
}

const systemKinds: ReadonlyMap<string, RecordKind> = new Map<string, RecordKind>([
  ['file_history_snapshot', recordKind.snapshot],
  // Our own records above 64 tracked files: the same shape, but only what is new.
  ['overturn_history_delta', recordKind.snapshotDelta],
  ['overturn_ledger', recordKind.ledger],
  ['ui_telemetry', recordKind.telemetry],
  ['rewind', recordKind.rewind],
  ['chat_compression', recordKind.compression],
  ...[
    'session_artifact_event',
    'session_artifact_snapshot',
    'session_sources_snapshot',
    'managed_session_header_v1',
    'managed_session_event_v1',
    'managed_session_commit_v1',
  ].map((name) => [name, recordKind.side] as const),
  ...[
    'overturn_session',
    'overturn_note',
    'slash_command',
    'at_command',
    'attribution_snapshot',
    'notification',
    'background_task_completed',
    'cron',
    'custom_title',
    'parent_session',
    'agent_bootstrap',
    'agent_launch_prompt',
    'agent_retry',
    'agent_session_ready',
    'session_source',
    'session_model',
    'omni_recall',
    'branch_checkpoint',
    'goal_state',
    'goal_runtime',
    'goal_turn_end',
    'turn_result',
    'user_text_elements',
  ].map((name) => [name, recordKind.note] as const),
])

const pair = newPairSpot()
const addedKey = rareKey('"model_added_lines":', '_')
const filePathKey = rareKey('"filePath":"', 'P')
const folderKey = rareKey('"cwd":"', '"')
const longestPath = 4096
const removedKey = rareKey('"model_removed_lines":', '_')

/**
 * Kinds of the records of qwen-code, and of our own sessions, which have its shape.
 * Source: recorded logs of qwen-code 0.24.4 and the reader in its bundle.
 */
export const qwenSniffer: RecordSniffer = {
  format: 'qwen',
  hasIds: true,
  rootsAreSure: false,
  opening,

  sniff(bytes, start, end, spot) {
    if (end - start < shortestRecord || !standsAt(bytes, start, opening)) return null
    const id = start + opening.length
    if (!standsAt(bytes, id + idBytes, parentKey) || !isPlain(bytes, id, idWords)) return null
    let at = id + idBytes + parentKey.length
    let parent = -1
    if (bytes[at] === quote) {
      parent = at + 1
      if (!standsAt(bytes, parent + idBytes, sessionKey)) return null
      at = parent + idBytes + sessionKey.length
    } else {
      if (!standsAt(bytes, at, noParent)) return null
      at += noParent.length
    }
    const session = at
    if (!standsAt(bytes, session + idBytes, timeKey)) return null
    at = session + idBytes + timeKey.length + timeBytes
    if (!standsAt(bytes, at, typeKey)) return null
    at += typeKey.length
    spot.idStart = id
    spot.parentStart = parent
    spot.sessionStart = session
    if (standsAt(bytes, at, assistantType)) return recordKind.reply
    if (standsAt(bytes, at, resultType)) return recordKind.result
    // A subtype decides, wherever it stands: the indexer parses each of these.
    if (standsAt(bytes, at, userType)) return recordKind.prompt
    if (standsAt(bytes, at, systemType)) return subtypeKind(bytes, at + systemType.length + 1, end)
    return null
  },

  timePlace: (_, { sessionStart }) => sessionStart + idBytes + timeKey.length,

  classify(record) {
    const id = textAt(record, 'uuid')
    const parentId = record['parentUuid']
    const sessionId = textAt(record, 'sessionId')
    const hasIdentity = id !== null && id !== '' && (parentId === null || typeof parentId === 'string') && sessionId !== null
    if (!hasIdentity) return { kind: recordKind.unknown, id: null, parentId: null, sessionId: null }
    return { kind: kindOf(record), id, parentId, sessionId }
  },

  promptText,

  // Only our own logs name the turn in the prompt's record.
  promptIdOf: (record) => textAt(record, 'promptId'),

  snapshotPromptId(bytes, start, end) {
    for (const window of promptIdWindows) {
      const head = bytes.toString('latin1', start, Math.min(end, start + window))
      const at = head.indexOf(promptIdKey)
      const close = at < 0 ? -1 : head.indexOf('"', at + promptIdKey.length)
      if (close < 0) continue
      const id = head.slice(at + promptIdKey.length, close)
      // Escaped or beyond ASCII: left to the parser. A string of its own, since a slice keeps the whole head alive.
      return /^[\x20-\x7e]+$/.test(id) && !id.includes('\\') ? Buffer.from(id).toString() : null
    }
    return null
  },

  telemetryPromptId: (record) => textAt(objectAt(objectAt(record, 'systemPayload'), 'uiEvent'), 'prompt_id'),

  // In the text of a tool's output these keys stand with escaped quotes, so only the recorder's own match.
  edits: {
    kinds: new Set([recordKind.result, recordKind.ledger]),
    // A session of ours names its files in the ledger, where those of patches and commands are too.
    take: (record, kind) =>
      kind === recordKind.ledger
        ? { insertions: 0, deletions: 0, paths: pathsOfLedger(parseObject(record.toString())) }
        : { insertions: numberAfter(record, addedKey), deletions: numberAfter(record, removedKey), paths: pathIn(record) },
  },

  usage: qwenUsage,
  endOf: (record) => {
    if (record['type'] === 'user') return kindOf(record) === recordKind.prompt ? 'going' : null
    const isOver = record['subtype'] === 'overturn_note' && textAt(objectAt(record, 'systemPayload'), 'kind') === 'session-ended'
    return isOver ? 'ended' : record['type'] === 'assistant' ? 'going' : null
  },

  titles: { kind: recordKind.note, marks: ['custom_title'].map((each) => Buffer.from(each)) },
  titleOf: (record) => {
    const text = textAt(record, 'subtype') === 'custom_title' ? textAt(objectAt(record, 'systemPayload'), 'customTitle') : null
    return text === null ? null : { text, rank: 0 }
  },

  lineageOf: () => [],
}

function kindOf(record: JsonObject): RecordKind {
  const subtype = record['subtype']
  const isStrange = subtype !== undefined && typeof subtype !== 'string'
  switch (record['type']) {
    case 'user':
      if (isStrange) return recordKind.strange
      return subtype === undefined ? recordKind.prompt : (userKinds[subtype] ?? recordKind.strange)
    case 'assistant':
      return recordKind.reply
    case 'tool_result':
      return recordKind.result
    case 'system':
      return (typeof subtype === 'string' ? systemKinds.get(subtype) : undefined) ?? recordKind.strange
    default:
      return recordKind.unknown
  }
}

/** The kind of a system record, by the subtype among its plain fields before the payload. */
function subtypeKind(bytes: Buffer, from: number, end: number): RecordKind | null {
  for (let at = from; at >= 0 && at < end; ) {
    pair.keyEnd = pair.keyStart
    at = readPair(bytes, at, end, pair)
    if (!isExactly(bytes, pair.keyStart, pair.keyEnd, subtypeKey)) continue
    if (pair.kind !== 'string') return null
    return systemKinds.get(bytes.toString('latin1', pair.valueStart, pair.valueEnd)) ?? recordKind.strange
  }
  return null
}

/** Marks of text that a hook added to a prompt; the person did not type it. */
const hookOpen = '<qwen:user-prompt-submit-context>'
const hookClose = '</qwen:user-prompt-submit-context>'

/** What the person typed: without what hooks added; parts that are no text are named. */
function promptText(record: JsonObject): string {
  const parts = listAt(objectAt(record, 'message'), 'parts')
  const last = parts[parts.length - 1]
  const isHooked = parts.length > 1 && isHookContext(last)
  const systemPayload = objectAt(record, 'systemPayload')
  const shown = textAt(systemPayload, 'displayText')
  if (shown !== null && (isHooked || textAt(systemPayload, 'hookContext') !== null || textAt(record, 'subtype') !== null)) return shown
  return (isHooked ? parts.slice(0, -1) : parts).map(partText).join('')
}

function isHookContext(part: unknown): boolean {
  const text = isObject(part) ? textAt(part, 'text')?.trim() : undefined
  return text !== undefined && text.startsWith(`${hookOpen}\n`) && text.endsWith(`\n${hookClose}`)
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return ''
  const text = textAt(part, 'text')
  if (text !== null) return text
  const attached = objectAt(part, 'inlineData') ?? objectAt(part, 'fileData')
  return attached ? `[${textAt(attached, 'displayName') ?? textAt(attached, 'mimeType') ?? 'attachment'}]` : ''
}

/** The path that a result names, relative to its folder where it lies there, as a ledger has it. */
function pathIn(result: Buffer): readonly string[] {
  const path = textAfter(result, filePathKey)
  const folder = textAfter(result, folderKey)
  return path === '' ? [] : [folder !== '' && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path]
}

/** The string behind a key, its escapes as they stand; empty where the key is not there. */
function textAfter(bytes: Buffer, key: RareKey): string {
  const at = indexOfKey(bytes, key) + key.whole.length
  return at < key.whole.length ? '' : (/^(?:[^"\\]|\\.)*/.exec(bytes.toString('utf8', at, at + longestPath))?.[0] ?? '')
}

/** Files that the agent changed, as a record of our ledger names them. */
function pathsOfLedger(record: JsonObject | null): readonly string[] {
  const entry = objectAt(record, 'systemPayload')
  const isAgents = entry?.['isBeforeTurn'] === false && entry['cause'] !== 'user' && entry['cause'] !== 'rewind'
  return isAgents ? listAt(entry, 'changes').flatMap((change) => (isObject(change) ? [textAt(change, 'path') ?? ''] : [])) : []
}

function numberAfter(bytes: Buffer, key: RareKey): number {
  const at = indexOfKey(bytes, key) + key.whole.length
  if (at < key.whole.length) return 0
  const digits = /^\d{1,9}/.exec(bytes.toString('latin1', at, at + 9))
  return digits ? Number(digits[0]) : 0
}
