import { fileEdits, statOfEdits, statusOf } from './codex-fields.js'
import { codexUsage } from './codex-usage.js'
import { newPairSpot, readPair, standsAt } from './json-bytes.js'
import { enterValue, findKey } from './json-keys.js'
import { blocksText, listAt, numberAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type CountedEdits, type RecordKind, type RecordSniffer } from './record-sniff.js'

const type = Buffer.from('type')
const role = Buffer.from('role')
const item = Buffer.from('item')
const payload = Buffer.from('payload')
const openBrace = 123
const quote = 34
const newline = 10
const opening = Buffer.from('{"timestamp":"')
const timeBytes = 24
const spot = newPairSpot()
const rollback = 'thread_rolled_back'
const noIds = { id: null, parentId: null, sessionId: null }

/** What the model was given or said; `null`: the parsed line decides. */
const responseKinds: Readonly<Record<string, RecordKind>> = {
  reasoning: recordKind.reply,
  web_search_call: recordKind.note,
  compaction: recordKind.note,
  compaction_summary: recordKind.note,
}

/** Events that show what the agent said or thought, and those that change nothing and show nothing of their own. */
const sayings: ReadonlySet<string> = new Set(['agent_message', 'agent_reasoning', 'agent_reasoning_raw_content', 'AgentMessage', 'Reasoning', 'Plan'])
const signs: ReadonlySet<string> = new Set(
  `task_started task_complete turn_started turn_complete turn_aborted thread_settings_applied thread_name_updated
  context_compacted ContextCompaction entered_review_mode exited_review_mode WebSearch shutdown shutdown_complete`.split(/\s+/),
)
const tokenCount = 'token_count'
/** Events that end a session; the first ones only a run that ends with its turn. */
const turnEnds: ReadonlySet<string> = new Set(['task_complete', 'turn_complete', 'turn_aborted'])
const shutdowns: ReadonlySet<string> = new Set(['shutdown', 'shutdown_complete'])
const outerKinds: Readonly<Record<string, RecordKind>> = {
  session_meta: recordKind.side,
  // It names the model, which is looked for among replies.
  turn_context: recordKind.reply,
  compacted: recordKind.compression,
  world_state: recordKind.side,
  token_usage_record: recordKind.side,
}

/** Names that are told in place, by length and by first and last letter. */
const names = new Map<number, Buffer>()
const textOf = new Map<Buffer, string>()
const usualNames = `session_meta turn_context compacted world_state token_usage_record response_item event_msg item_completed
  user_message UserMessage message user assistant developer reasoning CommandExecution FileChange function_call
  function_call_output custom_tool_call custom_tool_call_output`.split(/\s+/)
for (const name of [...usualNames, ...sayings, ...signs, tokenCount]) {
  const bytes = Buffer.from(name)
  names.set(keyOf(bytes, 0, bytes.length), bytes)
  textOf.set(bytes, name)
}

/** Openings of messages that stand for the user but that nobody typed. */
const injectedTags = 'environment_context|user_instructions|turn_aborted|permissions|skill|subagent_notification|user_shell_command|INSTRUCTIONS|collaboration_mode'
const injected = new RegExp(`^\\s*(<(${injectedTags})[\\s>]|# AGENTS\\.md|Warning: )`)

/** Kinds of Codex's records. Prompts are told by what the user saw. */
export const codexSniffer: RecordSniffer = createSniffer(false)

/** The same for a log that holds only what the model was given. */
export const codexResponseSniffer: RecordSniffer = createSniffer(true)

/** What stands in an event that shows a prompt, and in what the model was given. */
const shownMarks = [Buffer.from('"type":"user_message"'), Buffer.from('"type":"UserMessage"')]
const responseMark = Buffer.from('"response_item"')

/** What the model is given in a turn without being asked; every other response item behind a prompt is an answer to it. */
const unasked: ReadonlySet<string> = new Set(['ghost_snapshot', 'compaction', 'compaction_summary'])

/**
 * Which of the two fits: the second where a prompt was answered, and no event showed it before that. `null` where these first bytes
 * of a log do not tell; a line that is cut off tells nothing.
 */
export function codexSnifferFor(head: Buffer): RecordSniffer | null {
  const shown = shownMarks.map((mark) => head.indexOf(mark)).filter((at) => at >= 0)
  const firstShown = Math.min(...shown, head.length)
  let isAsked = false
  for (let start = 0, end = head.indexOf(newline); end >= 0; start = end + 1, end = head.indexOf(newline, start)) {
    if (firstShown < end) return codexSniffer
    // The first line alone may have tens of thousands of letters.
    const item = head.subarray(start, end).includes(responseMark) ? objectAt(parseObject(head.toString('utf8', start, end)), 'payload') : null
    if (!item) continue
    const kind = textAt(item, 'type') ?? ''
    const speaker = textAt(item, 'role')
    const isAnswer = kind === 'message' ? speaker === 'assistant' : !unasked.has(kind)
    if (isAsked && isAnswer) return codexResponseSniffer
    if (kind === 'message' && speaker === 'user' && isTyped(item)) isAsked = true
  }
  return null
}

