import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { claudeSniffer } from './claude-sniff.js'
import { parseObject } from './json-values.js'
import { recordKind, type SniffSpot } from './record-sniff.js'

const fixtures = fileURLToPath(new URL('./fixtures/claude-code', import.meta.url))
const logs = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((file) => /projects.*\.jsonl$/.test(file))
const id = '11111111-2222-4333-8444-555555555555'
const other = '99999999-2222-4333-8444-555555555555'

function sniffed(line: string): { readonly kind: number | null; readonly id: string | null; readonly parent: string | null } {
  const bytes = Buffer.from(`before\n${line}\n,"uuid":"${other}","timestamp":"`)
  const spot: SniffSpot = { idStart: 0, parentStart: 0, sessionStart: 0 }
  const kind = claudeSniffer.sniff(bytes, 7, 7 + Buffer.byteLength(line), spot)
  const at = (start: number): string | null => (start < 0 ? null : bytes.toString('latin1', start, start + 36))
  return { kind, id: kind === null ? null : at(spot.idStart), parent: kind === null ? null : at(spot.parentStart) }
}

const kindOf = (record: object): number => claudeSniffer.classify(parseObject(JSON.stringify(record)) ?? {}).kind
const user = (content: unknown, more: object = {}): object => ({ parentUuid: id, isSidechain: false, type: 'user', message: { role: 'user', content }, uuid: other, timestamp: 't', ...more })

describe('sniffing a log of Claude Code', () => {
  it.each(logs)('never contradicts the parsed line: %s', (log) => {
    const lines = readFileSync(join(fixtures, log), 'utf8').split('\n').filter((line) => parseObject(line) !== null)
    const wrong = lines.filter((line) => {
      const found = sniffed(line)
      const { kind, id: parsedId, parentId } = claudeSniffer.classify(parseObject(line) ?? {})
      return found.kind !== null && ((found.kind !== kind && found.kind !== recordKind.prompt) || found.id !== parsedId || found.parent !== parentId)
    })
    expect(wrong).toEqual([])
  })

  it('tells all but system records and unknown ones without parsing them', () => {
    const lines = logs.flatMap((log) => readFileSync(join(fixtures, log), 'utf8').split('\n')).filter((line) => parseObject(line) !== null)
    const parsed = lines.filter((line) => sniffed(line).kind === null).map((line) => claudeSniffer.classify(parseObject(line) ?? {}).kind)
    const isRare = (kind: number): boolean => [recordKind.note, recordKind.unknown, recordKind.strange].some((rare) => rare === kind)
    expect(parsed.filter((kind) => !isRare(kind))).toEqual([])
  })

  it('finds the identity behind the message and before a long result, and nothing in a text or in the next line', () => {
    const text = `","uuid":"${other}","timestamp":"`
    const result = { parentUuid: id, isSidechain: false, type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: text }] }, uuid: other, timestamp: 't', toolUseResult: { uuid: id, timestamp: 't' } }
    const late = { parentUuid: id, isSidechain: false, message: { content: [{ text }] }, type: 'assistant' }
    expect([sniffed(JSON.stringify(result)), sniffed(JSON.stringify(late)).kind]).toEqual([{ kind: recordKind.result, id: other, parent: id }, null])
  })

  it('tells the records of older versions, whose type stands before the message, and those of a subagent', () => {
    const record = (type: string, more: object, isSidechain = false): string =>
      JSON.stringify({ parentUuid: id, isSidechain, userType: 'external', cwd: '/a', sessionId: id, version: '1.0.60', gitBranch: 'main', type, ...more, uuid: other, timestamp: '2026-01-05T08:00:00.000Z' })
    const result = { message: { role: 'user', content: [{ tool_use_id: 't', type: 'tool_result', content: 'x' }] } }
    const place = { id: other, parent: id }
    expect([
      sniffed(record('assistant', { message: { content: [] }, requestId: 'r' })),
      sniffed(record('progress', { data: { uuid: id, timestamp: '2026' }, toolUseID: 't' })),
      sniffed(record('user', result)),
      sniffed(record('user', result, true)),
      sniffed(record('system', { content: 'x' })).kind,
    ]).toEqual([{ kind: recordKind.reply, ...place }, { kind: recordKind.note, ...place }, { kind: recordKind.result, ...place }, { kind: recordKind.side, id: null, parent: null }, null])
  })

  it('takes no identity from an inner object, whatever the hour was before', () => {
    const inner = { uuid: id, timestamp: '2026-01-05T08:00:00.000Z' }
    const long = 'x'.repeat(5000)
    const result = (time: string): string => JSON.stringify({ parentUuid: id, isSidechain: false, type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: long, more: {}, ...inner }] }] }, uuid: other, timestamp: time, toolUseResult: inner })
    const reply = JSON.stringify({ parentUuid: id, isSidechain: false, message: { content: [{ input: { type: 'assistant', ...inner } }] }, type: 'assistant', uuid: other, timestamp: '2026-01-05T08:00:00.000Z' })
    const found = [sniffed(reply), sniffed(result('2026-01-05T08:00:00.000Z')), sniffed(result('2026-01-05T09:00:00.000Z'))]
    expect(found.map(({ kind, id: found_ }) => kind === null || found_ === other)).toEqual([true, true, true])
  })

  it('joins a snapshot with the prompt that it is of, not with the record that brought it', () => {
    const line = JSON.stringify({ type: 'file-history-snapshot', messageId: other, snapshot: { messageId: id, trackedFileBackups: {} }, isSnapshotUpdate: true })
    expect(sniffed(line)).toEqual({ kind: recordKind.copies, id: null, parent: id })
  })
})

