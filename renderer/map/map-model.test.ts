import { describe, expect, it } from 'vitest'
import { cartMap, cartOutline } from '../testing/scripted-session.js'
import { columnWidth, folderFold, mapColumns, mapRows, shadeOf } from './map-model.js'
import { playheadX } from './playhead-x.js'

const none: ReadonlySet<string> = new Set()

describe('the map', () => {
  it('lists files by path or by their first change', () => {
    const first = (order: 'path' | 'first-change'): readonly string[] =>
      mapRows(cartMap, order, false, none)
        .map(({ path }) => path)
        .slice(0, 3)
    expect([first('path'), first('first-change')]).toEqual([
      ['assets/logo.png', 'assets/logo@2x.png', 'config/printer.ini'],
      ['src/cart/cart.ts', 'src/cart/total.ts', 'src/cart/types.ts'],
    ])
  })

  it('sums a folder’s files, and shows them while it is open', () => {
    const folded = mapRows(cartMap, 'path', true, none)
    const opened = mapRows(cartMap, 'path', true, new Set([folderFold('src/cart/')]))
    const cart = folded.find(({ path }) => path === 'src/cart/')
    const first = cart?.cells.get(0)
    expect([cart?.kind === 'folder' && cart.stat, first?.stat, opened.length - folded.length]).toEqual([
      { insertions: 284, deletions: 75 },
      { insertions: 101, deletions: 65 },
      3,
    ])
  })

  it('calls a folder’s cell binary or unknown only where nothing else is in it', () => {
    const rows = mapRows(cartMap, 'path', true, none)
    const kind = (path: string, turn: number) => rows.find((row) => row.path === path)?.cells.get(turn)?.kind
    expect([kind('assets/', 5), kind('data/', 6), kind('src/', 6)]).toEqual(['binary', 'unknown', 'modified'])
  })

  it('puts the user after the last turn, and a column where turns were set aside', () => {
    const columns = mapColumns(cartMap, cartOutline)
    expect([
      columns.length,
      columns[4],
      columns.at(-1),
      mapRows(cartMap, 'path', false, none)
        .find(({ path }) => path === 'src/cart/total.ts')
        ?.cells.get(9)?.cause,
    ]).toEqual([11, { kind: 'set-aside', id: 'aside-1', turns: 2 }, { kind: 'user', turn: 9 }, 'user'])
  })

  it('shades by five steps of lines', () => {
    expect([0, 1, 7, 8, 20, 40, 60, 9999].map((lines) => shadeOf({ insertions: lines, deletions: 0 }))).toEqual([0, 1, 1, 2, 3, 4, 5, 5])
    expect(shadeOf(null)).toBe(0)
  })

  it('keeps columns between 44 and 81 px', () => {
    expect([columnWidth(820, 10), columnWidth(100, 10), columnWidth(600, 10), columnWidth(0, 0)]).toEqual([81, 44, 60, 44])
  })

  it('keeps the playhead between the file column and the sums', () => {
    const layout = { columns: mapColumns(cartMap, cartOutline), width: 81, totalWidth: 836 }
    const x = (playhead: number, left: number, width: number): number =>
      playheadX({ ...cartOutline, playhead }, cartMap, layout, { left, width })
    expect([x(12, 0, 1400), x(3, 0, 1400), x(12, 0, 600), x(0, 300, 600)]).toEqual([252 + 836, 252 + 243, 480, 552])
  })
})
