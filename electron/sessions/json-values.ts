/** Values of parsed JSON from a log: hostile, so each is looked at before it is used. */
export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectAt(value: JsonObject | null, key: string): JsonObject | null {
  const found = value === null ? null : value[key]
  return isObject(found) ? found : null
}

export function textAt(value: JsonObject | null, key: string): string | null {
  const found = value === null ? null : value[key]
  return typeof found === 'string' ? found : null
}

export function numberAt(value: JsonObject | null, key: string): number | null {
  const found = value === null ? null : value[key]
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

export function listAt(value: JsonObject | null, key: string): readonly unknown[] {
  const found = value === null ? null : value[key]
  return Array.isArray(found) ? found : []
}

/** A list of objects, others left out. */
export function objectsAt(value: JsonObject | null, key: string): readonly JsonObject[] {
  return listAt(value, key).filter(isObject)
}

/** Milliseconds of an ISO time, or `null` for anything that is no time. */
export function timeAt(value: JsonObject | null, key: string): number | null {
  const found = textAt(value, key)
  const at = found === null ? NaN : Date.parse(found)
  return Number.isFinite(at) ? at : null
}

/** The object that a text holds; `null` for broken JSON and for any other value. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The first `limit` UTF-16 units, never half of a pair, as a string of its own: a slice would keep the whole text alive. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text
  const isHalf = (text.charCodeAt(limit - 1) & 0xfc00) === 0xd800
  return Buffer.from(text.slice(0, isHalf ? limit - 1 : limit)).toString()
}

/** The text of a message: itself, or of the blocks that it consists of, one after the other. */
export function blocksText(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return ''
  return value.map((block) => (isObject(block) ? (textAt(block, 'text') ?? '') : '')).join('')
}
