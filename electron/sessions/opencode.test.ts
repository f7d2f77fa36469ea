import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { ledgerLines } from '../testing/ledger-lines.js'
import { OpencodeStore, toolPart } from '../testing/opencode-store.js'
import { opencodeReader } from './opencode.js'
import type { RecordedSession } from './recorded-session.js'

interface World {
  readonly root: string
  readonly folder: string
  readonly store: OpencodeStore
  /** Writes files of the folder (`null` takes one away) and returns the tree that the agent would keep. */
  readonly tree: (files?: Readonly<Record<string, string | null>>) => string
  readonly open: (id?: string, workspace?: string | null) => Promise<RecordedSession>
}

function newWorld(projectFolder = 'project'): World {
  const root = mkdtempSync(join(tmpdir(), 'overturn-opencode-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, projectFolder)
  mkdirSync(folder, { recursive: true })
  const store = new OpencodeStore(join(root, 'opencode'))
  onTestFinished(() => store.close())
  const gitFolder = join(root, 'opencode/snapshot/project', createHash('sha1').update(folder).digest('hex'))
  const git = (...args: readonly string[]): string => execFileSync('git', [`--git-dir=${gitFolder}`, `--work-tree=${folder}`, ...args], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim()
  mkdirSync(gitFolder, { recursive: true })
  git('init', '-q')
  git('config', 'core.worktree', folder)
  git('config', 'core.autocrlf', 'false')
  const tree: World['tree'] = (files = {}) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      if (text === null) rmSync(join(folder, path))
      else writeFileSync(join(folder, path), text)
    }
    git('add', '-A', '.')
    return git('write-tree')
  }
  const open: World['open'] = async (id = 'ses_1', workspace = null) => {
    const session = await opencodeReader.open(openOptions(root, `${store.file}#${id}`, workspace))
    onTestFinished(() => session.close())
    return session
  }
  return { root, folder, store, tree, open }
}

function openOptions(root: string, file: string, workspace: string | null): Parameters<typeof opencodeReader.open>[0] {
  return { file, agent: 'opencode', indexFile: null, workspace, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root }
}

const linesOf = (session: RecordedSession): Promise<readonly string[]> => ledgerLines(session, { call: true })

const edit = (world: World, callId: string, path: string): ReturnType<typeof toolPart> => toolPart('edit', callId, { filePath: join(world.folder, path), oldString: 'a', newString: 'b' })

describe('a session of opencode', () => {
  it('tells what each step changed, and what somebody changed between two turns', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder)
    const first = store.prompt('ses_1', 'one')
    const a = tree({ 'a.txt': 'a\r\n', 'keep.txt': 'k' })
    const b = tree({ 'a.txt': 'b\r\n' })
    store.step('ses_1', first, a, [edit(world, 'c1', 'a.txt')], b)
    store.step('ses_1', first, b, [toolPart('bash', 'c2', { command: 'make' }, { exit: 2 }, 'failed')], tree({ 'made/x.bin': '\u0000\u0001', 'keep.txt': null }))
    const second = store.prompt('ses_1', 'two')
    const c = tree({ 'a.txt': 'by hand' })
    store.step('ses_1', second, c, [edit(world, 'c3', 'a.txt'), edit(world, 'c4', 'new.txt')], tree({ 'a.txt': 'last', 'new.txt': 'n' }))
    const session = await world.open()
    expect(await linesOf(session)).toEqual([
      '1 edit c1 a.txt: "a\\r\\n" > "b\\r\\n"',
      '1 command c2 keep.txt: "k" > absent',
      '1 command c2 made/x.bin: absent > "\\u0000\\u0001"',
      '2- user null a.txt: "b\\r\\n" > "by hand"',
      '2 edit c3 a.txt: "by hand" > "last"',
      '2 edit c4 new.txt: absent > "n"',
    ])
    expect((await session.readTurn(promptId(first))).flatMap((entry) => (entry.kind === 'call' && entry.call.command ? [entry.call.command] : []))).toEqual([{ text: 'make', exitCode: 2, directory: null }])
  })

  it('claims nothing of the moments around a step that was cut off', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder)
    const first = store.prompt('ses_1', 'one')
    const a = tree({ 'a.txt': '1', 'b.txt': '1' })
    store.step('ses_1', first, a, [toolPart('bash', 'c1', { command: 'make' })], null)
    const second = store.prompt('ses_1', 'two')
    const b = tree({ 'a.txt': '2' })
    store.step('ses_1', second, b, [edit(world, 'c2', 'b.txt')], tree({ 'b.txt': '2' }))
    const third = store.prompt('ses_1', 'three')
    store.step('ses_1', third, tree(), [edit(world, 'c3', 'b.txt')], null)
    expect(await linesOf(await world.open())).toEqual([
      '1 command c1 a.txt: "1" > ? no-record',
      '2- unknown null a.txt: ? no-record > "2"',
      '2 edit c2 b.txt: "1" > "2"',
      '3 edit c3 b.txt: ? no-record > ? no-record',
    ])
  })

  it('is read from the newer table of messages too, after the older ones and never twice', async () => {
    const world = newWorld()
    const { store, tree, folder } = world
    store.session('ses_1', folder)
    store.session('ses_2', folder, { parentId: 'ses_1' })
    const tool = (name: string, id: string, input: object, structured: object = {}, text = 'Done.'): object => ({ type: 'tool', id, name, time: { created: 1, ran: 5, completed: 9 }, state: { status: 'completed', input, structured, content: [{ type: 'text', text }] } })
    const step = (start: string, end: string | null, content: readonly object[]): string =>
      store.newer('ses_1', 'assistant', { agent: 'build', model: { id: 'model-2' }, content, snapshot: { start, ...(end === null ? {} : { end, files: ['a.txt'] }) } })
    const old = store.prompt('ses_1', 'old')
    const a = tree({ 'a.txt': 'a' })
    store.step('ses_1', old, a, [edit(world, 'c1', 'a.txt')], tree({ 'a.txt': 'b' }))
    store.newer('ses_1', 'model-switched', { model: { id: 'model-2' } })
    const first = store.newer('ses_1', 'user', { text: 'one', files: [{ name: 'shot.png', uri: 'data:x' }] })
    const b = tree()
    const c = tree({ 'a.txt': 'c' })
    step(b, c, [{ type: 'reasoning', id: 'r', text: 'Hm.' }, { type: 'text', id: 't', text: 'I do it.' }, tool('edit', 'c2', { path: 'a.txt', oldString: 'b', newString: 'c' }, { files: [{ file: 'a.txt', patch: 'p', status: 'modified' }] })])
    store.newer('ses_2', 'user', { text: 'help' })
    store.newer('ses_2', 'assistant', { content: [tool('read', 'inner', { path: 'a.txt' })] })
    step(c, tree({ 'b.txt': 'made' }), [tool('bash', 'c3', { command: 'make' }, { exitCode: 2 }, 'failed'), tool('subagent', 'c4', { agent: 'explore' }, { sessionID: 'ses_2' })])
    store.newer('ses_1', 'shell', { callID: 's', command: 'ls', output: 'a.txt' })
    const second = store.newer('ses_1', 'user', { text: 'two' })
    store.newer('ses_1', 'unheard-of', { odd: true })
    store.takeBack('ses_1', second)
    const session = await world.open()
    const shown = (await session.readTurn(promptId(first))).map((entry) =>
      entry.kind === 'call' ? [entry.call.callId, entry.call.kind, entry.call.edit?.path ?? entry.call.command?.exitCode ?? entry.call.subagent?.calls.map(({ callId }) => callId), entry.call.durationMs] : 'text' in entry ? entry.text : entry.kind === 'other' ? entry.label : '',
    )
    expect([session.turns.map(({ prompt }) => prompt), session.setAside.map(({ after, turns }) => [after, turns.map(({ prompt }) => prompt)]), shown, await linesOf(session), session.problems, await session.readOutput(promptId(first), 'inner')]).toEqual([
      ['old', 'one'],
      [[first, ['two']]],
      ['one', 'file', 'Hm.', 'I do it.', ['c2', 'edit', 'a.txt', 4], ['c3', 'command', 2, 4], ['c4', 'subagent', ['inner'], 4], 'shell-by-hand'],
      ['1 edit c1 a.txt: "a" > "b"', '2 edit c2 a.txt: "b" > "c"', '2 unknown null b.txt: absent > "made"'],
      [],
      'Done.',
    ])
  })

  it('shows turns that were taken back as set aside, before and after they are thrown away', async () => {
    const world = newWorld()
    const { store } = world
    store.session('ses_1', world.folder)
    const first = store.prompt('ses_1', 'one')
    store.step('ses_1', first, null, [], null)
    const second = store.prompt('ses_1', 'two')
    const reply = store.message('ses_1', { role: 'assistant', parentID: second }, [toolPart('write', 'c1', { filePath: join(world.folder, 'x.txt'), content: 'x' }, { exists: false })])
    store.takeBack('ses_1', second)
    const shape = (session: RecordedSession): unknown => [session.turns.map(({ prompt }) => prompt), session.setAside.map(({ after, turns }) => [after, turns.map(({ prompt }) => prompt)]), session.rewinds.map(({ dropped }) => dropped)]
    expect(shape(await world.open())).toEqual([['one'], [[first, ['two']]], [[second]]])
    store.throwAway('ses_1', [second, reply])
    store.prompt('ses_1', 'three')
    const session = await world.open()
    expect(shape(session)).toEqual([['one', 'three'], [[first, ['two']]], [[second]]])
    const calls = (await session.readTurn(promptId(second))).flatMap((entry) => (entry.kind === 'call' ? [entry.call.edit] : []))
    expect(calls).toMatchObject([{ path: 'x.txt', isNewFile: true, change: { kind: 'write', content: 'x' } }])
  })

  it('shows the calls of a subagent inside the call that started it, and lays its changes to that call', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder)
    store.session('ses_2', world.folder, { parentId: 'ses_1' })
    const inner = store.prompt('ses_2', 'do')
    const a = tree({ 'a.txt': '1' })
    const b = tree({ 'a.txt': '2' })
    store.step('ses_2', inner, a, [edit(world, 'inner', 'a.txt')], b)
    const first = store.prompt('ses_1', 'one')
    store.step('ses_1', first, a, [toolPart('task', 'outer', { subagent_type: 'general' }, { sessionId: 'ses_2' })], b)
    const session = await world.open()
    const entries = await session.readTurn(promptId(first))
    expect(entries.flatMap((entry) => (entry.kind === 'call' ? [[entry.call.callId, entry.call.subagent?.calls.map(({ callId }) => callId)]] : []))).toEqual([['outer', ['inner']]])
    expect([await linesOf(session), await session.readOutput(promptId(first), 'inner')]).toEqual([['1 subagent outer a.txt: "1" > "2"'], 'Done.'])
    const logs = await opencodeReader.others?.sessionsIn({ file: store.file, sizeBytes: 1, modifiedAtMs: 1 })
    expect(logs?.map(({ file }) => file)).toEqual([`${store.file}#ses_1`])
  })

  it('does not count what no person typed as a prompt', async () => {
    const { store, open, folder } = newWorld()
    store.session('ses_1', folder)
    store.prompt('ses_1', 'one')
    store.message('ses_1', { role: 'user' }, [{ type: 'compaction', auto: true }])
    store.message('ses_1', { role: 'user' }, [{ type: 'text', text: 'Continue.', synthetic: true }])
    store.message('ses_1', { role: 'user' }, [{ type: 'text', text: 'two' }, { type: 'text', text: 'file content', synthetic: true }])
    expect((await open()).turns.map(({ prompt }) => prompt)).toEqual(['one', 'two'])
  })

  it('holds back bytes that git may have converted, and absence that new rules may have made', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder)
    const first = store.prompt('ses_1', 'one')
    const a = tree({ '.gitattributes': '*.txt text\n', 'a.txt': '1\r\n', 'b.md': '1\r\n', 'log/x': 'x' })
    const b = tree({ 'a.txt': '2\r\n', 'b.md': '2\r\n', 'c.txt': 'no line end' })
    store.step('ses_1', first, a, [toolPart('bash', 'c1', { command: 'make' })], b)
    execFileSync('git', ['rm', '-rq', '--cached', 'log'], { cwd: world.folder, env: { ...process.env, GIT_DIR: join(world.root, 'opencode/snapshot/project', createHash('sha1').update(world.folder).digest('hex')), GIT_WORK_TREE: world.folder } })
    store.step('ses_1', first, b, [edit(world, 'c2', '.gitignore')], tree({ '.gitignore': 'log\n' }))
    expect(await linesOf(await world.open('ses_1', world.folder))).toEqual([
      '1 command c1 a.txt: ? no-record > ? no-record',
      '1 command c1 b.md: "1\\r\\n" > "2\\r\\n"',
      '1 command c1 c.txt: absent > "no line end"',
      '1 unknown null log/x: "x" > ? no-record',
      '1 edit c2 .gitignore: ? no-record > "log\\n"',
    ])
  })

  it('tells of its own folder alone where the snapshots are of a bigger one', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', join(world.folder, 'part'))
    const first = store.prompt('ses_1', 'one')
    const a = tree({ 'part/a.txt': '1', 'other.txt': '1' })
    store.step('ses_1', first, a, [toolPart('bash', 'c1', { command: 'make' })], tree({ 'part/a.txt': '2', 'other.txt': '2' }))
    expect(await linesOf(await world.open())).toEqual(['1 command c1 a.txt: "1" > "2"'])
  })

  it('finds objects that the snapshots share with the repository of the project', async () => {
    const fixture = join(import.meta.dirname, 'fixtures/opencode/run-basic')
    const root = mkdtempSync(join(tmpdir(), 'overturn-opencode-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    cpSync(join(fixture, 'home/.local/share/opencode'), join(root, 'opencode'), { recursive: true })
    const { start } = (JSON.parse(readFileSync(join(fixture, 'truth.json'), 'utf8')) as { prompts: { start: Record<string, string> }[] }).prompts[0] ?? { start: {} }
    const folder = join(root, 'project')
    for (const [path, sha256] of Object.entries(start)) cpSync(join(fixture, 'blobs', sha256), join(folder, path))
    for (const args of [['init', '-q'], ['add', '-A'], ['-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'x']]) execFileSync('git', args, { cwd: folder })
    const [log] = (await opencodeReader.others?.sessionsIn({ file: join(root, 'opencode/opencode.db'), sizeBytes: 1, modifiedAtMs: 1 })) ?? []
    const session = await opencodeReader.open(openOptions(root, log?.file ?? '', folder))
    onTestFinished(() => session.close())
    const unknown = (await linesOf(session)).filter((line) => line.includes('?'))
    const pages = await session.ledger?.pages()
    const mark = pages?.ofPath(workspacePath('README.md'))[0]
    expect([unknown, mark && (await pages?.changeOf(mark, workspacePath('README.md')))?.before]).toMatchObject([[], { kind: 'file', sha256: start['README.md'] }])
  })

  it('reads the older store of files', async () => {
    const root = mkdtempSync(join(tmpdir(), 'overturn-opencode-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const put = (path: string, value: unknown): void => {
      mkdirSync(dirname(join(root, 'opencode/storage', path)), { recursive: true })
      writeFileSync(join(root, 'opencode/storage', path), typeof value === 'string' ? value : JSON.stringify(value))
    }
    put('session/project/ses_1.json', { id: 'ses_1', projectID: 'project', directory: '/home/dev/app', title: 'Old', time: { created: 1, updated: 9 }, revert: { messageID: 'msg_4' } })
    put('session/project/ses_2.json', { id: 'ses_2', parentID: 'ses_1', projectID: 'project', directory: '/home/dev/app', title: 'Inner', time: { created: 1, updated: 9 } })
    put('message/ses_1/msg_1.json', { id: 'msg_1', role: 'user', time: { created: 2 } })
    put('message/ses_1/msg_2.json', { id: 'msg_2', role: 'assistant', parentID: 'msg_1', modelID: 'm', time: { created: 3 } })
    put('message/ses_1/msg_3.json', '{"id":"msg_3","ro')
    put('message/ses_1/msg_4.json', { id: 'msg_4', role: 'user', time: { created: 5 } })
    put('part/msg_4/prt_4.json', { type: 'text', text: 'taken back' })
    put('part/msg_1/prt_1.json', { type: 'text', text: 'hello' })
    put('part/msg_2/prt_2.json', toolPart('bash', 'c1', { command: 'ls' }, { exit: 0 }))
    const sessions = join(root, 'opencode/storage/session/project')
    const logs = await Promise.all(['ses_1', 'ses_2'].map((id) => opencodeReader.others?.sessionsIn({ file: join(sessions, `${id}.json`), sizeBytes: 1, modifiedAtMs: 1 })))
    const session = await opencodeReader.open(openOptions(root, join(sessions, 'ses_1.json'), null))
    onTestFinished(() => session.close())
    const entries = await session.readTurn(promptId('msg_1'))
    expect([logs.map((found) => found?.length), session.turns.map(({ prompt }) => prompt), session.setAside.flatMap(({ turns }) => turns.map(({ prompt }) => prompt)), entries.map(({ kind }) => kind), session.problems.map(({ kind }) => kind)]).toEqual([[1, 0], ['hello'], ['taken back'], ['prompt', 'call', 'other'], ['bad-line', 'no-snapshots']])
  })

  it('claims no state where a record is damaged, since it may have been a later step', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder)
    const first = store.prompt('ses_1', 'one')
    store.step('ses_1', first, tree({ 'a.txt': '1' }), [edit(world, 'c1', 'a.txt')], tree({ 'a.txt': '2' }))
    const lost = store.step('ses_1', first, tree(), [edit(world, 'c2', 'a.txt')], tree({ 'a.txt': '3' }))
    store.run('UPDATE message SET data = ? WHERE id = ?', ['{"role":"assi', lost])
    store.run('UPDATE part SET data = ? WHERE message_id = ?', ['{"type":"st', lost])
    const session = await world.open()
    expect([await linesOf(session), session.problems.map(({ kind }) => kind)]).toEqual([['1 edit c1 a.txt: ? log-broken > ? log-broken'], ['bad-line']])
  })

  it('reads what a running agent has written to the log of its database only', async () => {
    const root = mkdtempSync(join(tmpdir(), 'overturn-opencode-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    cpSync(join(import.meta.dirname, 'fixtures/opencode/live-wal'), root, { recursive: true })
    utimesSync(join(root, 'opencode.db'), 1_000, 1_000)
    const file = `${join(root, 'opencode.db')}#ses_1`
    const session = await opencodeReader.open(openOptions(root, file, null))
    onTestFinished(() => session.close())
    const look = await opencodeReader.others?.look(file)
    expect([look?.ends.title, session.turns.map(({ prompt }) => prompt.slice(0, 8)), session.turns[1]?.prompt.length, session.problems.map(({ kind }) => kind)]).toEqual(['Only in the log', ['one', 'two long'], 4_000, ['no-snapshots']])
  })

  it('follows a session that goes on', async () => {
    const world = newWorld()
    const { store } = world
    store.session('ses_1', world.folder)
    store.prompt('ses_1', 'one')
    const session = await opencodeReader.open({ ...openOptions(world.root, `${store.file}#ses_1`, null), isFollowed: true })
    onTestFinished(() => session.close())
    const told = new Promise<number>((resolve) => session.onChange(() => session.turns.length === 2 && resolve(session.turns.length)))
    store.prompt('ses_1', 'two')
    expect(await told).toBe(2)
  })

  it('survives hostile names, ids and records', async () => {
    const world = newWorld()
    const { store, tree } = world
    store.session('ses_1', world.folder, { projectId: '../../..' })
    store.session('ses_../x', world.folder)
    const first = store.prompt('ses_1', '\u2028\ud800')
    store.step('ses_1', first, '../../etc/passwd', [toolPart('write', 'c1', { filePath: '../../../etc/passwd', content: 'x' }), toolPart('task', 'c2', {}, { sessionId: 'ses_1' }), { type: 'tool' }, { type: 'new thing', deep: [[[[]]]] }], tree({ a: '1' }))
    store.run('UPDATE part SET data = ? WHERE id LIKE ?', ['{"type":"te', '%5'])
    const session = await world.open()
    const entries = await session.readTurn(promptId(first))
    expect([session.turns.length, entries.length > 3, await linesOf(session), (await world.open('ses_../x')).turns]).toEqual([1, true, [], []])
    await expect(world.open('ses_none')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
