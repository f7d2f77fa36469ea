import { describe, expect, it } from 'vitest'
import { operationId, promptId } from '../../shared/ids.js'
import type { Outline, OutlineRow } from '../../shared/timeline.js'
import { railRows } from './rail.js'
import { timelineEntries } from './rows.js'

const turn = (index: number, isTakenBack = false): OutlineRow => ({
  kind: 'turn',
  promptId: promptId(`p${index}`),
  index,
  prompt: `turn ${index}`,
  startedAt: index * 1000,
  hasSnapshot: true,
  isTakenBack,
})
const aside: OutlineRow = {
  kind: 'set-aside',
  id: 'a',
  turns: [
    { promptId: promptId('x1'), prompt: 'left', startedAt: 0 },
    { promptId: promptId('x2'), prompt: 'too', startedAt: 1 },
  ],
}
const agentRewind: OutlineRow = { kind: 'agent-rewind', id: 'r', at: 0, label: 'Rewind to the end of turn 2' }
const rewind: OutlineRow = {
  kind: 'operation',
  operationId: operationId('op'),
  action: 'rewind',
  at: 0,
  label: 'Rewind',
  files: 2,
  isUndone: false,
  outcome: 'done',
}
const end: OutlineRow = { kind: 'end' }

const outline = (rows: readonly OutlineRow[], playhead = rows.length): Outline => ({ revision: 1, rows, playhead, takenBack: [] })
const noFolds: ReadonlySet<string> = new Set()

/** Each row as one word: kind, axis above and below, and the marks that are not `none`. */
function drawn(given: Outline, scope: Parameters<typeof railRows>[1], heldAt: number | null = null, folds = noFolds): readonly string[] {
  const entries = timelineEntries(given, folds, heldAt)
  return railRows(entries, scope, heldAt, given.playhead).map((rail, at) => {
    const marks = [
      rail.isOut && 'out',
      rail.bracket !== 'none' && `[${rail.bracket}]`,
      rail.arc !== 'none' && `(${rail.arc})`,
      rail.hold !== 'none' && `<${rail.hold}>`,
    ]
    return [entries[at]?.kind, `${rail.above}/${rail.below}`, ...marks].filter(Boolean).join(' ')
  })
}

describe('the rail', () => {
  it('runs solid through the turns, dotted after the end, and stops at the playhead', () => {
    expect(drawn(outline([turn(1), turn(2), end]), null)).toEqual([
      'turn none/solid',
      'turn solid/solid',
      'end solid/dotted',
      'playhead dotted/none',
    ])
  })

  it('brackets a turn from its node to the next one', () => {
    const rows = drawn(outline([turn(1), turn(2), turn(3), end]), { kind: 'turn', promptId: promptId('p2') })
    expect(rows).toEqual([
      'turn none/solid',
      'turn solid/solid [head]',
      'turn solid/solid [foot]',
      'end solid/dotted',
      'playhead dotted/none',
    ])
  })

  it('ends the bracket of a turn inside its own row where no node follows', () => {
    expect(drawn(outline([turn(1), aside, agentRewind, turn(2), end]), { kind: 'turn', promptId: promptId('p1') })[0]).toBe(
      'turn none/solid [both]',
    )
  })

  it('brackets a range, the way to the disk, and the whole session', () => {
    const given = outline([turn(1), turn(2), turn(3), end])
    const spans = (scope: Parameters<typeof railRows>[1]): readonly string[] =>
      drawn(given, scope).map((row) => /\[(\w+)\]/.exec(row)?.[1] ?? '-')
    expect([
      spans({ kind: 'range', from: promptId('p1'), to: promptId('p2') }),
      spans({ kind: 'to-disk', promptId: promptId('p2') }),
      spans({ kind: 'session' }),
      spans({ kind: 'by-user', after: promptId('p3') }),
    ]).toEqual([
      ['head', 'through', 'foot', '-', '-'],
      ['-', 'head', 'through', 'through', 'foot'],
      ['head', 'through', 'through', 'foot', '-'],
      ['-', '-', '-', 'head', 'foot'],
    ])
  })

  it('draws an arc from an agent’s rewind over the turns it set aside, open or folded', () => {
    const given = outline([turn(1), aside, agentRewind, turn(2), end])
    expect([drawn(given, null).slice(1, 3), drawn(given, null, null, new Set(['a'])).slice(1, 5)]).toEqual([
      ['set-aside solid/solid (head)', 'agent-rewind solid/solid (foot)'],
      [
        'set-aside solid/solid (head)',
        'set-aside-turn solid/solid (through)',
        'set-aside-turn solid/solid (through)',
        'agent-rewind solid/solid (foot)',
      ],
    ])
  })

  it('hollows what a rewind of ours took back, and draws its arc over it', () => {
    expect(drawn(outline([turn(1), turn(2, true), turn(3, true), end, rewind]), null)).toEqual([
      'turn none/solid',
      'turn solid/double out (head)',
      'turn double/double out (through)',
      'end double/dotted (through)',
      'operation dotted/dotted (foot)',
      'playhead dotted/none',
    ])
  })

  it('points the arc at the playhead where the disk stands between the turns', () => {
    expect(drawn(outline([turn(1), turn(2, true), end, rewind], 1), null)).toEqual([
      'turn none/solid',
      'playhead solid/double (head)',
      'turn double/double out (through)',
      'end double/dotted (through)',
      'operation dotted/none (foot)',
    ])
  })

  it('hollows the turns below a held playhead and joins both places; the bracket waits', () => {
    const rows = drawn(outline([turn(1), turn(2), turn(3), end]), { kind: 'turn', promptId: promptId('p3') }, 1)
    expect(rows).toEqual([
      'turn none/solid',
      'playhead solid/double <head>',
      'turn double/double out <through>',
      'turn double/double out <through>',
      'end double/dotted <through>',
      'playhead dotted/none <foot>',
    ])
  })
})
