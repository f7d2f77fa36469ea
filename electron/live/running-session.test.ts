import { statSync } from 'node:fs'
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

const write = (path: string, content: string, options?: CallOptions): Promise<ToolAnswer> => agent.call('write_file', { path, content }, options)
const begin = (prompt: string): Promise<ToolAnswer> => agent.call('begin_turn', { prompt })
const kinds = (): readonly string[] => desk.records().map(({ kind }) => kind)

function session() {
  const [first] = desk.desk.list()
  if (!first) throw new Error('There is no session.')
  return first
}

describe('a turn', () => {
  it('begins with its prompt, then what others did before it, then its snapshot; calls follow', async () => {
    await open({ a: 'one\n', b: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    await begin('First')
    await write('a', 'two\n')
    desk.put('b', 'typed\n')
    const second = await begin('Second')
    await agent.call('read_file', { path: 'b' })
    expect([kinds(), second.structured, desk.ledger().map(({ cause, isBeforeTurn, promptId }) => [cause, isBeforeTurn, promptId.split('#').at(-1)])]).toEqual([
      [
        'overturn_session', 'user', 'file_history_snapshot',
        // The call, its backup, what it wrote; then the decision and the classification.
        'assistant', 'file_history_snapshot', 'overturn_ledger', 'overturn_note', 'overturn_note', 'tool_result',
        'user', 'overturn_ledger', 'file_history_snapshot',
        'assistant', 'overturn_note', 'tool_result',
      ],
      { status: 'done', turn: 2, changed_by_others: ['b'] },
      [['edit', false, '1'], ['user', true, '2']],
    ])
  })

  it.each(['begin_turn', 'read_file'])('has what was typed since the agent connected before the first one, which begins with %s', async (first) => {
    desk = await deskHarness({ a: 'one\n', b: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    // A first look takes files that were written just before it once more, so that one could end after a later one.
    await expect.poll(() => Date.now() - statSync(desk.temp.at('b')).ctimeMs > 200).toBe(true)
    agent = await desk.connect()
    // The turn of one that connected later waits for a first look that began later.
    await (await desk.connect({ client: 'later' })).call('begin_turn', { prompt: 'Other' })
    desk.put('a', 'typed\n')
    const { text } = await agent.call(first, first === 'begin_turn' ? { prompt: 'First' } : { path: 'b' })
    await write('b', 'two\n')
    expect([text, desk.ledger().map(({ cause, isBeforeTurn, promptId, changes }) => [cause, isBeforeTurn, promptId.split('#').at(-1), ...changes.map(({ path }) => path)])]).toEqual([
      first === 'begin_turn' ? 'Turn 1 begins. Changed by somebody else since you connected: a.' : expect.stringContaining('one'),
      [['user', true, '1', 'a'], ['edit', false, '1', 'b']],
    ])
  })

  it('notes what others did to a file before the agent edits it, also where the file is not followed', async () => {
    await open({ 'node_modules/p/a.js': 'one\n', 'a.txt': 'one\n' }, { policy: { approvalMode: 'review-after' } })
    await begin('First')
    await write('a.txt', 'two\n')
    await write('node_modules/p/a.js', 'two\n')
    desk.put('a.txt', 'typed\n')
    desk.put('node_modules/p/a.js', 'typed\n')
    desk.put('new.txt', 'mine\n')
    for (const path of ['a.txt', 'node_modules/p/a.js', 'new.txt']) await agent.call('read_file', { path })
    await write('node_modules/p/a.js', 'three\n')
    await write('a.txt', 'three\n')
    await write('new.txt', 'agent\n')
    expect(desk.ledger().flatMap(({ cause, changes }) => changes.map(({ path }) => `${cause} ${path}`))).toEqual([
      'edit a.txt', 'edit node_modules/p/a.js', 'user a.txt', 'user new.txt', 'user node_modules/p/a.js', 'edit node_modules/p/a.js', 'edit a.txt', 'edit new.txt',
    ])
  })

  it('misses a file that the agent made and that then went away', async () => {
    await open({ b: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    await begin('First')
    await write('new', 'agent\n')
    desk.put('new', null)
    const second = await begin('Second')
    await write('made', 'agent\n')
    desk.put('made', null)
    await write('b', 'two\n')
    expect([second.structured['changed_by_others'], desk.ledger().flatMap(({ cause, isBeforeTurn, changes }) => changes.map(({ path, before, after }) => [cause, isBeforeTurn, path, before.kind, after.kind]))]).toEqual([
      ['new'],
      [
        ['edit', false, 'new', 'absent', 'file'],
        ['user', true, 'new', 'file', 'absent'],
        ['edit', false, 'made', 'absent', 'file'],
        ['user', false, 'made', 'file', 'absent'],
        ['edit', false, 'b', 'file', 'file'],
      ],
    ])
  })

  it('counts the lines of each call, of a patch over several files and of a command as well', async () => {
    await open({ a: 'one\n', b: 'two\n', c: 'x\ny\n' }, { policy: { approvalMode: 'review-after' } })
    await begin('First')
    await write('a', '1\n')
    await agent.call('apply_patch', { patch: '*** Begin Patch\n*** Update File: a\n@@\n-1\n+eins\n+zwei\n*** Delete File: b\n*** End Patch' })
    const command = agent.call('run_command', { command: 'rm c' })
    await desk.decideNext(approve())
    await command
    const counted = desk.records().flatMap(({ record }) => /"model_added_lines":(\d+),"model_removed_lines":(\d+)/.exec(JSON.stringify(record))?.slice(1).join(' ') ?? [])
    expect(counted).toEqual(['1 1', '2 2', '0 2'])
  })

  it('begins by itself with the first call, and again after a long silence, but not while something waits', async () => {
    await open({ a: 'one\n' })
    await agent.call('read_file', { path: 'a' })
    desk.pass(4 * 60_000)
    await agent.call('read_file', { path: 'a' })
    expect(session().turn).toBe(1)
    desk.pass(6 * 60_000)
    await agent.call('read_file', { path: 'a' })
    expect([session().turn, kinds().filter((kind) => kind === 'user').length]).toEqual([2, 2])
    const waiting = write('a', 'two\n')
    const asked = await desk.nextAsked()
    desk.pass(6 * 60_000)
    await agent.call('read_file', { path: 'a' })
    expect(session().turn).toBe(2)
    await desk.decide(asked, approve())
    await waiting
    // A wait that lasted long is no silence of the agent.
    await agent.call('read_file', { path: 'a' })
    expect(session().turn).toBe(2)
  })

  it('is no session before it', async () => {
    await open({ a: 'one\n' })
    await agent.call('await_review', { review_id: 'nothing' })
    expect([kinds(), desk.desk.list().map(({ turn }) => turn)]).toEqual([[], [0]])
    agent.close()
    expect(desk.desk.list()).toEqual([])
  })

  it('is the last of a session whose log says that it ended', async () => {
    await open({ a: 'one\n' })
    await begin('First')
    agent.close()
    await expect.poll(() => desk.records().at(-1)?.record['systemPayload']).toEqual({ kind: 'session-ended' })
  })

  it('begins once for calls that come at the same time', async () => {
    await open({ a: 'one\n' })
    await Promise.all(Array.from({ length: 10 }, () => agent.call('read_file', { path: 'a' })))
    expect([session().turn, kinds().filter((kind) => kind === 'user').length]).toEqual([1, 1])
  })

  it('takes its title from the first line of the prompt, without what could hide or turn text', async () => {
    await open({ a: 'one\n' })
    await begin(`\n  Do \u202eit\u0007 ${'😀'.repeat(200)}\nsecond line`)
    void write('a', 'two\n')
    const { source } = await desk.nextAsked()
    expect([source.title.startsWith('Do it'), [...source.title].length, /[\ud800-\udfff]/u.test(source.title)]).toEqual([true, 120, false])
  })
})

describe('the mode', () => {
  it('review-after applies edits unasked, to be undone later, and asks for commands', async () => {
    await open({ a: 'one\n' })
    desk.desk.setMode(session().session, 'review-after')
    expect([statusOf(await write('a', 'two\n')), desk.asked]).toEqual(['done', []])
    const [noted] = desk.desk.queue.list().decided
    expect(noted).toMatchObject({ state: 'applied', decidedBy: 'mode', canUndo: true })
    const command = agent.call('run_command', { command: 'rm a' })
    await desk.decideNext(reject())
    await command
    if (noted) await desk.desk.queue.undo(noted.id)
    expect(desk.read('a')).toBe('one\n')
  })

  it('ask holds again for an edit that was on its way when it was set', async () => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    await begin('Go')
    const call = write('a', 'two\n')
    desk.desk.setMode(session().session, 'ask')
    const asked = await Promise.race([desk.nextAsked(), call])
    expect(['structured' in asked, desk.read('a')]).toEqual([false, 'one\n'])
  })

  it('plan refuses every write until the plan is approved, which may be sent back', async () => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'plan' } })
    const refused = [await write('a', 'two\n'), await agent.call('run_command', { command: 'rm a' }), await agent.call('exec_write', { path: 'x', content: 'x' }), await agent.call('run_command', { command: "sed -i 's/one/two/' a" })]
    expect([refused.map((answer) => answer.isError), desk.asked, desk.read('a')]).toEqual([[true, true, true, true], [], 'one\n'])
    expect([statusOf(await agent.call('read_file', { path: 'a' })), statusOf(await agent.call('run_command', { command: 'cat a' }))]).toEqual(['done', 'done'])

    const first = agent.call('submit_plan', { plan: '# Plan', files: ['a'] })
    await desk.decideNext(reject('Smaller steps'))
    expect([(await first).text, statusOf(await write('a', 'two\n'))]).toEqual(['PLAN_NOT_APPROVED: Rejected: Smaller steps. Change the plan and submit it again.', 'PLAN_NOT_APPROVED'])

    const second = agent.call('submit_plan', { plan: '# Smaller plan', files: ['a'] })
    await desk.decideNext(approve({ comment: 'Mind the tests' }))
    expect((await second).structured).toMatchObject({ status: 'done', comment: 'Mind the tests' })
    const call = write('a', 'two\n')
    await desk.decideNext(approve())
    expect([statusOf(await call), desk.read('a')]).toEqual(['done', 'two\n'])
    desk.desk.setMode(session().session, 'plan')
    expect(statusOf(await write('a', 'three\n'))).toBe('PLAN_NOT_APPROVED')
  })

  it('plan stops what was asked for before it was set', async () => {
    await open({ a: 'one\n' })
    const call = write('a', 'two\n')
    const asked = await desk.nextAsked()
    desk.desk.setMode(asked.source.session, 'plan')
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'PLAN_NOT_APPROVED' })
    expect([desk.read('a'), desk.now(asked).state]).toEqual(['one\n', 'waiting'])
    await desk.decide(asked, reject())
    await call
  })

  it('lets a person undo while the agent plans', async () => {
    await open({ a: 'one\n' })
    const call = write('a', 'two\n')
    const { id, source } = await desk.decideNext(approve())
    await call
    desk.desk.setMode(source.session, 'plan')
    await desk.desk.queue.undo(id)
    expect(desk.read('a')).toBe('one\n')
  })
})

