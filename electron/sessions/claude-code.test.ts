import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { ClaudeLog, wholePatch } from '../testing/claude-log.js'
import { openClaude, writeClaudeStore } from '../testing/open-claude.js'
import type { RecordedSession } from './recorded-session.js'

async function opened(log: ClaudeLog, backups: Readonly<Record<string, string>> = {}): Promise<RecordedSession> {
  return loaded(writeClaudeStore(log, backups))
}

async function loaded(file: string): Promise<RecordedSession> {
  const session = await openClaude(file)
  onTestFinished(() => session.close())
  await session.whenLoaded()
  return session
}

const prompts = (session: RecordedSession): readonly string[] => session.turns.map(({ prompt }) => prompt)
const firstTurn = (session: RecordedSession): Promise<readonly TranscriptEntry[]> => session.readTurn(session.turns[0]?.promptId ?? promptId(''))
const callsIn = (entries: readonly TranscriptEntry[]): readonly ToolCall[] => entries.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
const nameOf = (log: ClaudeLog, path: string, version = 1): string => `${createHash('sha256').update(`${log.folder}/${path}`).digest('hex').slice(0, 16)}@v${version}`

describe('the turns of a log of Claude Code', () => {
  it('are prompts that a person typed, and nothing that stands among them', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    log.reply('ok')
    for (const text of ['<command-name>/model</command-name>', '<local-command-stdout>x</local-command-stdout>', '<bash-input>ls</bash-input>']) log.talk('user', { message: { role: 'user', content: text } })
    log.talk('user', { isMeta: true, message: { role: 'user', content: 'Caveat' } })
    log.raw({ type: 'mode', mode: 'plan', sessionId: log.sessionId })
    log.prompt('Second')
    const session = await opened(log)
    expect([prompts(session), session.id, session.folder, session.problems]).toEqual([['First', 'Second'], log.sessionId, log.folder, []])
  })

  it('go on over a compaction, whose summary is no prompt', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    const before = log.reply('ok')
    log.goTo(null)
    log.talk('system', { subtype: 'compact_boundary', logicalParentUuid: before, content: 'Conversation compacted' })
    log.talk('user', { isCompactSummary: true, isVisibleInTranscriptOnly: true, message: { role: 'user', content: 'This session is being continued' } })
    log.prompt('Second')
    const session = await opened(log)
    expect([prompts(session), session.problems, session.turns.every(({ hasSnapshot }) => hasSnapshot)]).toEqual([['First', 'Second'], [], true])
  })

  it('before a compaction that names nothing are shown for reading only', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    log.goTo(null)
    log.talk('user', { isCompactSummary: true, message: { role: 'user', content: 'This session is being continued' } })
    log.prompt('Second')
    const session = await opened(log)
    expect([prompts(session), session.turns.map(({ hasSnapshot }) => hasSnapshot), session.problems.map(({ kind }) => kind)]).toEqual([['First', 'Second'], [false, true], ['missing-parent']])
  })

  it('that a rewind left behind are set aside, also where it went back to the very start', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    const after = log.reply('ok')
    log.prompt('Dropped')
    log.reply('no')
    log.goTo(after)
    log.prompt('Instead')
    const session = await opened(log)
    log.goTo(null)
    log.prompt('Anew')
    const anew = await opened(log)
    expect([prompts(session), session.setAside.map(({ turns }) => turns.map(({ prompt }) => prompt)), prompts(anew), anew.problems]).toEqual([
      ['First', 'Instead'],
      [['Dropped']],
      ['Anew'],
      [],
    ])
  })

  it('hold the answers of calls that came side by side, and a repeated record once', async () => {
    const log = new ClaudeLog()
    log.prompt('Look')
    const one = log.call('t1', 'Grep', { pattern: 'a' })
    const two = log.call('t2', 'Grep', { pattern: 'b' })
    log.goTo(one)
    log.result('t1', 'first', {})
    log.goTo(two)
    log.result('t2', 'second', {})
    log.reply('Found')
    const repeated = log.lines.at(-1) ?? ''
    log.lines.push(repeated)
    const session = await opened(log)
    const entries = await firstTurn(session)
    expect([entries.map(({ kind }) => kind), callsIn(entries).map(({ output, status }) => [output, status])]).toEqual([
      ['prompt', 'call', 'call', 'reply'],
      [
        ['first', 'done'],
        ['second', 'done'],
      ],
    ])
  })

  it('keep the order of parents where the file has another one', async () => {
    const log = new ClaudeLog()
    log.prompt('First', null)
    log.reply('one')
    log.reply('two')
    log.lines.unshift(...log.lines.splice(1, 2).reverse())
    const session = await opened(log)
    expect((await firstTurn(session)).map((entry) => ('text' in entry ? entry.text : entry.kind))).toEqual(['First', 'one', 'two'])
  })

  it('go on over records that are too long to be read', { timeout: 20_000 }, async () => {
    const log = new ClaudeLog()
    const long = 'x'.repeat(9 << 20)
    log.prompt('First')
    log.call('t1', 'Read', {})
    log.result('t1', [{ type: 'image', source: { type: 'base64', data: long } }], { type: 'image' })
    log.reply(long)
    log.talk('user', { message: { role: 'user', content: [{ type: 'image', source: { data: long } }, { type: 'text', text: 'Like this' }] } })
    log.prompt('Third')
    const session = await opened(log)
    expect([prompts(session), session.problems.map(({ kind, count, lines }) => [kind, count, lines])]).toEqual([['First', 'Like this … (cut, 9.4 MB in all)', 'Third'], [['oversized-line', 3, [4, 5, 6]]]])
  })

  it('are found in a record of any key order, and of many sessions', async () => {
    const log = new ClaudeLog()
    log.prompt('First')
    log.raw({ uuid: 'odd', sessionId: 'other', type: 'user', message: { content: 'Second' }, parentUuid: log.leaf, timestamp: '2026-01-05T09:00:00.000Z' })
    expect(prompts(await opened(log))).toEqual(['First', 'Second'])
  })
})

