import { mkdirSync, renameSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

function session() {
  const [first] = desk.desk.list()
  if (!first) throw new Error('There is no session.')
  return first
}

describe('an agent\'s own workspace', () => {
  it('lies in the data folder, by the agent\'s name, and has a session of its own with its calls', async () => {
    await open({}, { policy: { approvalMode: 'review-after' } })
    await begin('Go')
    await agent.call('exec_write', { path: 'x.txt', content: 'x\n' })
    const [, scratch] = desk.desk.list()
    expect([scratch?.workspace.startsWith(desk.temp.data), scratch?.workspace.endsWith('/scratch/test-agent'), desk.temp.tree(), (await agent.call('exec_diff', {})).text]).toEqual([true, true, {}, '--- /dev/null\n+++ x.txt\n@@ -0,0 +1 @@\n+x\n'])
  })

  it.each(['..', '.', '../../x', '', '/', '-', 'a/../../b', '\u0000'])('stays below its folder for an agent that calls itself %j', async (client) => {
    await open({})
    agent = await desk.connect({ client, mode: 'review-after' })
    await agent.call('exec_write', { path: 'x.txt', content: 'x\n' })
    const folder = desk.desk.list().find(({ workspace }) => workspace.includes('/scratch/'))?.workspace ?? ''
    expect(folder.slice(desk.temp.data.length)).toMatch(/^\/scratch\/[\w-]+$/)
  })
})

describe('our own data', () => {
  it('is out of reach of an agent whose workspace holds it', async () => {
    desk = await deskHarness({}, { policy: { approvalMode: 'review-after' } })
    agent = await desk.connect({ workspace: `${desk.temp.root}/..` })
    const answers = [await write('data/policy.json', '{}'), await agent.call('read_file', { path: `${desk.temp.data}/policy.json` }), await agent.call('read_file', { path: 'data/policy.json' }), await write('data/scratch/other', 'x')]
    expect(answers.map(statusOf)).toEqual(['OUTSIDE_WORKSPACE', 'OUTSIDE_WORKSPACE', 'OUTSIDE_WORKSPACE', 'OUTSIDE_WORKSPACE'])
    await expect(desk.connect({ workspace: desk.temp.data })).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' })
    const names = (await agent.call('list_directory', {})).structured['entries']
    const found = await Promise.all([{ pattern: '*', ignored: true }, { pattern: '.', content_search: true, ignored: true, max_matches: 2_000 }].map((args) => agent.call('search_files', args)))
    expect([names, found.filter(({ text }) => text.includes('data/'))]).toEqual([[expect.objectContaining({ name: 'ws' })], []])
    const outside = await desk.connect({})
    expect(statusOf(await outside.call('read_file', { path: `${desk.temp.data}/policy.json` }))).toBe('OUTSIDE_WORKSPACE')
  })
})

describe('a file outside the workspace', () => {
  const secretFile = (): string => join(desk.temp.root, '..', 'other.txt')
  const read = (path: string, options?: CallOptions): Promise<ToolAnswer> => agent.call('read_file', { path }, options)

  it('is asked for as the command that would print it, and read when that is approved', async () => {
    await open({})
    writeFileSync(secretFile(), 'outside\n')
    const [byTool, byCommand] = [read(secretFile()), agent.call('run_command', { command: `cat ${secretFile()}` })]
    const asked = [await desk.nextAsked(), await desk.nextAsked()]
    expect(asked.map(({ subject }) => subject.kind === 'command' && [subject.command, subject.judgement.reason])).toEqual(Array(2).fill([`cat ${secretFile()}`, expect.stringContaining('outside the workspace')]))
    for (const each of asked) await desk.decide(each, each.source.tool === 'read_file' ? approve() : reject())
    expect([(await byTool).text, statusOf(await byCommand)]).toEqual(['outside\n', 'APPROVAL_REJECTED'])
  })

  it('is not read where nobody approves, and needs no question where a rule allows it', async () => {
    await open({})
    writeFileSync(secretFile(), 'outside\n')
    const refused = read(secretFile())
    await desk.decideNext(reject('No'))
    const always = read(secretFile())
    const asked = await desk.nextAsked()
    const rules = asked.subject.kind === 'command' ? asked.subject.judgement.parts.flatMap(({ alwaysRule }) => alwaysRule ?? []) : []
    await desk.decide(asked, approve({ alwaysRules: rules }))
    await always
    const [again, other] = [await read(secretFile()), await agent.call('run_command', { command: `cat ${secretFile()}` })]
    expect([statusOf(await refused), (await refused).text.includes('outside'), rules, again.text, other.structured['stdout'], desk.asked.length]).toEqual(['APPROVAL_REJECTED', false, [`cat ${secretFile()}`], 'outside\n', 'outside\n', 2])
  })

  it('is not read where a link has taken its folder\'s place meanwhile', async () => {
    await open({})
    const folder = join(desk.temp.root, '..', 'around')
    mkdirSync(folder)
    writeFileSync(join(folder, 'x'), 'outside\n')
    const call = read(join(folder, 'x'))
    const asked = await desk.nextAsked()
    renameSync(folder, `${folder}-moved`)
    symlinkSync(`${folder}-moved`, folder)
    await desk.decide(asked, approve())
    expect(statusOf(await call)).toBe('FILE_CHANGED_SINCE_READ')
  })
})

describe('secrets of the environment', () => {
  it('are taken out of what commands print, under whatever name they are', async () => {
    const license = 'q7RzX2mK9vLp4TsWbN8c'
    await open({}, { environment: { PATH: process.env['PATH'], LICENSE: license } })
    const call = agent.call('run_command', { command: 'printenv LICENSE' })
    const asked = await Promise.race([desk.nextAsked(), call.then(() => null)])
    if (asked) await desk.decide(asked, approve())
    const answer = await call
    expect([JSON.stringify(answer).includes(license), answer.text.includes('[value of LICENSE taken out]'), session().taint.level]).toEqual([false, true, 'RESTRICTED'])
  })
})

describe('hostile arguments', () => {
  it.each<[string, string, unknown]>([
    ['read_file', 'no object', 'text'],
    ['read_file', 'nothing', null],
    ['read_file', 'a list', []],
    ['write_file', 'a number', { path: 1, content: 'x' }],
    ['write_file', 'a NUL in the path', { path: 'a\0b', content: 'x' }],
    ['write_file', 'a path that is too long', { path: 'x'.repeat(5_000), content: 'x' }],
    ['write_file', 'a name that is too long', { path: 'x'.repeat(300), content: 'x' }],
    ['run_command', 'a NUL in the command', { command: 'ls\0' }],
    ['edit_file', 'an empty anchor', { path: 'a', old_text: '', new_text: 'x' }],
    ['no_such_tool', 'anything', {}],
  ])('are refused by %s: %s', async (name, _what, args) => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    const answer = await agent.connection.call(name, args, { signal: new AbortController().signal, progress: () => undefined, budgetMs: null, request: null })
    expect([answer.isError, answer.structured['status'], desk.temp.tree(), desk.asked]).toEqual([true, 'refused', { a: '644 one\n' }, []])
  })

  it('with control characters and very long lines are taken for the text that they are', async () => {
    await open({ a: 'one\n' }, { policy: { approvalMode: 'review-after' } })
    await begin(`\u001b[2J\u202e${'x'.repeat(150_000)}`)
    const line = `\u0000\u001b[31m\u2028\u202e${'y'.repeat(10_000_000)}`
    const answer = await write('\u001b[31m\u202ename\n', `${line}\n`)
    expect([statusOf(answer), answer.text.length < 100_000, Object.keys(desk.temp.tree())]).toEqual(['done', true, ['\u001b[31m\u202ename\n', 'a']])
  })
})

