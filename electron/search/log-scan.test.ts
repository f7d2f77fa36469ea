import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Random } from '../testing/random.js'
import { createLogScan } from './log-scan.js'
import { needleOf } from './needle.js'

function fileWith(...texts: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-scan-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return texts.map((text, at) => {
    const file = join(folder, `${at}.jsonl`)
    writeFileSync(file, text)
    return file
  })
}

const mayHold = async (wanted: string, ...texts: readonly string[]): Promise<boolean | null> => (await createLogScan(needleOf(wanted))?.mayHold(fileWith(...texts))) ?? null

/** JSON as some writers have it: nothing but ASCII in it. */
const asAscii = (text: string): string => JSON.stringify(text).replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)

describe('the scan of a log', () => {
  it('passes a log that cannot hold the text, and one in another case where that counts', async () => {
    expect([await mayHold('total', '{"a":"nothing"}'), await mayHold('Total', '"total"'), await mayHold('total', '"TOTAL"'), await mayHold('Total', '"Total"')]).toEqual([false, false, true, true])
  })

  it('finds a piece across the border of two reads, pieces in several files, and words that a log keeps as a list', async () => {
    const border = 1 << 20
    const across = `${' '.repeat(border - 3)}needle${' '.repeat(border)}`
    const found = [await mayHold('needle', across), await mayHold('one/two', '"one"', '"two"'), await mayHold('one/two', '"one"', '"three"'), await mayHold('npm run x', '["npm","run","x"]'), await mayHold('npm run x', '"run npm x"')]
    expect(found).toEqual([true, true, false, true, false])
  })

  it('knows nothing of a text without a sure piece, nor of a file that is gone', async () => {
    expect([createLogScan(needleOf('"')), createLogScan(needleOf('é')), await createLogScan(needleOf('word'))?.mayHold([join(tmpdir(), 'no-such.jsonl')])]).toEqual([null, null, true])
  })

  it.each([1, 2, 3])('never passes a text that is there, however it is written (seed %i)', async (seed) => {
    const random = new Random(seed)
    const letters = ['a', 'B', 'k', '7', ' ', '"', '\\', '\n', '/', '<', 'é', 'É', 'e\u0301', '日', '本', '😀', 'ß', '\u2028', '_', '-', '.', '\t', 'Ω', '가']
    for (let round = 0; round < 60; round++) {
      const text = Array.from({ length: 30 }, () => random.pick(letters)).join('')
      const from = random.below(20)
      const wanted = text.slice(from, from + 2 + random.below(8))
      if (!needleOf(wanted).isIn(text) || wanted.trim() === '') continue
      for (const written of [JSON.stringify(text), asAscii(text), JSON.stringify(text.normalize('NFD')), JSON.stringify(text.toUpperCase())]) {
        if (!needleOf(wanted).isIn(JSON.parse(written) as string)) continue
        expect([seed, round, wanted, written, await mayHold(wanted, written)]).not.toEqual([seed, round, wanted, written, false])
      }
    }
  })
})
