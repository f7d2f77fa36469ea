import { closeSync, mkdtempSync, openSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lookAtTailLines, parseGlued, scanLines } from './jsonl.js'

const folder = mkdtempSync(join(tmpdir(), 'overturn-jsonl-'))

interface Seen {
  readonly text: string
  readonly offset: number
  readonly length: number
}

async function scan(content: string | Buffer, options: { from?: number; maxLineBytes?: number; lateMark?: Buffer } = {}): Promise<{ seen: Seen[]; end: number }> {
  const file = join(folder, 'log.jsonl')
  writeFileSync(file, content)
  const handle = openSync(file, 'r')
  const seen: Seen[] = []
  const scan = { from: options.from ?? 0, to: statSync(file).size, ...options }
  const end = await scanLines(handle, scan, (bytes, start, stop, offset, length) => {
    seen.push({ text: bytes.toString('utf8', start, stop), offset, length })
  })
  closeSync(handle)
  return { seen, end }
}

const textsOf = async (content: string | Buffer): Promise<readonly string[]> => (await scan(content)).seen.map(({ text }) => text)

describe('the line scanner', () => {
  it('splits at byte 10 and nowhere else', async () => {
    expect(await textsOf('a\u2028b\u2029c\u0085d\re\x0bf\nsecond\n')).toEqual(['a\u2028b\u2029c\u0085d\re\x0bf', 'second'])
  })

  it('leaves out a carriage return at the end of a line, and only there', async () => {
    expect(await textsOf('a\r\n\r\nb\rc\r\n')).toEqual(['a', '', 'b\rc'])
  })

  it('gives offset and length of each line, and leaves a last line without end to the caller', async () => {
    expect(await scan('ä\n\nccc\nrest')).toEqual({
      seen: [
        { text: 'ä', offset: 0, length: 2 },
        { text: '', offset: 3, length: 0 },
        { text: 'ccc', offset: 4, length: 3 },
      ],
      end: 8,
    })
  })

  it('begins where it is told to', async () => {
    expect((await scan('one\ntwo\nthree\n', { from: 4 })).seen.map(({ offset }) => offset)).toEqual([4, 8])
  })

  it('puts together lines that run over several chunks', async () => {
    const lines = [1_048_570, 5, 3_000_000, 0, 2_097_152, 1].map((length, at) => String.fromCharCode(97 + at).repeat(length))
    const { seen, end } = await scan(lines.map((line) => `${line}\n`).join(''))
    expect([seen.map(({ text }) => text === lines.shift()), seen.map(({ length }) => length), end]).toEqual([
      [true, true, true, true, true, true],
      [1_048_570, 5, 3_000_000, 0, 2_097_152, 1],
      6_145_734,
    ])
  })

  it('hands on only the head of a line above the bound, with its whole length, and goes on after it', async () => {
    const { seen } = await scan(`small\n${'x'.repeat(2_500_000)}\nafter\n`, { maxLineBytes: 1_500_000 })
    expect(seen.map(({ text, offset, length }) => [text.length, offset, length])).toEqual([
      [5, 0, 5],
      [65_536, 6, 2_500_000],
      [5, 2_500_007, 5],
    ])
  })

  it.each([1_100_000, 1_500_000, ...[-200, -130, -64, -5, 0, 5].map((by) => 2_097_152 - 6 + by), 2_400_000])('hands on what stands around the late mark, wherever a chunk ends: %i', async (place) => {
    const [before, after] = ['b'.repeat(64), 'a'.repeat(200)]
    const line = `${'x'.repeat(place - before.length)}${before},"uuid":"${after}${'y'.repeat(2_500_000 - place)}`
    const { seen } = await scan(`small\n${line}\nafter\n`, { maxLineBytes: 1_200_000, lateMark: Buffer.from(',"uuid":"') })
    expect([seen[1]?.text.slice(65_536), seen[1]?.length, seen[2]?.text]).toEqual([`${before},"uuid":"${after.slice(0, 128 - 9)}`, line.length, 'after'])
  })

  it('stops when it is told to', async () => {
    const file = join(folder, 'stopped.jsonl')
    writeFileSync(file, 'x\n'.repeat(2_000_000))
    const handle = openSync(file, 'r')
    const abort = new AbortController()
    const scanning = scanLines(handle, { from: 0, to: 4_000_000, signal: abort.signal, onChunk: () => abort.abort() }, () => undefined)
    await expect(scanning).rejects.toMatchObject({ code: 'CANCELLED' })
    closeSync(handle)
  })
})

describe('the lines of the tail', () => {
  it('come newest first, whole ones only', async () => {
    const file = join(folder, 'tail.jsonl')
    writeFileSync(file, 'first\nsecond\nthird\nlast')
    const handle = openSync(file, 'r')
    const read = async (tailBytes: number): Promise<readonly (readonly [string, number])[]> =>
      await lookAtTailLines(handle, 23, tailBytes, (lines) => lines.map(({ bytes, offset }) => [bytes.toString(), offset]))
    expect([await read(12), await read(100)]).toEqual([
      [
        ['last', 19],
        ['third', 13],
      ],
      [
        ['last', 19],
        ['third', 13],
        ['second', 6],
        ['first', 0],
      ],
    ])
    closeSync(handle)
  })
})

describe('glued records', () => {
  const found = (line: string): readonly unknown[] => parseGlued(Buffer.from(line), Buffer.from('{"uuid":"')).map(({ value }) => value)

  it('are recovered one by one', () => {
    expect(found('{"uuid":"a"}{"uuid":"b","x":{"y":1}}')).toEqual([{ uuid: 'a' }, { uuid: 'b', x: { y: 1 } }])
  })

  it('are recovered after one that was cut off', () => {
    expect(found('{"uuid":"a","text":"cut{"uuid":"b"}')).toEqual([{ uuid: 'b' }])
  })

  it('are not found inside a text', () => {
    expect(found('{"uuid":"a","text":"}{\\"uuid\\":\\"b\\"}"}{"uuid":"c"}')).toEqual([{ uuid: 'a', text: '}{"uuid":"b"}' }, { uuid: 'c' }])
  })

  it('are given up within bounds on a line that is made to be slow', () => {
    const started = performance.now()
    expect([found('{"a":1}{'.repeat(100_000)).length > 0, performance.now() - started < 2000]).toEqual([true, true])
  })
})
