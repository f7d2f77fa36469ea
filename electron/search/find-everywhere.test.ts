import { describe, expect, it, onTestFinished } from 'vitest'
import type { SearchHit } from '../../shared/search.js'
import { liveSession } from '../testing/live-session.js'
import { QwenLog } from '../testing/qwen-log.js'
import { everything, findAll, searchWorld } from '../testing/search-world.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createFindEverywhere } from './find-everywhere.js'

const short = ({ turn, kind, path, hunk, text }: SearchHit): string => `${turn ?? 'aside'} ${kind}${path === null ? '' : ` ${path}:${hunk ?? '?'}`} ${text}`

/** A session that holds "total" everywhere. */
async function oneSession(): ReturnType<ReturnType<typeof searchWorld>['search']> {
  const world = searchWorld()
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
  const agent = new SimulatedAgent({ 'src/total.ts': `${lines.join('\n')}\n`, 'other.ts': 'one\n' }, 100, world.folder)
  agent.prompt('Rename the sum\nto a Total')
  agent.edit('src/total.ts', 'line 2\n', 'const total = 2\n')
  agent.edit('src/total.ts', 'line 25\n', 'const total = 25\n')
  agent.edit('other.ts', 'one', 'total', { outcome: 'refused' })
  agent.shell('grep -rn total src', () => undefined)
  agent.reply('The total is there.')
  agent.prompt('Take one away again')
  agent.edit('src/total.ts', 'const total = 2\n', 'const sum = 2\n')
  agent.reply('Done.')
  await agent.save(world.home)
  return world.search()
}

