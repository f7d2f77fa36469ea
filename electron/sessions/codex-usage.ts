import type { Usage } from '../../shared/usage.js'
import { objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { recordKind, type RecordKind, type UsageRecords } from './record-sniff.js'
import type { ReadRecord } from './turn-records.js'
import { UsageSum } from './usage-sum.js'
import { tokensAt, usageFrom } from './usage-values.js'

/** Events `token_count`, which all versions write: what the session took so far, and the last request alone. */
export const codexUsage: UsageRecords = {
  kinds: new Set<RecordKind>([recordKind.usage]),
  isRunning: true,
  take: (bytes, _kind, sum) => takeReading(parseObject(bytes.toString()), sum),
}

/** What the requests of an agent came to that another one started: the talk that it took over is not its own. */
export function usageOfAgent(records: readonly ReadRecord[]): Usage | null {
  const sum = new UsageSum(false)
  for (const { record } of records) if (textAt(objectAt(record, 'payload'), 'type') === 'token_count') takeReading(record, sum)
  return sum.total()
}

function takeReading(record: JsonObject | null, sum: UsageSum): void {
  const counts = objectAt(objectAt(record, 'payload'), 'info')
  const now = usageOf(objectAt(counts, 'total_token_usage'))
  if (now) sum.meter(now, usageOf(objectAt(counts, 'last_token_usage')))
}

function usageOf(told: JsonObject | null): Usage | null {
  return usageFrom({
    input: tokensAt(told, 'input_tokens'),
    cached: tokensAt(told, 'cached_input_tokens'),
    output: tokensAt(told, 'output_tokens'),
    total: tokensAt(told, 'total_tokens'),
  })
}
