import { afterEach, describe, expect, it } from 'vitest'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { approve, deskHarness, reject, statusOf, type CallOptions, type DeskHarness, type HarnessOptions, type TestAgent } from '../testing/desk-harness.js'
import type { TestContent } from '../testing/temp-history.js'

let desk: DeskHarness
let agent: TestAgent

afterEach(() => desk.dispose())

async function open(files: Readonly<Record<string, TestContent>>, options: HarnessOptions = {}): Promise<void> {
  desk = await deskHarness(files, options)
  agent = await desk.connect()
}

const edit = (oldText: string, newText: string, options?: CallOptions): Promise<ToolAnswer> => agent.call('edit_file', { path: 'a', old_text: oldText, new_text: newText }, options)
const review = (pending: ToolAnswer, options?: CallOptions): Promise<ToolAnswer> => agent.call('await_review', { review_id: pending.structured['review_id'] }, options)

/** Names of calls in the log with what their results say, in order. */
function loggedResults(): readonly string[] {
  return desk.records().flatMap(({ kind, record }) => {
    if (kind !== 'tool_result') return []
    const text = JSON.stringify(record)
    return [`${/"name":"(\w+)"/.exec(text)?.[1] ?? ''} ${/"status":"(\w+)"/.exec(text)?.[1] ?? ''}`]
  })
}

describe('a call that is given up', () => {
  it('before its decision cancels the question: nothing is written however one decides', async () => {
    await open({ a: 'one\n' })
    const stop = new AbortController()
    const call = edit('one', 'two', { signal: stop.signal })
    const asked = await desk.nextAsked()
    stop.abort()
    expect(statusOf(await call)).toBe('AGENT_GONE')
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'APPROVAL_NOT_WAITING' })
    expect([desk.read('a'), desk.now(asked).state, loggedResults()]).toEqual(['one\n', 'cancelled', ['edit_file cancelled']])
  })

  it('before it began asks nothing', async () => {
    await open({ a: 'one\n' })
    expect([statusOf(await edit('one', 'two', { signal: AbortSignal.abort() })), desk.asked]).toEqual(['CANCELLED', []])
  })

  it('while its edit is written is told the truth', async () => {
    await open({ a: 'one\n' })
    const stop = new AbortController()
    const call = edit('one', 'two', { signal: stop.signal })
    const asked = await desk.nextAsked()
    const decided = desk.decide(asked, approve()).then(({ state }) => state, (thrown: { readonly code: string }) => thrown.code)
    stop.abort()
    const ends = [await decided, statusOf(await call), desk.read('a'), desk.now(asked).state]
    expect([['applied', 'done', 'two\n', 'applied'], ['CANCELLED', 'AGENT_GONE', 'one\n', 'cancelled']]).toContainEqual(ends)
  })

  it('after its edit was written changes nothing', async () => {
    await open({ a: 'one\n' })
    const stop = new AbortController()
    const call = edit('one', 'two', { signal: stop.signal })
    await desk.decideNext(approve())
    const answer = await call
    stop.abort()
    expect([statusOf(answer), desk.read('a')]).toEqual(['done', 'two\n'])
  })
})

describe('a connection that ends', () => {
  it('cancels every question of its session, also those with a ticket, and no later call does anything', async () => {
    await open({ a: 'one\n', b: 'one\n' })
    const ticket = await edit('one', 'two', { budgetMs: 0 })
    const waiting = agent.call('write_file', { path: 'b', content: 'two\n' })
    const asked = [await desk.nextAsked(), await desk.nextAsked()]
    agent.close()
    expect([statusOf(ticket), statusOf(await waiting)]).toEqual(['pending', 'AGENT_GONE'])
    for (const each of asked) await expect(desk.decide(each, approve())).rejects.toMatchObject({ code: 'APPROVAL_NOT_WAITING' })
    expect([statusOf(await edit('one', 'two')), statusOf(await agent.call('run_command', { command: 'touch x' })), statusOf(await agent.call('exec_write', { path: 'x', content: '' })), statusOf(await agent.call('read_file', { path: 'a' }))]).toEqual(Array(4).fill('AGENT_GONE'))
    expect([desk.temp.tree(), desk.asked.length, desk.desk.queue.list().waiting]).toEqual([{ a: '644 one\n', b: '644 one\n' }, 2, []])
  })

  it('in the middle of a call that plans leaves no question behind', async () => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'ask' } })
    const call = edit('one', 'two')
    agent.close()
    expect([statusOf(await call), desk.desk.queue.list().waiting, desk.read('a')]).toEqual(['AGENT_GONE', [], 'one\n'])
  })

  it('ends what its command had started, and notes what that had changed', async () => {
    await open({ a: 'one\n' })
    const call = agent.call('run_command', { command: 'echo two > a; sleep 60' })
    await desk.decideNext(approve())
    await expect.poll(() => desk.read('a')).toBe('two\n')
    await desk.desk.close()
    expect([statusOf(await call), desk.ledger().map(({ cause, changes }) => [cause, changes.map(({ path }) => path)])]).toEqual(['failed', [['command', ['a']]]])
  })
})

