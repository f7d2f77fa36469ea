import { describe, expect, it } from 'vitest'
import { branchesOf, timeLimits } from './policy-words.js'

describe('the settings of the policy', () => {
  it('offer the present time limit among the usual ones', () => {
    expect(timeLimits(90_000).map(({ text }) => text)).toEqual(['30 s', '1 min', '1 min 30 s', '2 min', '5 min', '10 min', '30 min', '1 h'])
  })

  it('take branches between commas and blanks, each once', () => {
    expect([branchesOf(' main, release/* main  '), branchesOf('')]).toEqual([['main', 'release/*'], []])
  })
})
