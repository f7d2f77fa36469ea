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
      'test-agent is at work in this session. It is told of the rewind before it writes again.\nNothing was written.\n',
      'codex may still be at work in this session and is not told of a rewind. Have it read these files again before it goes on.\nNothing was written.\n',
    ])
  })
})
