import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readTruth } from '../testing/judge-states.js'
import { codexResponseSniffer, codexSniffer, codexSnifferFor } from './codex-sniff.js'
import { parseObject } from './json-values.js'
import { recordKind, type RecordKind, type RecordSniffer } from './record-sniff.js'

const fixtures = fileURLToPath(new URL('./fixtures/codex', import.meta.url))
const named = (kind: RecordKind | null): string => Object.entries(recordKind).find(([, value]) => value === kind)?.[0] ?? 'parse'

/** By the first bytes, and by the parsed line. */
function kindsOf(sniffer: RecordSniffer, record: unknown): readonly [string, string] {
  const line = JSON.stringify(record)
  const bytes = Buffer.from(line)
  return [named(sniffer.sniff(bytes, 0, bytes.length, { idStart: 0, parentStart: 0, sessionStart: 0 })), named(sniffer.classify(parseObject(line) ?? {}).kind)]
}

const at = '2026-11-30T12:23:39.789Z'
const event = (payload: unknown): unknown => ({ timestamp: at, ordinal: 7, type: 'event_msg', payload })
const item = (payload: unknown): unknown => ({ timestamp: at, type: 'response_item', payload })
const said = (role: string, text: string, more = {}): unknown => item({ type: 'message', role, content: [{ type: 'input_text', text }], ...more })

describe('records of Codex', () => {
  it.each(['exec-basic', 'legacy-0.80'])('are told by their first bytes as by the whole line: %s', (name) => {
    const lines = readFileSync(join(fixtures, name, 'home', readTruth(join(fixtures, name)).prompts[0]?.sessionFile ?? ''), 'utf8').trim().split('\n')
    const records = lines.map((line) => parseObject(line))
    const wrong = [codexSniffer, codexResponseSniffer].flatMap((sniffer) => records.filter((record) => {
      const [sniffed, kind] = kindsOf(sniffer, record)
      return sniffed !== 'parse' && sniffed !== 'prompt' && sniffed !== kind
    }))
    expect([lines.length > 40, wrong]).toEqual([true, []])
  })

  it.each<readonly [unknown, readonly [string, string]]>([
    [event({ type: 'user_message', message: 'Do it' }), ['prompt', 'prompt']],
    [event({ type: 'user_message', message: '<cwd>', kind: 'environment_context' }), ['prompt', 'note']],
    [event({ type: 'item_completed', turn_id: 't', item: { type: 'UserMessage', content: [] } }), ['prompt', 'prompt']],
    [event({ type: 'item_completed', turn_id: 't', item: { type: 'FileChange', changes: {} } }), ['ledger', 'ledger']],
    [event({ type: 'item_completed', turn_id: 't', item: { type: 'NeverHeardOf' } }), ['ledger', 'ledger']],
    [event({ type: 'token_count' }), ['usage', 'usage']],
    [said('user', 'Do it'), ['note', 'note']],
    [said('assistant', 'Done'), ['reply', 'reply']],
    [item({ type: 'function_call', name: 'shell' }), ['ledger', 'ledger']],
    [{ timestamp: at, type: 'response_item', payload: { role: 'user', type: 'message' } }, ['parse', 'note']],
    [{ payload: { type: 'token_count' }, type: 'event_msg', timestamp: at }, ['parse', 'usage']],
    [{ timestamp: 'now', type: 'session_meta', payload: {} }, ['side', 'side']],
    [{ timestamp: at, type: 'never_heard_of', payload: { type: 'message' } }, ['parse', 'unknown']],
    [{ timestamp: at, type: 'constructor', payload: { type: '__proto__' } }, ['parse', 'unknown']],
    [{ timestamp: at, type: 'event_msg' }, ['parse', 'unknown']],
  ])('%j', (record, kinds) => {
    expect(kindsOf(codexSniffer, record)).toEqual(kinds)
  })

  it('count what the model was given only where nothing shows what the user saw', () => {
    const lines = (...records: readonly unknown[]): Buffer => Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const asked = [said('user', '<environment_context>'), said('user', 'Do it')]
    expect([
      codexSnifferFor(lines(...asked, event({ type: 'user_message', message: 'Do it' }), said('assistant', 'Done'))) === codexSniffer,
      codexSnifferFor(lines(...asked, said('assistant', 'Done'))) === codexResponseSniffer,
      codexSnifferFor(lines(...asked, item({ type: 'reasoning', summary: [] }))) === codexResponseSniffer,
      codexSnifferFor(lines(...asked, item({ type: 'function_call', name: 'shell', call_id: 'c' }))) === codexResponseSniffer,
      kindsOf(codexResponseSniffer, said('user', 'Do it')),
      kindsOf(codexResponseSniffer, said('user', 'Warning: apply_patch was requested via shell')),
      kindsOf(codexResponseSniffer, said('user', '<p>', { internal_chat_message_metadata_passthrough: { content_item_kinds: ['user.text'] } })),
    ]).toEqual([true, true, true, true, ['prompt', 'prompt'], ['prompt', 'note'], ['prompt', 'prompt']])
  })

  it('tell nothing by a head that shows no answered prompt, or only a part of it', () => {
    const records = [said('developer', 'Rules'), said('user', '<environment_context>'), said('assistant', 'Hello'), said('user', 'Do it'), item({ type: 'ghost_snapshot' }), item({ type: 'function_call', name: 'shell' })]
    const log = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    const cut = log.lastIndexOf('function_call')
    expect([codexSnifferFor(log.subarray(0, cut)), codexSnifferFor(log.subarray(0, log.length - 1)), codexSnifferFor(log)]).toEqual([null, null, codexResponseSniffer])
  })
})
