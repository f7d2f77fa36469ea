import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendJsonLine, logSize, readJsonLines } from './json-lines.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (): string => join(folder, 'log.jsonl')

describe('json lines', () => {
  it('reads back what was appended, line separators inside strings included', async () => {
    const text = `a\u2028b\u2029c\r\u0085`
    await appendJsonLine(file(), { text })
    await appendJsonLine(file(), 2, 'may-be-lost')
    expect(await readJsonLines(file())).toEqual({ records: [{ text }, 2], badLines: 0, nextOffset: logSize(file()) })
  })

  it('skips a damaged line and counts it; later ones count', async () => {
    writeFileSync(file(), '1\n{"torn": \n\n3\n')
    expect(await readJsonLines(file())).toEqual({ records: [1, 3], badLines: 1, nextOffset: logSize(file()) })
  })

  it('leaves a torn last line for later, and the next append does not glue to it', async () => {
    writeFileSync(file(), '1\n{"torn')
    const first = await readJsonLines(file())
    await appendJsonLine(file(), 2)
    const rest = await readJsonLines(file(), first.nextOffset)
    expect([first.records, rest.records, rest.badLines, readFileSync(file(), 'utf8')]).toEqual([[1], [2], 1, '1\n{"torn\n2\n'])
  })

  it('goes on from where it stopped', async () => {
    writeFileSync(file(), '1\n')
    const { nextOffset } = await readJsonLines(file())
    appendFileSync(file(), '"ü"\n3\n')
    expect((await readJsonLines(file(), nextOffset)).records).toEqual(['ü', 3])
  })

  it('takes a missing log as an empty one', async () => {
    expect([await readJsonLines(file()), logSize(file())]).toEqual([{ records: [], badLines: 0, nextOffset: 0 }, 0])
  })
})
