import type { Usage } from '../../shared/usage.js'
import type { JsonObject } from './json-values.js'

const mostTokens = 1e12
const largestCost = 1e9

/** A count of tokens; `null` for anything that is none: a text, a fraction, less than 0, or more than any session has. */
export function tokensAt(value: JsonObject | null, key: string): number | null {
  const found = value?.[key]
  return typeof found === 'number' && Number.isInteger(found) && found >= 0 && found <= mostTokens ? found : null
}

/** A cost in dollars; `null` for anything that is none. */
export function costAt(value: JsonObject | null, key: string): number | null {
  const found = value?.[key]
  return typeof found === 'number' && found >= 0 && found <= largestCost ? found : null
}

/** What a model was given, where what came from the cache and went into it is counted beside the rest. */
export function inputWithCache(plain: number | null, ...cache: readonly (number | null)[]): number | null {
  return plain === null ? null : cache.reduce<number>((sum, count) => sum + (count ?? 0), plain)
}

/** `null` where nothing of it is known. `total` is made of the others where it was not recorded and both are known. */
export function usageFrom(found: Partial<Usage>): Usage | null {
  const { input = null, cached = null, output = null, cost = null } = found
  const total = found.total ?? (input === null || output === null ? null : input + output)
  return [input, cached, output, total, cost].every((each) => each === null) ? null : { input, cached, output, total, cost }
}
