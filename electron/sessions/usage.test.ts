import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionSummary } from '../../shared/session.js'
import type { Usage } from '../../shared/usage.js'
import { silentLog } from '../base/log.js'
import { ClaudeLog } from '../testing/claude-log.js'
import { CodexLog } from '../testing/codex-log.js'
import { openClaude, writeClaudeStore } from '../testing/open-claude.js'
import { openCodex } from '../testing/open-codex.js'
import { OpencodeStore, toolPart } from '../testing/opencode-store.js'
import { QwenLog } from '../testing/qwen-log.js'
import { createLibrary, type Library } from './library.js'
import { readers } from './readers.js'
import type { RecordedSession } from './recorded-session.js'

const inTemp = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `overturn-${name}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const put = (file: string, text: string): string => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

const linesOf = (records: readonly object[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Input, cached, output, total, cost. */
const inShort = (usage: Usage | null): readonly (number | null)[] | null => usage && [usage.input, usage.cached, usage.output, usage.total, usage.cost]

/** The whole session, then each turn. */
async function usageIn(session: RecordedSession): Promise<readonly unknown[]> {
  onTestFinished(() => session.close())
  await session.whenLoaded()
  const turns: unknown[] = []
  const aside = session.setAside.flatMap((branch) => branch.turns)
  for (const { promptId } of [...session.turns, ...aside]) turns.push(inShort(await session.usage(promptId)))
  return [inShort(await session.usage(null)), ...turns]
}

/** What the list tells of the sessions in a home. */
async function listed(home: string): Promise<ReadonlyMap<string, SessionSummary>> {
  const library = openLibrary(home)
  await library.whenCounted()
  return new Map(library.list().sessions.map((session) => [session.id, session]))
}

function openLibrary(home: string): Library {
  const library = createLibrary({
    dataFolder: join(home, 'data'), environment: {}, home, log: silentLog, store: { read: async () => ({ kind: 'missing' }), sizeOf: async () => null },
    locations: () => [], attachments: () => ({}), fallbackWorkspace: null, isFallbackForced: false, isWatching: false, onChanged: () => undefined,
  })
  onTestFinished(() => library.close())
  return library
}

describe('tokens of recorded sessions', () => {
  // Counted from the raw logs: each message, event or row once, by hand.
  it.each([
    ['claude-code/tui-basic', '62f29d23-6879-4637-99c4-46bbb10d6e85', [[1320, 0, 488, 1808, null], [360, 0, 255, 615, null], [360, 0, 91, 451, null], [240, 0, 55, 295, null], [360, 0, 87, 447, null]]],
    ['claude-code/handmade-out-of-order', '62f29d23-6879-4637-99c4-46bbb10d6e85', [[1320, 0, 488, 1808, null], [360, 0, 255, 615, null], [360, 0, 91, 451, null], [240, 0, 55, 295, null], [360, 0, 87, 447, null]]],
    // The fork has the first two turns of the session that it left: once.
    ['claude-code/print-resume-fork', 'c5f08a7d-439c-4f58-8033-0c37aa3e61fa', [[960, 0, 397, 1357, null], [360, 0, 255, 615, null], [240, 0, 55, 295, null], [360, 0, 87, 447, null]]],
    ['codex/exec-basic', '01a22c69-2bd2-7850-94c8-a94e215a5a43', [[960, 0, 320, 1280, null], [360, 0, 120, 480, null], [360, 0, 120, 480, null], [240, 0, 80, 320, null]]],
    // Each request is told of before and after it, the first time without any count.
    ['codex/legacy-0.80', '01a22c69-e17e-7862-abdc-1405ba579455', [[720, 0, 240, 960, null], [360, 0, 120, 480, null], [360, 0, 120, 480, null]]],
    ['gemini-cli/print-basic', '04153de7-7d1a-40ba-a360-30d055267d97', [[1080, 0, 360, 1440, null], [360, 0, 120, 480, null], [360, 0, 120, 480, null], [360, 0, 120, 480, null]]],
    // 6 requests of its own and 10 of three agents.
    ['gemini-cli/print-subagents', '397b7f3d-f445-4488-9a95-2deac33969c6', [[1920, 0, 640, 2560, null], [960, 0, 320, 1280, null], [960, 0, 320, 1280, null]]],
    ['opencode/run-basic', 'ses_dd39802d6ffeJ8bRghzOuiu6C6', [[1200, 0, 400, 1600, 0], [480, 0, 160, 640, 0], [360, 0, 120, 480, 0], [360, 0, 120, 480, 0]]],
    ['qwen-code/small-edits', '8cb25fc6-8299-42ed-8fc2-7a17b41926c0', [[1000, 0, 200, 1200, null], [300, 0, 60, 360, null], [400, 0, 80, 480, null], [300, 0, 60, 360, null]]],
    ['qwen-code/sed-delete-user-edit', '4f25c2f4-8718-4e94-a2bf-08e885cf2da3', [[1400, 0, 280, 1680, null], [400, 0, 80, 480, null], [300, 0, 60, 360, null], [300, 0, 60, 360, null], [400, 0, 80, 480, null]]],
    // 39 replies and 8 requests of an agent in the background; the last turn was set aside.
    ['qwen-code/shop', 'bc9a44c1-16fb-4889-af1f-65384193724e', [[4700, 0, 940, 5640, null], [600, 0, 120, 720, null], [500, 0, 100, 600, null], [600, 0, 120, 720, null], [400, 0, 80, 480, null], [500, 0, 100, 600, null], [700, 0, 140, 840, null], [100, 0, 20, 120, null], [700, 0, 140, 840, null], [600, 0, 120, 720, null]]],
    // Its telemetry has no counts of tokens.
    ['qwen-code/headless', '5e551011-0000-4000-8000-000000000010', [null, null, null]],
  ])('are those of its requests, for the session and for each turn: %s', async (name, id, expected) => {
    const home = inTemp('usage')
    cpSync(resolve('electron/sessions/fixtures', name, 'home'), home, { recursive: true })
    const found = (await listed(home)).get(id)
    const reader = readers.find(({ agent }) => agent === found?.agent)
    const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => (file.endsWith('.jsonl') && basename(file).includes(id.slice(0, 8)) && !file.includes('subagents')) || file.endsWith('opencode.db')) ?? ''
    const file = join(home, log.endsWith('.db') ? `${log}#${id}` : log)
    const session = await reader?.open({ file, agent: found?.agent ?? 'codex', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home, dataFolder: home })
    if (!session) throw new Error('No such session.')
    expect([inShort(found?.usage ?? null), await usageIn(session)]).toEqual([expected[0], expected])
  })
})

