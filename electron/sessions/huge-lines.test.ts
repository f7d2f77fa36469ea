import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { readerOf } from './readers.js'
import type { RecordedSession } from './recorded-session.js'
import type { LogFormat } from './record-sniff.js'

const length = 12_000_000
const at = '2026-01-05T08:00:00.000Z'
const names: Readonly<Record<string, string>> = { qwen: 'a.jsonl', claude: 'a.jsonl', codex: 'rollout-2026-01-05T08-00-00-a.jsonl', gemini: 'session-2026-01-05T08-00-a.jsonl' }

type Part = 'prompt' | 'output' | 'image'
type Records = readonly object[]

/** How an agent writes a prompt, an image that a person gave it, a reply, and what a command printed. */
interface Writer {
  readonly begin: Records
  prompt(text: string): Records
  image(data: string): Records
  reply(text: string): Records
  output(text: string): Records
}

let made = 0
const newId = (): string => `11111111-2222-4333-8444-${String(made++).padStart(12, '0')}`

function qwen(): Writer {
  let parentUuid: string | null = null
  const sessionId = newId()
  const record = (type: string, role: string, ...parts: Records): Records => {
    const uuid = newId()
    const line = { uuid, parentUuid, sessionId, timestamp: at, type, cwd: '/home/dev/app', version: '0.24.4', gitBranch: 'main', message: { role, parts } }
    parentUuid = uuid
    return [line]
  }
  return {
    begin: [],
    prompt: (text) => record('user', 'user', { text }),
    image: (data) => record('user', 'user', { text: 'Look' }, { inlineData: { mimeType: 'image/png', data } }),
    reply: (text) => record('assistant', 'model', { text }),
    output: (output) => [...record('assistant', 'model', { functionCall: { id: 'c', name: 'run_shell_command', args: {} } }), ...record('tool_result', 'user', { functionResponse: { id: 'c', name: 'run_shell_command', response: { output } } })],
  }
}

function claude(): Writer {
  let parentUuid: string | null = null
  const record = (before: object, after: object = {}): Records => {
    const uuid = newId()
    const line = { parentUuid, isSidechain: false, ...before, uuid, timestamp: at, ...after, cwd: '/home/dev/app', sessionId: 's' }
    parentUuid = uuid
    return [line]
  }
  const user = (content: unknown, after?: object): Records => record({ promptId: newId(), type: 'user', message: { role: 'user', content } }, after)
  const reply = (block: object): Records => record({ message: { id: newId(), role: 'assistant', content: [block] }, type: 'assistant' })
  return {
    begin: [{ type: 'mode', mode: 'normal', sessionId: 's' }],
    prompt: (text) => user(text),
    image: (data) => user([{ type: 'text', text: 'Look' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }]),
    reply: (text) => reply({ type: 'text', text }),
    output: (stdout) => [...reply({ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }), ...user([{ tool_use_id: 't', type: 'tool_result', content: stdout }], { toolUseResult: { stdout } })],
  }
}

function codex(): Writer {
  const line = (type: string, payload: object): object => ({ timestamp: at, type, payload })
  const event = (payload: object): object => line('event_msg', payload)
  return {
    begin: [line('session_meta', { id: newId(), timestamp: at, cwd: '/home/dev/app', cli_version: '0.171.0' })],
    prompt: (text) => [line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }), event({ type: 'item_completed', turn_id: newId(), item: { type: 'UserMessage', id: newId(), content: [{ type: 'text', text }] } })],
    image: (data) => [event({ type: 'user_message', message: 'Look', images: [`data:image/png;base64,${data}`] })],
    reply: (text) => [event({ type: 'agent_message', message: text }), line('response_item', { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })],
    output: (output) => [line('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' }), line('response_item', { type: 'function_call_output', call_id: 'c', output })],
  }
}

