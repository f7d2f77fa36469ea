import type { Usage } from '../../shared/usage.js'
import { objectAt, parseObject, type JsonObject } from './json-values.js'
import { recordKind, type RecordKind, type UsageRecords } from './record-sniff.js'
import { tokensAt, usageFrom } from './usage-values.js'

/** Events `token_count`, which all versions write: what the session took so far, and the last request alone. */
export const codexUsage: UsageRecords = {
  kinds: new Set<RecordKind>([recordKind.usage]),
  isRunning: true,
  take: (bytes, _kind, sum) => {
    const counts = objectAt(objectAt(parseObject(bytes.toString()), 'payload'), 'info')
    const now = usageOf(objectAt(counts, 'total_token_usage'))
    if (now) sum.meter(now, usageOf(objectAt(counts, 'last_token_usage')))
  },
}

function usageOf(told: JsonObject | null): Usage | null {
  return usageFrom({
    input: tokensAt(told, 'input_tokens'),
    cached: tokensAt(told, 'cached_input_tokens'),
    output: tokensAt(told, 'output_tokens'),
    total: tokensAt(told, 'total_tokens'),
  })
}
