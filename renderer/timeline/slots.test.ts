import { describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import { cartOutline } from '../testing/scripted-session.js'
import { rowOfTarget, slotsOf, stepSlot } from './slots.js'

const slots = slotsOf(cartOutline)

describe('places of the playhead', () => {
  it('are the starts of the live turns and the end of the last one', () => {
    expect(slots.map(({ row, label }) => [row, label])).toEqual([
      [0, 'the start of turn 1'],
      [1, 'the start of turn 2'],
      [2, 'the start of turn 3'],
      [3, 'the start of turn 4'],
      [6, 'the start of turn 5'],
      [7, 'the start of turn 6'],
      [8, 'the start of turn 7'],
      [9, 'the start of turn 8'],
      [10, 'the start of turn 9'],
      [11, 'the end of turn 9'],
    ])
  })

  it('are stepped through without the rows between them', () => {
    expect([stepSlot(slots, 6, -1)?.row, stepSlot(slots, 3, 1)?.row, stepSlot(slots, 0, -1)?.row, stepSlot(slots, 99, 1)?.row]).toEqual([
      3, 6, 0, 11,
    ])
  })

  it('of a target are where its turn begins, or where the next one does', () => {
    const at = (kind: 'start' | 'end', id: string): number | null => rowOfTarget(cartOutline, { kind, promptId: promptId(id) })
    expect([at('start', 'p5'), at('end', 'p4'), at('end', 'p9'), at('start', 'a5')]).toEqual([6, 6, 11, null])
  })
})
