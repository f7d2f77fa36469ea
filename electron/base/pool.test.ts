import { describe, expect, it } from 'vitest'
import { breathe, inParallel, weightOf } from './pool.js'

describe('inParallel', () => {
  it('starts items in order, with at most 16 units in flight', async () => {
    const started: number[] = []
    let inFlight = 0
    let most = 0
    await inParallel([...Array(100).keys()], async (item) => {
      started.push(item)
      most = Math.max(most, ++inFlight)
      await breathe()
      inFlight--
    })
    expect([started, most]).toEqual([[...Array(100).keys()], 16])
  })

  it('runs a heavy item alone', async () => {
    let inFlight = 0
    const seen: number[] = []
    await inParallel(
      [1, 99, 1],
      async () => {
        seen.push(++inFlight)
        await breathe()
        inFlight--
      },
      (weight) => weight,
    )
    expect(seen).toEqual([1, 1, 1])
  })

  it('throws the first failure after the running ones have ended, and starts no more', async () => {
    const ended: number[] = []
    const work = inParallel([...Array(40).keys()], async (item) => {
      await breathe()
      if (item === 0) throw new Error('zero')
      ended.push(item)
    })
    await expect(work).rejects.toThrow('zero')
    expect(ended).toEqual([...Array(16).keys()].filter((item) => item !== 0))
  })

  it('ends at once for no items', async () => {
    await expect(inParallel([], () => Promise.resolve())).resolves.toBeUndefined()
  })
})

describe('weightOf', () => {
  it('counts a unit for each 4 MiB', () => {
    expect([0, 1, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1].map(weightOf)).toEqual([0, 1, 1, 2])
  })
})