describe('the rest of a turn', () => {
  it('is approved until the next one begins, for edits only', async () => {
    await open({ a: 'one\n' })
    await begin('First')
    const first = write('a', 'two\n')
    await desk.decideNext(approve({ isForRestOfTurn: true }))
    await first
    expect([statusOf(await write('a', 'three\n')), desk.asked.length]).toEqual(['done', 1])
    const command = agent.call('run_command', { command: 'rm a' })
    await desk.decideNext(reject())
    await command
    await begin('Second')
    const next = write('a', 'four\n')
    await desk.decideNext(reject())
    expect([statusOf(await next), desk.read('a')]).toEqual(['APPROVAL_REJECTED', 'three\n'])
  })

  it('is not approved by a decision on an edit of the turn before', async () => {
    await open({ a: 'one\n' })
    await begin('First')
    await write('a', 'two\n', { budgetMs: 0 })
    const asked = await desk.nextAsked()
    await begin('Second')
    await desk.decide(asked, approve({ isForRestOfTurn: true }))
    expect(session().isRestOfTurnApproved).toBe(false)
  })

  it('of the scratch workspace is another one, and ends with the same turn', async () => {
    await open({ a: 'one\n' })
    await begin('First')
    const first = agent.call('exec_write', { path: 'x', content: 'x\n' })
    await desk.decideNext(approve({ isForRestOfTurn: true }))
    await first
    const outside = write('a', 'two\n')
    await desk.decideNext(reject())
    await outside
    expect(statusOf(await agent.call('exec_write', { path: 'x', content: 'y\n' }))).toBe('done')
    await begin('Second')
    const next = agent.call('exec_write', { path: 'x', content: 'z\n' })
    await desk.decideNext(reject())
    expect([statusOf(await next), desk.read('a')]).toEqual(['APPROVAL_REJECTED', 'one\n'])
  })
})