describe('the calls of Claude Code', () => {
  it('are told by what was applied, not by what the model asked for', async () => {
    const log = new ClaudeLog()
    log.prompt('Edit')
    log.edit('a.ts', 'one\ntwo\n', 'two', 'three')
    log.write('b.ts', null, 'new\n')
    log.bash('npm test', 'Exit code 2\nfailed')
    log.bash('ls')
    log.call('t', 'Edit', { file_path: `${log.folder}/a.ts`, old_string: 'x', new_string: 'y' })
    log.result('t', "The user doesn't want to proceed with this tool use.", 'User rejected tool use', true)
    const [edit, write, failed, done, refused] = callsIn(await firstTurn(await opened(log)))
    expect([edit?.edit, write?.edit?.isNewFile, failed?.status, failed?.command?.exitCode, done?.command, refused?.status]).toEqual([
      {
        path: 'a.ts',
        change: { kind: 'replace', oldText: 'two', newText: 'three', all: false },
        before: { text: 'one\ntwo\n', isWhole: true },
        after: { text: 'one\nthree\n', isWhole: true },
        isNewFile: false,
        diff: '@@ -1,2 +1,2 @@\n-one\n-two\n+one\n+three',
        keepsBytes: false,
      },
      true,
      'failed',
      2,
      { text: 'ls', exitCode: 0, directory: log.folder },
      'refused',
    ])
  })

  it.each<readonly [string, object, string]>([
    ['whose patch shows something else', { structuredPatch: wholePatch('one\ntwo\n', 'one\nfour\n') }, 'sed'],
    ['of a file above 10 KB, with a patch that fits', { originalFile: null }, 'replace'],
    ['of a file above 10 KB, with a patch that does not', { originalFile: null, structuredPatch: wholePatch('two\n', 'four\n') }, 'sed'],
    ['without a patch', { structuredPatch: 'none' }, 'sed'],
  ])('say no more of an edit %s than is sure', async (_, more, kind) => {
    const log = new ClaudeLog()
    log.prompt('Edit')
    log.edit('a.ts', 'one\ntwo\n', 'two', 'three', more)
    const [call] = callsIn(await firstTurn(await opened(log)))
    expect(call?.edit?.change.kind).toBe(kind)
  })

  it('take the line end with a line that is taken out', async () => {
    const log = new ClaudeLog()
    log.prompt('Edit')
    log.edit('a.ts', 'one\ntwo\n', 'one', '', { structuredPatch: wholePatch('one\ntwo\n', 'two\n') })
    const [call] = callsIn(await firstTurn(await opened(log)))
    expect(call?.edit?.after?.text).toBe('two\n')
  })

  it('show the edits of a subagent from its own log, of an older one from among the records, and none of one that ran on', async () => {
    const log = new ClaudeLog()
    log.prompt('Ask')
    log.call('t1', 'Agent', { prompt: 'Do it', subagent_type: 'worker' })
    log.result('t1', 'done', { agentId: 'a1', status: 'completed' })
    log.call('t2', 'Task', { prompt: 'Look', subagent_type: 'finder' })
    const side = { parentUuid: null, isSidechain: true, sessionId: log.sessionId, timestamp: '2026-01-05T08:00:01.000Z' }
    log.raw({ ...side, type: 'user', uuid: 's1', message: { role: 'user', content: 'Look' } })
    log.raw({ ...side, parentUuid: 's1', type: 'assistant', uuid: 's2', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'u1', name: 'Grep', input: {} }] } })
    log.result('t2', 'found', {})
    log.call('t3', 'Agent', { prompt: 'Later', run_in_background: true })
    log.result('t3', 'launched', { agentId: 'a2', status: 'async_launched', isAsync: true })
    const file = writeClaudeStore(log)
    const inner = new ClaudeLog()
    inner.prompt('Do it', null)
    inner.edit('sub.ts', 'x\n', 'x', 'y')
    const folder = join(dirname(file), log.sessionId, 'subagents')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'agent-a1.jsonl'), inner.text().replaceAll('"isSidechain":false', '"isSidechain":true'))
    for (let n = 0; n < 40; n++) inner.reply('on')
    writeFileSync(join(folder, 'agent-a2.jsonl'), inner.text())
    const calls = callsIn(await firstTurn(await loaded(file)))
    expect(calls.map(({ subagent }) => [subagent?.name, subagent?.calls.map(({ name, edit }) => edit?.path ?? name)])).toEqual([
      ['worker', ['sub.ts']],
      ['finder', ['Grep']],
      ['agent', []],
      ['in the background', []],
    ])
  })

  it('say where an agent that an earlier turn started still worked', async () => {
    const log = new ClaudeLog()
    log.prompt('Ask')
    log.call('t1', 'Agent', { prompt: 'Go on', run_in_background: true })
    log.result('t1', 'launched', { agentId: 'a1', isAsync: true })
    log.prompt('Meanwhile')
    log.reply('yes')
    log.prompt('Later')
    const file = writeClaudeStore(log)
    const inner = new ClaudeLog()
    for (let n = 0; n < 6; n++) inner.reply('on')
    const folder = join(dirname(file), log.sessionId, 'subagents')
    mkdirSync(folder, { recursive: true })
    // From the first second to the fifth: into the second turn.
    writeFileSync(join(folder, 'agent-a1.jsonl'), inner.text())
    const session = await loaded(file)
    const turns = await Promise.all(session.turns.map(({ promptId: id }) => session.readTurn(id)))
    expect(turns.map((entries) => callsIn(entries).map(({ callId }) => callId))).toEqual([['t1', 'background-end'], ['background-start', 'background-end'], []])
  })

  it('have their whole output from the file beside the log, and from no other', async () => {
    const log = new ClaudeLog()
    log.prompt('Run')
    for (const [callId, path] of [['t1', '/x/tool-results/b1.txt'], ['t2', '../../../../secret.txt'], ['t3', '/x/link.txt']] as const) {
      log.call(callId, 'Bash', { command: 'x' })
      log.result(callId, 'beginning', { stdout: 'beginning', persistedOutputPath: path, interrupted: false })
    }
    const file = writeClaudeStore(log)
    const folder = join(dirname(file), log.sessionId, 'tool-results')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'b1.txt'), 'beginning and end')
    writeFileSync(join(dirname(file), 'secret.txt'), 'secret')
    symlinkSync(join(dirname(file), 'secret.txt'), join(folder, 'link.txt'))
    const session = await loaded(file)
    const id = session.turns[0]?.promptId ?? promptId('')
    expect(await Promise.all(['t1', 't2', 't3'].map((callId) => session.readOutput(id, callId)))).toEqual(['beginning and end', 'beginning', 'beginning'])
  })
})