describe('a search over all sessions', () => {
  it('finds prompts, replies, commands, paths and changed lines with their hunks, newest turns first', async () => {
    const { search } = await oneSession()
    expect((await findAll(search, 'total')).map(short)).toEqual([
      '2 path src/total.ts:? src/total.ts',
      '2 change src/total.ts:1 const total = 2',
      '1 prompt to a Total',
      '1 command grep -rn total src',
      '1 reply The total is there.',
      '1 path src/total.ts:? src/total.ts',
      '1 change src/total.ts:1 const total = 2',
      '1 change src/total.ts:2 const total = 25',
    ])
  })

  it('names the call of a command and of a change, and where the text lies in its line', async () => {
    const { search } = await oneSession()
    const hits = (await findAll(search, 'total', { kinds: ['command', 'change'] })).filter(({ turn }) => turn === 1)
    expect(hits.map(({ callId, text, start, end }) => [callId, text.slice(start, end)])).toEqual([
      ['call-4', 'total'],
      ['call-1', 'total'],
      ['call-2', 'total'],
    ])
  })

  it('keeps to capital letters where it has one', async () => {
    const { search } = await oneSession()
    expect((await findAll(search, 'Total')).map(short)).toEqual(['1 prompt to a Total'])
  })

  it('keeps to its filters', async () => {
    const { search, library } = await oneSession()
    await library.whenListed()
    const [session] = library.list().sessions
    const counts = await Promise.all(
      [
        { agents: ['codex' as const] },
        { agents: ['qwen-code' as const] },
        { workspace: '/nowhere' },
        { workspace: `${session?.workspace ?? ''}/` },
        { path: 'src', kinds: ['change' as const] },
        { path: 'total.ts', kinds: ['change' as const] },
        { path: 'tal.ts' },
        { from: (session?.lastActiveAt ?? 0) + 1 },
        { to: (session?.startedAt ?? 0) - 1 },
      ].map(async (filter) => (await findAll(search, 'total', filter)).length),
    )
    expect(counts).toEqual([0, 8, 0, 8, 3, 3, 0, 0, 0])
  })

  it('comes page by page to the same hits, also where the search of a cursor is gone', async () => {
    const { search, deps } = await oneSession()
    const whole = await findAll(search, 'total')
    const paged: SearchHit[] = []
    let cursor: string | null = null
    do {
      // Another host after each page.
      const other = createFindEverywhere(deps)
      onTestFinished(() => other.close())
      const page = await other.find({ text: 'total', filter: everything, cursor, limit: 1 })
      paged.push(...page.hits)
      cursor = page.next
    } while (cursor !== null)
    expect([await findAll(search, 'total', {}, 1), paged]).toEqual([whole, whole])
  })

  it('goes through newest sessions first, and counts what it looked at and what cannot be read', async () => {
    const world = searchWorld()
    const names = ['old', 'new']
    for (const [at, name] of names.entries()) {
      const agent = new SimulatedAgent({}, 100, world.folder)
      agent.log.lines.length = 0
      const log = new QwenLog(`5e551011-0000-4000-8000-00000000000${at}`, world.folder)
      log.user(`needle ${name}`, { timestamp: new Date(Date.UTC(2026, 0, 5 + at)).toISOString() })
      agent.log.lines.push(...log.lines)
      Object.assign(agent.log, { sessionId: log.sessionId })
      await agent.save(world.home)
    }
    const { search, deps } = await world.search()
    const broken = createFindEverywhere({ ...deps, open: (key, signal) => deps.list().then(([first]) => deps.open(first?.key === key ? ('0000000000000000' as typeof key) : key, signal)) })
    onTestFinished(() => broken.close())
    const page = await broken.find({ text: 'needle', filter: everything, cursor: null, limit: 50 })
    expect([(await findAll(search, 'needle')).map(short), page.hits.map(short), page.unreadable, page.searchedSessions, page.sessions, page.next]).toEqual([
      ['1 prompt needle new', '1 prompt needle old'],
      ['1 prompt needle old'],
      1,
      2,
      2,
      null,
    ])
  })

  it('shows a turn that was set aside without a number', async () => {
    const world = searchWorld()
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' }, 100, world.folder)
    agent.prompt('first')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'one', 'needle')
    agent.rewind(second)
    agent.prompt('third')
    await agent.save(world.home)
    const { search } = await world.search()
    expect((await findAll(search, 'needle')).map(short)).toEqual(['aside change a.txt:1 needle'])
  })

  it('finds in a session of ours what a command wrote, which no record holds', async () => {
    const live = await liveSession({ 'a.txt': 'one\n' })
    onTestFinished(() => live.dispose())
    await live.turn('build it')
    await live.command('make', () => live.temp.put('a.txt', 'one\nneedle\n'))
    const { search } = await searchWorld(live.temp.data).search()
    expect((await findAll(search, 'needle')).map(short)).toEqual(['1 change a.txt:1 needle'])
  })

  it('answers after a moment with nothing, while a slow place is looked through, and goes on from there', async () => {
    const { deps } = await oneSession()
    let release = (): void => undefined
    const isReleased = new Promise<void>((done) => (release = done))
    const slow = createFindEverywhere({ ...deps, list: (signal) => isReleased.then(() => deps.list(signal)) })
    onTestFinished(() => slow.close())
    const first = await slow.find({ text: 'total', filter: everything, cursor: null, limit: 3 })
    release()
    const second = await slow.find({ text: 'total', filter: everything, cursor: first.next, limit: 3 })
    expect([first.hits, first.next === null, second.hits.length]).toEqual([[], false, 3])
  })

  it('ends at once when it is cancelled, and closes what it had open', async () => {
    const { deps } = await oneSession()
    let closed = 0
    const stop = new AbortController()
    const hanging = createFindEverywhere({
      ...deps,
      open: async (key, signal) => {
        const session = await deps.open(key, signal)
        const readTurn: RecordedSession['readTurn'] = (_, inner) => {
          stop.abort()
          return new Promise((_resolve, reject) => inner?.addEventListener('abort', () => reject(new Error('aborted'))))
        }
        const close = (): void => {
          closed++
          session.close()
        }
        return replacing(session, { readTurn, close })
      },
    })
    await expect(hanging.find({ text: 'total', filter: everything, cursor: null, limit: 3 }, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect.poll(() => closed).toBe(1)
  })

  it('refuses a cursor that is none', async () => {
    const { search } = await oneSession()
    await expect(search.find({ text: 'total', filter: everything, cursor: 'x', limit: 3 })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })
})

/** A session with some of its functions replaced. */
function replacing(session: RecordedSession, replaced: Partial<RecordedSession>): RecordedSession {
  return new Proxy(session, {
    get: (target, name): unknown => {
      if (Object.hasOwn(replaced, name)) return Reflect.get(replaced, name)
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