function createSniffer(isOfResponses: boolean): RecordSniffer {
  return {
    format: 'codex',
    hasIds: false,
    opening: Buffer.from('{"timestamp":'),
    rootsAreSure: false,
    snapshotPromptId: () => null,
    telemetryPromptId: () => null,
    // Whether it is a prompt the parsed record tells; one that is too long to be parsed is taken for one.
    sniff(bytes, start, end) {
      const outer = outerType(bytes, start, end)
      if (outer === null) return null
      const known = outerKinds[outer]
      if (known !== undefined) return known
      if ((outer !== 'response_item' && outer !== 'event_msg') || !enterValue(bytes, end, type, spot)) return null
      const kind = nameAt(bytes)
      if (outer === 'event_msg') {
        if (kind === rollback) return null
        if (kind !== 'item_completed') return kind === 'user_message' ? recordKind.prompt : eventKind(kind)
        if (!findKey(bytes, spot.valueEnd + 2, end, item, spot) || !enterValue(bytes, end, type, spot)) return null
        const shown = nameAt(bytes)
        return shown === 'UserMessage' ? recordKind.prompt : eventKind(shown)
      }
      if (kind !== 'message') return responseKinds[kind] ?? recordKind.ledger
      if (!findKey(bytes, spot.valueEnd + 2, end, role, spot)) return null
      const speaker = nameAt(bytes)
      return speaker === 'user' && isOfResponses ? recordKind.prompt : messageKind(speaker)
    },
    timePlace: (line) => (standsAt(line, 0, opening) && line[opening.length + timeBytes] === quote ? opening.length : -1),
    edits: { kinds: new Set([recordKind.ledger]), take: editsOfPatch },
    classify(record) {
      return { kind: kindOf(record, isOfResponses), ...noIds }
    },
    promptText,
    promptIdOf: (record) => textAt(objectAt(record, 'payload'), 'turn_id'),
    titles: { kind: recordKind.note, marks: ['thread_name_updated'].map((each) => Buffer.from(each)) },
    titleOf: (record) => {
      const event = objectAt(record, 'payload')
      const text = textAt(event, 'type') === 'thread_name_updated' ? textAt(event, 'thread_name') : null
      return text === null || text.trim() === '' ? null : { text, rank: 0 }
    },
    usage: codexUsage,
    endOf,
    lineageOf: (record) => (textAt(record, 'type') === 'session_meta' ? lineageOf(objectAt(record, 'payload')) : []),
    takenBackBy: (record) => takenBackBy(objectAt(record, 'payload')),
    factsOf,
  }
}

/**
 * How many prompts a rollback took away from the talk; files are left as they are.
 * Source: Codex counts the messages of the user, of all turns when they are fewer.
 */
function takenBackBy(event: JsonObject | null): number | null {
  const count = numberAt(event, 'num_turns')
  return count !== null && Number.isSafeInteger(count) && count > 0 ? count : null
}

/**
 * What the first record tells of a session, each with a word before it: its thread, the one whose agent started it, the segment that
 * it goes on from and up to where.
 */
function lineageOf(meta: JsonObject | null): readonly string[] {
  const base = objectAt(meta, 'history_base')
  const cut = numberAt(base, 'end_byte_offset')
  const spawned = objectAt(objectAt(objectAt(meta, 'source'), 'subagent'), 'thread_spawn')
  const facts = {
    thread: textAt(meta, 'id'),
    parent: textAt(spawned, 'parent_thread_id') ?? (meta?.['thread_source'] === 'subagent' ? textAt(meta, 'parent_thread_id') : null),
    agent: textAt(spawned, 'agent_nickname') ?? textAt(meta, 'agent_nickname') ?? textAt(spawned, 'agent_role'),
    path: textAt(spawned, 'agent_path') ?? textAt(meta, 'agent_path'),
    base: textAt(base, 'thread_id'),
    cut: cut === null ? null : String(cut),
    began: textAt(meta, 'timestamp'),
    version: textAt(meta, 'cli_version'),
    commit: textAt(objectAt(meta, 'git'), 'commit_hash'),
    source: textAt(meta, 'source'),
  }
  return Object.entries(facts).flatMap(([name, value]) => (value === null || value.length > 200 ? [] : [`${name}:${value}`]))
}

function endOf(record: JsonObject, lineage: readonly string[]): 'ended' | 'going' | null {
  const inside = objectAt(record, 'payload')
  if (record['type'] === 'response_item') return 'going'
  if (record['type'] !== 'event_msg') return null
  const kind = textAt(inside, 'type') ?? ''
  if (shutdowns.has(kind) || (turnEnds.has(kind) && lineage.includes('source:exec'))) return 'ended'
  return kind === tokenCount || kind === 'thread_settings_applied' ? null : 'going'
}

