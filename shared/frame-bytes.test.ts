import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame, type Utf8 } from './frame-bytes.js'

const utf8: Utf8 = { encode: (text) => new TextEncoder().encode(text), decode: (bytes) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) }

describe('frames as bytes', () => {
  it('give back what went in, long texts, line separators and lone surrogates included', () => {
    const long = 'é\u2028😀\0"\\'.repeat(5000)
    const frame = { type: 'ok' as const, id: 7, result: { short: 'x', long, list: [long, '\ufeff' + long, { deep: long }], broken: '\ud800'.repeat(20_000), none: null } }
    expect(decodeFrame(encodeFrame(frame, utf8), utf8)).toEqual(frame)
  })

  it('keep long texts out of the JSON', () => {
    const bytes = encodeFrame({ type: 'ok', id: 1, result: '"'.repeat(100_000) }, utf8)
    expect(bytes.length).toBeLessThan(100_100)
  })

  it('refuse messages that lie about their lengths', () => {
    const lie = (json: string, tail = 0): Uint8Array => {
      const body = utf8.encode(json)
      const bytes = new Uint8Array(4 + body.length + tail)
      new DataView(bytes.buffer).setUint32(0, body.length)
      bytes.set(body, 4)
      return bytes
    }
    const wrong = [new Uint8Array([0, 0]), new Uint8Array([255, 255, 255, 255, 1]), lie('{"$text":9}', 8), lie('{"$text":1e999}')]
    const results = wrong.map((bytes) => {
      try {
        return decodeFrame(bytes, utf8)
      } catch (thrown) {
        return thrown instanceof Error ? thrown.name : thrown
      }
    })
    expect(results).toEqual(['RangeError', 'RangeError', 'RangeError', { $text: Infinity }])
  })
})