function gemini(): Writer {
  const message = (type: string, fields: object, id = newId()): object => ({ id, timestamp: at, type, ...fields })
  return {
    begin: [{ sessionId: newId(), projectHash: 'x', startTime: at, lastUpdated: at, kind: 'main' }],
    prompt: (text) => [message('user', { content: [{ text }] })],
    image: (data) => [message('user', { content: [{ text: 'Look' }, { inlineData: { mimeType: 'image/png', data } }] })],
    reply: (text) => [message('gemini', { content: text, model: 'model-1' })],
    output: (output) => {
      const id = newId()
      const answer = { functionResponse: { id: 'c', name: 'run_shell_command', response: { output } } }
      const toolCalls = [{ id: 'c', name: 'run_shell_command', args: { command: 'ls' }, result: [answer], status: 'success', timestamp: at, resultDisplay: output }]
      return [message('gemini', { content: '' }, id), message('gemini', { content: '', toolCalls }, id), message('user', { content: [answer] })]
    },
  }
}

const writers: Readonly<Record<string, () => Writer>> = { qwen, claude, codex, gemini }

async function opened(format: string, part: Part): Promise<{ readonly session: RecordedSession; readonly lines: readonly string[] }> {
  const root = mkdtempSync(join(tmpdir(), 'overturn-huge-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const writer = (writers[format] ?? qwen)()
  const long = (part === 'image' ? 'iVBORw0KGgo' : 'Line of text\n').repeat(Math.ceil(length / 11)).slice(0, length)
  const huge = (): Records => (part === 'prompt' ? writer.prompt(long) : part === 'image' ? writer.image(long) : writer.output(long))
  const records = [...writer.begin, ...writer.prompt('First'), ...writer.reply('One'), ...huge(), ...writer.reply('Two'), ...writer.prompt('Last'), ...writer.reply('Three')]
  const lines = records.map((record) => JSON.stringify(record))
  mkdirSync(join(root, 'chats'))
  const file = join(root, 'chats', names[format] ?? '')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const reader = readerOf(format as LogFormat)
  if (!reader) throw new Error(`No reader of ${format}.`)
  const session = await reader.open({ file, agent: reader.agent, indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
  onTestFinished(() => session.close())
  await session.whenLoaded()
  return { session, lines }
}

const agents = Object.keys(writers)
const parts: readonly Part[] = ['prompt', 'output', 'image']

describe.each(agents)('a line of 12 million characters in a log of %s', (format) => {
  it.each(parts)('is shown as cut with its size, and all after it as it is: %s', { timeout: 30_000 }, async (part) => {
    const { session, lines } = await opened(format, part)
    const transcripts = await Promise.all(session.turns.map(({ promptId }) => session.readTurn(promptId)))
    const said = transcripts.flat().flatMap((entry) => (entry.kind === 'reply' ? [entry.text] : []))
    const cut = transcripts.flat().flatMap((entry) => (entry.kind === 'other' && entry.label === 'oversized record' ? [entry.raw] : []))
    const sizes = lines.map((line) => Buffer.byteLength(line)).filter((size) => size > 8 << 20)
    const middle = { prompt: /^(Line of text\n){20}[^]* … \(cut, 1\d\.\d MB in all\)$/, image: /^Look … \(cut, 12\.0 MB in all\)$/, output: null }[part]
    const [, ...later] = session.turns.map(({ prompt }) => prompt)
    expect({
      first: session.turns[0]?.prompt,
      isCut: middle === null || middle.test(later[0] ?? ''),
      last: later.slice(middle === null ? 0 : 1),
      said,
      cut: cut.map((raw) => /\(cut, ([\d,]+) bytes in all\)$/.exec(raw)?.[1]?.replaceAll(',', '')).sort(),
      problems: session.problems.filter(({ kind }) => kind !== 'no-snapshots').map(({ kind, count }) => [kind, count]),
    }).toEqual({
      first: 'First',
      isCut: true,
      last: ['Last'],
      said: ['One', 'Two', 'Three'],
      cut: sizes.map(String).sort(),
      problems: [['oversized-line', sizes.length]],
    })
  })
})
