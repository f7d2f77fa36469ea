import { describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import type { Outline, OutlineRow } from '../../shared/timeline.js'
import { railRows } from './rail.js'
import { timelineEntries } from './rows.js'

const hour = 3_600_000
const noon = new Date(2026, 10, 12, 12).getTime()

function turns(count: number, perDay: number): Outline {
  const rows = Array.from({ length: count }, (_, at): OutlineRow => ({
    kind: 'turn',
    promptId: promptId(`p${at}`),
    index: at + 1,
    prompt: '',
    startedAt: noon + Math.floor(at / perDay) * 24 * hour,
    hasSnapshot: true,
    isTakenBack: false,
  }))
  return { revision: 1, rows: [...rows, { kind: 'end' }], playhead: count + 1, takenBack: [] }
}

const kinds = (outline: Outline, folds: ReadonlySet<string> = new Set(), held: number | null = null): string =>
  timelineEntries(outline, folds, held)
    .map(({ kind }) => kind[0])
    .join('')

describe('rows of the timeline', () => {
  it('shows each turn while there are few', () => {
    expect(kinds(turns(200, 50))).toBe(`${'t'.repeat(200)}ep`)
  })

  it('folds the days before the newest 200 turns, one row each', () => {
    expect(kinds(turns(400, 100))).toBe(`dd${'t'.repeat(200)}ep`)
  })

  it('opens a folded day under its heading', () => {
    const outline = turns(400, 100)
    const day = timelineEntries(outline, new Set(), null)[1]
    const id = day?.kind === 'day' ? day.foldId : ''
    expect(kinds(outline, new Set([id]))).toBe(`dd${'t'.repeat(100)}${'t'.repeat(200)}ep`)
  })

  it('keeps a fold from swallowing what comes after its day', () => {
    const entries = timelineEntries(turns(400, 100), new Set(), null)
    expect(entries.slice(0, 3).map(({ row, lastRow }) => [row, lastRow])).toEqual([
      [0, 99],
      [100, 199],
      [200, 200],
    ])
  })

  it('puts the playhead before the row it names, and leaves a mark where the disk stands while it is held', () => {
    expect([kinds({ ...turns(3, 3), playhead: 1 }), kinds(turns(3, 3), new Set(), 0)]).toEqual(['tptte', 'pttte' + 'p'])
  })

  it('makes rows and rails of 10,000 turns in a moment', () => {
    const outline = turns(10_000, 10_000)
    const startedAt = performance.now()
    const entries = timelineEntries(outline, new Set(), 5_000)
    const rails = railRows(entries, { kind: 'turn', promptId: promptId('p9000') }, 5_000, outline.playhead)
    expect([rails.length, performance.now() - startedAt < 500]).toEqual([10_003, true])
  })
})
