import { isObject, listAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type RecordKind, type UsageRecords } from './record-sniff.js'
import { startsAgent } from './qwen-calls.js'
import { tokensAt, usageFrom } from './usage-values.js'
import type { UsageSum } from './usage-sum.js'

/** Replies tell of their own request, telemetry of all requests, those of subagents too. */
export const qwenUsage: UsageRecords = {
  kinds: new Set<RecordKind>([recordKind.reply, recordKind.telemetry]),
  isRunning: false,
  take: (bytes, _kind, sum) => {
    const record = parseObject(bytes.toString())
    if (record?.['type'] === 'assistant') takeReply(record, sum)
    else if (record) takeEvent(record, sum)
  },
}

function takeReply(record: JsonObject, sum: UsageSum): void {
  for (const part of listAt(objectAt(record, 'message'), 'parts')) {
    const call = isObject(part) ? objectAt(part, 'functionCall') : null
    const callId = textAt(call, 'id')
    if (callId !== null && startsAgent({ name: textAt(call, 'name') ?? '' })) sum.call(callId)
  }
  const told = objectAt(record, 'usageMetadata')
  const usage = usageFrom({
    input: tokensAt(told, 'promptTokenCount'),
    cached: tokensAt(told, 'cachedContentTokenCount'),
    output: tokensAt(told, 'candidatesTokenCount'),
    total: tokensAt(told, 'totalTokenCount'),
  })
  if (usage) sum.message(textAt(record, 'uuid') ?? '', usage)
}

function takeEvent(record: JsonObject, sum: UsageSum): void {
  const event = objectAt(objectAt(record, 'systemPayload'), 'uiEvent')
  if (textAt(event, 'event.name') !== 'qwen-code.api_response') return
  const usage = usageFrom({
    input: tokensAt(event, 'input_token_count'),
    cached: tokensAt(event, 'cached_content_token_count'),
    output: tokensAt(event, 'output_token_count'),
    total: tokensAt(event, 'total_token_count'),
  })
  if (usage) sum.request(textAt(event, 'response_id') ?? textAt(record, 'uuid') ?? '', usage)
}
