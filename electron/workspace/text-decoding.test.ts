import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText, displayLimitBytes, encodeText, lineEndsOf, sideOf } from './text-decoding.js'

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

describe('decodeText', () => {
  it.each([
    ['plain', utf8('one\n'), { text: 'one\n', encoding: 'utf-8', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['empty', utf8(''), { text: '', encoding: 'utf-8', hasBom: false, lineEnds: 'none', hasFinalNewline: null }],
    ['UTF-8 BOM', utf8('\ufeffő\r\nx'), { text: 'ő\r\nx', encoding: 'utf-8', hasBom: true, lineEnds: 'crlf', hasFinalNewline: false }],
    ['UTF-16 LE BOM', Buffer.from('\ufeffab\n', 'utf16le'), { text: 'ab\n', encoding: 'utf-16le', hasBom: true, lineEnds: 'lf', hasFinalNewline: true }],
    ['UTF-16 BE BOM', Buffer.from('\ufeffab\n', 'utf16le').swap16(), { text: 'ab\n', encoding: 'utf-16be', hasBom: true, lineEnds: 'lf', hasFinalNewline: true }],
    ['UTF-16 LE', Buffer.from('hello there\n', 'utf16le'), { text: 'hello there\n', encoding: 'utf-16le', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['Latin-1', latin1('caf\xe9 = 1\n'), { text: 'café = 1\n', encoding: 'windows-1252', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['Latin-1 that a detector takes for Cyrillic', latin1('d\xe9j\xe0 vu\n'), { text: 'déjà vu\n', encoding: 'windows-1252', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['Cyrillic', Buffer.from('cff0e8e2e5f22c20ece8f02120ddf2ee20f2e5f1f20a', 'hex'), { text: 'Привет, мир! Это тест\n', encoding: 'windows-1251', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['an unknown encoding of mostly ASCII', latin1('x = "f\x81r K\x94ln"\n'), { text: 'x = "f\x81r K\x94ln"\n', encoding: 'iso-8859-1', hasBom: false, lineEnds: 'lf', hasFinalNewline: true }],
    ['mixed line ends', utf8('a\r\nb\n'), { text: 'a\r\nb\n', encoding: 'utf-8', hasBom: false, lineEnds: 'mixed', hasFinalNewline: true }],
  ])('reads %s', (_, input, expected) => {
    expect(decodeText(input)).toEqual({ kind: 'text', ...expected })
  })

  it.each(['à', 'é à', 'é ß', 'à ÉTÉ', 'à 5 °C', 'à mañana', '«à» £ 100', '// à é è\nconst x = 1'])('takes %j for Western European, whatever a detector says', (text) => {
    expect(decodeText(latin1(`${text}\n`))).toMatchObject({ text: `${text}\n`, encoding: 'windows-1252' })
  })

  it.each([
    ['shift_jis', '// こんにちは世界、これはテストです\n'],
    ['gb18030', '// 你好，世界，这是一个测试文件\n'],
    ['koi8-r', '// Привет, мир! Это тест\n'],
    ['iso-8859-7', '// Καλημέρα κόσμε, αυτό είναι ένα τεστ\n'],
    ['windows-1254', '// İşlem başarılı, değer çok güzel, şu anda\n'],
  ])('reads %s where its words prove it', (encoding, text) => {
    const input = encodeText(text, encoding, false)
    expect(input && decodeText(input)).toMatchObject({ text, encoding })
  })

  it.each([
    ['a NUL', utf8('a\0b')],
    ['control characters that are no text', bytes(0x80, 0x81, 0x01, 0xff)],
    ['a BOM before what is no UTF-8', bytes(0xef, 0xbb, 0xbf, 0xff)],
    ['half a UTF-16 character', bytes(0xff, 0xfe, 0x41)],
    ['UTF-32', bytes(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0)],
  ])('takes %s as binary', (_, input) => {
    expect(decodeText(input)).toEqual({ kind: 'binary' })
  })

  it('gives the same bytes back, whatever they are', () => {
    const seed = Number(process.env['SEED'] ?? Date.now())
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 30 }).map(utf8),
      fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => utf8(`\ufeff${text}\r\n`)),
      fc.string({ maxLength: 20 }).map((text) => Uint8Array.from([...latin1(text), 0xe9, 0x20, 0xfc, 10])),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    )
    fc.assert(
      fc.property(anyBytes, (input) => {
        const decoded = decodeText(input)
        if (decoded.kind === 'binary') return
        const encoded = encodeText(decoded.text, decoded.encoding, decoded.hasBom)
        expect(encoded && Buffer.from(encoded).toString('hex')).toBe(Buffer.from(input).toString('hex'))
      }),
      { seed, numRuns: 2_000 },
    )
  })
})

describe('encodeText', () => {
  it('gives nothing for a character that the encoding lacks', () => {
    expect([encodeText('→', 'windows-1252', false), encodeText('\ud800', 'utf-8', false)]).toEqual([null, null])
  })
})

describe('lineEndsOf', () => {
  it('counts a lone carriage return and Unicode separators as no line end', () => {
    expect(['a\rb', 'a\u2028b', 'a\n', 'a\r\nb\r\n', 'a\r\nb\n'].map(lineEndsOf)).toEqual(['none', 'none', 'lf', 'crlf', 'mixed'])
  })
})

describe('sideOf', () => {
  it('shows text, binary with its size, and large files only when asked', () => {
    const large = Buffer.alloc(displayLimitBytes + 1, 'a')
    expect([sideOf(utf8('a\n'), 'h'), sideOf(utf8('\0'), 'h'), sideOf(large, 'h'), sideOf(large, 'h', true).kind]).toEqual([
      { kind: 'text', text: 'a\n', sizeBytes: 2 },
      { kind: 'binary', sizeBytes: 1, sha256: 'h' },
      { kind: 'oversized', sizeBytes: displayLimitBytes + 1 },
      'text',
    ])
  })
})
