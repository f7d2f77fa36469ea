import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { workspacePath, type PromptId } from '../../shared/ids.js'
import type { BackupSource } from '../history/backup-source.js'
import { openBackupStore } from '../history/backup-store.js'
import { createContents } from '../review/contents.js'
import { CodexLog } from '../testing/codex-log.js'
import { readTruth } from '../testing/judge-states.js'
import { openCodex } from '../testing/open-codex.js'
import { createLibrary, type Library } from './library.js'
import type { RecordedSession } from './recorded-session.js'

const fixtures = fileURLToPath(new URL('./fixtures/codex', import.meta.url))
const begin = Date.parse('2026-03-01T10:00:00Z')
const thread = '00000000-0000-7000-8000-00000000000a'
const segment = '00000000-0000-7000-8000-00000000000b'
const fork = '00000000-0000-7000-8000-00000000000c'
const noStore: BackupSource = { read: async () => ({ kind: 'missing' }), sizeOf: async () => null }

function store(): string {
  return mkdtempSync(join(tmpdir(), 'overturn-codex-'))
}

function put(home: string, name: string, text: string): string {
  const folder = join(home, '.codex/sessions/2026/03/01')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

async function opened(file: string): Promise<RecordedSession> {
  const session = await openCodex(file)
  onTestFinished(() => session.close())
  await session.whenLoaded()
  return session
}

async function statesOf(session: RecordedSession, path: string): Promise<readonly unknown[]> {
  const pages = await session.ledger?.pages()
  const marks = [...(pages?.paths ?? [])].filter((each) => each === path).flatMap((each) => (pages?.ofPath(each) ?? []).map((mark) => ({ mark, each })))
  const text = async (state: { readonly kind: string; readonly sha256?: string }): Promise<string> =>
    state.sha256 === undefined ? state.kind : Buffer.from((await pages?.read?.(state.sha256)) ?? []).toString()
  const states: unknown[] = []
  for (const { mark, each } of marks) {
    const change = await pages?.changeOf(mark, each)
    if (change) states.push([mark.promptId, mark.isSetAside ? 'aside' : mark.isBeforeTurn, await text(change.before), await text(change.after)])
  }
  return states
}

/** A session of two turns that was taken back to its first, and went on; and one that was forked after the first. */
function chain(home: string): { readonly later: string; readonly forked: string } {
  const first = new CodexLog('/home/dev/app', begin, { id: thread })
  first.prompt('t1')
  first.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }])
  const cut = first.sizeBytes
  first.prompt('t2')
  first.patch([{ kind: 'update', path: 'a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n', moveTo: null }])
  put(home, `rollout-2026-03-01T10-00-00-${thread}.jsonl`, first.text())
  const base = { thread_id: thread, end_byte_offset: cut, end_ordinal_exclusive: 5 }
  const after = new CodexLog('/home/dev/app', begin + 60_000, { id: thread, history_base: base })
  after.prompt('t3')
  after.patch([{ kind: 'update', path: 'a.txt', diff: '@@ -1 +1 @@\n-two\n+three\n', moveTo: null }])
  const forked = new CodexLog('/home/dev/app', begin + 120_000, { id: fork, forked_from_id: thread, history_base: { ...base, thread_id: segment, end_byte_offset: after.sizeBytes } })
  forked.prompt('t4')
  return {
    later: put(home, `rollout-2026-03-01T10-01-00-${thread}_${segment}.jsonl`, after.text()),
    forked: put(home, `rollout-2026-03-01T10-02-00-${fork}.jsonl`, forked.text()),
  }
}

/** The library of a computer that has this store alone. */
function libraryOf(home: string): Library {
  const library = createLibrary({
    dataFolder: store(),
    environment: { CODEX_HOME: join(home, '.codex') },
    home: store(),
    log: silentLog,
    store: noStore,
    locations: () => [],
    attachments: () => ({}),
    fallbackWorkspace: null,
    isFallbackForced: false,
    isWatching: false,
    onChanged: () => undefined,
  })
  onTestFinished(() => library.close())
  return library
}

const promptsOf = (turns: readonly { readonly promptId: PromptId; readonly index: number | null }[]): readonly unknown[] => turns.map(({ promptId, index }) => [promptId, index])

