import type { Frame } from './rpc.js'

/** The platform's UTF-8 codec; both sides hand in their own, since this room knows neither Node nor the DOM. */
export interface Utf8 {
  readonly encode: (text: string) => Uint8Array
  readonly decode: (bytes: Uint8Array) => string
}

const longText = 1_024
const loneSurrogate = /\p{Surrogate}/u

/**
 * A frame as bytes for a socket. Long strings leave the JSON and follow it as raw UTF-8, so that a text of 10 MB
 * costs a copy and no escaping.
 *
 * Shape: `[u32 length of the JSON][JSON][text 0][text 1]…`; in the JSON a moved text stands as `{ "$text": byteLength }`.
 * Texts with a lone surrogate stay inside the JSON, because UTF-8 cannot hold them.
 */
export function encodeFrame(frame: Frame, utf8: Utf8): Uint8Array {
  const texts: Uint8Array[] = []
  const json = utf8.encode(
    JSON.stringify(frame, (_key, value: unknown) => {
      if (typeof value !== 'string' || value.length < longText || loneSurrogate.test(value)) return value
      const bytes = utf8.encode(value)
      texts.push(bytes)
      return { $text: bytes.length }
    }),
  )
  const bytes = new Uint8Array(4 + json.length + texts.reduce((sum, text) => sum + text.length, 0))
  new DataView(bytes.buffer).setUint32(0, json.length)
  bytes.set(json, 4)
  let at = 4 + json.length
  for (const text of texts) {
    bytes.set(text, at)
    at += text.length
  }
  return bytes
}

/**
 * The inverse of `encodeFrame`. The result is unchecked JSON: `rpc.ts` looks whether it is a frame.
 * Errors: throws (RangeError, SyntaxError) on bytes that are no such message; the connection is then closed.
 */
export function decodeFrame(bytes: Uint8Array, utf8: Utf8): unknown {
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0)
  let at = 4 + length
  if (at > bytes.length) throw new RangeError('The message is shorter than it says.')
  return JSON.parse(utf8.decode(bytes.subarray(4, at)), (_key, value: unknown) => {
    const size = movedTextSize(value)
    if (size === null) return value
    if (at + size > bytes.length) throw new RangeError('The message is shorter than it says.')
    at += size
    return utf8.decode(bytes.subarray(at - size, at))
  })
}

function movedTextSize(value: unknown): number | null {
  if (typeof value !== 'object' || value === null || !('$text' in value)) return null
  const size = value.$text
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 && Object.keys(value).length === 1 ? size : null
}
