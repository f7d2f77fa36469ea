import { describe, expect, it } from 'vitest'
import { addUsage, costText, tokensText, usageSince, usageText, usageWords, type Usage } from './usage.js'

const nothing: Usage = { input: null, cached: null, output: null, total: null, cost: null }
const usage = (input: number, output: number, more: Partial<Usage> = {}): Usage => ({ ...nothing, input, output, total: input + output, ...more })

describe('usage', () => {
  it('is added up part by part, and what nobody recorded stays unknown', () => {
    expect([addUsage(usage(10, 2), usage(5, 1, { cached: 4, cost: 0.5 })), addUsage(null, usage(1, 1)), addUsage(null, null)]).toEqual([
      { input: 15, cached: 4, output: 3, total: 18, cost: 0.5 },
      usage(1, 1),
      null,
    ])
  })

  it('is not known where a sum is too large to be exact', () => {
    const largest = Number.MAX_SAFE_INTEGER
    expect(addUsage({ ...nothing, input: largest, cost: 1.7e308 }, { ...nothing, input: 1, cost: 1.7e308 })).toEqual(nothing)
  })

  it('of a running sum is what it grew by, and nothing where the sum was begun anew', () => {
    expect([usageSince(usage(10, 2), usage(15, 3, { cached: 4 })), usageSince(usage(10, 2), usage(10, 2)), usageSince(usage(10, 2), usage(11, 1))]).toEqual([usage(5, 1, { cached: 4 }), usage(0, 0), null])
  })

  it.each([
    [0, '0 tokens'],
    [1, '1 token'],
    [960, '960 tokens'],
    [1000, '1k tokens'],
    [12_410, '12.4k tokens'],
    [999_940, '999.9k tokens'],
    [999_950, '1M tokens'],
    [1_250_000, '1.3M tokens'],
    [2_000_000_000, '2B tokens'],
  ])('of %d tokens is written as %s', (count, text) => {
    expect(tokensText(count)).toBe(text)
  })

  it('is told with its cost only where one is known', () => {
    const all = usage(11_000, 1_400, { cached: 8_000, cost: 0.0031 })
    expect([usageText(all), usageWords(all), usageWords(usage(1, 0, { cached: 0, cost: 0 })), usageText(null), usageText({ ...nothing, cost: 0.42 }), usageText({ ...nothing, cost: 0 }), costText(12)]).toEqual([
      '12.4k tokens',
      ['12,400 tokens', '11,000 given to the model, 8,000 of them from its cache', '1,400 written by it', '$0.0031 as the agent recorded it'],
      ['1 token', '1 given to the model', '0 written by it'],
      null,
      '$0.42',
      null,
      '$12.00',
    ])
  })
})