it('are read anew where a catalogue of an older version does not have them', async () => {
  const home = inTemp('usage')
  const id = '62f29d23-6879-4637-99c4-46bbb10d6e85'
  cpSync(resolve('electron/sessions/fixtures/claude-code/tui-basic/home'), home, { recursive: true })
  const library = openLibrary(home)
  await library.whenCounted()
  await library.close()
  const file = join(home, 'data/library/sessions.lines')
  const saved = readFileSync(file, 'utf8')
  const older = saved.replace(/"usage":\{[^}]*\}/, '"usage":null')
  const totals: unknown[] = []
  for (const text of [older, older.replace(/"version":\d+/, '"version":7')]) {
    writeFileSync(file, text)
    totals.push((await listed(home)).get(id)?.usage?.total ?? null)
  }
  // Of the present version what it has counts.
  expect([older === saved, totals]).toEqual([false, [null, 1808]])
})

describe('tokens of Claude Code', () => {
  const reply = (log: ClaudeLog, id: string, told: unknown, more: object = {}, content: readonly object[] = [{ type: 'text', text: 'ok' }]): string =>
    log.talk('assistant', { message: { id, role: 'assistant', model: 'opus', content, usage: told }, requestId: `req-${id}`, ...more })
  const tokens = (input: number, output: number, more: object = {}) => ({ input_tokens: input, output_tokens: output, ...more })
  const assistant = (id: string, told: object, content: readonly object[] = []) => ({ type: 'assistant', uuid: `u-${id}`, isSidechain: true, message: { id, model: 'opus', content, usage: told }, requestId: `req-${id}` })

  it('count a message once, by its last count, with what the cache gave and took', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    reply(log, 'm1', tokens(10, 1, { cache_read_input_tokens: 1000, cache_creation_input_tokens: 200 }))
    reply(log, 'm1', tokens(10, 30, { cache_read_input_tokens: 1000, cache_creation_input_tokens: 200 }))
    log.prompt('Second')
    reply(log, 'm2', tokens(5, 5), { costUSD: 0.25 })
    // Nothing was asked of a model here.
    log.talk('assistant', { message: { id: 'm3', model: '<synthetic>', content: [{ type: 'text', text: 'API Error' }], usage: tokens(0, 0) } })
    log.prompt('Third')
    expect(await usageIn(await openClaude(writeClaudeStore(log)))).toEqual([[1215, 1000, 35, 1250, 0.25], [1210, 1000, 30, 1240, null], [5, null, 5, 10, 0.25], null])
  })

  it('take what is no count for unknown', async () => {
    const log = new ClaudeLog()
    for (const [at, told] of [tokens(-1, 2), tokens(1.5, 3), { input_tokens: '7', output_tokens: 4 }, { input_tokens: 1e308, output_tokens: 5, cache_read_input_tokens: NaN }, null, 'many', {}].entries()) {
      log.prompt(`Turn ${at}`)
      reply(log, `m${at}`, told, { costUSD: at % 2 === 0 ? -1 : 'much' })
    }
    // A number that JSON allows and no number can hold.
    log.prompt('Last')
    log.lines.push((reply(log, 'mx', tokens(123456, 6)), (log.lines.pop() ?? '').replace('123456', '1e999')))
    expect(await usageIn(await openClaude(writeClaudeStore(log)))).toEqual([
      [null, null, 20, null, null],
      ...[2, 3, 4, 5].map((output) => [null, null, output, null, null]),
      null, null, null,
      [null, null, 6, null, null],
    ])
  })

  it('have those of its subagents, each once, wherever their logs lie', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    reply(log, 'm1', tokens(10, 1), {}, [{ type: 'tool_use', id: 't1', name: 'Task', input: {} }])
    log.result('t1', 'done', { status: 'completed', agentId: 'one' })
    reply(log, 'm2', tokens(10, 1), {}, [{ type: 'tool_use', id: 't2', name: 'Task', input: {} }])
    log.prompt('Second')
    reply(log, 'm3', tokens(10, 1), {}, [{ type: 'tool_use', id: 't3', name: 'Task', input: {} }])
    log.result('t3', 'done', { status: 'completed', agentId: 'old' })
    // An older version keeps it among the rest.
    log.raw({ ...assistant('s1', tokens(7, 7)), parentUuid: null, sessionId: log.sessionId })
    const file = writeClaudeStore(log)
    const own = join(dirname(file), log.sessionId, 'subagents')
    put(join(own, 'agent-one.jsonl'), linesOf([assistant('a1', tokens(100, 2), [{ type: 'tool_use', id: 'i1', name: 'Task', input: {} }]), assistant('a1', tokens(100, 2)), { type: 'user', toolUseResult: { agentId: 'inner' } }]))
    put(join(own, 'agent-inner.jsonl'), linesOf([assistant('a2', tokens(1000, 3))]))
    put(join(own, 'agent-two.jsonl'), linesOf([assistant('a3', tokens(10_000, 4))]))
    put(join(own, 'agent-two.meta.json'), JSON.stringify({ toolUseId: 't2' }))
    put(join(dirname(file), 'agent-old.jsonl'), linesOf([assistant('a4', tokens(100_000, 5))]))
    const home = resolve(dirname(file), '../../..')
    const expected = [[111_137, null, 24, 111_161, null], [11_120, null, 11, 11_131, null], [100_017, null, 13, 100_030, null]]
    expect([await usageIn(await openClaude(file)), inShort((await listed(home)).get(log.sessionId)?.usage ?? null)]).toEqual([expected, expected[0]])
  })

  it('of a branch that was set aside were spent all the same', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    const after = reply(log, 'm1', tokens(10, 1))
    log.prompt('Dropped')
    reply(log, 'm2', tokens(100, 1))
    log.goTo(after)
    log.prompt('Instead')
    reply(log, 'm3', tokens(1000, 1))
    expect(await usageIn(await openClaude(writeClaudeStore(log)))).toEqual([[1110, null, 3, 1113, null], [10, null, 1, 11, null], [1000, null, 1, 1001, null], [100, null, 1, 101, null]])
  })
})

