import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeBytes, textInStyleOf } from './three-texts.js'

const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

function merged(base: Uint8Array | null, disk: Uint8Array, target: Uint8Array): string {
  const result = mergeBytes({ base, disk, target })
  return result.kind === 'merged' && result.conflicts.length === 0 ? Buffer.from(result.bytes).toString('latin1') : result.kind
}

describe('mergeBytes', () => {
  it('keeps CRLF', () => {
    expect(merged(utf8('a\r\nb\r\nc\r\n'), utf8('a\r\nb\r\nc\r\nmine\r\n'), utf8('old\r\nb\r\nc\r\n'))).toBe('old\r\nb\r\nc\r\nmine\r\n')
  })

  it('takes back a change of line ends while typing since survives', () => {
    expect(merged(utf8('a\r\nb\r\nc\r\n'), utf8('a\r\nb\r\nc\r\nmine\r\n'), utf8('a\nb\nc\n'))).toBe('a\nb\nc\nmine\n')
  })

  it('keeps line ends that the user changed since', () => {
    expect(merged(utf8('new\nb\nc\n'), utf8('new\r\nb\r\nc\r\n'), utf8('old\nb\nc\n'))).toBe('old\r\nb\r\nc\r\n')
  })

  it('keeps each line end of a file that mixes them', () => {
    expect(merged(utf8('a\r\nb\nc\n'), utf8('a\r\nb\nc\nmine\r\n'), utf8('old\r\nb\nc\n'))).toBe('old\r\nb\nc\nmine\r\n')
  })

  it('keeps a BOM, and brings back one that was lost', () => {
    const [without, withIt] = [utf8('a\nb\nc\n'), utf8('\ufeffold\nb\nc\n')]
    expect(merged(without, utf8('a\nb\nc\nmine\n'), withIt)).toBe(Buffer.from('\ufeffold\nb\nc\nmine\n').toString('latin1'))
  })

  it('keeps Latin-1, also when one of the texts is plain', () => {
    expect(merged(latin1('caf\xe9\nb\nc\n'), latin1('caf\xe9\nb\nc\nmine\n'), latin1('old\nb\nc\n'))).toBe('old\nb\nc\nmine\n')
    expect(merged(utf8('x\nb\nc\n'), utf8('x\nb\nc\nmine\n'), latin1('caf\xe9\nb\nc\n'))).toBe('caf\xe9\nb\nc\nmine\n')
  })

  it('says why it cannot: binary, no common encoding', () => {
    const why = [
      mergeBytes({ base: utf8('a'), disk: Uint8Array.from([0, 1]), target: utf8('b') }),
      mergeBytes({ base: latin1('\xe9\nb\n'), disk: latin1('\xe9\nb\nmine\n'), target: latin1('\xe9\nb\n') }),
      mergeBytes({ base: utf8('a\nb\nc\n'), disk: latin1('a\nb\nc\nmine \xe9\n'), target: utf8('→\nb\nc\n') }),
    ].map((result) => (result.kind === 'impossible' ? result.why : result.kind))
    expect(why).toEqual(['it is no text that could be merged', 'merged', 'its texts have no common encoding'])
  })

  it('lists blocks that both changed, with their lines in all texts, and leaves them out of the result', () => {
    const result = mergeBytes({ base: utf8('a\nb\nc\nd\ne\n'), disk: utf8('top\na\nmine\nc\nd\ne\n'), target: utf8('a\nold\nc\nd\nE\n') })
    expect(result).toEqual({
      kind: 'merged',
      bytes: utf8('top\na\nc\nd\nE\n'),
      added: 2,
      conflicts: [{ targetLine: 2, baseLine: 2, diskLine: 3, resultLine: 3, targetText: 'old\n', baseText: 'b\n', diskText: 'mine\n' }],
    })
  })

  it('merges two files without a common ancestor as one conflict', () => {
    expect(mergeBytes({ base: null, disk: utf8('mine\n'), target: utf8('old\n') })).toMatchObject({ kind: 'merged', conflicts: [{ diskText: 'mine\n', targetText: 'old\n' }] })
  })

  it('gives the target where the disk is the base, and the disk where the target is the base', () => {
    const seed = Number(process.env['SEED'] ?? Date.now())
    const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', 'ü\n', '\n', 'x')
    const text = fc.array(line, { maxLength: 12 }).map((lines) => utf8(lines.join('')))
    fc.assert(
      fc.property(text, text, (one, two) => {
        const hex = (result: ReturnType<typeof mergeBytes>): string => (result.kind === 'merged' ? Buffer.from(result.bytes).toString() : result.kind)
        expect([hex(mergeBytes({ base: one, disk: one, target: two })), hex(mergeBytes({ base: one, disk: two, target: one }))]).toEqual([
          Buffer.from(two).toString(),
          Buffer.from(two).toString(),
        ])
      }),
      { seed, numRuns: 1_000 },
    )
  })
})

describe('textInStyleOf', () => {
  it('writes in the encoding, BOM and line ends of the file, and refuses what the encoding lacks', () => {
    const style = (disk: Uint8Array, text: string): string | null => {
      const bytes = textInStyleOf(text, { base: null, disk, target: null })
      return bytes && Buffer.from(bytes).toString('latin1')
    }
    expect([style(utf8('\ufeffa\r\nb\r\n'), 'x\ny\n'), style(latin1('\xe9\n'), 'ü\n'), style(latin1('\xe9\n'), '→'), style(utf8('a\r\nb\n'), 'x\ny\r\n'), style(utf8('a\n'), 'x\r\n')]).toEqual([
      '\xef\xbb\xbfx\r\ny\r\n',
      '\xfc\n',
      null,
      'x\ny\r\n',
      'x\n',
    ])
  })
})
