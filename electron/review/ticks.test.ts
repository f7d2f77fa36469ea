import { describe, expect, it } from 'vitest'
import type { Tick } from '../../shared/timeline.js'
import { fitTicks } from './ticks.js'

const edit = (label: string, added: number, cause: 'edit' | 'sed' = 'edit'): Tick => ({ kind: 'change', cause, removed: 0, added, label })
const command = (label: string): Tick => ({ kind: 'command', label })

describe('fitTicks', () => {
  it('leaves nine as they are', () => {
    const nine = Array.from({ length: 9 }, (_, at) => edit(`f${at}`, at))
    expect(fitTicks(nine)).toEqual(nine)
  })

  it('sums the smallest neighbours of one kind until they fit', () => {
    const ticks = [edit('a', 50), edit('b', 1), edit('c', 2), ...Array.from({ length: 7 }, (_, at) => edit(`f${at}`, 100 + at))]
    expect(fitTicks(ticks).slice(0, 2)).toEqual([edit('a', 50), edit('b, c', 3)])
  })

  it('sums what stands apart where no neighbours are left, and never two kinds', () => {
    const ticks = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? edit(`f${at}`, 1) : command('ls')))
    const fitted = fitTicks(ticks)
    expect([fitted.length, fitted.reduce((sum, tick) => sum + (tick.kind === 'change' ? tick.added : 0), 0)]).toEqual([9, 6])
  })

  it('keeps causes apart as long as it can', () => {
    const ticks = [...Array.from({ length: 9 }, (_, at) => edit(`f${at}`, 1)), edit('s', 1, 'sed')]
    expect(fitTicks(ticks).at(-1)).toEqual(edit('s', 1, 'sed'))
  })
})