describe('tokens of Codex', () => {
  const counts = (total: number) => ({ input_tokens: total - 10, cached_input_tokens: 5, output_tokens: 10, total_tokens: total })
  const count = (log: CodexLog, total: number, last: number): void => log.add('event_msg', { type: 'token_count', info: { total_token_usage: counts(total), last_token_usage: counts(last) } })
  const totals = async (log: CodexLog): Promise<readonly unknown[]> => {
    const found = await usageIn(await openCodex(put(join(inTemp('codex'), 'rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000001.jsonl'), log.text())))
    return found.map((usage) => (Array.isArray(usage) ? usage[3] : usage))
  }

  it('are what a running sum grew by, however often it is told, and begun anew where it is smaller', async () => {
    const log = new CodexLog('/home/dev/acme', 0)
    log.prompt('t1')
    log.add('event_msg', { type: 'token_count', info: null })
    count(log, 100, 100)
    count(log, 100, 100)
    log.prompt('t2')
    count(log, 100, 100)
    count(log, 250, 150)
    log.prompt('t3')
    log.prompt('t4')
    count(log, 40, 40)
    count(log, 90, 50)
    expect(await totals(log)).toEqual([340, 100, 150, null, 90])
  })

  it('of a session that goes on from another one have that one\'s, its first turn only its own', async () => {
    const log = new CodexLog('/home/dev/acme', 0)
    log.prompt('t1')
    count(log, 1000, 100)
    log.prompt('t2')
    count(log, 1100, 100)
    expect(await totals(log)).toEqual([1100, 100, 100])
  })

  it('of agents that it started count in the turn in which these began, and once, whatever talk they took over', async () => {
    const begin = Date.parse('2026-03-01T10:00:00Z')
    const home = inTemp('codex-agents')
    const idOf = (last: string): string => `00000000-0000-7000-8000-00000000000${last}`
    const startedBy = (above: string): object => ({ source: { subagent: { thread_spawn: { parent_thread_id: above, depth: 1, agent_nickname: 'Ada' } } } })
    const save = (id: string, log: CodexLog): string => put(join(home, '.codex/sessions/2026/03/01', `rollout-2026-03-01T10-00-00-${id}.jsonl`), log.text())
    const log = new CodexLog('/home/dev/acme', begin, { id: idOf('a') })
    log.prompt('t1')
    count(log, 100, 100)
    const child = new CodexLog('/home/dev/acme', log.time + 1000, { id: idOf('b'), ...startedBy(idOf('a')) })
    child.prompt('c1')
    count(child, 30, 30)
    count(child, 70, 40)
    const grandchild = new CodexLog('/home/dev/acme', child.time + 1000, { id: idOf('c'), ...startedBy(idOf('b')) })
    grandchild.prompt('g1')
    count(grandchild, 20, 20)
    log.wait(10_000)
    log.prompt('t2')
    count(log, 250, 150)
    // It goes on with the running sum of the talk that it took over.
    const fork = new CodexLog('/home/dev/acme', log.time + 1000, { id: idOf('d'), ...startedBy(idOf('a')) })
    fork.prompt('f1')
    count(fork, 260, 10)
    count(fork, 275, 15)
    for (const [id, each] of [['b', child], ['c', grandchild], ['d', fork]] as const) save(idOf(id), each)
    const expected = [250 + 70 + 20 + 25, 100 + 70 + 20, 150 + 25]
    const found = await usageIn(await openCodex(save(idOf('a'), log)))
    expect(found.map((usage) => (Array.isArray(usage) ? usage[3] : usage))).toEqual(expected)
    const sessions = await listed(home)
    expect([[...sessions.keys()], sessions.get(idOf('a'))?.usage?.total]).toEqual([[idOf('a')], expected[0]])

    // All is known already, and somebody asks before it is known where it lies.
    const again = openLibrary(home)
    const early = again.list().sessions.length
    await again.whenCounted()
    expect([early, again.list().sessions.map(({ id, usage }) => [id, usage?.total])]).toEqual([0, [[idOf('a'), expected[0]]]])
  })

  it('take what is no count for unknown', async () => {
    const log = new CodexLog('/home/dev/acme', 0)
    log.prompt('t1')
    for (const bad of [-5, 1e308, '12', null, 0.5]) log.add('event_msg', { type: 'token_count', info: { total_token_usage: { input_tokens: bad, output_tokens: bad, total_tokens: bad } } })
    expect(await totals(log)).toEqual([null, null])
  })
})

