import { describe, expect, it } from 'vitest'
import { RandomTexts } from '../testing/random-texts.js'
import { BitRow, Places } from './bit-row.js'

const seed = Number(process.env['SEED'] ?? 1)

describe(`bit row (seed ${seed})`, () => {
  it.each([1, -1] as const)('counts the longest common subsequence with each start of a part (step %i)', (step) => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 60; round++) {
      const idCount = 1 + random.below(random.pick([3, 40, 400]))
      const sequence = Int32Array.from({ length: 400 }, () => random.below(idCount))
      const count = 1 + random.below(300)
      const first = step === 1 ? random.below(100) : 399 - random.below(100)
      const part = Array.from({ length: count }, (_, n) => sequence[first + n * step])
      const places = new Places(idCount)
      places.look(sequence, 0, 400, 1)
      places.look(sequence, first, count, step)
      const row = new BitRow(places)
      // The same by the plain table: the longest common subsequence with the first n of the part.
      let longest = Array.from({ length: count + 1 }, () => 0)
      for (let added = 0; added < 40; added++) {
        const id = random.below(idCount)
        row.add(id)
        const next = [0]
        for (let n = 0; n < count; n++)
          next.push(part[n] === id ? (longest[n] ?? 0) + 1 : Math.max(longest[n + 1] ?? 0, next[n] ?? 0))
        longest = next
        expect([...row.zerosUpTo()], `round ${round}, item ${added}`).toEqual(longest)
      }
    }
  })
})