describe('the copies of Claude Code', () => {
  it('are of the prompt that they name: the last whole one counts, and later files were copied in the middle', async () => {
    const log = new ClaudeLog()
    const first = log.prompt('First', {})
    log.snapshot(first, { 'a.ts': nameOf(log, 'a.ts') }, true)
    log.snapshot(first, { 'a.ts': nameOf(log, 'a.ts'), 'b.ts': null }, true)
    const second = log.prompt('Second', { 'a.ts': nameOf(log, 'a.ts', 2), 'b.ts': nameOf(log, 'b.ts', 2) })
    // It may stand after records of the turn that follows.
    log.snapshot(first, { 'a.ts': nameOf(log, 'a.ts'), 'b.ts': null, 'c.ts': nameOf(log, 'c.ts') }, true)
    const session = await opened(log)
    const of = async (turn: number): Promise<unknown> => {
      const snapshot = await session.snapshotOf(session.turns[turn]?.promptId ?? promptId(''))
      return snapshot && [[...snapshot.backups].map(([path, backup]) => [path, backup.kind === 'stored' ? backup.backupName : backup.kind]), [...snapshot.addedDuring]]
    }
    expect([await of(0), await of(1), second !== first]).toEqual([
      [
        [
          ['a.ts', nameOf(log, 'a.ts')],
          ['b.ts', 'absent'],
          ['c.ts', nameOf(log, 'c.ts')],
        ],
        ['a.ts', 'b.ts', 'c.ts'],
      ],
      [
        [
          ['a.ts', nameOf(log, 'a.ts', 2)],
          ['b.ts', nameOf(log, 'b.ts', 2)],
        ],
        [],
      ],
      true,
    ])
  })

  it('are added to by small records, which never overwrite', async () => {
    const log = new ClaudeLog()
    const first = log.prompt('First', {})
    const entry = (backupFileName: string): object => ({ backupFileName, version: 1, backupTime: '2026-01-05T08:00:01.000Z' })
    log.raw({ type: 'file-history-delta', messageId: first, trackingPath: 'a.ts', backup: entry(nameOf(log, 'a.ts')), timestamp: '2026-01-05T08:00:01.000Z' })
    log.raw({ type: 'file-history-delta', messageId: first, trackingPath: 'a.ts', backup: entry(nameOf(log, 'a.ts', 9)), timestamp: '2026-01-05T08:00:02.000Z' })
    log.prompt('Second', { 'a.ts': nameOf(log, 'a.ts', 2) })
    const history = await (await opened(log)).backupHistory()
    expect(history.get(workspacePath('a.ts'))?.map(({ backup, isAddedDuring }) => [backup.kind === 'stored' ? backup.backupName : backup.kind, isAddedDuring])).toEqual([
      [nameOf(log, 'a.ts'), true],
      [nameOf(log, 'a.ts', 2), false],
    ])
  })

  it('of files in another folder, under the same name, are not taken for this one', async () => {
    const log = new ClaudeLog()
    const foreign = `${createHash('sha256').update('/home/dev/acme-worktree/b.ts').digest('hex').slice(0, 16)}@v1`
    log.prompt('First', { 'a.ts': nameOf(log, 'a.ts'), 'b.ts': foreign })
    const snapshot = await (await opened(log)).snapshotOf(promptId('prompt-1'))
    expect([...(snapshot?.backups.values() ?? [])].map(({ kind }) => kind)).toEqual(['stored', 'failed'])
  })

  it('are byte for byte, and what is missing or hostile is said', async () => {
    const log = new ClaudeLog()
    log.prompt('First', { 'a.ts': 'aaaaaaaaaaaaaaaa@v1', 'b.ts': 'bbbbbbbbbbbbbbbb@v1', '../../etc/passwd': 'cccccccccccccccc@v1', 'd.ts': '../../../secret' })
    const session = await opened(log, { 'aaaaaaaaaaaaaaaa@v1': '\ufeffone\r\n' })
    await session.backupHistory()
    const [found, missing] = [await session.backups.read('aaaaaaaaaaaaaaaa@v1'), await session.backups.read('../../projects')]
    expect([found.kind === 'bytes' && Buffer.from(found.bytes).toString(), missing.kind, session.problems.map(({ kind, count }) => [kind, count])]).toEqual([
      '\ufeffone\r\n',
      'missing',
      [
        ['hostile-path', 2],
        ['missing-backup', 1],
      ],
    ])
  })
})

