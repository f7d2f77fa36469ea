import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { createContents, type Contents } from '../review/contents.js'
import { turnFiles } from '../review/turn-files.js'
import { ClaudeLog } from '../testing/claude-log.js'
import { CodexLog } from '../testing/codex-log.js'
import { QwenLog } from '../testing/qwen-log.js'
import { readers } from './readers.js'
import type { RecordedSession } from './recorded-session.js'

const folder = '/home/dev/acme'

/** How one agent's log of three prompts is written, each with a command, and where it lies in a home. */
interface Writer {
  readonly agent: string
  readonly place: string
  /** `asked` is the first prompt; `commands` what is run in each turn. */
  readonly lines: (asked: string, commands?: readonly string[]) => string[]
  /** A record that no version has, a known one with a field of its own, and one with a field of another type. */
  readonly odd: readonly object[]
  /** What stands in the middle of the log after its talk was made shorter. */
  readonly compaction: readonly object[]
}

const usual = ['true', 'true', 'true']

const qwen: Writer = {
  agent: 'qwen-code',
  place: '.qwen/projects/-home-dev-acme/chats/5e551011-0000-4000-8000-000000000001.jsonl',
  lines: (asked, commands = usual) => {
    const log = new QwenLog(undefined, folder)
    for (const [at, prompt] of [asked, 'second', 'third'].entries()) {
      log.user(prompt)
      log.snapshot(at + 1, {})
      log.call(`c${at}`, 'run_shell_command', { command: commands[at] })
      log.result(`c${at}`, 'run_shell_command', 'Output: (empty)\nExit Code: 0')
    }
    return log.lines
  },
  odd: [{ type: 'mode', mode: 'normal', sessionId: 's' }, { type: 'system', subtype: 'brand_new', content: 'hi', uuid: 'u' }, { type: 'user', message: 7, uuid: 5 }],
  compaction: [],
}

const claude: Writer = {
  agent: 'claude-code',
  place: '.claude/projects/-home-dev-acme/62f29d23-6879-4637-99c4-000000000001.jsonl',
  lines: (asked, commands = usual) => {
    const log = new ClaudeLog({ folder })
    for (const [at, prompt] of [asked, 'second', 'third'].entries()) {
      log.prompt(prompt)
      log.bash(commands[at] ?? '')
    }
    return log.lines
  },
  odd: [{ type: 'mode', mode: 'normal', sessionId: 's' }, { type: 'system', subtype: 'brand_new', content: 'hi', uuid: 'u' }, { type: 'assistant', message: 7, uuid: 5 }],
  compaction: [],
}

const codex: Writer = {
  agent: 'codex',
  place: '.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-00000000-0000-7000-8000-00000000000a.jsonl',
  lines: (asked, commands = usual) => {
    const log = new CodexLog(folder, Date.parse('2026-03-01T10:00:00Z'), { id: '00000000-0000-7000-8000-00000000000a' })
    for (const [at, prompt] of [asked, 'second', 'third'].entries()) {
      log.prompt(`t${at}`, prompt)
      log.command(commands[at] ?? '')
    }
    return log.text().trim().split('\n')
  },
  odd: [{ timestamp: '2026-03-01T10:00:01.000Z', type: 'brand_new', payload: { a: 1 } }, { timestamp: '2026-03-01T10:00:01.000Z', type: 'response_item', payload: { type: 'reasoning', summary: 7, more: true } }, { timestamp: 5, type: 'event_msg', payload: 'text' }],
  compaction: [{ timestamp: '2026-03-01T10:00:01.000Z', type: 'compacted', payload: { message: 'Shorter', replacement_history: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'All so far' }] }] } }],
}

