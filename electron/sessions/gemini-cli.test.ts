import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { silentLog } from '../base/log.js'
import { ledgerLines } from '../testing/ledger-lines.js'
import { createSedOutcomes } from '../review/sed-outcomes.js'
import { sedInThisThread } from '../testing/open-simulated.js'
import { Random } from '../testing/random.js'
import { geminiReader } from './gemini-cli.js'
import type { RecordedSession } from './recorded-session.js'
import type { OpenOptions } from './session-reader.js'

type Json = Readonly<Record<string, unknown>>

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const header: Json = { sessionId: 'id-1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-01T00:00:00.000Z', kind: 'main' }

interface World {
  readonly root: string
  readonly folder: string
  readonly put: (path: string, text: string) => void
  readonly open: (lines: readonly (Json | string)[], hasDisk?: boolean, name?: string, more?: Partial<OpenOptions>) => Promise<RecordedSession>
}

function newWorld(): World {
  const root = mkdtempSync(join(tmpdir(), 'overturn-gemini-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'project')
  mkdirSync(folder)
  const put: World['put'] = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  put('.gemini/tmp/project/.project_root', folder)
  const open: World['open'] = async (lines, hasDisk = false, name = 'session-2026-01-01T00-00-abcd.jsonl', more = {}) => {
    const path = `.gemini/tmp/project/chats/${name}`
    put(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + '\n')
    const session = await geminiReader.open({ file: join(root, path), agent: 'gemini-cli', indexFile: null, workspace: hasDisk ? folder : null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root, ...more })
    onTestFinished(() => session.close())
    return session
  }
  return { root, folder, put, open }
}

const user = (id: string, text: string): Json => ({ id, type: 'user', timestamp: '2026-01-01T00:00:01.000Z', content: [{ text }] })
const gemini = (id: string, toolCalls: readonly Json[] = [], content = 'Reply.'): Json => ({ id, type: 'gemini', timestamp: '2026-01-01T00:00:02.000Z', content, model: 'model-1', ...(toolCalls.length > 0 ? { toolCalls } : {}) })

function call(id: string, name: string, args: Json, display: unknown, output = 'Done.', status = 'success'): Json {
  return { id, name, args, status, timestamp: '2026-01-01T00:00:02.000Z', result: [{ functionResponse: { id, name, response: { output } } }], resultDisplay: display }
}

function replace(world: World, id: string, path: string, before: string, after: string, more: Json = {}): Json {
  const display = { fileDiff: 'diff', fileName: path, filePath: join(world.folder, path), originalContent: before, newContent: after, isNewFile: false, ...more }
  return call(id, 'replace', { file_path: join(world.folder, path), old_string: before.trimEnd(), new_string: after.trimEnd() }, display)
}

function create(world: World, id: string, path: string, content: string): Json {
  return call(id, 'write_file', { file_path: join(world.folder, path), content }, { fileDiff: 'd', fileName: path, filePath: join(world.folder, path), originalContent: '', newContent: content, isNewFile: true }, 'Successfully created and wrote to new file: x')
}

const shell = (id: string, command: string, output = 'Output: (empty)\nProcess Group PGID: 5'): Json => call(id, 'run_shell_command', { command }, '', output)

const linesOf = (session: RecordedSession): Promise<readonly string[]> => ledgerLines(session, { source: true })

describe('a session of Gemini CLI', () => {
  it('keeps the calls of messages that a resume lists without them, and each turn once', async () => {
    const world = newWorld()
    const listed = [user('m1', 'one'), { id: 'm2', type: 'gemini', content: [{ text: 'Reply.' }, { functionCall: {} }] }]
    const session = await world.open([header, { $set: { messages: [{ id: 'c', type: 'user', content: [{ text: '<session_context>\n- **Workspace Directories:**\n  - /x\n</session_context>' }] }] } }, user('m1', 'one'), gemini('m2'), gemini('m2', [shell('s1', 'false', 'Output: x\nExit Code: 3')]), header, { $set: { messages: [] } }, { $set: { messages: listed } }, user('m3', 'two')])
    const entries = await session.readTurn(promptId('m1'))
    expect([session.turns.map(({ prompt }) => prompt), entries.map((entry) => (entry.kind === 'call' ? entry.call.command : entry.kind))]).toEqual([
      ['one', 'two'],
      ['prompt', 'reply', { text: 'false', exitCode: 3, directory: null }],
    ])
  })

  it('shows what agents did in the calls that name them, and what no call names where it was done', async () => {
    const world = newWorld()
    const at = (seconds: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString()
    const agent = (id: string, seconds: number, kind: string, calls: readonly Json[]): void =>
      world.put(`.gemini/tmp/project/chats/id-1/${id}.jsonl`, [{ ...header, sessionId: id, startTime: at(seconds), kind }, user('a1', 'Help'), gemini('a2', calls)].map((line) => JSON.stringify(line)).join('\n') + '\n')
    agent('one', 1, 'subagent', [replace(world, 'r1', 'a.txt', 'one\n', 'two\n'), { ...call('i2', 'invoke_agent', { agent_name: 'inner' }, null), agentId: 'three' }])
    agent('two', 3, 'subagent', [shell('s1', 'make')])
    agent('three', 2, 'subagent', [replace(world, 'r2', 'a.txt', 'two\n', 'three\n')])
    agent('main', 2, 'main', [shell('s2', 'make')])
    symlinkSync(join(world.root, '.gemini/tmp/project/chats/id-1/two.jsonl'), join(world.root, '.gemini/tmp/project/chats/id-1/link.jsonl'))
    const asked = { ...call('i1', 'invoke_agent', { agent_name: 'helper' }, { isSubagentProgress: true }), agentId: 'one' }
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [asked]), { ...user('m3', 'two'), timestamp: at(10) }])
    const named = (one: ToolCall): unknown => (one.subagent ? [one.callId, one.subagent.name, one.subagent.calls.map(named)] : one.callId)
    const calls = (await session.readTurn(promptId('m1'))).flatMap((entry) => (entry.kind === 'call' ? [named(entry.call)] : []))
    expect([calls, await session.readOutput(promptId('m1'), 'r2'), await linesOf(session)]).toEqual([
      [['i1', 'helper', ['r1', ['i2', 'inner', ['r2']]]], ['agent-two', 'agent', ['s1']]],
      'Done.',
      [
        '1- unknown a.txt: ? no-record > ? no-record',
        '1 subagent a.txt: ? no-record > ? no-record',
        '1 subagent a.txt: ? no-record > ? no-record',
        // The agent that no call names ran a command.
        '1 command a.txt: ? no-record > ? changed-by-command',
        '2- unknown a.txt: ? changed-by-command > ? changed-by-command',
      ],
    ])
  })

  it('knows listed messages again that were given other ids', async () => {
    const session = await newWorld().open([header, user('m1', 'one'), gemini('m2', [shell('s1', 'true')]), { $set: { messages: [user('n1', 'one'), gemini('n2')] } }, user('n3', 'two')])
    const kinds = (await session.readTurn(promptId('m1'))).flatMap((entry) => (entry.kind === 'call' ? [entry.call.command?.exitCode] : []))
    expect([session.turns.map(({ prompt }) => prompt), kinds]).toEqual([['one', 'two'], [0]])
  })

  it('sets aside what a rewind dropped', async () => {
    const session = await newWorld().open([header, user('m1', 'one'), gemini('m2'), user('m3', 'two'), gemini('m4'), { $rewindTo: 'm3' }, { $set: { messages: [user('m1', 'one'), gemini('m2')] } }, user('m5', 'three'), { $rewindTo: 'nowhere' }])
    expect([session.turns.map(({ prompt }) => prompt), session.setAside.map(({ after, turns }) => [after, turns.map(({ prompt }) => prompt)]), session.rewinds.map(({ droppedFrom, after }) => [droppedFrom, after]), session.problems.map(({ kind, lines }) => [kind, lines])]).toEqual([
      ['one', 'three'],
      [['m1', ['two']]],
      [['m3', 'm1']],
      [['unknown-record', [9]]],
    ])
  })

  it('reads the older document', async () => {
    const world = newWorld()
    const session = await world.open([{ ...header, messages: [user('m1', 'one'), gemini('m2', [create(world, 'c1', 'a.txt', 'new\n')])] }], false, 'session-2025-01-01T00-00-abcd.json')
    expect([session.id, session.folder, await linesOf(session)]).toEqual(['id-1', world.folder, ['1 edit a.txt: absent > "new\\n" (record)']])
  })

  it('finds the folder of an older log by its hash', async () => {
    const world = newWorld()
    const hash = createHash('sha256').update(world.folder).digest('hex')
    world.put('.gemini/tmp/project/.project_root', '')
    const session = await world.open([{ ...header, projectHash: hash }, user('m1', 'one'), gemini('m2', [create(world, 'c1', 'deep/er/a.txt', 'new\n')])])
    expect([session.folder, await linesOf(session)]).toEqual([world.folder, ['1 edit deep/er/a.txt: absent > "new\\n" (record)']])
  })

  it('tells states from a file that the agent made, step by step, and what the person changed in between', async () => {
    const world = newWorld()
    const session = await world.open([
      header,
      user('m1', 'one'),
      gemini('m2', [create(world, 'c1', 'a.txt', 'one\n'), replace(world, 'c2', 'a.txt', 'one\n', 'two\n')]),
      user('m3', 'two'),
      gemini('m4', [replace(world, 'c3', 'a.txt', 'two\n', 'three by hand\n', { diffStat: { user_added_lines: 1, model_added_lines: 1 } })]),
      user('m5', 'three'),
      gemini('m6', [shell('s1', 'make'), replace(world, 'c4', 'a.txt', 'else\n', 'four\n')]),
    ])
    expect(await linesOf(session)).toEqual([
      '1 edit a.txt: absent > "one\\n" (record)',
      '1 edit a.txt: "one\\n" (record) > "two\\n" (edit)',
      '2 edit a.txt: "two\\n" (edit) > "three by hand\\n" (edit)',
      '3- unknown a.txt: ? no-record > ? changed-by-command',
      '3 edit a.txt: ? no-record > ? no-record',
    ])
  })

  it('takes line ends from the disk where that still has the last text, and what was before from the project\'s history', async () => {
    const world = newWorld()
    for (const [path, text] of [['crlf.txt', 'a\r\nb\r\n'], ['bom.txt', '\ufeffa\n'], ['lf.txt', 'a\n']] as const) world.put(`project/${path}`, text)
    for (const args of [['init', '-q'], ['add', '-A'], ['-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'x']]) execFileSync('git', args, { cwd: world.folder })
    for (const [path, text] of [['crlf.txt', 'c\r\nb\r\n'], ['bom.txt', 'c\n'], ['lf.txt', 'typed since\n']] as const) world.put(`project/${path}`, text)
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [replace(world, 'c1', 'crlf.txt', 'a\nb\n', 'c\nb\n'), replace(world, 'c2', 'bom.txt', 'a\n', 'c\n'), replace(world, 'c3', 'lf.txt', 'a\n', 'c\n')])], true)
    expect(await linesOf(session)).toEqual([
      '1- unknown crlf.txt: ? no-record > "a\\r\\nb\\r\\n" (git)',
      '1- unknown bom.txt: ? no-record > ? no-record',
      '1- unknown lf.txt: ? no-record > ? no-record',
      '1 edit crlf.txt: "a\\r\\nb\\r\\n" (git) > "c\\r\\nb\\r\\n" (disk)',
      '1 edit bom.txt: ? no-record > "c\\n" (disk)',
      '1 edit lf.txt: ? no-record > ? no-record',
    ])
  })

  it('takes the bytes before an edit from the tree that the agent kept', async () => {
    const world = newWorld()
    const history = join(world.root, '.gemini/history/project')
    const git = (...args: readonly string[]): string => execFileSync('git', [`--git-dir=${join(history, '.git')}`, `--work-tree=${world.folder}`, ...args], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim()
    mkdirSync(history, { recursive: true })
    world.put('project/a.txt', 'a\r\n')
    execFileSync('git', ['init', '-q', history])
    git('add', '-A')
    git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'x')
    const edit = replace(world, 'c1', 'a.txt', 'a\n', 'b\n')
    world.put('.gemini/tmp/project/checkpoints/2026-a.txt-replace.json', JSON.stringify({ toolCall: { name: 'replace', args: edit['args'] }, commitHash: git('rev-parse', 'HEAD') }))
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [edit])])
    expect(await linesOf(session)).toEqual(['1- unknown a.txt: ? no-record > "a\\r\\n" (git)', '1 edit a.txt: "a\\r\\n" (git) > "b\\r\\n" (edit)'])
  })

  it('says no more of a file that a command may have changed behind the last edit', async () => {
    const world = newWorld()
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [create(world, 'c1', 'a.txt', 'one\n'), shell('s1', 'make')]), user('m3', 'two'), gemini('m4')])
    expect(await linesOf(session)).toEqual(['1 edit a.txt: absent > "one\\n" (record)', '1 command a.txt: "one\\n" (record) > ? changed-by-command', '2- unknown a.txt: ? changed-by-command > ? changed-by-command'])
  })

  it('says as much of it where commands only read, or changed other files', async () => {
    const world = newWorld()
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [create(world, 'c1', 'a.txt', 'one\n'), shell('s1', 'ls -la && cat a.txt'), shell('s2', 'echo x > other.txt')])])
    expect(await linesOf(session)).toEqual(['1 edit a.txt: absent > "one\\n" (record)', '1 command other.txt: ? no-record > "x\\n" (command)'])
  })

  it('computes what a sed made of a text that an edit left, and tells of the file on both sides of it', async () => {
    const world = newWorld()
    const sedOutcome = createSedOutcomes(sedInThisThread)
    world.put('project/a.txt', 'one\r\nTHREE\r\n')
    const calls = [replace(world, 'c1', 'a.txt', 'one\nzwei\n', 'one\ntwo\n'), shell('s1', "sed -i 's/two/three/' a.txt"), replace(world, 'c2', 'a.txt', 'one\nthree\n', 'one\nTHREE\n')]
    const told = async (more: readonly Json[]): Promise<readonly string[]> => linesOf(await world.open([header, user('m1', 'one'), gemini('m2', [...calls.slice(0, 1), ...more, ...calls.slice(1)])], true, undefined, { sedOutcome }))
    const known = await told([])
    const other = await told([shell('s2', 'make')])
    expect([known, other[1]]).toEqual([
      [
        '1- unknown a.txt: ? no-record > ? no-record',
        '1 edit a.txt: ? no-record > "one\\r\\ntwo\\r\\n" (edit)',
        '1 command a.txt: "one\\r\\ntwo\\r\\n" (edit) > "one\\r\\nthree\\r\\n" (edit)',
        '1 edit a.txt: "one\\r\\nthree\\r\\n" (edit) > "one\\r\\nTHREE\\r\\n" (disk)',
      ],
      '1 edit a.txt: ? no-record > ? no-record',
    ])
  })

  it('claims no last state where a line is lost, since it may have been a later edit', async () => {
    const world = newWorld()
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [create(world, 'c1', 'a.txt', 'one\n')]), '{"id":"m3","type":"gem'])
    expect(await linesOf(session)).toEqual([
      '1- unknown a.txt: ? no-record > absent',
      '1 edit a.txt: absent > "one\\n" (record)',
      '1 unknown a.txt: "one\\n" (record) > ? log-broken',
    ])
  })

  it('takes a file for new only where the record says so', async () => {
    const world = newWorld()
    const { originalContent: _, ...display } = create(world, 'c1', 'a.txt', 'b\n')['resultDisplay'] as Json
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [call('c1', 'write_file', { file_path: join(world.folder, 'a.txt'), content: 'b\n' }, { ...display, isNewFile: undefined })])])
    expect(await linesOf(session)).toEqual(['1- unknown a.txt: ? no-record > ? no-record', '1 edit a.txt: ? no-record > ? no-record'])
  })

  it('tells of no other text than the last by the disk that it is what the agent left', async () => {
    const world = newWorld()
    world.put('project/a.txt', 'typed since\n')
    const session = await world.open([header, user('m1', 'one'), gemini('m2', [replace(world, 'c1', 'a.txt', 'a\n', 'b\n')])], true)
    expect(await linesOf(session)).toEqual(['1- unknown a.txt: ? no-record > ? no-record', '1 edit a.txt: ? no-record > ? no-record'])
  })

  it('reads a line that is being written once it is whole', async () => {
    const world = newWorld()
    const session = await world.open([header, user('m1', 'one'), '{"id":"m2","type":"user","content":[{"te'])
    world.put('.gemini/tmp/project/chats/session-2026-01-01T00-00-abcd.jsonl', [header, user('m1', 'one'), user('m2', 'two')].map((line) => JSON.stringify(line)).join('\n'))
    const before = session.turns.length
    await session.whenLoaded()
    expect([before, session.turns.length]).toEqual([1, 2])
  })

  it(`survives any order, cut and damage of its lines (seed ${seed})`, async () => {
    const world = newWorld()
    const random = new Random(seed)
    const lines = [header, user('m1', 'one \u2028 \u{1f6d2}'), gemini('m2', [create(world, 'c1', 'a.txt', 'one\n'), replace(world, 'c2', '../../etc/x', 'a', 'b'), shell('s1', 'x')]), { $rewindTo: 'm1' }, { $set: { messages: [user('m1', 'one'), null, 5, { id: 7 }] } }, { type: 'new', odd: true }, { $set: null }, { id: '__proto__', type: 'gemini', toolCalls: [null, { name: 5 }] }, user('m3', 'two'), gemini('m4', ['one', 'two', '../../secret'].map((agentId) => ({ ...call(`i-${agentId}`, 'invoke_agent', {}, null), agentId })))].map((line) => JSON.stringify(line))
    for (let round = 0; round < 120; round++) {
      const picked = Array.from({ length: random.below(14) + 1 }, () => random.pick(lines))
      const bytes = Buffer.from(picked.join('\n'))
      for (let time = random.below(4); time > 0; time--) bytes[random.below(bytes.length)] = random.below(256)
      const text = bytes.subarray(0, random.chance(40) ? random.below(bytes.length) : bytes.length).toString('latin1')
      const beside = Buffer.from([{ ...header, sessionId: random.pick(['one', 'two', '../../one', '']), kind: random.pick(['subagent', 'main', 5]) }, ...picked].map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
      world.put(`.gemini/tmp/project/chats/id-1/${random.pick(['one', 'two'])}.jsonl`, beside.subarray(0, random.below(beside.length) + 1).toString('latin1'))
      try {
        const session = await world.open([text], random.chance(50), random.chance(20) ? 'session-2026-01-01T00-00-abcd.json' : undefined)
        for (const turn of [...session.turns, ...session.setAside.flatMap((branch) => branch.turns)]) await session.readTurn(turn.promptId)
        for (const line of await linesOf(session)) if (line.includes('etc/x')) expect(line).not.toMatch(/\((disk|git)\)/)
        session.close()
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'SESSION_FORMAT_UNKNOWN' })
      }
    }
  })
})