describe('tokens of qwen-code', () => {
  const told = (total: number) => ({ usageMetadata: { promptTokenCount: total - 1, candidatesTokenCount: 1, totalTokenCount: total } })
  const request = (id: string, total: number) => ({ 'event.name': 'qwen-code.api_response', response_id: id, input_token_count: total - 1, output_token_count: 1, total_token_count: total })
  const totals = async (file: string): Promise<readonly unknown[]> => {
    const reader = readers.find(({ agent }) => agent === 'qwen-code')
    const session = await reader?.open({ file, agent: 'qwen-code', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: dirname(file), dataFolder: dirname(file) })
    return session ? (await usageIn(session)).map((usage) => (Array.isArray(usage) ? usage[3] : usage)) : []
  }

  it('are those of the account of requests, and of the replies where it has fewer', async () => {
    const log = new QwenLog()
    log.user('First')
    log.telemetry(request('r1', 10))
    log.reply('one', told(10))
    log.telemetry(request('r2', 100))
    log.telemetry(request('r2', 100))
    log.user('Second')
    log.reply('two', told(7))
    log.reply('three', told(8))
    log.telemetry(request('r3', 8))
    log.user('Third')
    log.reply('four')
    expect(await totals(put(join(inTemp('qwen'), `chats/${log.sessionId}.jsonl`), log.text()))).toEqual([125, 110, 15, null])
  })

  it('have those of subagents where only replies tell', async () => {
    const log = new QwenLog()
    log.user('First')
    log.record('assistant', { model: 'x', message: { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'task', args: {} } }] }, ...told(10) })
    log.user('Second')
    log.telemetry(request('r1', 3))
    log.telemetry(request('r2', 30))
    log.record('assistant', { model: 'x', message: { role: 'model', parts: [{ functionCall: { id: 'c2', name: 'task', args: {} } }] }, ...told(3) })
    const project = inTemp('qwen')
    const inner = (id: string, total: number, callId?: string): object => ({ uuid: `u-${id}`, type: 'assistant', message: { parts: callId === undefined ? [] : [{ functionCall: { id: callId, name: 'agent' } }] }, ...told(total) })
    put(join(project, 'subagents', log.sessionId, 'agent-x-c1.jsonl'), linesOf([inner('a', 100, 'c3'), inner('b', 200)]))
    put(join(project, 'subagents', log.sessionId, 'agent-x-c2.jsonl'), linesOf([inner('c', 30)]))
    put(join(project, 'subagents', log.sessionId, 'agent-x-c3.jsonl'), linesOf([inner('d', 1000)]))
    expect(await totals(put(join(project, `chats/${log.sessionId}.jsonl`), log.text()))).toEqual([1343, 1310, 33])
  })
})