describe('a decision that takes longer than the agent waits', () => {
  it('is fetched with the ticket, which may be pending again; only then the end is told', async () => {
    await open({ a: 'one\n' })
    const first = await edit('one', 'two', { budgetMs: 5 })
    const again = await review(first, { budgetMs: 5 })
    const asked = await desk.nextAsked()
    expect([statusOf(first), statusOf(again), desk.now(asked), first.text]).toMatchObject(['pending', 'pending', { hasTicket: true, waitsUntil: null, state: 'waiting' }, expect.stringContaining(`await_review with review_id "${asked.id}"`)])
    const end = review(first)
    await desk.decide(asked, approve())
    expect([statusOf(await end), statusOf(await review(first)), desk.read('a')]).toEqual(['done', 'done', 'two\n'])
  })

  it('is noted in the log with the call that asked, when it comes', async () => {
    await open({ a: 'one\n' })
    await agent.call('begin_turn', { prompt: 'Go' })
    await edit('one', 'two', { budgetMs: 0 })
    expect(loggedResults()).toEqual([])
    await desk.decideNext(approve())
    await expect.poll(loggedResults).toEqual(['edit_file success'])
    const [call] = desk.records().filter(({ kind }) => kind === 'assistant')
    const id = /"id":"(call-\w+)"/.exec(JSON.stringify(call?.record))?.[1] ?? 'none'
    const result = desk.records().find(({ kind }) => kind === 'tool_result')
    expect([JSON.stringify(result?.record).includes(id), desk.ledger().map(({ callId }) => callId), desk.records().filter(({ kind }) => kind === 'overturn_note').length > 0]).toEqual([true, [id], true])
  })

  it('is a rejection with its reason too', async () => {
    await open({ a: 'one\n' })
    const first = await edit('one', 'two', { budgetMs: 0 })
    await desk.decideNext(reject('No need'))
    expect([(await review(first)).text, desk.read('a')]).toEqual(['APPROVAL_REJECTED: Rejected: No need. Nothing was written.', 'one\n'])
  })

  it('is waited for by await_review until that is given up; the question stays', async () => {
    await open({ a: 'one\n' })
    const first = await edit('one', 'two', { budgetMs: 0 })
    const asked = await desk.nextAsked()
    const stop = new AbortController()
    const waiting = review(first, { signal: stop.signal })
    stop.abort()
    expect([statusOf(await waiting), desk.now(asked).state]).toEqual(['AGENT_GONE', 'waiting'])
    await desk.decide(asked, approve())
    expect([statusOf(await review(first)), desk.read('a')]).toEqual(['done', 'two\n'])
  })

  it('is answered however close to the end of the budget it comes', async () => {
    await open({ a: '0\n' })
    for (let at = 0; at < 20; at++) {
      const call = edit(`${at}`, `${at + 1}`, { budgetMs: 3 + (at % 5) })
      const asked = await desk.nextAsked()
      await new Promise((resolve) => setTimeout(resolve, at % 7))
      await desk.decide(asked, approve())
      const answer = await call
      const end = statusOf(answer) === 'pending' ? await review(answer) : answer
      expect([statusOf(end), desk.read('a')]).toEqual(['done', `${at + 1}\n`])
    }
  })

  it('is not known to another session', async () => {
    await open({ a: 'one\n' })
    const first = await edit('one', 'two', { budgetMs: 0 })
    const other = await desk.connect({ client: 'other' })
    expect(statusOf(await other.call('await_review', { review_id: first.structured['review_id'] }))).toBe('APPROVAL_NOT_WAITING')
  })

  it('is fetched too where it was asked in the scratch workspace', async () => {
    await open({})
    const first = await agent.call('exec_write', { path: 'x', content: 'x\n' }, { budgetMs: 0 })
    await desk.decideNext(approve())
    expect(statusOf(await review(first))).toBe('done')
  })

  it('is fetched for a simulated sed as the command would have answered', async () => {
    await open({ a: 'one\n' })
    const first = await agent.call('run_command', { command: "sed -i 's/one/two/' a" }, { budgetMs: 0 })
    await desk.decideNext(approve())
    expect([(await review(first)).structured, desk.read('a')]).toMatchObject([{ status: 'done', exit_code: 0, simulated: true }, 'two\n'])
  })
})

describe('the same call twice', () => {
  it('is one question, and both get its answer', async () => {
    await open({ a: 'one\n' })
    const calls = [edit('one', 'two'), edit('one', 'two')]
    const asked = await desk.nextAsked()
    await expect.poll(() => desk.records().filter(({ kind }) => kind === 'assistant').length).toBe(2)
    await desk.decide(asked, approve())
    expect([(await Promise.all(calls)).map(statusOf), desk.asked.length, desk.ledger().length]).toEqual([['done', 'done'], 1, 1])
  })

  it('goes on when the first is given up, and runs its command once', async () => {
    await open({})
    const stop = new AbortController()
    const command = 'echo ran >> log'
    const first = agent.call('run_command', { command }, { signal: stop.signal })
    const asked = await desk.nextAsked()
    const second = agent.call('run_command', { command })
    await expect.poll(() => desk.records().filter(({ kind }) => kind === 'assistant').length).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
    expect(statusOf(await first)).toBe('AGENT_GONE')
    await desk.decide(asked, approve())
    expect([statusOf(await second), desk.read('log')]).toEqual(['done', 'ran\n'])
  })

  it('joins a question whose file changed meanwhile, too', async () => {
    await open({ a: 'one\n' })
    const first = edit('one', 'two')
    const asked = await desk.nextAsked()
    desk.put('a', 'zero\none\n')
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    const second = edit('one', 'two')
    await expect.poll(() => desk.records().filter(({ kind }) => kind === 'assistant').length).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await desk.decide(desk.now(asked), approve())
    expect([statusOf(await first), statusOf(await second), desk.asked.length, desk.read('a')]).toEqual(['done', 'done', 1, 'zero\ntwo\n'])
  })
})
