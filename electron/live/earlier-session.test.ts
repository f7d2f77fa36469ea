import { appendFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Resume } from '../agents/agent-desk.js'
import { approve, deskHarness, reject, statusOf, type DeskHarness, type TestAgent } from '../testing/desk-harness.js'

let desk: DeskHarness
let agent: TestAgent

afterEach(() => desk.dispose())

async function open(files: Readonly<Record<string, string>>, mode: 'ask' | 'review-after' = 'review-after'): Promise<void> {
  desk = await deskHarness(files, { policy: { approvalMode: mode } })
  agent = await desk.connect()
}

const edit = (path: string, from: string, to: string, options = {}) => agent.call('edit_file', { path, old_text: from, new_text: to }, options)

/** The host is killed, and the agent's connection goes on as the shim lets it. */
async function killAndReturn(kind: 'lost-connection' | 'session' = 'lost-connection'): Promise<string> {
  const { sessionId } = agent.connection
  await desk.restart()
  agent = await desk.connect({ resume: { kind, sessionId } })
  return sessionId
}

const session = () => {
  const [first, second] = desk.desk.list()
  if (!first || second) throw new Error('There is not one session.')
  return first
}

describe('a session whose host was killed', () => {
  it('goes on in the same log and turn, with what was typed meanwhile told apart', async () => {
    await open({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    await agent.call('begin_turn', { prompt: 'First' })
    await agent.call('begin_turn', { prompt: 'Second' })
    await edit('a.txt', 'one', 'two')
    const id = await killAndReturn()
    desk.put('a.txt', 'two\ntyped\n')
    await edit('a.txt', 'two', 'three')
    await agent.call('begin_turn', { prompt: 'Third' })
    await edit('b.txt', 'one', 'two')
    expect([
      desk.logFiles().map((file) => basename(file, '.jsonl')),
      desk.records().filter(({ kind }) => kind === 'user').map(({ record }) => String(record['promptId']).split('#').at(-1)),
      desk.ledger().map(({ cause, promptId, isBeforeTurn, changes }) => [cause, promptId.split('#').at(-1), isBeforeTurn, ...changes.map(({ path }) => path)]),
      session(),
      desk.read('a.txt'),
    ]).toMatchObject([
      [id],
      ['1', '2', '3'],
      [['edit', '2', false, 'a.txt'], ['user', '2', false, 'a.txt'], ['edit', '2', false, 'a.txt'], ['edit', '3', false, 'b.txt']],
      { turn: 3, isConnected: true, client: 'test-agent' },
      'three\ntyped\n',
    ])
  })

  it('begins another turn where an agent was started anew, or was silent for long', async () => {
    await open({ a: 'one\n' })
    await agent.call('begin_turn', { prompt: 'First' })
    await edit('a', 'one', 'two')
    await killAndReturn('session')
    desk.put('a', 'typed two\n')
    const begun = await agent.call('begin_turn', { prompt: 'Second' })
    await killAndReturn('session')
    await edit('a', 'two', 'three')
    await killAndReturn()
    desk.pass(6 * 60_000)
    await edit('a', 'three', 'four')
    expect([begun.structured, session().turn, desk.ledger().map(({ cause, promptId, isBeforeTurn }) => [cause, promptId.split('#').at(-1), isBeforeTurn])]).toEqual([
      { status: 'done', turn: 2, changed_by_others: ['a'] },
      4,
      [['edit', '1', false], ['user', '2', true], ['edit', '3', false], ['edit', '4', false]],
    ])
  })

  it('refuses what waited, in the log and by its ticket, and can be asked anew', async () => {
    await open({ a: 'one\n' }, 'ask')
    const ticket = await edit('a', 'one', 'two', { budgetMs: 0, request: 7 })
    void edit('a', 'one', 'three', { request: 'x' })
    while (desk.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    const [first] = desk.asked
    await killAndReturn()
    const refusal = /No answer is a refusal: nothing was written/
    const old = await agent.call('await_review', { review_id: String(ticket.structured['review_id']) })
    expect([
      [agent.connection.cutOff(7, 'edit_file'), agent.connection.cutOff('x', 'edit_file')],
      [statusOf(old), old.text],
      await desk.decide(first ?? await desk.nextAsked(), approve()).then(() => 'decided', (thrown: { readonly code: string }) => thrown.code),
      desk.records().filter(({ kind }) => kind === 'tool_result').map(({ record }) => JSON.stringify(record)),
      desk.read('a'),
    ]).toEqual([
      [expect.stringMatching(refusal), expect.stringMatching(refusal)],
      ['APPROVAL_UNANSWERED', expect.stringMatching(refusal)],
      'APPROVAL_NOT_WAITING',
      [expect.stringMatching(refusal), expect.stringMatching(refusal)],
      'one\n',
    ])
    const again = edit('a', 'one', 'two')
    await desk.decideNext(approve())
    expect([(await again).isError, desk.read('a')]).toEqual([false, 'two\n'])
  })

  it('tells what was written, what was rejected, what ran, and what never began', async () => {
    await open({ a: 'one\n' }, 'ask')
    const written = await edit('a', 'one', 'two', { budgetMs: 0, request: 1 })
    await desk.decideNext(approve())
    const rejected = await edit('a', 'two', 'three', { budgetMs: 0, request: 2 })
    await desk.decideNext(reject('Keep it'))
    const tickets = [written, rejected].map(({ structured }) => String(structured['review_id']))
    void agent.call('run_command', { command: 'sleep 60; touch c' }, { request: 3 })
    await desk.decideNext(approve())
    await expect.poll(() => desk.records().some(({ record }) => JSON.stringify(record).includes('"kind":"running"'))).toBe(true)
    void agent.call('run_command', { command: 'touch b' }, { request: 4 })
    await desk.nextAsked()
    await killAndReturn()
    const ended = await Promise.all(tickets.map((id) => agent.call('await_review', { review_id: id })))
    expect([
      ended.map((answer) => [statusOf(answer), answer.text]),
      [3, 4, 5].map((request) => agent.connection.cutOff(request, 'run_command')),
      agent.connection.cutOff(6, 'begin_turn'),
      agent.connection.cutOff(6, 'exec_run'),
    ]).toEqual([
      [['done', expect.stringContaining('+two')], ['APPROVAL_UNANSWERED', expect.stringContaining('Keep it')]],
      [expect.stringContaining('may have run in part or whole'), expect.stringContaining('nothing ran'), expect.stringContaining('before this call began')],
      expect.stringContaining('Call begin_turn again'),
      expect.stringContaining('is not known'),
    ])
  })

  it.each(['at once', 'after another end'] as const)('puts down to a command that was cut off what is found %s, and says that it may have run', async (when) => {
    await open({ a: 'one\n', b: 'one\n' })
    await agent.call('begin_turn', { prompt: 'First' })
    await edit('a', 'one', 'two')
    for (const command of ['sleep 60; touch never', 'echo more >> a; sleep 61; touch never']) {
      void agent.call('run_command', { command })
      await desk.decideNext(approve())
    }
    await expect.poll(() => desk.read('a')).toBe('two\nmore\n')
    await killAndReturn()
    if (when !== 'at once') await killAndReturn('session')
    const begun = await agent.call('begin_turn', { prompt: 'Second' })
    desk.put('a', 'typed\n')
    await killAndReturn()
    await edit('b', 'one', 'two')
    expect([
      desk.ledger().map(({ cause, promptId, isBeforeTurn, changes, limits }) => [cause, promptId.split('#').at(-1), isBeforeTurn, changes.map(({ path }) => path), limits[0] ?? '']),
      begun.structured['changed_by_others'],
      desk.records().filter(({ kind, record }) => kind === 'tool_result' && JSON.stringify(record).includes('may have run')).map(({ record }) => (record['toolCallResult'] as { readonly executionStatus: string }).executionStatus),
    ]).toEqual([
      [
        ['edit', '1', false, ['a'], ''],
        ['command', '1', false, [], expect.stringContaining('was cut off')],
        ['command', '1', false, ['a'], 'The command was cut off; what you typed meanwhile may be among these.'],
        ['user', '2', false, ['a'], ''],
        ['edit', '2', false, ['b'], ''],
      ],
      [],
      ['error', 'error'],
    ])
  })

  it('tells of a call whose answer was not delivered what it came to, but not another process of the agent', async () => {
    await open({ a: 'one\n' })
    await edit('a', 'one', 'two', { request: 1 })
    await edit('a', 'nowhere', 'two', { request: 2 })
    await agent.call('read_file', { path: 'a' }, { request: 3 })
    const command = agent.call('run_command', { command: 'echo ran > b' }, { request: 4 })
    await desk.decideNext(approve())
    await command
    const told = () => [agent.connection.cutOff(1, 'edit_file'), agent.connection.cutOff(2, 'edit_file'), agent.connection.cutOff(3, 'read_file'), agent.connection.cutOff(4, 'run_command')]
    const proven = [
      expect.stringMatching(/^It was written before the connection broke: [^]*\+two/),
      expect.stringMatching(/^It was answered before the connection broke: [^]*not/),
      expect.stringContaining('only reads: make it again'),
      expect.stringMatching(/^It ran before the connection broke: [^]*Exit code 0/),
    ]
    await killAndReturn()
    const once = told()
    await killAndReturn()
    const twice = told()
    await killAndReturn('session')
    expect([once, twice, told()]).toEqual([proven, proven, proven.map(() => expect.stringContaining('before this call began'))])
  })

  it('keeps its mode and its taint, and not what a person allowed for the rest of a turn', async () => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    await open({ a: 'one\n', '.env': `TOKEN=${token}\n` }, 'ask')
    await agent.call('read_file', { path: '.env' })
    desk.desk.setMode(session().session, 'review-after')
    desk.desk.setMode(session().session, 'ask')
    const before = session().taint.level
    const waiting = edit('a', 'one', 'two')
    await desk.decideNext(approve({ isForRestOfTurn: true }))
    await waiting
    const { sessionId } = agent.connection
    await desk.restart()
    agent = await desk.connect({ mode: 'review-after', resume: { kind: 'lost-connection', sessionId } })
    void edit('a', 'two', 'three')
    await desk.nextAsked()
    expect([before === 'PUBLIC', session().taint.level === before, session().mode]).toEqual([false, true, 'ask'])
  })

  it('is passed over damaged lines, and says so', async () => {
    await open({ a: 'one\n' })
    await edit('a', 'one', 'two')
    for (const file of desk.logFiles()) appendFileSync(file, 'broken line\n{"torn')
    await killAndReturn()
    expect([(await edit('a', 'two', 'three')).text, session().turn]).toEqual([expect.stringContaining('1 damaged line'), 1])
  })
})

/** A record as it might come from elsewhere, or from a damaged disk. */
const append = (subtype: string, systemPayload: unknown): void => desk.logFiles().forEach((file) => appendFileSync(file, `${JSON.stringify({ type: 'system', subtype, systemPayload })}\n`))

describe('a log with records that can be parsed, but not understood', () => {
  const entry = { cause: 'edit', isBeforeTurn: false, callId: null, at: 1, limits: [] }
  const states = { before: { kind: 'absent' }, after: { kind: 'file', sha256: 'a'.repeat(64), sizeBytes: 1, mode: null } }
  const snapshots = (backups: unknown) => ({ snapshots: [{ promptId: 'p', timestamp: new Date(0).toISOString(), trackedFileBackups: backups }] })
  const backup = { backupFileName: null, version: 1, backupTime: new Date(0).toISOString() }

  it.each<[string, number, string, unknown]>([
    ['no change', 1, 'overturn_ledger', { ...entry, changes: [null] }],
    ['a change without states', 1, 'overturn_ledger', { ...entry, changes: [{ path: 'b', before: {}, after: 7 }] }],
    ['paths that lead elsewhere', 4, 'overturn_ledger', { ...entry, changes: ['../../../etc/x', '/etc/x', 'b/../../x', ''].map((path) => ({ path, ...states })) }],
    ['no cause', 1, 'overturn_ledger', { changes: [{ path: 'b', ...states }] }],
    ['a name that every object has', 0, 'overturn_ledger', { ...entry, callId: '__proto__', changes: [{ path: '__proto__', ...states }] }],
    ['a snapshot of files elsewhere', 2, 'file_history_snapshot', snapshots({ '../../../etc/x': backup, '/etc/x': backup })],
    ['a snapshot of nothing', 1, 'overturn_history_delta', { snapshots: [null] }],
    ['a turn that nobody counted up to', 0, 'file_history_snapshot', { snapshots: [{ promptId: `p########${Number.MAX_SAFE_INTEGER}`, timestamp: new Date(0).toISOString(), trackedFileBackups: {} }] }],
    ['a note of nothing', 1, 'overturn_note', [null]],
  ])('goes on past %s, and says so', async (_what, damaged, subtype, payload) => {
    await open({ a: 'one\n' })
    await edit('a', 'one', 'two')
    const promptId = String(desk.records().find(({ kind }) => kind === 'user')?.record['promptId'])
    append(subtype, subtype === 'overturn_ledger' ? { promptId, ...(payload as object) } : payload)
    await killAndReturn('session')
    const begun = await agent.call('begin_turn', { prompt: 'Second' })
    const edited = await edit('a', 'two', 'three')
    expect([begun.isError, session().turn, /(\d+) damaged line/.exec(begun.text)?.[1] ?? '0', statusOf(edited), desk.read('a'), desk.errors]).toEqual([false, 2, String(damaged), 'done', 'three\n', []])
  })
})

describe('going on with a session', () => {
  const refusal = (resume: Resume, client = 'test-agent') => desk.connect({ resume, client }).then(() => 'connected', (thrown: { readonly code: string }) => thrown.code)

  it('is refused for one that runs, one of another agent, and none', async () => {
    await open({ a: 'one\n' })
    await edit('a', 'one', 'two')
    const { sessionId } = agent.connection
    const resume = { kind: 'session', sessionId } as const
    const whileItRuns = await refusal(resume)
    agent.close()
    expect([whileItRuns, await refusal(resume, 'another'), await refusal({ kind: 'session', sessionId: '5e551011-0000-4000-8000-000000000001' }), await refusal(resume), await refusal(resume)]).toEqual([
      'NOT_ADMITTED', 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND', 'connected', 'NOT_ADMITTED',
    ])
    expect(desk.desk.list().length).toBe(1)
  })

  it('takes the newest of this agent that nobody works on, or begins one and says so', async () => {
    await open({ a: 'one\n' })
    agent.close()
    agent = await desk.connect({ resume: { kind: 'newest' } })
    const first = await edit('a', 'one', 'two')
    const other = await desk.connect({ client: 'another' })
    await other.call('read_file', { path: 'a' })
    const { sessionId } = agent.connection
    agent.close()
    const [one, two] = await Promise.all([desk.connect({ resume: { kind: 'newest' } }), desk.connect({ resume: { kind: 'newest' } })])
    expect([first.text, one.connection.sessionId === sessionId, two.connection.sessionId === sessionId]).toEqual([expect.stringContaining('There is no earlier session'), true, false])
  })

  it('is asked again after it ended in the same host, and hears why nothing was decided when the host ends', async () => {
    await open({ a: 'one\n' }, 'ask')
    const first = edit('a', 'one', 'two')
    await desk.decideNext(approve())
    await first
    agent.close()
    agent = await desk.connect({ resume: { kind: 'newest' } })
    const second = edit('a', 'two', 'three')
    await desk.decideNext(approve())
    expect([statusOf(await second), desk.read('a')]).toEqual(['done', 'three\n'])
    const waiting = edit('a', 'three', 'four')
    await expect.poll(() => desk.desk.queue.list().waiting.length).toBe(1)
    await desk.desk.close()
    expect([(await waiting).text, desk.read('a')]).toEqual([expect.stringMatching(/^HOST_NOT_RUNNING: Overturn ended before this was decided\. No answer is a refusal/), 'three\n'])
  })
})
