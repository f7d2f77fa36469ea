import { startsAgent } from './claude-calls.js'
import { indexOfKey, rareKey } from './json-bytes.js'
import { isObject, listAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type RecordKind, type UsageRecords } from './record-sniff.js'
import { costAt, inputWithCache, tokensAt, usageFrom } from './usage-values.js'
import type { UsageSum } from './usage-sum.js'

const usageKey = Buffer.from('"usage":{')
// In the text of an output these keys stand with escaped quotes, so only the recorder's own match.
const agentKey = rareKey('"agentId":"', 'I')
const contentKey = Buffer.from(',"content":[')
const stopKey = Buffer.from('],"stop_reason":')
const agentCalls = [Buffer.from('"name":"Task"'), Buffer.from('"name":"Agent"')]
const quote = 34
const longestId = 100

/** What the model wrote tells of tokens, that of older versions' subagents too; answers name the logs of subagents. */
export const claudeUsage: UsageRecords = {
  kinds: new Set<RecordKind>([recordKind.reply, recordKind.side, recordKind.result]),
  isRunning: false,
  take: (bytes, kind, sum) => {
    if (kind !== recordKind.reply) takeAgent(bytes, sum)
    if (kind === recordKind.result || (kind !== recordKind.reply && !bytes.includes(usageKey))) return
    const record = withoutContent(bytes) ?? parseObject(bytes.toString())
    if (record?.['type'] === 'assistant') takeReply(record, sum)
  },
}

function takeAgent(bytes: Buffer, sum: UsageSum): void {
  const from = indexOfKey(bytes, agentKey) + agentKey.whole.length
  const close = from < agentKey.whole.length ? -1 : bytes.indexOf(quote, from)
  if (close > from && close - from <= longestId) sum.agents.add(bytes.toString('latin1', from, close))
}

/**
 * A reply without what it says, which is most of it; `null` where the bytes are not the usual ones, or it calls a subagent. Keys in a
 * text have escaped quotes, and those of a call's arguments stand before the message's own.
 */
function withoutContent(bytes: Buffer): JsonObject | null {
  const from = bytes.indexOf(contentKey)
  const to = bytes.lastIndexOf(stopKey)
  if (from < 0 || to < from || agentCalls.some((name) => bytes.subarray(from, to).includes(name))) return null
  return parseObject(bytes.toString('utf8', 0, from + contentKey.length) + bytes.toString('utf8', to))
}

function takeReply(record: JsonObject, sum: UsageSum): void {
  const message = objectAt(record, 'message')
  for (const block of listAt(message, 'content')) {
    const callId = isObject(block) && startsAgent({ name: textAt(block, 'name') ?? '' }) ? textAt(block, 'id') : null
    if (callId !== null) sum.call(callId)
  }
  // A message that the program itself made up, as for an error.
  if (textAt(message, 'model') === '<synthetic>') return
  const told = objectAt(message, 'usage')
  const read = tokensAt(told, 'cache_read_input_tokens')
  const usage = usageFrom({
    input: inputWithCache(tokensAt(told, 'input_tokens'), read, tokensAt(told, 'cache_creation_input_tokens')),
    cached: read,
    output: tokensAt(told, 'output_tokens'),
    // Versions before 1.0.10 or so noted it.
    cost: costAt(record, 'costUSD'),
  })
  const id = textAt(message, 'id')
  if (usage) sum.message(id === null ? (textAt(record, 'uuid') ?? '') : `${id} ${textAt(record, 'requestId') ?? ''}`, usage)
}
