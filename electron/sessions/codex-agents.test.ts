import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ToolCall } from '../../shared/session.js'
import { CodexLog } from '../testing/codex-log.js'
import { ledgerLines } from '../testing/ledger-lines.js'
import { openCodex } from '../testing/open-codex.js'
import type { CatalogEntry } from './log-catalog.js'
import { codexSniffer } from './codex-sniff.js'
import { shownElsewhere } from './codex-segments.js'
import { parseObject } from './json-values.js'
import type { RecordedSession } from './recorded-session.js'

const begin = Date.parse('2026-03-01T10:00:00Z')
const folder = '/home/dev/app'
const idOf = (last: string): string => `00000000-0000-7000-8000-00000000000${last}`
const parent = idOf('a')
const child = idOf('b')
const grandchild = idOf('c')

const startedBy = (above: string, more: object = {}): Record<string, unknown> => ({ source: { subagent: { thread_spawn: { parent_thread_id: above, depth: 1, agent_nickname: 'Ada', ...more } } } })

/** Two agents that write their logs by one clock. */
class Store {
  readonly home = mkdtempSync(join(tmpdir(), 'overturn-codex-'))
  readonly logs = new Map<string, CodexLog>()

  start(id: string, meta: object, at = begin): CodexLog {
    const log = new CodexLog(folder, at, { id, ...meta })
    this.logs.set(id, log)
    return log
  }

  /** Lets one go on where the other one is. */
  follow(log: CodexLog, other: CodexLog, ms = 1000): void {
    log.wait(other.time + ms - log.time)
  }

  put(id: string, day = '2026/03/01', name = `rollout-2026-03-01T10-00-00-${id}.jsonl`): string {
    const place = join(this.home, '.codex/sessions', day)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, name), this.logs.get(id)?.text() ?? '')
    return join(place, name)
  }

  async open(): Promise<RecordedSession> {
    for (const id of this.logs.keys()) if (id !== parent) this.put(id)
    const session = await openCodex(this.put(parent))
    onTestFinished(() => session.close())
    await session.whenLoaded()
    return session
  }
}

function spawn(log: CodexLog, callId: string, thread: string): void {
  log.add('response_item', { type: 'function_call', name: 'spawn_agent', arguments: JSON.stringify({ message: 'Do it' }), call_id: callId })
  log.add('response_item', { type: 'function_call_output', call_id: callId, output: JSON.stringify({ agent_id: thread, nickname: 'Ada' }) })
}

function wait(log: CodexLog, callId: string): void {
  log.add('response_item', { type: 'function_call', name: 'wait_agent', arguments: '{}', call_id: callId })
}

const update = (path: string, from: string, to: string) => ({ kind: 'update', path, diff: `@@ -1 +1 @@\n-${from}\n+${to}\n`, moveTo: null }) as const

/** What a turn's calls are called, those of its agents inside. */
async function callsOf(session: RecordedSession, turn = 0): Promise<readonly unknown[]> {
  const named = (call: ToolCall): unknown => (call.subagent ? [call.callId, call.subagent.name, call.subagent.calls.map(named)] : call.callId)
  const { promptId } = session.turns[turn] ?? {}
  return promptId ? (await session.readTurn(promptId)).flatMap((entry) => (entry.kind === 'call' ? [named(entry.call)] : [])) : []
}

const changes = (session: RecordedSession): Promise<readonly string[]> => ledgerLines(session, { call: true })