describe('a user record', () => {
  it.each<readonly [string, object, number]>([
    ['a text', user('Fix it'), recordKind.prompt],
    ['blocks', user([{ type: 'text', text: 'Fix it' }, { type: 'image', source: {} }]), recordKind.prompt],
    ['a command that the agent carries out', user('<command-message>review is running…</command-message>\n<command-name>/review</command-name>'), recordKind.prompt],
    ['a local command', user('<command-name>/model</command-name>\n<command-message>model</command-message>'), recordKind.note],
    ['what a local command printed', user('<local-command-stdout>done</local-command-stdout>'), recordKind.note],
    ['a command of the bash mode', user('<bash-input>ls</bash-input>'), recordKind.note],
    ['a note to the agent', user('Caveat: …', { isMeta: true }), recordKind.note],
    ['an interruption', user([{ type: 'text', text: '[Request interrupted by user for tool use]' }]), recordKind.note],
    ['a summary after a compaction', user('This session is continued', { isCompactSummary: true }), recordKind.note],
    ['a result', user([{ type: 'tool_result', tool_use_id: 't', content: 'x' }]), recordKind.result],
    ['of a subagent', user('Look for it', { isSidechain: true }), recordKind.side],
    ['without an identity', { type: 'user', message: { role: 'user', content: 'x' } }, recordKind.unknown],
  ])('with %s is what it is', (_, record, kind) => {
    expect(kindOf(record)).toBe(kind)
  })

  it('names a command with its arguments as what was typed', () => {
    const record = user('<command-message>review…</command-message>\n<command-name>/review</command-name>\n<command-args>src</command-args>')
    expect([claudeSniffer.promptText(parseObject(JSON.stringify(record)) ?? {}), claudeSniffer.promptText(parseObject(JSON.stringify(user([{ type: 'image' }, { type: 'text', text: 'this' }]))) ?? {})]).toEqual(['/review src', '[image]this'])
  })
})

describe('titles', () => {
  it('count in this order: given, made, summed up', () => {
    const records = [{ type: 'summary', summary: 'c' }, { type: 'custom-title', customTitle: 'a' }, { type: 'ai-title', aiTitle: 'b' }, { type: 'user', summary: 'no' }]
    expect(records.map((record) => claudeSniffer.titleOf(record))).toEqual([{ text: 'c', rank: 2 }, { text: 'a', rank: 0 }, { text: 'b', rank: 1 }, null])
  })
})