describe('tokens of Gemini CLI', () => {
  const user = (id: string, text: string) => ({ id, type: 'user', timestamp: '2026-01-01T00:00:01.000Z', content: [{ text }] })
  const gemini = (id: string, tokens: unknown, content = 'Reply.') => ({ id, timestamp: '2026-01-01T00:00:02.000Z', type: 'gemini', content, thoughts: [{ subject: 's', description: ',"tokens":{' }], tokens, model: 'm' })
  const count = (total: number) => ({ input: total - 30, cached: 5, output: 10, thoughts: 20, tool: 0, total })

  // Of a log of this size answers are not parsed as it is read.
  it('count a message once, however often it is written or listed, those of long lines and of dropped messages too', async () => {
    const root = inTemp('gemini')
    const header = { sessionId: 'id-1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-01T00:00:00.000Z', kind: 'main' }
    const long = gemini('m6', count(1000), `${'x'.repeat(5 << 20)},"tokens":{"input":1,"total":1}`)
    const lines = [
      header, user('m1', 'one'), gemini('m2', count(100)), gemini('m2', count(100)), { ...gemini('m2', count(110)), toolCalls: [] },
      user('m3', 'two'), gemini('m4', count(200)), { $rewindTo: 'm3' }, { $set: { messages: [user('m1', 'one'), { id: 'm2', type: 'gemini', content: 'Reply.' }] } },
      user('m5', 'three'), long, user('m7', 'four'), gemini('m8', { input: -1, output: 'x', cached: 1e308, total: null }),
    ]
    const file = put(join(root, '.gemini/tmp/p/chats/session-2026-01-01T00-00-abcd.jsonl'), linesOf(lines))
    const session = await readers.find(({ agent }) => agent === 'gemini-cli')?.open({ file, agent: 'gemini-cli', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
    const expected = [[1220, 15, 30, 1310, null], [80, 5, 10, 110, null], [970, 5, 10, 1000, null], null, [170, 5, 10, 200, null]]
    expect([session && (await usageIn(session)), inShort((await listed(root)).get('id-1')?.usage ?? null)]).toEqual([expected, expected[0]])
  })
})

describe('tokens of opencode', () => {
  const told = (input: number, cost: unknown, more: object = {}) => ({ role: 'assistant', modelID: 'm', tokens: { input, output: 1, reasoning: 2, cache: { read: 10, write: 5 }, ...more }, cost })

  it('have the cost that it noted, the cache, subagents and messages that were thrown away', async () => {
    const root = inTemp('opencode')
    const store = new OpencodeStore(join(root, '.local/share/opencode'))
    onTestFinished(() => store.close())
    for (const [id, parentId] of [['ses_1'], ['ses_2', 'ses_1'], ['ses_3', 'ses_2'], ['ses_4']] as const) store.session(id, '/home/dev/acme', parentId === undefined ? {} : { parentId })
    const first = store.prompt('ses_1', 'one')
    store.message('ses_1', { ...told(100, 0.5, { total: 118 }), parentID: first }, [toolPart('task', 'c1', {}, { sessionId: 'ses_2' })])
    store.message('ses_2', told(1000, 0.25), [toolPart('task', 'c2', {}, { sessionId: 'ses_3' })])
    store.message('ses_3', told(10_000, 0.125), [toolPart('task', 'c3', {}, { sessionId: 'ses_2' })])
    store.message('ses_4', told(7_000_000, 9), [])
    const second = store.prompt('ses_1', 'two')
    const answer = store.message('ses_1', { ...told(100_000, 1), parentID: second }, [])
    store.throwAway('ses_1', [second, answer])
    const third = store.prompt('ses_1', 'three')
    store.message('ses_1', { ...told(-1, 'much', { output: 1e308, cache: null }), parentID: third }, [])
    const session = await readers.find(({ agent }) => agent === 'opencode')?.open({ file: `${store.file}#ses_1`, agent: 'opencode', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
    const expected = [[111_160, 40, 4, 111_166, 1.875], [11_145, 30, 3, 11_150, 0.875], null, [100_015, 10, 1, 100_016, 1]]
    expect([session && (await usageIn(session)), inShort((await listed(root)).get('ses_1')?.usage ?? null)]).toEqual([expected, expected[0]])
  })

  it('are read from its older files too, with the subagents\'', async () => {
    const root = inTemp('opencode')
    const storage = join(root, '.local/share/opencode/storage')
    const session = (id: string, more: object = {}): string => put(join(storage, 'session/p', `${id}.json`), JSON.stringify({ id, projectID: 'p', directory: '/home/dev/acme', title: id, time: { created: 1, updated: 2 }, ...more }))
    session('ses_1', { time: { created: 1, updated: 2, archived: 3 } })
    session('ses_2', { parentID: 'ses_1' })
    const message = (of: string, id: string, data: object): string => put(join(storage, 'message', of, `${id}.json`), JSON.stringify({ id, sessionID: of, time: { created: 5 }, ...data }))
    message('ses_1', 'msg_1', { role: 'user' })
    message('ses_1', 'msg_2', { ...told(100, 0.5), parentID: 'msg_1' })
    message('ses_2', 'msg_3', told(1000, 0.25))
    const found = (await listed(root)).get('ses_1')
    expect([inShort(found?.usage ?? null), found?.end]).toEqual([[1130, 20, 2, 1132, 0.75], { at: 3, how: 'archived' }])
  })
})