describe('a log of Claude Code that grows', () => {
  it('is at each moment what it is for one who opens it then', async () => {
    const log = new ClaudeLog()
    for (let n = 1; n <= 6; n++) {
      log.prompt(`Prompt ${n}`, { 'a.ts': nameOf(log, 'a.ts', n) })
      log.edit('a.ts', `${n}\n`, `${n}`, `${n + 1}`)
    }
    const lines = log.text().split('\n')
    const file = writeClaudeStore(log)
    writeFileSync(file, '')
    appendFileSync(file, `${lines[0] ?? ''}\n`)
    const growing = await loaded(file)
    const states = async (session: RecordedSession): Promise<unknown> => [session.turns, Object.fromEntries(await session.backupHistory()), await firstTurn(session)]
    const pairs: unknown[][] = []
    for (const line of lines.slice(1)) {
      appendFileSync(file, `${line}\n`)
      await growing.whenLoaded()
      pairs.push([await states(growing), await states(await loaded(file))])
    }
    expect(pairs.map(([found]) => found)).toEqual(pairs.map(([, expected]) => expected))
  })

  it('keeps a record with line separators of other kinds in one piece', async () => {
    const log = new ClaudeLog()
    log.prompt('a\u2028b\u2029c\u0085d\re')
    const file = writeClaudeStore(log)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\\u2028', '\u2028'))
    expect(prompts(await loaded(file))).toEqual(['a\u2028b\u2029c\u0085d\re'])
  })
})
