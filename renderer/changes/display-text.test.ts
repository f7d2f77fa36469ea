import { describe, expect, it } from 'vitest'
import { diffLines } from '../../shared/line-diff.js'
import { displayPair, displayText, lineCount, signsBeside } from './display-text.js'

describe('displayText', () => {
  it('has the lines of the diff engine, whatever characters they hold', () => {
    const text = 'a\u2028b\u2029c\u0085d\re\ff\n\ng'
    const { text: shown, lines } = displayText(text, true)
    expect([shown.split(/\r\n|\r|\n|\u2028|\u2029|\u0085/).length, lines, lineCount(text)]).toEqual([3, 3, 3])
  })

  it('keeps every column and names the characters that it draws', () => {
    const { text, marks } = displayText('ab\u2028c\rd\n', false)
    expect([text, marks]).toEqual(['ab↲c↵d', [{ offset: 2, name: 'Line separator U+2028' }, { offset: 4, name: 'Carriage return' }]])
  })

  it('opens no new line behind a final line end and says where there is none', () => {
    expect([displayText('a\n', false), displayText('a', false), displayText('', false)]).toEqual([
      { text: 'a', lines: 1, hasFinalNewline: true, marks: [] },
      { text: 'a', lines: 1, hasFinalNewline: false, marks: [] },
      { text: '', lines: 0, hasFinalNewline: false, marks: [] },
    ])
  })
})

describe('displayPair', () => {
  it('leaves out the carriage returns where both sides have them', () => {
    const { before, after } = displayPair('a\r\nb\r\n', 'a\r\nc\r\n')
    expect([before.text, after.text]).toEqual(['a\nb', 'a\nc'])
  })

  it('draws the carriage returns where line ends are what differs, so that no changed line looks unchanged', () => {
    const { before, after } = displayPair('a\r\nb\r\n', 'a\nb\n')
    expect([before.text, after.text, diffLines('a\r\nb\r\n', 'a\nb\n').length]).toEqual(['a↵\nb↵', 'a\nb', 1])
  })

  it('shows one side alone where the other is not there', () => {
    const { before, after } = displayPair(null, 'a\r\n')
    expect([before.lines, after.text]).toEqual([0, 'a'])
  })

  it('marks what it leaves in a text that is written in, with the sign that is drawn before it', () => {
    expect(signsBeside('a\u2028b\u0085')).toEqual([
      { offset: 1, name: 'Line separator U+2028', beside: '↲' },
      { offset: 3, name: 'Next line U+0085', beside: '¬' },
    ])
  })
})
