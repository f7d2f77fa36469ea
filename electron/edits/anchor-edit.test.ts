import { describe, expect, it } from 'vitest'
import { replaceAnchor } from './anchor-edit.js'

const nfd = 'cafe\u0301'
const nfc = 'caf\u00e9'

function refusal(text: string, oldText: string, newText = 'new'): { code: string; count: number; message: string; lines: readonly string[] } {
  const result = replaceAnchor(text, oldText, newText)
  if (result.kind === 'edited') throw new Error(`edited: ${result.text}`)
  const { code, count, message, candidates } = result
  return { code, count, message, lines: candidates.map(({ firstLine, lastLine, differs }) => [`${firstLine}-${lastLine}`, ...differs].join(' ')) }
}

describe('replacing an anchor', () => {
  it('takes the new text literally, dollars included', () => {
    expect([
      replaceAnchor('log("done");\n', 'log("done");', 'log("$& ok");'),
      replaceAnchor('x\nlog("done");\n', 'log("done");', 'PID=$$'),
    ]).toEqual([
      { kind: 'edited', text: 'log("$& ok");\n', line: 1 },
      { kind: 'edited', text: 'x\nPID=$$\n', line: 2 },
    ])
  })

  it('keeps CRLF where the anchor and the new text have LF', () => {
    const text = 'def a():\r\n\treturn 1\r\n\r\ndef b():\r\n\treturn 2\r\n'
    expect(replaceAnchor(text, 'def a():\n\treturn 1\n', 'def a():\n\treturn 9\n')).toEqual({
      kind: 'edited',
      text: 'def a():\r\n\treturn 9\r\n\r\ndef b():\r\n\treturn 2\r\n',
      line: 1,
    })
  })

  it.each([
    ['each changed line takes the end of the one it replaces', 'a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nB\nC\nd', 'a\r\nB\nC\r\nd\n'],
    ['lines that stay keep theirs around added ones', 'a\r\nb\nc\r\n', 'a\nb\nc', 'a\nb\nnew\nc', 'a\r\nb\nnew\nc\r\n'],
    ['several lines for a part of one take its line end', 'a\nb b\r\nc\n', 'b b', 'x\ny', 'a\nx\r\ny\r\nc\n'],
    ['an anchor with CRLF fits a file with LF', 'a\nb\nc\n', 'a\r\nb\r\n', 'x\r\ny\r\n', 'x\ny\nc\n'],
    ['an anchor may begin at a line end', 'a\r\nb\r\nc', '\nb', '\nB', 'a\r\nB\r\nc'],
    ['an anchor with CRLF means that place of a mixed file', 'a\nb\na\r\nb\r\n', 'a\r\nb', 'x\ny', 'a\nb\nx\r\ny\r\n'],
    ['a lone carriage return is a character', 'a\rb\nc', 'a\rb', 'a\rB', 'a\rB\nc'],
  ])('%s', (_, text, oldText, newText, after) => {
    expect(replaceAnchor(text, oldText, newText)).toMatchObject({ kind: 'edited', text: after })
  })

  it('ignores a byte order mark in the anchor, which then stands at the start of the file only', () => {
    expect([
      replaceAnchor('Caption = "ő"\nx=1\n', '\ufeffCaption', '\ufeffTitle'),
      replaceAnchor('x\nx\n', '\ufeffx\n', 'y\n'),
      refusal('a\nx\n', '\ufeffx').count,
    ]).toEqual([{ kind: 'edited', text: 'Title = "ő"\nx=1\n', line: 1 }, { kind: 'edited', text: 'y\nx\n', line: 1 }, 0])
  })

  it('counts places that overlap, and names their lines', () => {
    expect([refusal('ananas\nana\n', 'ana'), refusal('x\n\n\n\ny', '\n\n').count]).toEqual([
      {
        code: 'ANCHOR_NOT_UNIQUE',
        count: 3,
        message: 'The old text occurs 3 times, from line 1, 2. Add lines before or after it, so that it stands for one place only.',
        lines: ['1-1', '1-1', '2-2'],
      },
      3,
    ])
  })

  it('counts a place of each line end in a mixed file', () => {
    expect(refusal('a\nb\na\r\nb\r\n', 'a\nb').lines).toEqual(['1-2', '3-4'])
  })

  it('fills an empty file, and no other, for an empty old text', () => {
    expect([replaceAnchor('', '', 'a\n'), refusal('a', '', 'b')]).toEqual([
      { kind: 'edited', text: 'a\n', line: 1 },
      {
        code: 'ANCHOR_NOT_UNIQUE',
        count: 0,
        message: 'The old text is empty, which fits only an empty file. Give the exact text to replace, or use write_file to write the whole file.',
        lines: [],
      },
    ])
  })

  it('refuses what would change nothing', () => {
    expect([refusal('a\n', 'a', 'a').code, refusal('a\r\n', 'a\r\n', 'a\n').code, refusal('', '', '').code, refusal('a\nb', 'a\r\nb', 'a\nb').code]).toEqual(
      Array.from({ length: 4 }, () => 'NO_CHANGE'),
    )
  })
})