describe('sessions of Codex', () => {
  it.each(['exec-basic', 'legacy-0.80'])('have the prompts that were typed, and no others: %s', async (name) => {
    const { prompts } = readTruth(join(fixtures, name))
    const session = await opened(join(fixtures, name, 'home', prompts[0]?.sessionFile ?? ''))
    expect([session.turns.map(({ prompt }) => prompt), session.folder, session.problems]).toEqual([prompts.map(({ text }) => text), '/home/dev/shop-app-cx', []])
  })

  it('are read over all of their files', async () => {
    const session = await opened(chain(store()).later)
    expect([session.id, promptsOf(session.turns), session.setAside.map(({ after, turns }) => [after, promptsOf(turns)]), session.rewinds.map(({ dropped, after }) => [dropped, after])]).toEqual([
      thread,
      [['t1', 1], ['t3', 2]],
      [['t1', [['t2', null]]]],
      [[['t2'], 't1']],
    ])
  })

  it('keep what a turn did that was taken back, since going back restores no files', async () => {
    const session = await opened(chain(store()).later)
    expect(await statesOf(session, 'a.txt')).toEqual([
      ['t1', false, 'unknown', 'one\n'],
      ['t3', 'aside', 'one\n', 'two\n'],
      ['t3', false, 'two\n', 'three\n'],
    ])
  })

  it('set aside the turns that a rollback took off, and keep what those did to files', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    const rollBack = (turns: unknown): void => log.add('event_msg', { type: 'thread_rolled_back', num_turns: turns })
    const change = (from: string, to: string): void => log.patch([{ kind: 'update', path: 'a.txt', diff: `@@ -1 +1 @@\n-${from}\n+${to}\n`, moveTo: null }])
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }])
    log.prompt('t2')
    change('one', 'two')
    log.prompt('t3')
    change('two', 'three')
    rollBack(2)
    log.prompt('t4')
    change('three', 'four')
    rollBack(0)
    rollBack('all')
    log.prompt('t5')
    change('four', 'five')
    rollBack(1)
    const session = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const [set, last] = session.setAside.map(({ turns }) => turns[0]?.promptId)
    const read = await Promise.all([set, last].map(async (id) => (id ? (await session.readTurn(id)).map(({ kind }) => kind) : [])))
    expect({
      live: promptsOf(session.turns),
      setAside: session.setAside.map(({ after, turns }) => [after, promptsOf(turns)]),
      rewinds: session.rewinds.map(({ dropped, after, restoresFiles }) => [dropped, after, restoresFiles]),
      read,
      states: await statesOf(session, 'a.txt'),
      problems: session.problems.map(({ kind, count }) => [kind, count]),
    }).toEqual({
      live: [['t1', 1], ['t4', 2]],
      setAside: [['t1', [['t2', null], ['t3', null]]], ['t4', [['t5', null]]]],
      rewinds: [[['t2', 't3'], 't1', false], [['t5'], 't4', false]],
      read: [['prompt', 'call'], ['prompt', 'call']],
      states: [
        ['t1', false, 'unknown', 'one\n'],
        ['t4', 'aside', 'one\n', 'two\n'],
        ['t4', 'aside', 'two\n', 'three\n'],
        ['t4', false, 'three\n', 'four\n'],
        ['t4', 'aside', 'four\n', 'five\n'],
      ],
      problems: [['unknown-record', 2]],
    })
  })

  it('end the last turn as it ended, where those after it were taken back', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }])
    log.prompt('t2')
    log.patch([{ kind: 'update', path: 'a.txt', diff: '@@ -1 +1 @@\n-one\n+two\n', moveTo: null }, { kind: 'add', path: 'b.txt', content: 'b\n' }])
    log.add('event_msg', { type: 'thread_rolled_back', num_turns: 1 })
    const session = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const contents = createContents({ session, disk: () => null, store: await openBackupStore(store()) })
    const moment = { kind: 'end', promptId: session.turns[0]?.promptId ?? ('' as PromptId) } as const
    const { content } = await contents.contentAt(moment, workspacePath('a.txt'))
    const made = await contents.contentAt(moment, workspacePath('b.txt'))
    const ledger = await contents.now().ledger()
    const between = await ledger?.between(0)
    expect([
      Buffer.from(await content.read()).toString(),
      made.content.state.kind,
      between?.map(({ path, after }) => [path, after.content.state.kind]),
      ledger?.isOthersOnly(workspacePath('a.txt'), 0, 'end'),
      await contents.pathsTouched(),
    ]).toEqual(['one\n', 'unknown', [['a.txt', 'file'], ['b.txt', 'file']], false, ['a.txt', 'b.txt']])
  })

  it('are listed as they open, with what they go on from', async () => {
    const home = store()
    chain(home)
    const library = libraryOf(home)
    await library.whenCounted()
    const listed = library.list().sessions.map(({ id, title, startedAt, turns, stat, files }) => ({ id, title, startedAt, turns, stat, files }))
    const opened = await Promise.all(library.list().sessions.map(async ({ key }) => {
      const session = await library.open(key)
      onTestFinished(() => session.close())
      await session.whenLoaded()
      return [session.turns.map(({ prompt }) => prompt), session.id]
    }))
    // The second turn of the first file was left behind; the fork goes on from the first file of its parent's thread and the one after.
    const first = { title: 't1', startedAt: begin + 5, stat: { insertions: 2, deletions: 1 }, files: 1 }
    expect([listed, opened]).toEqual([
      [{ id: fork, ...first, turns: 3 }, { id: thread, ...first, turns: 2 }],
      [[['t1', 't3', 't4'], fork], [['t1', 't3'], thread]],
    ])
  })

  it('count a rollback of more turns than there are as one of all, and one after another', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    const rollBack = (turns: number): void => log.add('event_msg', { type: 'thread_rolled_back', num_turns: turns })
    log.prompt('t1')
    log.prompt('t2')
    rollBack(1)
    log.prompt('t3')
    rollBack(4_294_967_295)
    rollBack(1)
    const ended = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    log.prompt('t4')
    const wentOn = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const shape = (session: RecordedSession): unknown => [promptsOf(session.turns), session.rewinds.map(({ dropped, after }) => [dropped, after])]
    const rewinds = [[['t2'], null], [['t1', 't3'], null]]
    expect([shape(ended), shape(wentOn)]).toEqual([
      [[], rewinds],
      [[['t4', 1]], rewinds],
    ])
  })

  it('do not count a rollback that stands behind the place from which the next file goes on', async () => {
    const home = store()
    const first = new CodexLog('/home/dev/app', begin, { id: thread })
    first.prompt('t1')
    first.prompt('t2')
    const cut = first.sizeBytes
    first.add('event_msg', { type: 'thread_rolled_back', num_turns: 1 })
    first.prompt('t3')
    put(home, `rollout-2026-03-01T10-00-00-${thread}.jsonl`, first.text())
    const after = new CodexLog('/home/dev/app', begin + 60_000, { id: thread, history_base: { thread_id: thread, end_byte_offset: cut } })
    after.prompt('t4')
    const session = await opened(put(home, `rollout-2026-03-01T10-01-00-${thread}_${segment}.jsonl`, after.text()))
    expect([promptsOf(session.turns), session.setAside.map((branch) => [branch.after, promptsOf(branch.turns)])]).toEqual([
      [['t1', 1], ['t2', 2], ['t4', 3]],
      [['t2', [['t3', null]]]],
    ])
  })

  it('go on from the segment that a fork names', async () => {
    const session = await opened(chain(store()).forked)
    expect([session.id, promptsOf(session.turns)]).toEqual([fork, [['t1', 1], ['t3', 2], ['t4', 3]]])
  })

  it('say that a file is missing from which they go on', async () => {
    const home = store()
    const { later } = chain(home)
    const alone = put(store(), 'rollout-alone.jsonl', readFileSync(later, 'utf8'))
    expect((await opened(alone)).problems.map(({ kind }) => kind)).toEqual(['missing-parent'])
  })

  it('are listed once, with the later file for the earlier one', async () => {
    const home = store()
    chain(home)
    const library = libraryOf(home)
    await library.whenListed()
    expect(library.list().sessions.map(({ id, agent, title, recordedFolder, model }) => [id, agent, title, recordedFolder, model])).toEqual([
      [fork, 'codex', 't1', '/home/dev/app', 'm'],
      [thread, 'codex', 't1', '/home/dev/app', 'm'],
    ])
  })

  it('are listed without the agents that they started, which are found by name all the same', async () => {
    const home = store()
    const log = new CodexLog('/home/dev/app', begin, { id: thread })
    log.prompt('t1')
    put(home, `rollout-2026-03-01T10-00-00-${thread}.jsonl`, log.text())
    for (const [id, parent] of [[segment, thread], [fork, '00000000-0000-7000-8000-0000000000ff']] as const) {
      const agent = new CodexLog('/home/dev/app', begin, { id, source: { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } } })
      agent.prompt('c1', `Of ${parent.slice(-2)}`)
      put(home, `rollout-2026-03-01T10-00-01-${id}.jsonl`, agent.text())
    }
    const library = libraryOf(home)
    await library.whenListed()
    const found = await library.find(segment)
    expect([library.list().sessions.map(({ title }) => title).sort(), found.title]).toEqual([['Of ff', 't1'], 'Of 0a'])
  })

  it('are called what they were called last, in the log or in the list beside it', async () => {
    const home = store()
    const ids = ['a', 'b', 'c'].map((last) => `00000000-0000-7000-8000-00000000000${last}`)
    for (const id of ids) {
      const log = new CodexLog('/home/dev/app', begin, { id })
      log.prompt('t1', 'The prompt')
      log.add('event_msg', { type: 'thread_name_updated', thread_id: id, thread_name: 'In the log' })
      put(home, `rollout-2026-03-01T10-00-00-${id}.jsonl`, log.text())
    }
    const named = (id: unknown, name: unknown): string => JSON.stringify({ id, thread_name: name, updated_at: '2026-03-01T10:00:00Z' })
    const lines = [named(ids[0], 'First'), named(ids[1], 'One\u2028two'), '{"id":"', named(ids[0], 'Second'), named(ids[1], '  '), named(ids[2], 3), named('__proto__', 'x'), '[]', named(ids[2], 'cut').slice(0, -9)]
    writeFileSync(join(home, '.codex/session_index.jsonl'), lines.join('\n'))
    const library = libraryOf(home)
    await library.whenListed()
    expect(Object.fromEntries(library.list().sessions.map(({ id, title }) => [id.slice(-1), title]))).toEqual({ a: 'Second', b: 'One\u2028two', c: 'In the log' })
  })

  it('are not called what stands behind a link', async () => {
    const home = store()
    const log = new CodexLog('/home/dev/app', begin, { id: thread })
    log.prompt('t1', 'The prompt')
    put(home, `rollout-2026-03-01T10-00-00-${thread}.jsonl`, log.text())
    writeFileSync(join(home, 'outside'), JSON.stringify({ id: thread, thread_name: 'Outside' }))
    symlinkSync(join(home, 'outside'), join(home, '.codex/session_index.jsonl'))
    const library = libraryOf(home)
    await library.whenListed()
    expect(library.list().sessions.map(({ title }) => title)).toEqual(['The prompt'])
  })

  it('are read on while they grow', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }])
    const file = put(store(), 'rollout-x.jsonl', log.text())
    const session = await opened(file)
    const before = await statesOf(session, 'a.txt')
    const length = log.text().length
    log.patch([{ kind: 'update', path: 'a.txt', diff: '@@ -1 +1,2 @@\n one\n+two\n', moveTo: null }])
    appendFileSync(file, log.text().slice(length))
    await session.whenLoaded()
    expect([before, await statesOf(session, 'a.txt')]).toEqual([
      [['t1', false, 'unknown', 'one\n']],
      [
        ['t1', false, 'unknown', 'one\n'],
        ['t1', false, 'one\n', 'one\ntwo\n'],
      ],
    ])
  })

  it('count only what a person typed where a log holds nothing but what the model was given', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    const say = (role: string, text: string): void => log.add('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] })
    say('user', '<environment_context>\n</environment_context>')
    say('user', '# AGENTS.md instructions for /home/dev/app')
    say('user', 'Do it')
    say('assistant', 'Done')
    say('user', '<turn_aborted>\n</turn_aborted>')
    say('user', 'Again')
    say('assistant', 'Done again')
    const session = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const said = await Promise.all(session.turns.map(async ({ promptId }) => (await session.readTurn(promptId)).flatMap((entry) => ('text' in entry ? [entry.text] : []))))
    expect([session.turns.map(({ prompt }) => prompt), said]).toEqual([
      ['Do it', 'Again'],
      [
        ['Do it', 'Done'],
        ['Again', 'Done again'],
      ],
    ])
  })

  it('are understood in the form of the versions between, with events for patches and commands', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    const tell = (type: string, more: object): void => log.add('event_msg', { type, ...more })
    tell('user_message', { message: 'Do it', kind: 'plain' })
    const changes = { '/home/dev/app/a.txt': { add: { content: 'one\n' } }, '/home/dev/app/b.txt': { delete: { content: 'gone\n' } } }
    tell('patch_apply_begin', { call_id: 'c1', auto_approved: true, changes })
    tell('patch_apply_end', { call_id: 'c1', success: true, stdout: 'Success.', stderr: '' })
    tell('exec_command_begin', { call_id: 'c2', command: ['bash', '-lc', 'cat a.txt'], cwd: '/home/dev/app' })
    tell('exec_command_end', { call_id: 'c2', exit_code: 3, aggregated_output: 'one\n', duration: { secs: 1, nanos: 500_000_000 } })
    const update = { update: { unified_diff: '@@ -1 +1 @@\n-one\n+two\n', move_path: '/home/dev/app/c.txt' } }
    tell('patch_apply_begin', { call_id: 'c3', auto_approved: false, changes: { '/home/dev/app/a.txt': update } })
    tell('patch_apply_end', { call_id: 'c3', success: true, stdout: '', stderr: '' })
    const session = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const [turn] = session.turns
    const calls = turn ? (await session.readTurn(turn.promptId)).flatMap((entry) => (entry.kind === 'call' ? [entry.call] : [])) : []
    expect(calls.map(({ callId, kind, status, command, durationMs }) => [callId, kind, status, command?.exitCode ?? null, durationMs])).toEqual([
      ['c1', 'edit', 'done', null, null],
      ['c2', 'command', 'failed', 3, 1500],
      ['c3', 'edit', 'done', null, null],
    ])
    expect(await Promise.all(['a.txt', 'b.txt', 'c.txt'].map((path) => statesOf(session, path)))).toEqual([
      [
        [turn?.promptId, false, 'unknown', 'one\n'],
        [turn?.promptId, false, 'one\n', 'absent'],
      ],
      [
        [turn?.promptId, true, 'unknown', 'gone\n'],
        [turn?.promptId, false, 'gone\n', 'absent'],
      ],
      [[turn?.promptId, false, 'unknown', 'two\n']],
    ])
  })

  it('tell patches that were carried out from those that were declined or did not fit', async () => {
    const log = new CodexLog('/home/dev/app', begin)
    log.prompt('t1')
    log.patch([{ kind: 'add', path: 'a.txt', content: 'one\n' }], 'declined')
    log.patch([{ kind: 'add', path: 'b.txt', content: 'one\n' }], 'completed')
    log.patch([{ kind: 'add', path: 'c.txt', content: 'one\n' }], 'failed')
    const session = await opened(put(store(), 'rollout-x.jsonl', log.text()))
    const calls = (await session.readTurn(session.turns[0]?.promptId ?? ('' as PromptId))).flatMap((entry) => (entry.kind === 'call' ? [[entry.call.edit?.path, entry.call.status]] : []))
    expect([calls, await statesOf(session, 'a.txt'), await statesOf(session, 'c.txt')]).toEqual([
      [['a.txt', 'refused'], ['b.txt', 'done'], ['c.txt', 'failed']],
      [],
      [['t1', false, 'unknown', 'unknown']],
    ])
  })

  it.each([10, 20_000, 200_000])('is told by what the model was given where nothing shows what the user saw, with a first prompt of %d letters', async (length) => {
    const log = new CodexLog('/home/dev/acme', begin, { id: thread, base_instructions: { text: 'x'.repeat(22_000) } })
    const say = (role: string, text: string): void => log.add('response_item', { type: 'message', role, content: [{ type: 'input_text', text }] })
    say('user', '<environment_context>/home/dev/acme</environment_context>')
    say('user', `Do it ${'y'.repeat(length)}`)
    log.add('response_item', { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c1' })
    log.add('response_item', { type: 'function_call_output', call_id: 'c1', output: 'ok' })
    say('user', 'Go on')
    const home = store()
    const session = await opened(put(home, `rollout-2026-03-01T10-00-00-${thread}.jsonl`, log.text()))
    expect(session.turns.map(({ prompt }) => prompt.slice(0, 6))).toEqual(['Do it ', 'Go on'])
  })
})