describe('a log that cannot be written', () => {
  it('is shown with the session, and an answer says what was done all the same', async () => {
    await open({ a: 'one\n' })
    await begin('Go')
    const file = logFile()
    renameSync(file, `${file}.aside`)
    mkdirSync(file)
    const read = await agent.call('read_file', { path: 'a' })
    expect([statusOf(read), read.text, session().limits]).toEqual(['done', expect.stringMatching(/^\[The log of the session cannot be written[^]*one\n$/), [expect.stringContaining('cannot be written now')]])
    const edit = write('a', 'two\n')
    await desk.decideNext(approve())
    // The ledger is part of a write: without it nothing stays written.
    expect([(await edit).isError, desk.read('a')]).toEqual([true, 'one\n'])
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
    const again = write('a', 'two\n')
    await desk.decideNext(approve())
    expect([statusOf(await again), desk.read('a'), session().limits]).toEqual(['done', 'two\n', []])
  })

  it('does not lose who changed what', async () => {
    await open({ a: 'one\n' })
    await begin('Go')
    const file = logFile()
    renameSync(file, `${file}.aside`)
    mkdirSync(file)
    const command = agent.call('run_command', { command: 'echo two > a' })
    await desk.decideNext(approve())
    expect((await command).text).toMatch(/Changed files: a \(changed\)[^]*The log of this session cannot be written now/)
    rmdirSync(file)
    renameSync(`${file}.aside`, file)
    await begin('Next')
    expect(desk.ledger().map(({ cause, changes }) => [cause, changes.map(({ path }) => path)])).toEqual([['command', ['a']]])
  })
})

function logFile(): string {
  const [file] = desk.logFiles()
  if (file === undefined) throw new Error('There is no log.')
  return file
}