describe('a big log of Gemini CLI', () => {
  it('shows its newest prompts at once, and then all that a parse of every line finds', async () => {
    const world = newWorld()
    const reply = (id: string, content: string): Json => ({ id, timestamp: '2026-01-01T00:00:02.000Z', type: 'gemini', content, model: 'model-1' })
    const turn = (at: number, size: number): readonly Json[] => [user(`u${at}`, `Prompt ${at}`), reply(`g${at}`, 'x'.repeat(size)), { $set: { lastUpdated: '2026-01-01T00:00:02.000Z' } }]
    const log = (size: number): readonly Json[] => [header, ...Array.from({ length: 600 }, (_, at) => turn(at, size)).flat(), { $rewindTo: 'u598' }, ...turn(600, size), reply('g7', 'Added.')]
    const big = await world.open(log(8000))
    const [newest, before, loading] = [big.newestPrompts[0]?.prompt, big.turns.length, big.loading?.total ?? 0]
    const early = await big.readTurn(promptId('u7'))
    await big.whenLoaded()
    const small = await world.open(log(8), false, 'session-2026-01-01T00-01-abcd.jsonl')
    expect([newest, before, loading > 4 << 20, early.map((entry) => (entry.kind === 'reply' ? entry.text : entry.kind)), big.loading, big.newestPrompts]).toEqual(['Prompt 600', 0, true, ['prompt', 'Added.'], null, []])
    const shapeOf = ({ id, folder, turns, setAside, rewinds, problems }: RecordedSession): unknown => ({ id, folder, turns, setAside, rewinds, problems })
    expect(shapeOf(big)).toEqual(shapeOf(small))
  })

  it.each<readonly [string, readonly (Json | string)[]]>([
    ['many turns', Array.from({ length: 300 }, (_, at) => [user(`u${at}`, `Prompt ${at}`), { ...gemini(`g${at}`, [], 'x'.repeat(3000)), model: `model-${at}`, timestamp: `2026-01-01T00:0${Math.trunc(at / 60)}:00.000Z` }]).flat()],
    ['a title', [user('u', 'Do it'), gemini('g'), { $set: { summary: 'Cart work', lastUpdated: '2026-01-01T00:01:00.000Z' } }, { $set: { lastUpdated: '2026-01-01T00:02:00.000Z' } }]],
    ['a long first prompt', [user('u', 'x'.repeat(40_000)), gemini('g')]],
    ['no answer', [user('u', 'Do it')]],
    ['a line that is no JSON', [user('u', 'Do it'), '{"id":"g","type":"gemini"', gemini('g')]],
  ])('says at both ends what it says as a whole: %s', async (_, lines) => {
    const world = newWorld()
    const file = join(world.root, '.gemini/tmp/project/chats/session-2026-01-01T00-00-abcd.jsonl')
    await world.open([header, ...lines])
    const { newestPrompts: _prompts, ...whole } = (await geminiReader.others?.look(file))?.ends ?? {}
    expect(await geminiReader.others?.endsOf?.(file)).toEqual(whole)
  })

  it('is read as a whole for its ends where its first prompt is far, or where it is one document', async () => {
    const world = newWorld()
    const many = Array.from({ length: 300 }, (_, at) => gemini(`g${at}`, [], 'x'.repeat(1000)))
    await world.open([header, ...many, user('u', 'Late')])
    const folder = join(world.root, '.gemini/tmp/project/chats')
    world.put('.gemini/tmp/project/chats/session-2026-01-01T00-00-aaaa.json', JSON.stringify({ ...header, messages: [user('u', 'Old')] }))
    const names = ['session-2026-01-01T00-00-abcd.jsonl', 'session-2026-01-01T00-00-aaaa.json']
    const [far, old] = names.map((name) => join(folder, name))
    expect([await geminiReader.others?.endsOf?.(far ?? ''), await geminiReader.others?.endsOf?.(old ?? '')]).toEqual([null, null])
    expect([(await geminiReader.others?.look(far ?? ''))?.ends.firstPrompt, (await geminiReader.others?.look(old ?? ''))?.ends.firstPrompt]).toEqual(['', 'Old'])
  })
})
