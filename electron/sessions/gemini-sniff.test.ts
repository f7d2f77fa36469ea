import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { GeminiDocument, promptOf } from './gemini-operations.js'
import { editsIn, sniffMessage, sniffUpdate, timeIn, tokensIn } from './gemini-sniff.js'
import { objectAt, parseObject, textAt, timeAt } from './json-values.js'

const fixtures = fileURLToPath(new URL('./fixtures/gemini-cli', import.meta.url))
const lines = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((file) => /chats\/session-.*\.jsonl$/.test(file.replaceAll('\\', '/')))
  .flatMap((file) => readFileSync(join(fixtures, file), 'utf8').trim().split('\n'))

const at = '2026-11-30T12:22:08.100Z'
const answer = { functionResponse: { id: 'c', name: 'ls', response: { output: 'a' } } }

/** What the first bytes of a line tell, with another line before and after it. */
function sniffed(line: string): object | null {
  const bytes = Buffer.from(`before\n${line}\n{"id":"x"}`)
  const [start, end] = [7, 7 + Buffer.byteLength(line)]
  const update = sniffUpdate(bytes, start, end)
  if (update >= 0) return { updated: timeIn(bytes, update) }
  const spot = { idStart: 0, idEnd: 0, timeStart: 0 }
  const type = sniffMessage(bytes, start, end, spot)
  return type && { type, id: bytes.toString('latin1', spot.idStart, spot.idEnd), at: timeIn(bytes, spot.timeStart), prompt: null }
}

function parsed(line: string): object {
  const record = parseObject(line) ?? {}
  const set = objectAt(record, '$set')
  return set ? { updated: timeAt(set, 'lastUpdated') } : { type: textAt(record, 'type'), id: textAt(record, 'id'), at: timeAt(record, 'timestamp'), prompt: promptOf(record) }
}

describe('sniffing a log of Gemini CLI', () => {
  it('never contradicts the parsed line, and leaves few to the parser', () => {
    const told = lines.filter((line) => sniffed(line) !== null)
    expect([told.map(sniffed), told.length / lines.length > 0.7]).toEqual([told.map(parsed), true])
  })

  it.each<readonly [string, object, boolean]>([
    ['an answer', { id: 'a', timestamp: at, type: 'user', content: [answer] }, true],
    ['an answer, and what was typed behind it', { id: 'a', timestamp: at, type: 'user', content: [answer, { text: 'Go on' }] }, false],
    ['what was typed', { id: 'a', timestamp: at, type: 'user', content: [{ text: 'Go on' }] }, false],
    ['another order', { timestamp: at, id: 'a', type: 'gemini', content: '' }, false],
    ['an escaped identity', { id: 'a"b', timestamp: at, type: 'gemini', content: '' }, false],
    ['a notice', { id: 'a', timestamp: at, type: 'info', content: '' }, false],
    ['more than the time', { $set: { lastUpdated: at, summary: 'x' } }, false],
    ['the time', { $set: { lastUpdated: at } }, true],
  ])('tells %s', (_, record, isTold) => {
    const line = JSON.stringify(record)
    expect(sniffed(line)).toEqual(isTold ? parsed(line) : null)
  })

  it.each([at, '2026-11-30T12:59:59.999Z', '2026-12-01T00:00:00.000Z', '2026-11-30T12:61:00.000Z', '2026-11-30T12:22:08+01:00', 'x'.repeat(24), '2026-11-30 12:22:08.100Z'])('reads times as the parser does: %s', (time) => {
    const bytes = Buffer.from(`${time}"`.padEnd(30))
    const expected = Date.parse(bytes.toString('latin1', 0, 24))
    expect(timeIn(bytes, 0)).toBe(Number.isNaN(expected) ? null : expected)
  })

  it.each<readonly [string, object | null]>([
    ['{"id":"a","content":"\\",\\"tokens\\":{}","tokens":{"input":120,"output":40,"cached":0,"tool":0,"total":160},"toolCalls":[{"tokens":{"input":7}}]}', { input: 120, output: 40, cached: 0, total: 160 }],
    ['{"id":"a","content":"x","tokens":{"input":1.5e3,"output":2}}', { input: 1500, output: 2 }],
    ['{"id":"a","content":"x","tokens":{"input":-1}}', { input: -1 }],
    ['{"id":"a","content":"x","tokens":null}', null],
    ['{"id":"a","content":"x"}', null],
  ])('reads the tokens of a line, and of no other: %s', (line, tokens) => {
    const bytes = Buffer.from(`{"x":1,"tokens":{"input":9}}\n${line}\n{"x":1,"tokens":{"input":9}}`)
    const start = bytes.indexOf('\n') + 1
    expect(tokensIn(bytes, start, start + Buffer.byteLength(line))).toEqual(tokens)
  })

  const edited = (path: string, added: number, removed: number): object => ({
    fileDiff: 'Index: "diffStat":{ {}', fileName: path, filePath: `/w/${path}`, originalContent: '"status":"error"', newContent: 'a', diffStat: { model_added_lines: added, model_removed_lines: removed, user_added_lines: 0 }, isNewFile: false,
  })
  const call = (resultDisplay: unknown, status = 'success'): object => ({ id: 'c', name: 'replace', args: { status: 'x', diffStat: 'y' }, result: [answer], status, timestamp: at, resultDisplay, description: 'd' })
  const message = (...toolCalls: readonly object[]): object => ({ id: 'a', timestamp: at, type: 'gemini', content: 'The "diffStat":{ of', model: 'm', toolCalls })

  it.each<readonly [string, object, boolean]>([
    ['no calls', { id: 'a', timestamp: at, type: 'gemini', content: 'x' }, true],
    ['no edits', message(call('text'), call('more')), true],
    ['one edit', message(call(edited('a.ts', 3, 1))), true],
    ['several among others', message(call('text'), call(edited('a.ts', 3, 1)), call(edited('b c.ts', 0, 7))), true],
    ['an edit that was refused', message(call(edited('a.ts', 3, 1), 'cancelled')), false],
    ['one that was made and one that was refused', message(call(edited('a.ts', 3, 1)), call(edited('a.ts', 9, 9), 'error')), false],
    ['a path with an escape', message(call(edited('a"b.ts', 3, 1))), false],
    ['half of the numbers', message(call({ ...edited('a.ts', 3, 1), diffStat: { model_added_lines: 1 } })), false],
    ['another order', message({ resultDisplay: edited('a.ts', 3, 1), status: 'success', timestamp: at }), false],
    ['numbers in what a call was given', message({ id: 'c', name: 'mcp', args: { diffStat: { model_added_lines: 5, model_removed_lines: 5 } }, status: 'success', timestamp: at, resultDisplay: 'x' }), false],
  ])('counts the edits of a line as the parser does, or leaves it to that: %s', (_, record, isTold) => {
    const document = new GeminiDocument()
    document.apply(parseObject(JSON.stringify(record)) ?? {}, 0, 1)
    expect(editsIn(Buffer.from(JSON.stringify(record)))).toEqual(isTold ? document.order[0]?.edits : undefined)
  })
})
