import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
import { linkSync, renameSync, symlinkSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { approve, chosen, deskHarness, reject, statusOf, type CallOptions, type DeskHarness, type HarnessOptions, type TestAgent } from '../testing/desk-harness.js'
import type { TestContent } from '../testing/temp-history.js'

let desk: DeskHarness
let agent: TestAgent

afterEach(() => desk.dispose())

async function open(files: Readonly<Record<string, TestContent>>, options: HarnessOptions = {}): Promise<void> {
  desk = await deskHarness(files, options)
  agent = await desk.connect()
}

const run = (command: string, options?: CallOptions): Promise<ToolAnswer> => agent.call('run_command', { command }, options)

async function approved(command: string): Promise<ToolAnswer> {
  const call = run(command)
  await desk.decideNext(approve())
  return call
}

/** Who changed what, as the ledger has it. */
const causes = (): readonly string[] => desk.ledger().map(({ cause, changes }) => `${cause}: ${changes.map(({ path, before, after }) => `${path} ${before.kind}>${after.kind}`).join(', ')}`)

describe('a command', () => {
  it('notes empty folders that it made or removed', async () => {
    await open({ 'a.txt': 'one\n' })
    await approved('mkdir -p made/deep')
    const answer = await approved('rmdir made/deep; mkdir other')
    expect([answer.text.split('\n').at(-1), causes()]).toEqual(['[Changed files: made/deep (deleted), other (created)]', ['command: made/deep absent>folder', 'command: made/deep folder>absent, other absent>folder']])
  })

  it('runs after its approval, and the answer holds its output and what changed', async () => {
    await open({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    const answer = await approved('echo out; echo err >&2; rm a.txt; echo two > b.txt; mkdir d; echo x > d/new; exit 3')
    expect([answer.text.replace(/\d\.\d s/, 'N s'), answer.structured, causes()]).toMatchObject([
      'out\n\n[stderr]\nerr\n\n[Exit code 3, N s]\n[Changed files: a.txt (deleted), b.txt (changed), d/new (created)]',
      { status: 'done', exit_code: 3, stdout: 'out\n', stderr: 'err\n', approved_by: 'person', timed_out: false },
      ['command: a.txt file>absent, b.txt file>file, d/new absent>file'],
    ])
  })

  it('has its changes in the ledger with their bytes before', async () => {
    await open({ a: 'before\n' })
    await approved('rm a')
    const before = desk.ledger()[0]?.changes[0]?.before
    expect(before?.kind === 'file' && Buffer.from(await desk.temp.store.readBlob(before.sha256)).toString()).toBe('before\n')
  })

  it('does not count as its own what the person typed before it', async () => {
    await open({ a: 'one\n', b: 'one\n' })
    await approved('echo two > b')
    desk.put('a', 'typed\n')
    await approved('echo three > b')
    expect(causes()).toEqual(['command: b file>file', 'user: a file>file', 'command: b file>file'])
  })

  it('that is rejected does not run', async () => {
    await open({ a: 'one\n' })
    const call = run('rm a')
    await desk.decideNext(reject('Keep it'))
    expect([(await call).text, desk.read('a')]).toEqual(['APPROVAL_REJECTED: Rejected: Keep it. The command did not run.', 'one\n'])
  })

  it('that is denied asks nobody and says which part and why', async () => {
    await open({ a: 'one\n' })
    const answer = await run('ls && sudo rm -rf /')
    const [noted] = desk.desk.queue.list().decided
    expect([statusOf(answer), desk.asked, noted?.state, answer.text]).toMatchObject(['COMMAND_DENIED', [], 'denied', expect.stringMatching(/"sudo": .*"rm -rf \/": Deletes/)])
  })

  it('that only reads runs unasked', async () => {
    await open({ a: 'one\n' })
    expect([(await run('cat a')).structured, desk.asked]).toMatchObject([{ stdout: 'one\n', approved_by: 'policy' }, []])
  })

  it('is stopped at its time limit, with what it had printed and changed', async () => {
    await open({})
    const call = agent.call('run_command', { command: 'echo begun; echo x > made; sleep 30', time_limit_ms: 1_000 })
    await desk.decideNext(approve())
    const answer = await call
    expect([answer.isError, answer.structured, causes()]).toMatchObject([true, { status: 'failed', timed_out: true, stdout: 'begun\n' }, ['command: made absent>file']])
  })

  it('is ended when the agent gives it up while it runs', async () => {
    await open({})
    const stop = new AbortController()
    const call = run('echo x > made; sleep 30', { signal: stop.signal })
    await desk.decideNext(approve())
    await expect.poll(() => desk.read('made')).toBe('x\n')
    stop.abort()
    expect([(await call).structured['message'], causes()]).toEqual(['Cancelled, and everything it had started was ended', ['command: made absent>file']])
  })

  it('during which the workspace goes says so, and that it ran', async () => {
    await open({ a: 'one\n' })
    const call = run('touch b; while [ -d "$PWD" ]; do sleep 0.01; done; echo ran')
    await desk.decideNext(approve())
    await expect.poll(() => desk.read('b')).toBe('')
    renameSync(desk.temp.root, `${desk.temp.root}-moved`)
    const answer = await call
    expect([answer.isError, answer.text, statusOf(await run('echo x > y')), statusOf(await agent.call('write_file', { path: 'y', content: 'x' }))]).toEqual([
      false,
      expect.stringMatching(/ran[^]*The workspace folder is gone/),
      'WORKSPACE_MISSING',
      'WORKSPACE_MISSING',
    ])
  })

  it('is told apart from another that runs at the same time', async () => {
    await open({})
    const one = run('echo x > one; while [ ! -e two ]; do sleep 0.01; done')
    await desk.decideNext(approve())
    await expect.poll(() => desk.read('one')).toBe('x\n')
    const two = run('echo x > two')
    await desk.decideNext(approve())
    const texts = [(await one).text, (await two).text]
    expect(texts).toEqual([expect.stringContaining('Another command ran at the same time'), expect.stringContaining('Another command ran at the same time')])
  })

  it('keeps as its own what it changed before an edit that is written meanwhile', async () => {
    await open({})
    const command = run('echo x > one; while [ ! -e stop ]; do sleep 0.01; done')
    await desk.decideNext(approve())
    await expect.poll(() => desk.read('one')).toBe('x\n')
    const edit = agent.call('write_file', { path: 'stop', content: 'now\n' })
    await desk.decideNext(approve())
    await Promise.all([edit, command])
    expect(causes()).toEqual(['edit: stop absent>file', 'command: one absent>file'])
  })

  it('is judged again when it is approved', async () => {
    await open({ a: 'one\n' })
    const call = run('rm a')
    const asked = await desk.nextAsked()
    desk.desk.setMode(asked.source.session, 'plan')
    const decided = await desk.decide(asked, approve()).then(({ state }) => state, (thrown: { readonly code: string }) => thrown.code)
    expect([['not-applied', 'PLAN_NOT_APPROVED'].includes(decided), desk.read('a')]).toEqual([true, 'one\n'])
    agent.close()
    await call
  })

  it('does not see what is the app\'s own, and runs without a terminal', async () => {
    await open({}, { environment: { PATH: process.env['PATH'], OVERTURN_TOKEN: 'ours', BASH_ENV: '/nowhere', THEIRS: 'theirs' } })
    expect((await approved('echo "<$OVERTURN_TOKEN> <$BASH_ENV> <$THEIRS> <$TERM> <$PAGER>"')).structured['stdout']).toBe('<> <> <theirs> <dumb> <cat>\n')
  })
})

describe('an "always" rule', () => {
  it('is stored for exactly what was offered, and then the command runs unasked', async () => {
    await open({ a: 'one\n' })
    const call = run('touch made')
    const asked = await desk.nextAsked()
    const offered = asked.subject.kind === 'command' ? asked.subject.judgement.parts.flatMap(({ alwaysRule }) => alwaysRule ?? []) : []
    await expect(desk.decide(asked, approve({ alwaysRules: ['touch'] }))).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
    expect([desk.read('made'), desk.now(asked).state, desk.policy.current().rules]).toEqual([null, 'waiting', []])
    await desk.decide(asked, approve({ alwaysRules: offered }))
    await call
    expect(desk.policy.current().rules).toMatchObject([{ command: 'touch made', workspace: desk.temp.root }])
    expect([(await run('touch made')).structured['approved_by'], desk.asked.length]).toEqual(['rule', 1])
    const wider = run('touch made other')
    await desk.decideNext(reject())
    await wider
    const chain = run('touch made; rm a')
    await desk.decideNext(reject())
    await chain
    expect([desk.read('a'), desk.asked.length]).toEqual(['one\n', 3])
  })
})

describe('sed -i', () => {
  /** What is done, we do: there is no sed to be found, and each start of a program is counted. */
  const withoutShell: HarnessOptions = { environment: { PATH: '/nowhere', LC_ALL: 'C.UTF-8' } }
  const { spawn } = childProcess
  let spawned: string[] = []

  beforeEach(() => {
    spawned = []
    const counting = (...args: Parameters<typeof spawn>): ReturnType<typeof spawn> => {
      // The index of the workspace asks git; nothing else may start.
      if (args[0] !== 'git') spawned.push(args[0])
      return spawn(...args)
    }
    Object.assign(childProcess, { spawn: counting })
    syncBuiltinESMExports()
  })
  afterEach(() => {
    Object.assign(childProcess, { spawn })
    syncBuiltinESMExports()
  })

  it('that backs up is left to the shell, which is counted here', async () => {
    await open({ f: 'a\n' })
    await approved("sed -i.bak 's/a/b/' f")
    // The shell, and what ends it with this process.
    expect([spawned.length, desk.temp.tree()]).toEqual([2, { f: '644 b\n', 'f.bak': '644 a\n' }])
  })

  // D44
  it.each([
    ["sed -i 's/a/b/2g' f", 'aXaXa\n', 'aXbXb\n'],
    ["sed -i 's/X/-/2' f", 'aXbXc\n', 'aXb-c\n'],
    ["sed -i 's/x/[&] [\\&]/' f", 'x & y\n', '[x] [&] & y\n'],
    ["sed -i -E 's/(a)(b)/\\2$1/' f", 'ab\n', 'b$1\n'],
    ["sed -i 's/a+b/Z/' f", 'a+b\n', 'Z\n'],
    ["sed -i 's/a>/b/' f", 'a>\n', 'b\n'],
    ["sed -i 's|a|b;c|' f", 'a\n', 'b;c\n'],
  ])('%s is an edit like any other, and no shell is started', async (command, before, after) => {
    await open({ f: before }, withoutShell)
    const call = run(command)
    const asked = await desk.nextAsked()
    expect(asked.subject).toMatchObject({ kind: 'edit', sed: command })
    await desk.decide(asked, approve())
    expect([(await call).structured, desk.read('f'), desk.ledger().map(({ cause }) => cause), spawned]).toMatchObject([{ status: 'done', exit_code: 0, simulated: true }, after, ['sed'], []])
  })

  it('may be changed by the person, and is stale when the file changed', async () => {
    await open({ f: 'one\none\n' }, withoutShell)
    const call = run("sed -i 's/one/two/' f")
    const asked = await desk.nextAsked()
    desk.put('f', 'one\nother\n')
    await expect(desk.decide(asked, approve())).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    await desk.decide(desk.now(asked), approve({ files: [chosen('f', { text: 'three\nother\n' })] }))
    expect([(await call).structured['changed_by_person'], desk.read('f')]).toEqual([['f: the person changed your text before it was written (1 line).'], 'three\nother\n'])
  })

  it('that matches nothing is not asked about', async () => {
    await open({ f: 'one\n' }, withoutShell)
    expect([(await run("sed -i 's/zwei/two/' f")).text, (await run("sed -i 's/one/one/' f")).text, desk.asked]).toEqual([
      'No match in f: the file is untouched. (exit code 0)',
      'What matches in f is replaced by the same text: the file is untouched. (exit code 0)',
      [],
    ])
  })

  it('in the form of macOS says what GNU sed would do', async () => {
    await open({ f: 'one\n' }, withoutShell)
    const call = run("sed -i '' 's/one/two/' f")
    const asked = await desk.nextAsked()
    expect(asked.subject).toMatchObject({ files: [{ note: expect.stringContaining('sed of macOS') }] })
    await desk.decide(asked, approve())
    expect([statusOf(await call), desk.read('f')]).toEqual(['done', 'two\n'])
  })

  // D42, D43
  it.each([
    ['sed -i -e "s/a/b/" -e "w out.txt" f', null],
    ['sed -i "s/a/date/e" f', null],
    ['sed -n "1e id" f', null],
    ['sed -i.bak "s/a/b/" f', null],
    ['sed -i "s/a/b/" missing', 'there is no such file'],
    ['sed -i "s/a/b/" hard', 'several hard links'],
    ['sed -i "s/a/b/" link', 'is a link'],
    ['sed -i "s/a/b/" linked/f', 'reached through a link'],
    ['sed -i "s/a/b/" ../f', 'leads through'],
    ['sed -i "s/a/b/" folder', 'is a folder'],
  ])('%s is left to the shell with the usual question', async (command, reason) => {
    await open({ f: 'a\n', hard: 'a\n', 'folder/f': 'a\n' })
    linkSync(desk.temp.at('hard'), desk.temp.at('hard2'))
    symlinkSync('f', desk.temp.at('link'))
    symlinkSync('folder', desk.temp.at('linked'))
    const call = run(command)
    const answered = await Promise.race([call.then(statusOf), desk.nextAsked()])
    if (typeof answered === 'string') return expect([answered, desk.read('f')]).toEqual(['COMMAND_DENIED', 'a\n'])
    const asked = desk.asked[0]
    expect(asked?.subject).toMatchObject({ kind: 'command', note: expect.stringContaining(reason ?? 'Runs in the shell: ') })
    if (asked) await desk.decide(asked, reject())
    expect([statusOf(await call), desk.read('f')]).toEqual(['APPROVAL_REJECTED', 'a\n'])
  })
})