/** What a record says of its session, by the names that other agents give to it. */
function factsOf(record: JsonObject): JsonObject {
  const inside = objectAt(record, 'payload')
  switch (record['type']) {
    case 'session_meta':
      return { cwd: inside?.['cwd'], sessionId: inside?.['id'], gitBranch: objectAt(inside, 'git')?.['branch'] }
    case 'turn_context':
      return { cwd: inside?.['cwd'], model: inside?.['model'] }
    default:
      return {}
  }
}

function kindOf(record: JsonObject, isOfResponses: boolean): RecordKind {
  const outer = textAt(record, 'type') ?? ''
  const inside = objectAt(record, 'payload')
  if (!inside) return recordKind.unknown
  const known = Object.hasOwn(outerKinds, outer) ? outerKinds[outer] : undefined
  if (known !== undefined) return known
  const kind = textAt(inside, 'type') ?? ''
  if (outer === 'event_msg') {
    if (kind === 'user_message') return isPlain(inside) ? recordKind.prompt : recordKind.note
    // One that does not say how far it went back is shown, and counted as not understood.
    if (kind === rollback) return takenBackBy(inside) === null ? recordKind.strange : recordKind.rewind
    if (kind !== 'item_completed') return eventKind(kind)
    const shown = textAt(objectAt(inside, 'item'), 'type') ?? ''
    return shown === 'UserMessage' ? recordKind.prompt : eventKind(shown)
  }
  if (outer !== 'response_item') return recordKind.unknown
  if (kind !== 'message') return (Object.hasOwn(responseKinds, kind) ? responseKinds[kind] : undefined) ?? recordKind.ledger
  const speaker = textAt(inside, 'role') ?? ''
  return speaker === 'user' && isOfResponses && isTyped(inside) ? recordKind.prompt : messageKind(speaker)
}

function messageKind(speaker: string): RecordKind {
  return speaker === 'assistant' ? recordKind.reply : recordKind.note
}

/** What runs, changes files, or is not known, is looked at when states are worked out. */
function eventKind(kind: string): RecordKind {
  return sayings.has(kind) ? recordKind.reply : kind === tokenCount ? recordKind.usage : signs.has(kind) ? recordKind.note : recordKind.ledger
}

function isPlain(event: JsonObject): boolean {
  const kind = event['kind']
  return kind === undefined || kind === null || kind === 'plain'
}

function isTyped(message: JsonObject): boolean {
  const kinds = listAt(objectAt(message, 'internal_chat_message_metadata_passthrough'), 'content_item_kinds')
  return kinds.length > 0 ? kinds.includes('user.text') : !injected.test(blocksText(message['content']))
}

function promptText(record: JsonObject): string {
  const inside = objectAt(record, 'payload')
  const said = textAt(inside, 'message')
  return said ?? blocksText(objectAt(inside, 'item')?.['content'] ?? inside?.['content'])
}

/** The type of a record; `spot` is left at its payload. */
function outerType(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== openBrace) return null
  // Nearly all begin with a time of 24 bytes.
  const isUsual = standsAt(bytes, start, opening) && bytes[start + opening.length + timeBytes] === quote
  let found: string | null = null
  for (let at = isUsual ? start + opening.length + timeBytes + 2 : start + 1; at >= 0 && at < end; ) {
    spot.keyStart = spot.keyEnd = 0
    at = readPair(bytes, at, end, spot)
    const length = spot.keyEnd - spot.keyStart
    if (length === type.length && standsAt(bytes, spot.keyStart, type)) found = spot.kind === 'string' ? nameAt(bytes) : null
    else if (length === payload.length && standsAt(bytes, spot.keyStart, payload)) return found
  }
  return null
}

/** The name that is the present value. */
function nameAt(bytes: Buffer): string {
  const { valueStart, valueEnd } = spot
  const known = names.get(keyOf(bytes, valueStart, valueEnd))
  const isIt = known !== undefined && known.length === valueEnd - valueStart && standsAt(bytes, valueStart, known)
  return (isIt ? textOf.get(known) : undefined) ?? bytes.toString('latin1', valueStart, valueEnd)
}

function keyOf(bytes: Uint8Array, start: number, end: number): number {
  return ((end - start) << 16) | ((bytes[start] ?? 0) << 8) | (bytes[end - 1] ?? 0)
}

const patched = [Buffer.from('"type":"FileChange"'), Buffer.from('"type":"patch_apply_end"')]

/** Of a patch that was applied. */
function editsOfPatch(line: Buffer): CountedEdits | null {
  if (!patched.some((sign) => line.includes(sign))) return null
  const event = objectAt(parseObject(line.toString()), 'payload')
  const said = textAt(event, 'type') === 'item_completed' ? objectAt(event, 'item') : event
  if (!said || statusOf(said) !== 'done') return null
  const edits = fileEdits(said['changes'])
  const stat = statOfEdits(edits)
  return stat && { ...stat, paths: edits.map(({ path }) => path), callId: textAt(said, said === event ? 'call_id' : 'id') }
}
