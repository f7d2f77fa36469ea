import { describe, expect, it } from 'vitest'
import type { Tick } from '../../shared/timeline.js'
import { fitTicks, sumTicks, tickLength } from './ticks.js'

const edit = (added: number, removed = 0, cause: 'edit' | 'command' = 'edit'): Tick => ({
  kind: 'change',
  cause,
  added,
  removed,
  label: `+${added}`,
})
const ran: Tick = { kind: 'command', label: 'ran' }
const unknown: Tick = { kind: 'unknown', label: 'lost' }

describe('ticks', () => {
  it('are as long as the logarithm of their lines, never above 22 px', () => {
    expect([0, 1, 3, 64, 100_000].map(tickLength)).toEqual([0, 6.1, 8.2, 16.6, 22])
  })

  it('stay as they are while they fit', () => {
    const ticks = [edit(1), ran, edit(2)]
    expect(fitTicks(ticks, 3)).toEqual(ticks)
  })

  it('sum neighbours of the same kind, the smallest first', () => {
    expect(fitTicks([edit(50), edit(1), edit(2), ran], 3)).toEqual([edit(50), { ...edit(3), label: '+1\n+2' }, ran])
  })

  it('never sum a recorded edit with one seen on the disk while others of a kind are there', () => {
    expect(fitTicks([edit(1), edit(1, 0, 'command'), ran, ran], 3).map(({ kind }) => kind)).toEqual(['change', 'change', 'command'])
  })

  it('keep the graver kind where nothing else can be summed', () => {
    expect(fitTicks([ran, unknown, ran, edit(1)], 1).map(({ kind }) => kind)).toEqual(['unknown'])
  })

  it('of a turn with 100,000 events are found at once', () => {
    const many = Array.from({ length: 100_000 }, (_, at) => (at % 3 === 0 ? ran : edit(1)))
    const startedAt = performance.now()
    expect([fitTicks(many).length, performance.now() - startedAt < 1000]).toEqual([9, true])
  })

  it('of many turns become one for each kind and cause', () => {
    const sums = sumTicks([edit(1, 2), ran, edit(3, 4), edit(5, 0, 'command'), ran])
    expect(sums.map((tick) => (tick.kind === 'change' ? [tick.cause, tick.added, tick.removed] : tick.kind))).toEqual([
      ['edit', 4, 6],
      'command',
      ['command', 5, 0],
    ])
  })
})
