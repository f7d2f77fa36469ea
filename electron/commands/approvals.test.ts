import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { createHandlers } from '../api/handlers.js'
import { connectDesk } from '../agents/desk-client.js'
import { claimDesk } from '../agents/desk-file.js'
import { framePort } from '../agents/frame-lines.js'
import { openLocalSocket } from '../agents/local-socket.js'
import { servedMethods } from '../api/served-methods.js'
import { silentLog } from '../base/log.js'
import { openConnection } from '../hosts/host.js'
import { createDeskHandlers } from '../live/desk-handlers.js'
import { createDeskLink } from '../live/desk-link.js'
import { approve, deskHarness, statusOf, type DeskHarness, type TestAgent } from '../testing/desk-harness.js'
import { approvalCommand, type ApprovalCommand } from './approvals.js'

let desk: DeskHarness
let agent: TestAgent
let folder: string
let closers: (() => unknown)[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overturn-approvals-'))
  closers = []
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

/** A desk that is reached over its real socket. */
async function serve(files: Readonly<Record<string, string>>): Promise<void> {
  desk = await deskHarness(files)
  agent = await desk.connect()
  const deskHandlers = createDeskHandlers({ desk: desk.desk, policy: desk.policy, connectState: () => Promise.reject(new Error('Not here.')), onPolicyChanged: () => undefined })
  const listeners = new Set<(event: string, payload: unknown) => void>()
  const unused = new Proxy({}, { get: () => () => Promise.reject(new Error('Not here.')) })
  const methods = servedMethods(createHandlers({ ...(unused as Parameters<typeof createHandlers>[0]), desk: deskHandlers }))
  const claim = claimDesk(desk.temp.data)
  if (!claim) throw new Error('The desk is taken.')
  const served = {
    methods,
    onEvent: (listener: (event: string, payload: unknown) => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onError: () => undefined,
  }
  const socket = await openLocalSocket({ claim, version: '1', httpPort: null, desk: desk.desk, serveFrames: (send) => openConnection(served, send), log: silentLog })
  tell = () => listeners.forEach((listener) => listener('approvals.changed', {}))
  closers.push(async () => {
    await socket.close()
    claim.release()
    await desk.dispose()
  })
}

let tell: () => void = () => undefined

interface Ran {
  readonly code: number
  readonly out: string
  readonly note: string
}

async function command(name: ApprovalCommand, ...words: readonly string[]): Promise<Ran> {
  let out = ''
  let note = ''
  const listeners: (() => void)[] = []
  const link = createDeskLink({
    hold: () => Promise.resolve(null),
    reach: () => connectDesk(desk?.temp.data ?? folder, { kind: 'rpc' }),
    portOf: framePort,
    mayHold: false,
    onEvent: () => listeners.forEach((listener) => listener()),
    log: silentLog,
  })
  const world = { desk: link.handlers, onChanged: (listener: () => void) => listeners.push(listener), out: (text: string) => (out += text), note: (text: string) => (note += text), signal: new AbortController().signal }
  const code = await approvalCommand(name, words, { ...world, onChanged: (listener) => void world.onChanged(listener), out: (text) => void world.out(text), note: (text) => void world.note(text) })
  await link.close()
  return { code, out, note }
}

const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
const text = (changed: Readonly<Record<number, string>> = {}): string => `${lines.map((line, at) => changed[at] ?? line).join('\n')}\n`

async function asksTwoHunks(): Promise<{ readonly id: string; readonly call: Promise<ToolAnswer> }> {
  await serve({ a: text() })
  const call = agent.call('write_file', { path: 'a', content: text({ 2: 'TWO', 25: 'LATE' }) })
  return { id: (await desk.nextAsked()).id, call }
}

describe('overturn approvals', () => {
  it('lists what waits, shows one with its hunks, and gives both as JSON', async () => {
    const { id } = await asksTwoHunks()
    const [list, one, json, oneJson] = [await command('approvals'), await command('approvals', id), await command('approvals', '--json'), await command('approvals', id, '--json')]
    expect([list, one.out.split('\n').filter((line) => /^(hunk|[+-])/.test(line)), JSON.parse(json.out), JSON.parse(oneJson.out)]).toMatchObject([
      { code: 0, out: `${id}  test-agent, turn 1  modify a +2 −2 in 2 hunks\n`, note: '' },
      ['--- a', 'hunk 1', '-line 2', '+TWO', 'hunk 2', '-line 25', '+LATE'],
      { waiting: [{ id, state: 'waiting' }], decided: [] },
      { id, texts: [{ path: 'a', before: { kind: 'text', text: text() } }] },
    ])
  })

  it('shows the whole text of a plan, line by line', async () => {
    await serve({})
    const plan = `# Plan\n\n1. First, ${'long '.repeat(40)}end\n2. Then the other one`
    void agent.call('submit_plan', { plan, files: [] })
    const { id } = await desk.nextAsked()
    expect((await command('approvals', id)).out).toBe(`${id}  test-agent, turn 1  plan: # Plan…\n${plan}\n`)
  })

  it('shows the line ends of a CRLF file up to the last line of a hunk', async () => {
    await serve({ a: 'one\r\n' })
    void agent.call('write_file', { path: 'a', content: 'two  \r\n' })
    const { id } = await desk.nextAsked()
    expect((await command('approvals', id)).out).toContain('-one·\n+two  ·\n')
  })

  it('says the mode of a new file that can be run, and both of one whose mode changes', async () => {
    await serve({ 'run.sh': 'one\n' })
    chmodSync(join(desk.temp.root, 'run.sh'), 0o644)
    void agent.call('apply_patch', { patch: 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\ndiff --git a/new.sh b/new.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+new\ndiff --git a/plain b/plain\nnew file mode 100644\n--- /dev/null\n+++ b/plain\n@@ -0,0 +1 @@\n+new\n' })
    const { id, subject } = await desk.nextAsked()
    const mode = 0o755 & ~process.umask()
    expect([(await command('approvals')).out, subject.kind === 'edit' && subject.files.map(({ badges }) => badges)]).toEqual([
      `${id}  test-agent, turn 1  mode run.sh, mode 644 → 755; create new.sh +1 −0 in 1 hunk, mode ${mode.toString(8)}; create plain +1 −0 in 1 hunk\n`,
      [[{ kind: 'mode', before: 0o644, after: 0o755 }], [{ kind: 'mode', before: null, after: mode }], []],
    ])
  })

  it('gives a question the prompt of its turn, also where an earlier turn had none', async () => {
    await serve({})
    const first = agent.call('write_file', { path: 'a', content: 'one\n' })
    await desk.decideNext(approve())
    await first
    await agent.call('begin_turn', { prompt: 'Now do it\nlike so' })
    void agent.call('write_file', { path: 'a', content: 'two\n' })
    await desk.nextAsked()
    const [{ source } = { source: null }] = desk.desk.queue.list().waiting
    expect([source?.title, source?.turn]).toEqual(['Now do it', 2])
  })

  it('says that nothing waits, and that a question is not known', async () => {
    await serve({})
    expect([await command('approvals'), await command('approvals', 'nobody')]).toEqual([
      { code: 0, out: '', note: 'Nothing waits for a decision.\n' },
      { code: 1, out: '', note: 'There is no question nobody. "overturn approvals" lists those that wait.\n' },
    ])
  })

  it('shows a question whose texts are not kept', async () => {
    await serve({ a: 'one\n' })
    const { session } = desk.desk.list()[0] ?? {}
    if (session) desk.desk.setMode(session, 'review-after')
    await agent.call('write_file', { path: 'a', content: 'two\n' })
    const [noted] = desk.desk.queue.list().decided
    expect((await command('approvals', noted?.id ?? '')).code).toBe(0)
  })

  it('--wait returns when something is asked', async () => {
    await serve({ a: 'one\n' })
    const waiting = command('approvals', '--wait')
    await new Promise((resolve) => setTimeout(resolve, 50))
    void agent.call('write_file', { path: 'a', content: 'two\n' })
    const { id } = await desk.nextAsked()
    tell()
    expect((await waiting).out).toContain(`${id}  test-agent`)
  })

  it('lets nothing that an agent says move the cursor', async () => {
    await serve({})
    const other = await desk.connect({ client: 'bad\u001b[2J\u202e' })
    void other.call('run_command', { command: 'touch x\u001b[31m\necho second' })
    const { id } = await desk.nextAsked()
    const outs = [await command('approvals'), await command('approvals', id)].map(({ out }) => out)
    expect(outs.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('overturn approve', () => {
  it('approves the whole', async () => {
    const { id, call } = await asksTwoHunks()
    expect([await command('approve', id), statusOf(await call), desk.read('a')]).toEqual([{ code: 0, out: 'Written and read again: a (+2 -2).\n', note: '' }, 'done', text({ 2: 'TWO', 25: 'LATE' })])
  })

  it('--hunks takes some of it', async () => {
    const { id, call } = await asksTwoHunks()
    expect([(await command('approve', id, '--hunks', '2')).code, statusOf(await call), desk.read('a')]).toEqual([0, 'done', text({ 25: 'LATE' })])
  })

  it.each([
    ['1,1', 2, 'names hunk 1 twice'],
    ['0', 2, '"0" is no such number'],
    ['2-4', 2, '"2-4" is no such number'],
    ['1,', 2, 'One is missing'],
    ['', 2, 'One is missing'],
    ['1,9', 1, 'a has 2 hunks. There is no hunk 9'],
    ['none', 1, 'Nothing is chosen'],
  ])('--hunks "%s" writes nothing, and the question stays open', async (hunks, code, why) => {
    const { id } = await asksTwoHunks()
    const ran = await command('approve', id, '--hunks', hunks)
    expect([ran.code, ran.note, desk.read('a'), desk.desk.queue.list().waiting.length]).toEqual([code, expect.stringContaining(why), text(), 1])
  })

  it('an option that is given twice, or has no meaning here, decides nothing', async () => {
    const { id } = await asksTwoHunks()
    const codes = [['--hunks', '1', '--hunks', '2'], ['--always'], ['again']].map(async (words) => (await command('approve', id, ...words)).code)
    expect([await Promise.all(codes), desk.read('a'), desk.desk.queue.list().waiting.length]).toEqual([[2, 2, 2], text(), 1])
  })

  it('--hunks none leaves one file of several out', async () => {
    await serve({ a: 'one\n', b: 'one\n' })
    const call = agent.call('apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+two\n' })
    const { id } = await desk.nextAsked()
    expect([(await command('approve', id, '--path', 'a', '--hunks', 'none')).code, statusOf(await call), desk.read('a'), desk.read('b')]).toEqual([0, 'done', 'one\n', 'two\n'])
  })

  it('--content writes another text, and --comment reaches the agent', async () => {
    const { id, call } = await asksTwoHunks()
    const file = join(folder, 'mine')
    writeFileSync(file, 'mine\n')
    const { code, out } = await command('approve', id, '--content', file, '--comment', 'Like so', '--json')
    expect([code, JSON.parse(out), (await call).text, desk.read('a')]).toMatchObject([0, { state: 'applied', isModified: true }, expect.stringContaining('The person says: Like so'), 'mine\n'])
  })

  it('--path names one file of several', async () => {
    await serve({ a: 'one\n', b: 'one\n' })
    const call = agent.call('apply_patch', { patch: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-one\n+two\n' })
    const { id } = await desk.nextAsked()
    const file = join(folder, 'mine')
    writeFileSync(file, 'mine\n')
    const unnamed = await command('approve', id, '--content', file)
    const stray = await command('approve', id, '--content', file, '--path', 'c')
    expect([unnamed.code, stray.code, (await command('approve', id, '--content', file, '--path', 'b')).code, statusOf(await call), desk.read('a'), desk.read('b')]).toEqual([2, 2, 0, 'done', 'two\n', 'mine\n'])
  })

  it('--rest-of-turn lets the next edit pass', async () => {
    const { id, call } = await asksTwoHunks()
    await command('approve', id, '--rest-of-turn')
    await call
    expect([statusOf(await agent.call('write_file', { path: 'b', content: 'x\n' })), desk.asked.length]).toEqual(['done', 1])
  })

  it('--always stores the rule of a command', async () => {
    await serve({})
    const call = agent.call('run_command', { command: 'touch made' })
    const { id } = await desk.nextAsked()
    const ran = await command('approve', id, '--always')
    await call
    expect([ran, desk.policy.current().rules.map((rule) => rule.command)]).toEqual([{ code: 0, out: 'Approved. It runs now.\n', note: '' }, ['touch made']])
  })

  it('asks to look again where the file changed after the question was put', async () => {
    const { id, call } = await asksTwoHunks()
    desk.put('a', text({ 10: 'typed' }))
    const stale = await command('approve', id)
    const blind = await command('approve', id)
    const seen = await command('approvals', id)
    const after = await command('approve', id, '--revision', '2')
    expect([stale.code, stale.note, blind, seen.out, after.code, statusOf(await call), desk.read('a')]).toEqual([
      1,
      expect.stringContaining('Nothing was written'),
      { code: 1, out: '', note: `The file changed after this was asked, so the diff is another one. Look at it with "overturn approvals ${id}", then approve it with --revision 2.\n` },
      expect.stringContaining('revision 2'),
      0,
      'done',
      text({ 10: 'line 10', 2: 'TWO', 25: 'LATE' }),
    ])
  })

  it('fails with 1 where nothing could be written', async () => {
    await serve({ a: 'one\n' })
    void agent.call('edit_file', { path: 'a', old_text: 'one', new_text: 'two' })
    const { id } = await desk.nextAsked()
    desk.put('a', 'other\n')
    expect([await command('approve', id), await command('approve', id)]).toMatchObject([{ code: 1, out: expect.stringContaining('nothing was written') }, { code: 1, note: expect.stringContaining('does not wait any more') }])
  })
})

describe('overturn reject', () => {
  it('gives the reason to the agent', async () => {
    const { id, call } = await asksTwoHunks()
    expect([await command('reject', id, '--reason', 'Too much'), (await call).text, desk.read('a')]).toEqual([{ code: 0, out: 'Rejected: Too much\n', note: '' }, 'APPROVAL_REJECTED: Rejected: Too much. Nothing was written.', text()])
  })
})

describe('wrong words', () => {
  it.each<[ApprovalCommand, readonly string[]]>([
    ['approve', []],
    ['reject', []],
    ['approve', ['id', '--hunks', 'x']],
    ['approve', ['id', '--hunks', '0']],
    ['approve', ['id', '--path', 'a']],
    ['approve', ['id', '--content', '/no/such/file']],
    ['approve', ['id', '--reason', 'x']],
    ['approve', ['id', '--revision', 'x']],
    ['reject', ['id', '--hunks', '1']],
    ['approvals', ['--nonsense']],
    ['approvals', ['--reason', 'x']],
    ['approve', ['id', 'other']],
  ])('of %s %j are a mistake of usage', async (name, words) => {
    const { id } = await asksTwoHunks()
    const { code, note } = await command(name, ...words.map((word) => (word === 'id' ? id : word)))
    expect([code, note]).toEqual([2, expect.stringContaining('overturn help')])
  })
})

describe('without a running host', () => {
  it('every command fails with 1 and says how to start one', async () => {
    await serve({})
    await closers.pop()?.()
    for (const name of ['approvals', 'approve', 'reject'] as const) {
      const { code, note, out } = await command(name, ...(name === 'approvals' ? ['--json'] : ['id', '--json']))
      expect([code, note, JSON.parse(out)]).toMatchObject([1, expect.stringContaining('overturn serve'), { error: { code: 'HOST_NOT_RUNNING' } }])
    }
  })
})

describe('an approval by a window', () => {
  it('is seen by the command line', async () => {
    const { id, call } = await asksTwoHunks()
    const asked = desk.asked[0]
    if (asked) await desk.decide(asked, approve())
    await call
    expect([(await command('approvals')).note, (await command('approve', id)).code]).toEqual(['Nothing waits for a decision.\n', 1])
  })
})
