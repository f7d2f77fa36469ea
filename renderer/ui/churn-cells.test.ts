import { describe, expect, it } from 'vitest'
import { churnCells } from './churn-cells.js'

const cells = (insertions: number, deletions: number): string =>
  churnCells({ insertions, deletions })
    .map((cell) => cell || '.')
    .join('')

describe('churn cells', () => {
  it('fill with the size of the change and split by its share', () => {
    expect([cells(0, 0), cells(1, 0), cells(3, 3), cells(14, 12), cells(46, 0), cells(163, 3), cells(75, 61)]).toEqual([
      '.....',
      'a....',
      'ar...',
      'aar..',
      'aaaa.',
      'aaaar',
      'aaarr',
    ])
  })

  it('give each side that changed at least one cell', () => {
    expect([cells(1, 1), cells(999, 1), cells(1, 999)]).toEqual(['ar...', 'aaaar', 'arrrr'])
  })

  it('are hatched where the lines are not known', () => {
    expect(churnCells(null)).toEqual(['u', 'u', 'u', 'u', 'u'])
  })
})