describe('what an agent has seen', () => {
  const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`

  it('raises the taint, which never falls, and secrets are taken out of text and data', async () => {
    await open({ plain: 'hello\n', '.env': `TOKEN=${token}\n` })
    await agent.call('read_file', { path: 'plain' })
    const before = session().taint.level
    const answer = await agent.call('read_file', { path: '.env' })
    await agent.call('read_file', { path: 'plain' })
    expect([before, session().taint, JSON.stringify(answer).includes(token), JSON.stringify(desk.records()).includes(token)]).toMatchObject(['INTERNAL', { level: 'RESTRICTED', reasons: expect.arrayContaining([expect.objectContaining({ level: 'RESTRICTED' })]) }, false, false])
  })

  it('keeps its secrets where the setting says so, and is tainted all the same', async () => {
    await open({ '.env': `TOKEN=${token}\n` }, { policy: { redactSecrets: false } })
    const answer = await agent.call('read_file', { path: '.env' })
    expect([answer.text, session().taint.level]).toEqual([`TOKEN=${token}\n`, 'RESTRICTED'])
  })

  it('taints it in the scratch workspace as well', async () => {
    await open({})
    const call = agent.call('exec_write', { path: '.env', content: `TOKEN=${token}\n` })
    await desk.decideNext(approve())
    await call
    await agent.call('exec_read', { path: '.env' })
    expect(desk.desk.list().map(({ taint }) => taint.level)).toEqual(['RESTRICTED', 'RESTRICTED'])
  })
})

describe('two agents on one workspace', () => {
  it('write one after the other; who comes second sees what the first wrote', async () => {
    await open({ a: 'one\ntwo\n' })
    const other = await desk.connect({ client: 'other' })
    const calls = [agent.call('edit_file', { path: 'a', old_text: 'one', new_text: 'ONE' }), other.call('edit_file', { path: 'a', old_text: 'two', new_text: 'TWO' })]
    const asked = [await desk.nextAsked(), await desk.nextAsked()]
    const decided = await Promise.all(asked.map((each) => desk.decide(each, approve()).then(() => 'done', (thrown: { readonly code: string }) => thrown.code)))
    expect(decided.sort()).toEqual(['FILE_CHANGED_SINCE_READ', 'done'])
    for (const each of asked) if (desk.now(each).state === 'stale') await desk.decide(desk.now(each), approve())
    expect([(await Promise.all(calls)).map(statusOf), desk.read('a')]).toEqual([['done', 'done'], 'ONE\nTWO\n'])
  })

  it('have each the other\'s change as somebody else\'s', async () => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    const other = await desk.connect({ client: 'other' })
    await begin('Mine')
    await other.call('begin_turn', { prompt: 'Theirs' })
    await write('a', 'two\n')
    expect((await other.call('begin_turn', { prompt: 'Next' })).structured['changed_by_others']).toEqual(['a'])
  })
})

describe('many edits at once', () => {
  it('of one file are all written, none lost', async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at};`)
    await open({ a: `${lines.join('\n')}\n` }, { policy: { approvalMode: 'review-after' } })
    const answers = await Promise.all(lines.map((line, at) => agent.call('edit_file', { path: 'a', old_text: line, new_text: `LINE ${at};` })))
    expect([answers.filter((answer) => answer.isError), desk.read('a'), desk.ledger().length]).toEqual([[], `${lines.map((_, at) => `LINE ${at};`).join('\n')}\n`, 50])
  })

  it('of different files are all written', async () => {
    await open({}, { policy: { approvalMode: 'review-after' } })
    const names = Array.from({ length: 50 }, (_, at) => `sub${at % 5}/f${at}`)
    const answers = await Promise.all(names.map((name) => write(name, `${name}\n`)))
    expect([answers.filter((answer) => answer.isError), Object.keys(desk.temp.tree()).length]).toEqual([[], 50])
  })

  it('that were each asked for survive any order of decisions', async () => {
    const lines = Array.from({ length: 12 }, (_, at) => `line ${at};`)
    await open({ a: `${lines.join('\n')}\n` })
    const calls = lines.map((line, at) => agent.call('edit_file', { path: 'a', old_text: line, new_text: `LINE ${at};` }))
    const asked = []
    for (const _ of lines) asked.push(await desk.nextAsked())
    for (const each of asked.reverse()) {
      for (let isDone = false; !isDone; ) isDone = await desk.decide(desk.now(each), approve()).then(() => true, () => false)
    }
    expect([(await Promise.all(calls)).map(statusOf), desk.read('a')]).toEqual([Array(12).fill('done'), `${lines.map((_, at) => `LINE ${at};`).join('\n')}\n`])
  })
})