const at = (seconds: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString()
const gemini: Writer = {
  agent: 'gemini-cli',
  place: '.gemini/tmp/acme/chats/session-2026-01-01T00-00-abcd.jsonl',
  lines: (asked, commands = usual) => {
    const header = { sessionId: 'id-1', projectHash: 'x', startTime: at(0), lastUpdated: at(0), kind: 'main' }
    const turns = [asked, 'second', 'third'].flatMap((prompt, turn): readonly object[] => [
      { id: `u${turn}`, type: 'user', timestamp: at(turn * 10), content: [{ text: prompt }] },
      {
        id: `g${turn}`,
        type: 'gemini',
        timestamp: at(turn * 10 + 1),
        content: 'Done.',
        toolCalls: [{ id: `c${turn}`, name: 'run_shell_command', args: { command: commands[turn] }, status: 'success', timestamp: at(turn * 10 + 2), result: [{ functionResponse: { response: { output: 'Output: (empty)\nProcess Group PGID: 5' } } }] }],
      },
    ])
    return [header, ...turns].map((record) => JSON.stringify(record))
  },
  odd: [{ type: 'mode', mode: 'normal' }, { id: 'n1', type: 'brand_new', content: 'hi', timestamp: at(5) }, { $set: 7 }],
  compaction: [{ id: 'i1', type: 'info', content: '', timestamp: at(11) }, { $set: { messages: [{ id: 'z1', type: 'user', content: [{ text: '<session_context>shorter</session_context>' }] }] } }],
}

const writers: readonly (readonly [string, Writer])[] = [qwen, claude, codex, gemini].map((writer) => [writer.agent, writer])

async function open({ agent, place }: Writer, lines: readonly (string | Buffer)[]): Promise<RecordedSession> {
  const root = mkdtempSync(join(tmpdir(), 'overturn-every-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(dirname(join(root, place)), { recursive: true })
  if (agent === 'gemini-cli') writeFileSync(join(root, '.gemini/tmp/acme/.project_root'), folder)
  writeFileSync(join(root, place), Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from('\n')]))))
  const reader = readers.find((each) => each.agent === agent)
  if (!reader) throw new Error(`There is no reader of ${agent}.`)
  const session = await reader.open({ file: join(root, place), agent: reader.agent, indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
  onTestFinished(() => session.close())
  await session.whenLoaded()
  return session
}

const prompts = (session: RecordedSession): readonly string[] => session.turns.map(({ prompt }) => prompt)
const asJson = (records: readonly object[]): readonly string[] => records.map((record) => JSON.stringify(record))

describe('each reader', () => {
  it.each(writers)('goes on behind bad lines, names them, and has all others: %s', async (_, writer) => {
    const lines = writer.lines('first')
    const half = Math.floor(lines.length / 2)
    const bad = ['{"type":"user","message":{"role":"us', `{"type":"x","text":"a${String.fromCharCode(1)}b"}`, '42']
    const session = await open(writer, [...lines.slice(0, half), ...bad, '', ...lines.slice(half)])
    const lost = session.problems.filter(({ kind }) => kind === 'bad-line' || kind === 'glued-line').flatMap(({ lines: named }) => named)
    expect([prompts(session), lost]).toEqual([['first', 'second', 'third'], [half + 1, half + 2, half + 3]])
  })

  it.each(writers)('splits at line feeds alone: %s', async (_, writer) => {
    const said = 'a\u2028b\u2029c\u0085d'
    const session = await open(writer, writer.lines(said))
    const calls = await Promise.all(session.turns.map(async ({ promptId }) => (await session.readTurn(promptId)).filter(({ kind }) => kind === 'call').length))
    expect([prompts(session), calls, session.problems.filter(({ kind }) => kind !== 'no-snapshots')]).toEqual([[said, 'second', 'third'], [1, 1, 1], []])
  })

  it.each(writers)('takes records that it does not know for no error, and goes on telling what changed: %s', async (_, writer) => {
    const lines = writer.lines('first', ['echo a > f.txt', 'true', 'true'])
    const half = Math.floor(lines.length / 2)
    const session = await open(writer, [...lines.slice(0, half), ...asJson(writer.odd), ...lines.slice(half)])
    const files = await filesOf(session)
    expect([prompts(session), files[0], session.problems.some(({ kind }) => kind === 'bad-line')]).toEqual([['first', 'second', 'third'], ['f.txt'], false])
  })

  it.each(writers)('shows what stood before the talk was made shorter: %s', async (_, writer) => {
    const lines = writer.lines('first')
    const half = Math.floor(lines.length / 2)
    expect(prompts(await open(writer, [...lines.slice(0, half), ...asJson(writer.compaction), ...lines.slice(half)]))).toEqual(['first', 'second', 'third'])
  })

  it.each(writers)('goes on behind a line of 13 MB: %s', { timeout: 30_000 }, async (_, writer) => {
    const lines = writer.lines('first')
    const half = Math.floor(lines.length / 2)
    const session = await open(writer, [...lines.slice(0, half), `{"type":"user","big":"${'x'.repeat(13 << 20)}"}`, ...lines.slice(half)])
    expect([prompts(session), session.problems.filter(({ kind }) => kind === 'oversized-line').map(({ count }) => count)]).toEqual([['first', 'second', 'third'], [1]])
  })

  it.each(writers)('has no empty turn where commands changed files: %s', async (_, writer) => {
    const commands = ["python3 - <<'EOF'\nopen('a.txt','w').write('x')\nEOF", 'make everything', 'mv b.txt c.txt']
    const session = await open(writer, writer.lines('first', commands))
    const contents = await contentsOf(session)
    const told = await Promise.all(session.turns.map(async (turn, at) => {
      const { steps } = await contents.now().steps.digest(turn)
      const limits = (await contents.now().ledger())?.limits(at) ?? []
      // Of what a command did that names no file it is said that it may have done anything.
      return steps.some((step) => step.kind === 'command' && step.steps.some(({ kind }) => kind === 'unforeseen')) || limits.length > 0
    }))
    expect([await filesOf(session), told[1]]).toEqual([[['a.txt'], [], ['b.txt', 'c.txt']], true])
  })
})

async function contentsOf(session: RecordedSession): Promise<Contents> {
  return createContents({ session, disk: () => null, store: await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-'))) })
}

/** The files that each turn changed. */
async function filesOf(session: RecordedSession): Promise<readonly (readonly string[])[]> {
  const contents = await contentsOf(session)
  return Promise.all(session.turns.map(async ({ promptId }) => (await turnFiles(contents, promptId)).map(({ path }) => path)))
}