describe('an anchor that is not there', () => {
  it('says that it matches if indentation is read as tabs, and shows the true text', () => {
    const { message, lines } = refusal('func f() {\n\tif x {\n\t\ty()\n\t}\n}\n', '    if x {\n        y()\n    }')
    expect([message, lines]).toEqual([
      'The old text does not occur in the file. It matches if indentation is read as tabs, lines 2–4; the file reads there:\n' +
        '\tif x {\n\t\ty()\n\t}\nSend the old text as it stands in the file.',
      ['2-4 indentation'],
    ])
  })

  it.each([
    ['indentation is read as blanks', 'f:\n    g()\n', '\tg()', '2-2 indentation'],
    ['typographic and straight quotes', 'a\nsay \u201chi\u201d\n', 'say "hi"', '2-2 quotes'],
    ['NFC and NFD', `a\n${nfd} = 1\n`, `${nfc} = 1`, '2-2 Unicode composition'],
    ['look-alike hyphens', 'top\u2011level\n', 'top-level', '1-1 look-alike hyphens'],
    ['look-alike blanks', 'a\u00a0b\n', 'a b', '1-1 look-alike blanks'],
    ['blanks at line ends', 'one  \ntwo\n', 'one\ntwo', '1-2 blanks at line ends'],
    ['blanks inside lines', 'x  =  1\n', 'x = 1', '1-1 blanks inside lines'],
    ['upper and lower case', 'Const X\n', 'const x', '1-1 letter case'],
    ['single carriage returns', 'a\rb\r', 'a\nb', '1-2 line ends'],
    ['is similar', 'x\nlet total = first + second\ny\n', 'let total = first + third', '2-2'],
    ['is similar', 'x\none()\ntwo()\nthree()\n', 'one()\nTWO!\nthree()', '2-4'],
    ['blanks are ignored', '\treturn \u201ca\u201d\n', '  return "a"', '1-1'],
  ])('says in words what differs: %s', (words, text, oldText, place) => {
    const { message, lines } = refusal(text, oldText)
    if (words === 'blanks are ignored') expect(lines).toEqual(['1-1 quotes indentation'])
    else expect([message.includes(words), lines]).toEqual([true, [place]])
  })

  it('says so where nothing is similar', () => {
    expect(refusal('a\nb\n', 'something else entirely')).toEqual({
      code: 'ANCHOR_NOT_UNIQUE',
      count: 0,
      message: 'The old text does not occur in the file. No similar lines were found. Read the file again.',
      lines: [],
    })
  })

  it('shows a long place only in part', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `\tline ${index}`)
    const result = replaceAnchor(lines.join('\n'), lines.map((line) => line.replace('\t', '  ')).join('\n'), 'x')
    expect(result.kind === 'refused' && [result.candidates[0]?.lastLine, (result.candidates[0]?.text.length ?? 0) < 2000]).toEqual([500, true])
  })

  it.each([
    ['one long line against its like', 'a'.repeat(2_000_000), `${'a'.repeat(10_000)}b${'a'.repeat(10_000)}`],
    ['blanks without end', ' '.repeat(2_000_000), `x${' '.repeat(10_000)}`],
    ['equal lines', 'x\n'.repeat(300_000), `${'x\n'.repeat(20_000)}y`],
  ])('takes no more time than the lengths explain: %s', { timeout: 10_000 }, (_, text, oldText) => {
    const startedAt = performance.now()
    expect([refusal(text, oldText).count, performance.now() - startedAt < 5000]).toEqual([0, true])
  })
})
