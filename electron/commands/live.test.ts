import { afterEach, describe, expect, it } from 'vitest'
import type { SessionSummary } from '../../shared/session.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import { runCommandLine } from './run-command-line.js'

let live: LiveSession
afterEach(() => live.dispose())

interface Ran {
  readonly code: number
  readonly out: string
  readonly notes: string
}

/** One command over the session as its log is now. */
async function run(...words: readonly string[]): Promise<Ran> {
  return runOn(live.summary, words)
}

async function runOn(summary: LiveSession['summary'], words: readonly string[]): Promise<Ran> {
  const { recorded, review, history } = await live.review()
  const out: Buffer[] = []
  let notes = ''
  const code = await runCommandLine(words, { out: (text) => void out.push(Buffer.from(text)), note: (text) => void (notes += text) }, () => {
    const none = () => Promise.reject(new Error('Not asked for here.'))
    const world = {
      sessions: none,
      open: () => Promise.resolve({ summary, recorded, review, history, store: live.temp.store }),
      search: { find: none, why: none },
      out: (text: string | Uint8Array) => void out.push(Buffer.from(text)),
      note: (text: string) => void (notes += text),
      progress: () => undefined,
      signal: new AbortController().signal,
    }
    return Promise.resolve({ world, close: () => Promise.resolve() })
  })
  return { code, out: Buffer.concat(out).toString(), notes }
}

describe('a moment in the middle of a turn', () => {
  const text = (...lines: readonly string[]): string => `${lines.join('\n\n')}\n`

  async function begin(): Promise<void> {
    live = await liveSession({ 'a.txt': text('one', 'two', 'three'), 'b.txt': 'one\n' })
    await live.turn('first')
    await live.turn('second')
    await live.edit({ 'a.txt': text('ONE', 'two', 'three') })
    live.temp.put('a.txt', text('ONE', 'two', 'typed'))
    await live.edit({ 'a.txt': text('ONE', 'TWO', 'typed'), 'b.txt': 'two\n', 'new.txt': 'new\n' })
    await live.command('rm b.txt', () => live.temp.put('b.txt', null))
  }

  it('is shown, printed and compared by the number of the change', async () => {
    await begin()
    const shown = await run('show', 's')
    const cats = await Promise.all(['2', '2.1', '2.2', '2.3'].flatMap((at) => ['a.txt', 'b.txt', 'new.txt'].map(async (path) => (await run('cat', 's', path, '--at', at)).out)))
    const diff = await run('diff', 's', '--from', '2.1', '--to', '2.2', 'b.txt', 'a.txt')
    expect([shown.out.split('\n').filter((line) => /^ +2\.\d/.test(line)), cats, diff.out.split('\n').filter((line) => /^[-+][a-zA-Z]/.test(line)), diff.notes]).toEqual([
      ['     2.1  edit a.txt', '     2.2  edit a.txt, b.txt, new.txt', '     2.3  command b.txt'],
      [
        text('one', 'two', 'three'), 'one\n', '',
        text('ONE', 'two', 'three'), 'one\n', '',
        text('ONE', 'TWO', 'typed'), 'two\n', 'new\n',
        text('ONE', 'TWO', 'typed'), '', 'new\n',
      ],
      ['-one', '+two', '-two', '+TWO', '-three', '+typed'],
      'a.txt: contains your own changes, beside those of the agent.\n',
    ])
  })

  it('is gone back to, with what was typed since', async () => {
    await begin()
    const plan = await run('rewind', 's', '--to', '2.1', '--dry-run')
    const { code } = await run('rewind', 's', '--to', '2.1')
    const back = live.temp.tree()
    await run('undo', 's')
    expect([plan.out.includes('a.txt'), code, back, live.temp.tree()]).toEqual([
      true,
      0,
      { 'a.txt': `644 ${text('ONE', 'two', 'typed')}`, 'b.txt': '644 one\n' },
      { 'a.txt': `644 ${text('ONE', 'TWO', 'typed')}`, 'new.txt': '644 new\n' },
    ])
  })

  it('is refused with the reason where there is no such', async () => {
    await begin()
    const ran = await Promise.all(['2.4', '1.1', '3.1', '2.0', '2.'].map((at) => run('cat', 's', 'a.txt', '--at', at)))
    expect(ran.map(({ code, notes }) => [code, notes.split('.')[0]])).toEqual([
      [2, 'The agent made 3 changes in this turn'],
      [2, 'The agent changed nothing in this turn'],
      [2, 'There is no turn "3"'],
      [2, 'There is no turn "2'],
      [2, 'There is no turn "2'],
    ])
  })
})

describe('diff of a session that ran under us', () => {
  it('names the files that hold what a person changed as well', async () => {
    live = await liveSession({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' })
    await live.turn('first')
    await live.edit({ 'a.txt': 'two\n', 'b.txt': 'two\n', 'c.txt': 'two\n' })
    live.temp.put('a.txt', 'typed\n')
    await live.turn('second')
    await live.edit({ 'b.txt': 'three\n' })
    live.temp.put('c.txt', 'typed\n')
    const mine = (path: string): string => `${path}: contains your own changes, beside those of the agent.\n`
    const [whole, first, disk] = [await run('diff', 's', '--from', '1', '--to', 'end'), await run('diff', 's', '--from', '1', '--to', '2'), await run('diff', 's', '--from', '1', '--to', 'disk', '--json')]
    expect([whole.notes, (await run('diff', 's', '--from', '2', '--to', 'end')).notes, first.notes, JSON.parse(disk.out)]).toEqual([mine('a.txt'), '', mine('a.txt'), { patch: expect.stringContaining('+typed'), unknown: [], withTyping: ['a.txt', 'c.txt'] }])
  })
})

describe('a rewind of a session whose agent may be at work', () => {
  it('says so, whether the agent is told of it or not', async () => {
    live = await liveSession({ 'a.txt': 'one\n' })
    await live.turn('first')
    await live.edit({ 'a.txt': 'two\n' })
    const notes = async (change: Partial<SessionSummary>): Promise<string> => (await runOn(() => ({ ...live.summary(), ...change }), ['rewind', 's', '--to', '1', '--dry-run'])).notes
    expect([await notes({ isLive: false }), await notes({ isLive: true }), await notes({ isLive: true, agent: 'codex', client: null })]).toEqual([
      'Nothing was written.\n',
      'test-agent is at work in this session. It is told of the rewind with its next edit or command.\nNothing was written.\n',
      'codex may still be at work in this session and is not told of a rewind. Have it read these files again before it goes on.\nNothing was written.\n',
    ])
  })
})
