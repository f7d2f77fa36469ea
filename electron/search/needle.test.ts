import { describe, expect, it } from 'vitest'
import { needleOf } from './needle.js'

const shown = (wanted: string, text: string): readonly [string, string] | null => {
  const found = needleOf(wanted).excerptOf(text)
  return found && [found.text, found.text.slice(found.start, found.end)]
}

describe('a needle', () => {
  it('is found in any case, and with a capital letter just as it is', () => {
    expect([shown('total', 'the TOTAL sum'), shown('Total', 'the total sum'), shown('Total', 'the Total sum')]).toEqual([['the TOTAL sum', 'TOTAL'], null, ['the Total sum', 'Total']])
  })

  it('is found in other compositions of its letters, and whatever letters of another length stand before it', () => {
    expect([shown('caf\u00e9', 'CAFE\u0301'), shown('cafe\u0301', 'caf\u00e9'), shown('key', 'İ key'), shown('λόγος', 'ΛΌΓΟΣ')]).toEqual([
      ['CAF\u00c9', 'CAF\u00c9'],
      ['caf\u00e9', 'caf\u00e9'],
      ['İ key', 'key'],
      ['ΛΌΓΟΣ', 'ΛΌΓΟΣ'],
    ])
  })

  it('shows the line that it begins in, without its end', () => {
    expect([shown('two', 'one\r\nand two\r\nthree'), shown('two\nthree', 'one\ntwo\nthree')]).toEqual([['and two', 'two'], ['two', 'two']])
  })

  it('shows at most 400 characters of a line, the match in them, and never half a character', () => {
    const found = needleOf('here').excerptOf(`${'😀'.repeat(500)}here${'😀'.repeat(500)}`)
    expect([found?.text.length, found?.text.slice(found.start, found.end), /^\p{Surrogate}|\p{Surrogate}$/u.test(found?.text ?? '')]).toEqual([expect.any(Number), 'here', false])
    expect(found?.text.length).toBeLessThanOrEqual(400)
  })
})