describe('agents that a Codex session started', () => {
  it('are part of its turn, with what they did to files', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    spawn(log, 's1', child)
    const agent = store.start(child, startedBy(parent), log.time)
    agent.prompt('c1', 'Do it')
    agent.wait(1000)
    agent.patch([update('a.txt', 'one', 'two'), { kind: 'add', path: 'b.txt', content: 'b\n' }], 'completed', 'p2')
    spawn(agent, 's2', grandchild)
    const below = store.start(grandchild, startedBy(child, { agent_nickname: 'Bo' }), agent.time + 1000)
    below.prompt('g1', 'Do it')
    below.wait(1000)
    below.patch([update('b.txt', 'b', 'c')], 'completed', 'p3')
    wait(log, 'w1')
    store.follow(log, below)
    log.patch([update('a.txt', 'two', 'three')], 'completed', 'p4')
    const session = await store.open()
    const { promptId } = session.turns[0] ?? {}
    expect([session.turns.length, await callsOf(session), await changes(session), promptId && (await session.readOutput(promptId, 'p3')).slice(0, 8)]).toEqual([
      1,
      ['p1', ['s1', 'Ada', ['p2', ['s2', 'Bo', ['p3']]]], 'w1', 'p4'],
      ['1 edit p1 a.txt: ? no-record > "one\\n"', '1 subagent p2 a.txt: "one\\n" > "two\\n"', '1 subagent p2 b.txt: ? no-record > "b\\n"', '1 subagent p3 b.txt: "b\\n" > "c\\n"', '1 edit p4 a.txt: "two\\n" > "three\\n"'],
      'Success.',
    ])
  })

  it.each<readonly [string, (log: CodexLog) => void]>([
    ['an event of the versions between', (log) => log.add('event_msg', { type: 'collab_agent_spawn_end', call_id: 's1', new_thread_id: child, prompt: 'Do it', status: 'running' })],
    ['an item', (log) => log.item({ type: 'CollabAgentToolCall', id: 's1', tool: 'spawnAgent', status: 'completed', receiverThreadIds: [child] })],
    ['an item of its own', (log) => log.item({ type: 'SubAgentActivity', id: 's1', kind: 'started', agent_thread_id: child, agent_path: '/root/ada' })],
    ['an event with its path alone', (log) => log.add('event_msg', { type: 'sub_agent_activity', event_id: 's1', kind: 'started', agent_path: '/root/ada' })],
    [
      'what the model was given',
      (log) => {
        log.add('response_item', { type: 'function_call', name: 'spawn_agent', namespace: 'collaboration', arguments: '{}', call_id: 's1' })
        log.add('response_item', { type: 'function_call_output', call_id: 's1', output: '{"task_name":"/root/ada"}' })
        log.item({ type: 'SubAgentActivity', id: 'later', kind: 'completed', agent_thread_id: child, agent_path: '/root/ada' })
      },
    ],
  ])('are named by %s', async (_, name) => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    name(log)
    const agent = store.start(child, startedBy(parent, { agent_path: '/root/ada' }), log.time)
    agent.prompt('c1')
    agent.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    expect(await callsOf(await store.open())).toEqual([['s1', 'Ada', ['p1']]])
  })

  it('that no record names stand where they worked, and those that went on stand in the turns in which they did', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    const agent = store.start(child, startedBy(parent), log.time + 1000)
    agent.prompt('c1')
    agent.patch([update('a.txt', 'one', 'two')], 'completed', 'p2')
    store.follow(log, agent)
    log.patch([{ kind: 'add', path: 'b.txt', content: 'b\n' }], 'completed', 'p3')
    log.prompt('t2')
    store.follow(agent, log)
    agent.patch([update('a.txt', 'two', 'three')], 'completed', 'p4')
    const session = await store.open()
    expect([await callsOf(session), await callsOf(session, 1), await changes(session)]).toEqual([
      ['p1', [`agent-${child}`, 'Ada', ['p2']], 'p3'],
      [[`agent-${child}`, 'Ada', ['p4']]],
      ['1 edit p1 a.txt: ? no-record > "one\\n"', '1 subagent p2 a.txt: "one\\n" > "two\\n"', '1 edit p3 b.txt: ? no-record > "b\\n"', '2 subagent p4 a.txt: "two\\n" > "three\\n"'],
    ])
  })

  it('do not do again what they took over of the talk that started them', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    spawn(log, 's1', child)
    const agent = store.start(child, { ...startedBy(parent), forked_from_id: parent }, log.time)
    agent.add('session_meta', { id: parent, cwd: folder })
    agent.prompt('t1')
    agent.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    agent.prompt('c1')
    agent.wait(1000)
    agent.patch([update('a.txt', 'one', 'two')], 'completed', 'p2')
    const session = await store.open()
    expect([await callsOf(session), await changes(session)]).toEqual([
      ['p1', ['s1', 'Ada', ['p2']]],
      ['1 edit p1 a.txt: ? no-record > "one\\n"', '1 subagent p2 a.txt: "one\\n" > "two\\n"'],
    ])
  })

  it('leave a file in doubt where two wrote it at nearly the same time, or a command of one went on meanwhile', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    spawn(log, 's1', child)
    const agent = store.start(child, startedBy(parent), log.time)
    agent.prompt('c1')
    agent.wait(500)
    store.follow(log, agent, 20)
    agent.patch([{ kind: 'add', path: 'a.txt', content: 'by the agent\n' }], 'completed', 'p2')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'by the first\n' }], 'completed', 'p1')
    agent.add('response_item', { type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd: 'make' }), call_id: 'c2' })
    store.follow(log, agent)
    log.patch([{ kind: 'add', path: 'b.txt', content: 'b\n' }], 'completed', 'p3')
    store.follow(agent, log)
    agent.item({ type: 'CommandExecution', id: 'c2', command: ['/bin/bash', '-lc', 'make'], exit_code: 0, status: 'completed' })
    const session = await store.open()
    const pages = await session.ledger?.pages()
    const last = await Promise.all(['a.txt', 'b.txt'].map(async (path) => {
      const mark = [...(pages?.paths ?? [])].filter((each) => each === path).flatMap((each) => pages?.ofPath(each) ?? []).at(-1)
      const found = [...(pages?.paths ?? [])].find((each) => each === path)
      return mark && found ? (await pages?.changeOf(mark, found))?.after.kind : null
    }))
    expect(last).toEqual(['unknown', 'unknown'])
  })

  it('whose log is not here leave everything in doubt from there on', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    spawn(log, 's1', child)
    log.prompt('t2')
    log.patch([{ kind: 'add', path: 'b.txt', content: 'b\n' }], 'completed', 'p2')
    log.patch([update('b.txt', 'b', 'c')], 'completed', 'p3')
    const session = await store.open()
    const ends = (await changes(session)).filter((line) => line.startsWith('2'))
    expect([await callsOf(session), ends.at(-1)]).toEqual([['p1', ['s1', 'agent', []]], '2 unknown null b.txt: ? changed-by-command > ? changed-by-command'])
  })

  it('are found in another folder where a record names them, and never behind a link', async () => {
    const store = new Store()
    const log = store.start(parent, {})
    log.prompt('t1')
    spawn(log, 's1', child)
    const agent = store.start(child, startedBy(parent), log.time)
    agent.prompt('c1')
    agent.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'completed', 'p1')
    store.logs.delete(child)
    const elsewhere = join(store.home, '.codex/archived_sessions')
    mkdirSync(elsewhere, { recursive: true })
    writeFileSync(join(elsewhere, `rollout-2025-01-01T10-00-00-${child}.jsonl`), agent.text())
    const found = await callsOf(await store.open())
    const linked = new Store()
    linked.logs.set(parent, log)
    mkdirSync(join(linked.home, '.codex/sessions/2026/03/01'), { recursive: true })
    symlinkSync(join(elsewhere, `rollout-2025-01-01T10-00-00-${child}.jsonl`), join(linked.home, `.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${child}.jsonl`))
    expect([found, await callsOf(await linked.open())]).toEqual([[['s1', 'Ada', ['p1']]], [['s1', 'agent', []]]])
  })

  it('are no sessions of their own in the list, as long as the one that started them is there', () => {
    const entry = (file: string, id: string, meta: object): CatalogEntry => {
      const lineage = codexSniffer.lineageOf(parseObject(new CodexLog(folder, begin, { id, ...meta }).text().trim()) ?? {})
      return { file, ends: { lineage } } as unknown as CatalogEntry
    }
    const [one, two, three] = [entry('one', parent, {}), entry('two', child, startedBy(parent)), entry('three', grandchild, startedBy(child))]
    const others = [entry('four', idOf('d'), startedBy(idOf('e'))), entry('five', idOf('e'), startedBy(idOf('d'))), entry('six', idOf('f'), startedBy(idOf('f')))]
    const review = entry('seven', idOf('9'), { source: { subagent: 'review' } })
    const hidden = (entries: readonly CatalogEntry[]): readonly string[] => [...shownElsewhere(entries)].sort()
    expect([hidden([one, two, three, ...others, review]), hidden([two, three]), hidden([one, three])]).toEqual([['three', 'two'], [], []])
  })
})
