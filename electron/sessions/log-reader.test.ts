import { appendFileSync, closeSync, mkdtempSync, openSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { QwenLog } from '../testing/qwen-log.js'
import { LogReader } from './log-reader.js'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'overturn-log-'))

/** A log above the size from which an index is saved. */
function bigLog(turns = 300): QwenLog {
  const log = new QwenLog()
  for (let n = 1; n <= turns; n++) {
    log.turn(n, `prompt ${n} äöü \u{1f600}`, { 'a.ts': `aaaaaaaaaaaaaaaa@v${n}` })
    log.reply('x'.repeat(16_000))
  }
  return log
}

async function open(file: string, indexFile: string | null = null, isDeep = true): Promise<LogReader> {
  const reader = await LogReader.open({ file, indexFile, isKept: true, isDeep })
  await reader.load()
  return reader
}

/** All that an index holds, for comparing. */
function contentOf({ index }: LogReader): unknown {
  const { rows } = index
  const all = Array.from({ length: rows.count }, (_, row) => [
    rows.kindOf(row),
    rows.offsetOf(row),
    rows.lengthOf(row),
    rows.parentOf(row),
    rows.promptOf(row),
    rows.idOf(row),
    rows.fragmentsOf(row),
    rows.isFragment(row),
  ])
  const { prompts, rewinds, extraRows, facts, lines, end } = index
  return { all, prompts, rewinds, extraRows, facts, lines, end, problems: index.problems() }
}

describe('a saved index', () => {
  it('holds the same as one that was just made, oddities and last line without end included', async () => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    const log = bigLog()
    const tip = log.tip
    log.user('on a branch', { parentUuid: log.uuid(5) })
    log.system('rewind', {}, { parentUuid: tip })
    log.reply('part one')
    log.reply('part two', { uuid: log.tip, parentUuid: tip })
    log.user('with a lost parent', { parentUuid: 'nowhere' })
    const glued = `${log.lines.pop()}${JSON.stringify({ type: 'odd' })}`
    writeFileSync(file, `${log.text()}${glued}\nbroken\n{"uuid":"no line end"}`)
    const first = await open(file, join(folder, 'index', 'a.idx'))
    await first.save()
    const made = contentOf(first)
    const again = await open(file, join(folder, 'index', 'a.idx'))
    expect(contentOf(again)).toEqual(made)
    expect(contentOf(await open(file))).toEqual(made)
  })

  it('is used without reading the log again', async () => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    writeOld(file, bigLog().text())
    await (await open(file, join(folder, 'a.idx'))).save()
    // A change in the middle that neither size nor time shows: only a reader that does not look sees the old prompt.
    keepTime(file, () => overwrite(file, readFileSync(file).indexOf('prompt 150 '), 'PROMPT'))
    const prompts = (await open(file, join(folder, 'a.idx'))).index.prompts.map((prompt) => prompt.text)
    expect(prompts[149]).toBe('prompt 150 äöü \u{1f600}')
  })

  it.each([
    ['the time', (file: string) => utimesSync(file, new Date(), new Date(2020, 1, 1))],
    ['the inode', (file: string) => replaceByCopy(file)],
    ['the first bytes', (file: string) => keepTime(file, () => overwrite(file, 2, 'UUID'))],
    ['the last bytes', (file: string) => keepTime(file, () => overwrite(file, statSync(file).size - 20, 'y'))],
  ])('is made anew when %s changed', async (_what, change) => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    writeOld(file, bigLog().text())
    await (await open(file, join(folder, 'a.idx'))).save()
    keepTime(file, () => overwrite(file, readFileSync(file).indexOf('prompt 150 '), 'PROMPT'))
    change(file)
    const prompts = (await open(file, join(folder, 'a.idx'))).index.prompts.map((prompt) => prompt.text)
    expect(prompts.some((prompt) => prompt.startsWith('PROMPT 150'))).toBe(true)
  })

  it('is made anew when it is damaged anywhere', async () => {
    const folder = newFolder()
    const file = join(folder, 'log.jsonl')
    const indexFile = join(folder, 'a.idx')
    writeFileSync(file, bigLog().text())
    const first = await open(file, indexFile)
    await first.save()
    const good = readFileSync(indexFile)
    const made = contentOf(first)
    const damages = [
      Buffer.alloc(0),
      good.subarray(0, 10),
      good.subarray(0, good.length - 8),
      ...[1, 5, 9, 20, 400, good.length >> 1, good.length - 9].map((at) => flipped(good, at)),
    ]
    for (const damaged of damages) {
      writeFileSync(indexFile, damaged)
      expect(contentOf(await open(file, indexFile))).toEqual(made)
    }
  })
})

