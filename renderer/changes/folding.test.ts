import { describe, expect, it } from 'vitest'
import { leastFoldedLines } from './folding.js'

const changes = (count: number, gap: number) =>
  Array.from({ length: count }, (_, at) => ({ beforeStart: at * gap, beforeEnd: at * gap + 1, afterStart: at * gap, afterEnd: at * gap + 1 }))

describe('leastFoldedLines', () => {
  it('folds every stretch of a file with few changes', () => {
    expect(leastFoldedLines(changes(20, 30))).toBe(2)
  })

  it('folds only the longest stretches where there are thousands of changes', () => {
    const many = changes(10_000, 10)
    const least = leastFoldedLines(many)
    const folded = many.filter((change, at) => at > 0 && change.beforeStart - (many[at - 1]?.beforeEnd ?? 0) - 6 >= least).length
    expect(folded).toBeLessThanOrEqual(150)
  })
})
