import { describe, expect, it } from 'vitest'
import { cartDetails, cartOutline } from '../testing/scripted-session.js'
import { entryLabel, operationTitle, playheadText, sumOf } from './labels.js'
import { timelineEntries } from './rows.js'

const entries = timelineEntries(cartOutline, new Set(), null)
const details = new Map(cartDetails.map((one) => [one.promptId, one] as const))

describe('labels of the timeline', () => {
  it('read a turn with every count that is not zero', () => {
    const turn = entries.find((entry) => entry.kind === 'turn' && entry.turn.index === 7)
    const id = turn?.kind === 'turn' ? turn.turn.promptId : null
    expect(turn && id && entryLabel(turn, details.get(id), true, null)).toBe(
      'Turn 7: Replace the old currency helper everywhere and load the new price list, 8 files, 75 added, 61 removed, 1 command, 1 refused, 1 unknown, 13.5k tokens, 2 things not looked at or not kept, taken back',
    )
  })

  it('say where the disk stands, and what of it is the user’s', () => {
    expect([playheadText('after turn 9', { files: 2, stat: { insertions: 5, deletions: 1 } }), playheadText('after turn 9', null)]).toEqual(
      ['Disk is after turn 9, plus 2 files edited by you', 'Disk is after turn 9'],
    )
  })

  it('name the end of the agent where nobody typed after it', () => {
    const end = entries.find((entry) => entry.kind === 'end')
    const none = { files: 0, stat: { insertions: 0, deletions: 0 } }
    expect(end && [entryLabel(end, undefined, false, { ...none, files: 2 }), entryLabel(end, undefined, false, none)]).toEqual([
      'You edited 2 files, 0 added, 0 removed',
      'The end of the last turn',
    ])
  })

  it('name what each entry of ours did', () => {
    const titles = (['rewind', 'undo', 'redo'] as const).map((action) => operationTitle({ action, label: 'the start of turn 5' }))
    const taken = (['take-back', 'undo'] as const).map((action) => operationTitle({ action, label: 'change 2 of a.ts in turn 7' }))
    expect([...titles, ...taken]).toEqual([
      'Rewind to the start of turn 5',
      'Undo the rewind to the start of turn 5',
      'Redo the rewind to the start of turn 5',
      'Take back change 2 of a.ts in turn 7',
      'Undo the take-back of change 2 of a.ts in turn 7',
    ])
  })

  it('sum turns only when all of them are known', () => {
    const ids = cartDetails.slice(0, 2).map(({ promptId }) => promptId)
    expect([sumOf(ids, details)?.stat, sumOf([...ids, ...ids], new Map())]).toEqual([{ insertions: 237, deletions: 64 }, null])
  })
})
