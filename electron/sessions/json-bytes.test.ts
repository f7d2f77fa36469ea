import { describe, expect, it } from 'vitest'
import { Random } from '../testing/random.js'
import { indexOfKey, isPlain, rareKey } from './json-bytes.js'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

describe('an identity', () => {
  it(`is plain where it is whole and holds neither a quote nor a backslash (seed ${seed})`, () => {
    const random = new Random(seed)
    const likely = [0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0xa2, 0xdc, 0x00, 0x80, 0xff]
    const wrong = Array.from({ length: 3000 }, () => {
      const bytes = Buffer.from(Array.from({ length: 48 }, () => (random.below(3) === 0 ? random.below(256) : random.pick(likely.slice(random.below(2) * 5)))))
      const at = random.below(14)
      const part = bytes.subarray(at, at + 36)
      return [bytes, at, isPlain(bytes, at, 9) === (part.length === 36 && !part.includes(0x22) && !part.includes(0x5c))] as const
    }).filter(([, , isRight]) => !isRight)
    expect([wrong, isPlain(Buffer.from('a'.repeat(36)), 0, 9), isPlain(Buffer.from(`${'a'.repeat(35)}"`), 0, 9)]).toEqual([[], true, false])
  })
})

describe('a key that is looked for from its rare letter on', () => {
  const key = rareKey('"filePath":"', 'P')

  it.each([
    ['{"filePath":"a"}', 0, 1],
    ['Path":"x","filePath":"a"}', 0, 10],
    ['{"aPath":"x","text":"\\"filePath\\":\\"","filePath":"a","filePath":"b"}', 0, 38],
    ['{"filePath":"a","filePath":"b"}', 2, 16],
    ['{"filePath":"a"}', 2, -1],
    ['Path":"', 0, -1],
    ['', 0, -1],
  ])('is where the whole key is: %s from %i', (text, from, expected) => {
    expect([indexOfKey(Buffer.from(text), key, from), Buffer.from(text).indexOf(key.whole, from)]).toEqual([expected, expected])
  })
})
