import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseObject } from './json-values.js'
import { tellFormat } from './log-format.js'
import { qwenSniffer } from './qwen-sniff.js'
import { recordKind, type RecordKind, type RecordSniffer } from './record-sniff.js'

const fixtures = fileURLToPath(new URL('./fixtures/qwen-code', import.meta.url))
const logs = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'))

const id = '11111111-2222-4333-8444-555555555555'
const claudeLines = [
  { parentUuid: null, isSidechain: false, cwd: '/a "type":"user" {b}', sessionId: id, type: 'user', message: { role: 'user', content: 'Fix it' }, uuid: id },
  { parentUuid: id, cwd: '/a', type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'In blocks' }] }, uuid: id },
  { parentUuid: id, cwd: '/a', type: 'user', message: { role: 'user', content: [{ tool_use_id: 't', type: 'tool_result', content: 'out' }] }, toolUseResult: { type: 'user' } },
  { parentUuid: id, cwd: '/a', type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: '"type":"user"' }] } },
  { type: 'file-history-snapshot', messageId: id, snapshot: { trackedFileBackups: {} } },
  { toolUseResult: { type: 'user' }, type: 'assistant', message: { role: 'assistant', content: [] } },
  { type: 'summary', summary: 'x' },
  { message: { role: 'user', content: 'type last' }, type: 'user' },
]
const codexLines = [
  { timestamp: 'T', type: 'session_meta', payload: { id, cwd: '/a', instructions: 'role user' } },
  { timestamp: 'T', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix it' }] } },
  { timestamp: 'T', type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] } },
  { timestamp: 'T', type: 'response_item', payload: { type: 'function_call_output', output: '"role":"user"' } },
  { timestamp: 'T', type: 'event_msg', payload: { type: 'message', role: 'user', message: 'no prompt' } },
  { timestamp: 'T', type: 'response_item', payload: { role: 'user', type: 'message', content: [{ text: 'other order' }] } },
]

/** What the parsed line says where the sniffer leaves it to that, as the index does it. */
function kindOf(sniffer: RecordSniffer, line: string): { sniffed: RecordKind | null; kind: RecordKind } {
  const bytes = Buffer.from(line)
  const sniffed = sniffer.sniff(bytes, 0, bytes.length, { idStart: 0, parentStart: 0, sessionStart: 0 })
  const kind = sniffer.classify(parseObject(line) ?? {}).kind
  return { sniffed, kind }
}

describe('sniffing', () => {
  it.each(logs)('never contradicts the parsed line: %s', (log) => {
    const wrong = readFileSync(join(fixtures, log), 'utf8')
      .split('\n')
      .filter((line) => parseObject(line) !== null)
      .filter((line) => {
        const { sniffed, kind } = kindOf(qwenSniffer, line)
        return sniffed !== null && sniffed !== recordKind.prompt && sniffed !== kind
      })
    expect(wrong).toEqual([])
  })

  it('tells most records of a recorded log without parsing them', () => {
    const lines = readFileSync(join(fixtures, logs.find((log) => log.includes('small-edits')) ?? ''), 'utf8').split('\n').filter(Boolean)
    expect(lines.filter((line) => kindOf(qwenSniffer, line).sniffed === null)).toEqual([])
  })

  it('leaves records in another order, or with more before the type, to the parser', () => {
    const record = { type: 'user', uuid: id, parentUuid: null, sessionId: id, message: { parts: [{ text: 'x' }] } }
    const late = { uuid: id, parentUuid: id, sessionId: id, timestamp: '2026-01-05T08:00:00.000Z', type: 'system', systemPayload: {}, subtype: 'rewind' }
    expect([kindOf(qwenSniffer, JSON.stringify(record)), kindOf(qwenSniffer, JSON.stringify(late))]).toEqual([
      { sniffed: null, kind: recordKind.prompt },
      { sniffed: null, kind: recordKind.rewind },
    ])
  })

  it('finds the promptId of a snapshot behind a long folder name, and not in text', () => {
    const line = (cwd: string, promptId: string): Buffer =>
      Buffer.from(JSON.stringify({ uuid: id, cwd, systemPayload: { snapshots: [{ promptId, trackedFileBackups: {} }] } }))
    const named = (bytes: Buffer): string | null => qwenSniffer.snapshotPromptId(bytes, 0, bytes.length)
    expect([named(line('/a', 's########1')), named(line(`/${'a'.repeat(4000)}`, 'p2')), named(line('/a', 'a"b')), named(line(`/${'a'.repeat(20_000)}`, 'p'))]).toEqual([
      's########1',
      'p2',
      null,
      null,
    ])
  })
})

describe('the format of a log', () => {
  const formatOf = (lines: readonly unknown[]): string | null =>
    tellFormat(Buffer.from(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))).sniffer?.format ?? null

  it('is told by the first records that are known', () => {
    const qwen = readFileSync(join(fixtures, logs.find((log) => log.includes('small-edits')) ?? ''), 'utf8').slice(0, 3000)
    expect([
      formatOf([qwen]),
      formatOf([{ type: 'mode', mode: 'normal', sessionId: 's' }, 'broken', '42', qwen]),
      formatOf([`\ufeff${qwen}`]),
      formatOf(claudeLines),
      formatOf(codexLines),
      formatOf([]),
      formatOf(['no log at all', { a: 1 }, '[1]']),
    ]).toEqual(['qwen', 'qwen', 'qwen', 'claude', 'codex', null, null])
  })

  it('is told of a first line that is longer than the head', () => {
    const line = JSON.stringify({
      uuid: id,
      parentUuid: null,
      sessionId: id,
      timestamp: '2026-01-05T08:00:00.000Z',
      type: 'user',
      cwd: '/a',
      message: { role: 'user', parts: [{ text: 'x'.repeat(9000) }] },
    })
    const long = 'x'.repeat(9000)
    const claude = [{ parentUuid: null, isSidechain: false, type: 'user', message: { role: 'user', content: long } }, { type: 'queue-operation', operation: 'enqueue', content: long }]
    const codex = { timestamp: '2026-01-05T08:00:00.000Z', ordinal: 0, type: 'session_meta', payload: { base_instructions: long } }
    const cut = [line, ...[...claude, codex].map((record) => JSON.stringify(record))]
    expect(cut.map((each) => formatOf([each.slice(0, 4096)]))).toEqual(['qwen', 'claude', 'claude', 'codex'])
  })
})
