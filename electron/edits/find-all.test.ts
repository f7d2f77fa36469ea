import { describe, expect, it } from 'vitest'
import { RandomTexts } from '../../shared/testing/random-texts.js'
import { findAll } from './find-all.js'

const seed = Number(process.env['SEED'] ?? 1)

describe('finding all places of a text', () => {
  it('counts all of them, those that overlap included, and names the first', () => {
    expect([findAll('aaaa', 'aa', 2), findAll('abc', '', 5), findAll('abc', 'd', 5)]).toEqual([
      { places: [0, 1], count: 3 },
      { places: [], count: 0 },
      { places: [], count: 0 },
    ])
  })

  it(`finds long texts as the engine's own search does (SEED=${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 200; round++) {
      const text = Array.from({ length: 3000 }, () => 'ab'[random.below(random.below(10) === 0 ? 2 : 1)]).join('')
      const start = random.below(2000)
      const sought = text.slice(start, start + 1 + random.below(900))
      const places: number[] = []
      for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) places.push(at)
      expect(findAll(text, sought, 10_000)).toEqual({ places, count: places.length })
    }
  })
})
