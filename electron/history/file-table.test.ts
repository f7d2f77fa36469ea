import { lstatSync, mkdtempSync, rmSync, writeFileSync, type BigIntStats } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FileTable } from './file-table.js'

const blob = (at: number): string => at.toString(16).padStart(40, '0')

describe('file table', () => {
  let folder = ''
  let stats: BigIntStats
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'overturn-table-'))
    writeFileSync(join(folder, 'a'), 'one')
    stats = lstatSync(join(folder, 'a'), { bigint: true })
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('keeps what it has when it grows, and gives rows of removed files to new ones', () => {
    const table = new FileTable(0n)
    for (let at = 0; at < 5000; at++) table.setBlob(table.add(table.root, `${at}`), blob(at), at % 2 === 0)
    table.remove(table.root, '7')
    const row = table.add(table.root, 'new')
    const some = [0, 1, 4998, 4999].map((at) => table.root.files.get(`${at}`) ?? -1)
    expect([table.count, table.blobOf(row), table.blobGuessOf(row), table.stateOf(row)]).toEqual([5000, null, null, null])
    expect(some.map((each) => table.blobOf(each) ?? `guess ${table.blobGuessOf(each)}`)).toEqual([blob(0), `guess ${blob(1)}`, blob(4998), `guess ${blob(4999)}`])
  })

  it('trusts a stamp only once it is older than the step of the clock', () => {
    const table = new FileTable(0n)
    const row = table.add(table.root, 'a')
    const changedAt = Number(stats.ctimeNs / 1_000_000n)
    table.stamp(row, stats, changedAt + 20)
    const young = table.isSame(row, stats)
    table.stamp(row, stats, changedAt + 100)
    expect([young, table.isSame(row, stats)]).toEqual([false, true])
  })

  it('removes a folder with all below it', () => {
    const table = new FileTable(0n)
    const outer = table.addFolder(table.root, 'a', 1n)
    const inner = table.addFolder(outer, 'b', 2n)
    table.add(inner, 'c')
    const gone: string[] = []
    table.removeFolder(outer, (each) => gone.push(each.path))
    expect([table.count, table.folderCount, gone, inner.isBelow(table.root)]).toEqual([0, 1, ['a/b', 'a'], false])
  })
})