describe('a log that grows', () => {
  it('is read on from where it ended', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.turn(1, 'first', {})
    writeFileSync(file, log.text())
    const reader = await open(file)
    const before = log.text().length
    log.turn(2, 'second', {})
    appendFileSync(file, log.text().slice(before))
    const change = await reader.grow()
    expect([change, contentOf(reader)]).toEqual(['grown', contentOf(await open(file))])
  })

  it('is the same however its bytes arrive', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.turn(1, 'first ä', {})
    const bytes = Buffer.from(log.text())
    writeFileSync(file, bytes.subarray(0, 300))
    const reader = await open(file).catch(() => null)
    const changes: string[] = []
    for (let at = 300; at < bytes.length; at += 97) {
      appendFileSync(file, bytes.subarray(at, at + 97))
      changes.push((await reader?.grow()) ?? '')
    }
    expect([new Set(changes), reader && contentOf(reader)]).toEqual([new Set(['grown']), contentOf(await open(file))])
  })

  it('counts its last line as torn until it is whole, and never twice', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.turn(1, 'first', {})
    log.user('last')
    const text = log.text()
    writeFileSync(file, text.slice(0, -30))
    const reader = await open(file)
    const torn = [reader.index.problems().map(({ kind }) => kind), reader.index.prompts.length]
    appendFileSync(file, text.slice(-30, -1))
    await reader.grow()
    const whole = [reader.index.problems(), reader.index.prompts.length]
    appendFileSync(file, '\n')
    await reader.grow()
    expect([torn, whole, reader.index.prompts.length, reader.index.lines]).toEqual([[['torn-line'], 1], [[], 2], 2, 6])
  })

  it.each([
    ['cut', (file: string, text: string) => writeFileSync(file, text.slice(0, text.indexOf('\n') + 1))],
    ['written anew', (file: string, text: string) => writeFileSync(file, text.replaceAll('first', 'FIRST') + text)],
    ['put in its place', (file: string, text: string) => renamedInto(file, text.replaceAll('first', 'FIRST') + text)],
  ])('is indexed anew when it was %s', async (_how, change) => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.turn(1, 'first', {})
    writeFileSync(file, log.text())
    const reader = await open(file)
    change(file, log.text())
    expect([await reader.grow(), contentOf(reader)]).toEqual(['replaced', contentOf(await open(file))])
  })
})

describe('problems', () => {
  it('of lines that are cut off are found without parsing each line, others when they are read', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.turn(1, 'first', {})
    const [prompt = '', snapshot = '', call = '', ...rest] = log.lines
    const bad = [call.slice(0, -12), call.replace('call-1', 'call\u0001-1')]
    writeFileSync(file, [prompt, snapshot, ...bad, ...rest, ''].join('\n'))
    const kindsAndLines = async (isDeep: boolean): Promise<unknown> => {
      const reader = await open(file, null, isDeep)
      return reader.index.problems().map(({ kind, lines }) => [kind, lines])
    }
    expect([await kindsAndLines(false), await kindsAndLines(true)]).toEqual([[['bad-line', [3]]], [['bad-line', [3, 4]]]])
  })

  it('are all counted, but only the first 20 lines are named', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.user('first')
    writeFileSync(file, log.text() + 'bad\n'.repeat(50))
    const [problem] = (await open(file)).index.problems()
    expect([problem?.kind, problem?.count, problem?.lines]).toEqual(['bad-line', 50, Array.from({ length: 20 }, (_, at) => at + 2)])
  })
})

describe('a reader', () => {
  it.each([
    ['a missing log', 'gone.jsonl', 'SESSION_NOT_FOUND'],
    ['a folder', '.', 'SESSION_UNREADABLE'],
    ['something else', 'other.jsonl', 'SESSION_FORMAT_UNKNOWN'],
  ])('refuses %s', async (_what, name, code) => {
    const folder = newFolder()
    writeFileSync(join(folder, 'other.jsonl'), 'no log\n{"a":1}\n')
    await expect(LogReader.open({ file: join(folder, name), indexFile: null, isKept: false, isDeep: true })).rejects.toMatchObject({ code })
  })

  it('gives the bytes of records near and far, and only the head of an oversized one', async () => {
    const file = join(newFolder(), 'log.jsonl')
    const log = new QwenLog()
    log.user('first')
    log.reply('y'.repeat(9_000_000))
    log.reply('x'.repeat(200_000))
    log.reply('last')
    writeFileSync(file, log.text())
    const reader = await open(file)
    const read: [number, boolean, number][] = []
    const { rows } = reader.index
    await reader.readRows([0, 1, 2, 3, 0], (row, bytes) => read.push([row, log.lines[row]?.startsWith(bytes.toString()) ?? false, bytes.length]))
    expect([read.map(([row, isSame]) => [row, isSame]), read[1]?.[2], rows.lengthOf(1) > 9_000_000, reader.index.problems().map(({ kind, lines }) => [kind, lines])]).toEqual([
      [
        [0, true],
        [1, true],
        [2, true],
        [3, true],
        [0, true],
      ],
      65_536,
      true,
      [['oversized-line', [2]]],
    ])
  })
})

/** Writes a log with a time of whole seconds, which can be set again without loss. */
function writeOld(file: string, text: string): void {
  writeFileSync(file, text)
  utimesSync(file, new Date(2024, 1, 1), new Date(2024, 1, 1))
}

function overwrite(file: string, at: number, text: string): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.from(text), 0, text.length, at)
  closeSync(handle)
}

function keepTime(file: string, change: () => void): void {
  const { atime, mtime } = statSync(file)
  change()
  utimesSync(file, atime, mtime)
}

function replaceByCopy(file: string): void {
  keepTime(file, () => renamedInto(file, readFileSync(file)))
}

function renamedInto(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.next`, content)
  renameSync(`${file}.next`, file)
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = (changed[at] ?? 0) ^ 0x40
  return changed
}
