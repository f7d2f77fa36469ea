// Above 300 lines: all cases share one small world of homes and logs.
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import { silentLog } from '../base/log.js'
import type { BackupSource } from '../history/backup-source.js'
import { openSessionLog } from '../history/session-log.js'
import { ClaudeLog } from '../testing/claude-log.js'
import { QwenLog } from '../testing/qwen-log.js'
import { createLibrary, type Library, type LibraryOptions } from './library.js'

interface World {
  readonly home: string
  readonly dataFolder: string
  /** Writes a session of qwen-code below a base; returns its log. */
  readonly write: (base: string, number: number, change?: (log: QwenLog) => void, folder?: string) => string
  readonly open: (options?: Partial<LibraryOptions>) => Library
}

const idOf = (number: number): string => `5e551011-0000-4000-8000-${String(number).padStart(12, '0')}`

function newWorld(): World {
  const root = mkdtempSync(join(tmpdir(), 'overturn-library-'))
  const home = join(root, 'home')
  const dataFolder = join(root, 'data')
  mkdirSync(home)
  const open = (options: Partial<LibraryOptions> = {}): Library => {
    const library = createLibrary({
      dataFolder,
      environment: {},
      home,
      log: silentLog,
      store: noStore,
      locations: () => [],
      attachments: () => ({}),
      fallbackWorkspace: null,
      isFallbackForced: false,
      isWatching: false,
      onChanged: () => undefined,
      ...options,
    })
    onTestFinished(() => library.close())
    return library
  }
  const write: World['write'] = (base, number, change = () => undefined, folder = 'projects/-home-dev-acme/chats') => {
    const log = new QwenLog(idOf(number))
    log.turn(1, `Session ${number}\nwith a second line`, {})
    log.turn(2, 'second', {})
    change(log)
    const file = join(base, folder, `${log.sessionId}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, log.text())
    return file
  }
  return { home, dataFolder, write, open }
}

const noStore: BackupSource = { read: async () => ({ kind: 'missing' }), sizeOf: async () => null }

const titles = (library: Library): readonly string[] => library.list().sessions.map(({ title }) => title).sort()

/** A library that watches, and a wait for what its list is to become. */
function watching(open: World['open']): { library: Library; reaches: (isSo: (sessions: readonly SessionSummary[]) => boolean) => Promise<void> } {
  const listeners = new Set<() => void>()
  const library = open({ isWatching: true, onChanged: () => listeners.forEach((listener) => listener()) })
  const reaches = (isSo: (sessions: readonly SessionSummary[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isSo(library.list().sessions)) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })
  return { library, reaches }
}

describe('the library', () => {
  it('finds sessions at the usual places, archived ones too, and nothing that is no session', async () => {
    const { home, dataFolder, write, open } = newWorld()
    write(join(home, '.qwen'), 1)
    write(join(home, '.qwen'), 2, undefined, 'projects/-home-dev-acme/chats/archive')
    write(join(dataFolder, 'sessions'), 3)
    write(join(dataFolder, 'sample'), 4)
    write(join(home, '.qwen'), 5, undefined, 'projects/-home-dev-acme/subagents/x')
    writeFileSync(join(home, '.qwen/projects/-home-dev-acme/chats/other.jsonl'), '{"a":1}\n')
    writeFileSync(join(home, '.qwen/projects/-home-dev-acme/chats/empty.jsonl'), '')
    const library = open()
    await library.whenCounted()
    const { sessions, stores, isScanning } = library.list()
    expect([
      sessions.map(({ title, agent, isSample, turns }) => [title, agent, isSample, turns]).sort(),
      // Places of agents that are not on this computer are looked for too.
      stores.filter(({ problem }) => problem === null).map(({ agent, sessions: count, problem }) => [agent, count, problem]),
      isScanning,
    ]).toEqual([
      [
        ['Session 1', 'qwen-code', false, 2],
        ['Session 2', 'qwen-code', false, 2],
        ['Session 3', 'overturn', false, 2],
        ['Session 4', 'qwen-code', true, 2],
      ],
      [
        ['qwen-code', 2, null],
        ['overturn', 1, null],
        ['sample', 1, null],
      ],
      false,
    ])
  })

  it('finds the sessions of Claude Code where its environment variable says, each conversation once', async () => {
    const { home, open } = newWorld()
    const copied = new ClaudeLog({ sessionId: '00000000-0000-4000-8000-00000000000a' })
    copied.prompt('Build it')
    copied.reply('done')
    const whole = new ClaudeLog({ sessionId: '00000000-0000-4000-8000-00000000000b' })
    whole.prompt('Build it')
    whole.reply('done')
    whole.prompt('And test it')
    whole.raw({ type: 'ai-title', aiTitle: 'Built and tested', sessionId: whole.sessionId })
    const folder = join(home, 'elsewhere/projects/-home-dev-acme')
    mkdirSync(join(folder, copied.sessionId, 'subagents'), { recursive: true })
    for (const log of [copied, whole]) writeFileSync(join(folder, `${log.sessionId}.jsonl`), log.text())
    writeFileSync(join(folder, copied.sessionId, 'subagents/agent-x.jsonl'), copied.text())
    writeFileSync(join(folder, 'agent-y.jsonl'), copied.text().replaceAll('"isSidechain":false', '"isSidechain":true'))
    const library = open({ environment: { CLAUDE_CONFIG_DIR: '~/elsewhere' } })
    await library.whenCounted()
    const listed = library.list().sessions.map(({ title, agent, id, turns, branch, model, sharedTurns }) => ({ title, agent, id, turns, branch, model, shared: sharedTurns?.turns }))
    // The copy that is left out is found by its name all the same.
    const found = await library.find(copied.sessionId)
    const session = await library.open(found.key)
    onTestFinished(() => session.close())
    await session.whenLoaded()
    expect([listed, session.turns.map(({ prompt }) => prompt)]).toEqual([
      [{ title: 'Built and tested', agent: 'claude-code', id: whole.sessionId, turns: 2, branch: 'main', model: 'opus', shared: 1 }],
      ['Build it'],
    ])
  })

  it.each(['', 'copies', 'copies/dev', 'copies/dev/.gemini', 'copies/dev/.gemini/tmp', 'copies/dev/.gemini/tmp/app', 'copies/dev/.gemini/tmp/app/chats'])(
    'finds the sessions of Gemini CLI in an added folder at or above its store: %s',
    async (below) => {
      const { home, open } = newWorld()
      const chats = join(home, 'copies/dev/.gemini/tmp/app/chats')
      mkdirSync(join(chats, 'id-1'), { recursive: true })
      const header = { sessionId: 'id-1', projectHash: 'x', startTime: '2026-01-01T00:00:00.000Z', lastUpdated: '2026-01-01T00:00:00.000Z', kind: 'main' }
      const prompt = { id: 'm1', type: 'user', timestamp: '2026-01-01T00:00:01.000Z', content: [{ text: 'Do it' }] }
      const log = (kind: string): string => [{ ...header, kind }, prompt].map((line) => `${JSON.stringify(line)}\n`).join('')
      writeFileSync(join(chats, 'session-2026-01-01T00-00-abcd.jsonl'), log('main'))
      writeFileSync(join(chats, 'id-1', 'a1b2c3.jsonl'), log('subagent'))
      // Elsewhere a folder of this name is of no worth.
      mkdirSync(join(home, 'tmp/app/chats'), { recursive: true })
      writeFileSync(join(home, 'tmp/app/chats', 'session-2026-01-01T00-00-ffff.jsonl'), log('main'))
      const library = open()
      const keys = await library.add(join(home, below))
      await library.whenCounted()
      expect([keys.length, titles(library), library.list().sessions.map(({ agent }) => agent)]).toEqual([1, ['Do it'], ['gemini-cli']])
    },
  )

  it('honours the environment variables of qwen-code', async () => {
    const { home, write, open } = newWorld()
    write(join(home, 'runtime'), 1)
    write(join(home, 'elsewhere'), 2)
    write(join(home, '.qwen'), 3)
    const library = open({ environment: { QWEN_RUNTIME_DIR: join(home, 'runtime'), QWEN_HOME: '~/elsewhere' } })
    await library.whenListed()
    expect(titles(library)).toEqual(['Session 1', 'Session 2'])
  })

  it.each([
    ['a home', ''],
    ['a home of qwen-code', '.qwen'],
    ['a folder of projects', '.qwen/projects'],
    ['a folder of chats', '.qwen/projects/-home-dev-acme/chats'],
    ['a log', `.qwen/projects/-home-dev-acme/chats/${idOf(1)}.jsonl`],
  ])('takes %s as a place', async (_what, path) => {
    const { home, write, open } = newWorld()
    const copy = join(home, 'copied')
    write(join(copy, '.qwen'), 1)
    write(join(copy, 'not-looked-at'), 2, undefined, '.')
    const library = open()
    const keys = await library.add(join(copy, path))
    expect([keys.map((key) => library.summaryOf(key).title), titles(library)]).toEqual([['Session 1'], ['Session 1']])
  })

  it('says what a session is', async () => {
    const { home, write, open } = newWorld()
    const file = write(join(home, '.qwen'), 1, (log) => {
      log.system('custom_title', { customTitle: 'First name' })
      log.system('custom_title', { customTitle: 'Second name' })
    })
    utimesSync(file, new Date(2026, 1, 1), new Date(2026, 1, 1))
    const library = open({ now: () => Date.UTC(2026, 5, 1) })
    await library.whenCounted()
    const [{ key, ...summary } = { key: '' }] = library.list().sessions
    expect([/^[0-9a-f]{16}$/.test(key), summary]).toEqual([
      true,
      {
        id: idOf(1),
        agent: 'qwen-code',
        title: 'Second name',
        recordedFolder: '/home/dev/acme',
        workspace: null,
        branch: 'main',
        model: 'model-x',
        file,
        sizeBytes: statSync(file).size,
        startedAt: Date.UTC(2026, 0, 5, 8, 0, 1),
        lastActiveAt: Date.UTC(2026, 0, 5, 8, 0, 12),
        turns: 2,
        stat: { insertions: 0, deletions: 0 },
        files: 0,
        usage: null,
        end: null,
        problems: 0,
        isLive: false,
        isSample: false,
        client: null,
      },
    ])
  })

  it('works in the folder of the session, in the attached one, or in the one for all others', async () => {
    const { home, write, open } = newWorld()
    const here = join(home, 'here')
    mkdirSync(here)
    const inHere = (log: QwenLog): void => {
      for (const [at, line] of log.lines.entries()) log.lines[at] = line.replaceAll('/home/dev/acme', here)
    }
    write(join(home, '.qwen'), 1, inHere)
    write(join(home, '.qwen'), 2)
    write(join(home, '.qwen'), 3)
    const folders = async (isFallbackForced: boolean): Promise<readonly (string | null)[]> => {
      const library = open({ attachments: () => ({ [idOf(2)]: '/attached' }), fallbackWorkspace: '/fallback', isFallbackForced })
      await library.whenListed()
      return [...library.list().sessions].sort((a, b) => a.title.localeCompare(b.title)).map(({ workspace }) => workspace)
    }
    expect([await folders(false), await folders(true)]).toEqual([
      [here, '/attached', '/fallback'],
      ['/fallback', '/fallback', '/fallback'],
    ])
  })

  it('calls a session live while its log grew within the last minute, and was not only copied', async () => {
    const { home, write, open } = newWorld()
    const file = write(join(home, '.qwen'), 1)
    const summaryAt = async (now: number): Promise<SessionSummary | undefined> => {
      const library = open({ now: () => now })
      await library.whenListed()
      return library.list().sessions[0]
    }
    const copiedAt = Date.now()
    const copied = await summaryAt(copiedAt)
    const grewAt = copied?.lastActiveAt ?? 0
    utimesSync(file, grewAt / 1000, grewAt / 1000)
    const live = await Promise.all([copied, summaryAt(grewAt + 59_000), summaryAt(grewAt + 61_000)])
    expect(live.map((summary) => summary?.isLive)).toEqual([false, true, false])
  })

  it('finds a session by id, by key and by its log', async () => {
    const { home, write, open } = newWorld()
    const file = write(join(home, '.qwen'), 1)
    const aside = write(join(home, 'aside'), 2)
    const link = join(home, 'link.jsonl')
    symlinkSync(file, link)
    const library = open()
    const { key } = await library.find(idOf(1))
    const found = [await library.find(key), await library.find(file), await library.find(link), await library.find(aside)]
    expect(found.map((each) => [each.title, each.file])).toEqual([
      ['Session 1', file],
      ['Session 1', file],
      ['Session 1', file],
      ['Session 2', aside],
    ])
  })

  it('refuses a name that means nothing, several sessions, or no session', async () => {
    const { home, write, open } = newWorld()
    const first = write(join(home, '.qwen'), 1)
    const copy = write(join(home, '.qwen'), 1, undefined, 'projects/copy/chats')
    const other = join(home, 'other.jsonl')
    writeFileSync(other, '{"a":1}\n')
    const library = open()
    await expect(library.find('nothing')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(library.find(idOf(1).slice(0, 5))).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(library.find(idOf(1))).rejects.toMatchObject({ code: 'SESSION_AMBIGUOUS', details: { files: expect.arrayContaining([first, copy]) } })
    await expect(library.find(other)).rejects.toMatchObject({ code: 'SESSION_FORMAT_UNKNOWN' })
    await expect(library.add(other)).rejects.toMatchObject({ code: 'SESSION_FORMAT_UNKNOWN' })
    await expect(library.add(join(home, 'gone'))).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND' })
    await expect(library.open('0123456789abcdef' as never)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('takes a place that was added off again, but for what other places have, and no place of an agent', async () => {
    const world = newWorld()
    const copies = join(world.home, 'copies')
    world.write(join(world.home, '.qwen'), 1)
    world.write(copies, 2)
    const library = world.open()
    await library.add('~/copies')
    const place = library.placeOf('~/copies')
    const before = library.list()
    const store = before.stores.find(({ agent }) => agent === 'qwen-code')?.folder ?? ''
    expect(() => library.remove(store)).toThrow(expect.objectContaining({ code: 'FOLDER_NOT_FOUND' }))
    library.remove(place)
    const ids = ({ sessions }: ReturnType<Library['list']>): readonly string[] => sessions.map(({ id }) => id).sort()
    expect([ids(before), ids(library.list()), library.list().stores.some(({ folder }) => folder === place), readdirSync(copies).length]).toEqual([[idOf(1), idOf(2)], [idOf(1)], false, 1])
    expect(() => library.remove(place)).toThrow(expect.objectContaining({ code: 'FOLDER_NOT_FOUND' }))
    await library.add(copies)
    expect(ids(library.list())).toEqual([idOf(1), idOf(2)])
  })

  it('finds a session by the beginning of its id, where no other begins so, and looks below the home that is called ~', async () => {
    const world = newWorld()
    const elsewhere = join(world.home, 'copies')
    const log = new QwenLog('abcdef01-0000-4000-8000-000000000001')
    log.turn(1, 'Do it', {})
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, `${log.sessionId}.jsonl`), log.text())
    world.write(join(world.home, '.qwen'), 1)
    world.write(join(world.home, '.qwen'), 2)
    const library = world.open()
    const [added] = await library.add('~/copies')
    expect([(await library.find('abcdef')).id, (await library.find(added?.slice(0, 8) ?? '')).id, (await library.find(idOf(2))).id]).toEqual([log.sessionId, log.sessionId, idOf(2)])
    await expect(library.find(idOf(2).slice(0, -1))).rejects.toMatchObject({ code: 'SESSION_AMBIGUOUS' })
  })

  it('opens a session with the backups beside its own store', async () => {
    const { home, write, open } = newWorld()
    const base = join(home, 'copy/.qwen')
    write(base, 1)
    mkdirSync(join(base, 'file-history', idOf(1)), { recursive: true })
    writeFileSync(join(base, 'file-history', idOf(1), 'aaaaaaaaaaaaaaaa@v1'), 'one\n')
    const library = open({ locations: () => [join(home, 'copy')] })
    const { key } = await library.find(idOf(1))
    const session = await library.open(key)
    onTestFinished(() => session.close())
    await session.whenLoaded()
    const backup = await session.backups.read('aaaaaaaaaaaaaaaa@v1')
    expect([session.turns.length, backup.kind === 'bytes' && Buffer.from(backup.bytes).toString()]).toEqual([2, 'one\n'])
  })

  it('names the session of a place that holds only one', async () => {
    const { home, write, open } = newWorld()
    const one = write(join(home, 'one'), 1)
    write(join(home, 'two'), 2)
    write(join(home, 'two'), 3)
    const locations = [join(home, 'none'), join(home, 'two'), one]
    const library = open({ locations: () => locations })
    const key = await library.firstOf([join(home, 'none'), one])
    expect([key && library.summaryOf(key).title, await library.firstOf([join(home, 'two'), one]), await library.firstOf([])]).toEqual(['Session 1', null, null])
  })
})

describe('the catalogue', () => {
  it('spares reading logs that did not change, and only those', async () => {
    const { home, write, open } = newWorld()
    const files = [1, 2].map((number) => write(join(home, '.qwen'), number))
    const old = new Date(2024, 1, 1)
    for (const file of files) utimesSync(file, old, old)
    const first = open()
    await first.whenCounted()
    await first.close()
    for (const [at, file] of files.entries()) {
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Session', 'CHANGED'))
      // The first one is made to look as before.
      if (at === 0) utimesSync(file, old, old)
    }
    const second = open()
    await second.whenCounted()
    expect(titles(second)).toEqual(['CHANGED 2', 'Session 1'])
  })

  it.each(['', '{', '[]', '{"version":99,"entries":0}', '{"version":9,"entries":3}\n1\nnull\n{"file":7}', '{"version":9,"entries":2}\n{"file":"/a","key":"k"}', '{"version":9,"entries":1}\n{"file":', '\0\0\0'])('is made anew when it is damaged: %j', async (content) => {
    const { home, dataFolder, write, open } = newWorld()
    write(join(home, '.qwen'), 1)
    const first = open()
    await first.whenCounted()
    await first.close()
    const file = join(dataFolder, 'library/sessions.lines')
    writeFileSync(file, content)
    const second = open()
    await second.whenCounted()
    await second.close()
    const third = open()
    await third.whenListed()
    expect([titles(second), third.list().sessions[0]?.turns]).toEqual([['Session 1'], 2])
  })

  it('goes on without a data folder that it can write', async () => {
    const { home, dataFolder, write, open } = newWorld()
    write(join(home, '.qwen'), 1)
    writeFileSync(dataFolder, 'a file where the folder should be')
    const library = open()
    await library.whenCounted()
    expect([titles(library), library.list().sessions[0]?.turns]).toEqual([['Session 1'], 2])
  })
})

describe('a library that watches', () => {
  it('notices new, growing and deleted sessions by itself', async () => {
    const { home, write, open } = newWorld()
    const file = write(join(home, '.qwen'), 1)
    const { library, reaches } = watching(open)
    await library.whenCounted()
    write(join(home, '.qwen'), 2, undefined, 'projects/-home-dev-new/chats')
    await reaches((sessions) => sessions.length === 2 && sessions.every(({ turns }) => turns === 2))
    const log = new QwenLog(idOf(1))
    for (let n = 0; n < 20; n++) log.record('filler')
    log.lines.length = 0
    log.system('custom_title', { customTitle: 'A new name' })
    appendFileSync(file, log.text())
    await reaches((sessions) => sessions.some(({ title }) => title === 'A new name'))
    rmSync(join(home, '.qwen/projects/-home-dev-new'), { recursive: true })
    await reaches((sessions) => sessions.length === 1)
    expect(titles(library)).toEqual(['A new name'])
  })
})

describe('a session that begins under us', () => {
  it('is in the list within moments, with its client, though none of its folders was there before', async () => {
    const { dataFolder, open } = newWorld()
    const { library, reaches } = watching(open)
    await library.whenCounted()
    const sessionId = idOf(7)
    const begunAt = performance.now()
    const log = await openSessionLog({ dataFolder, sessionId, folder: '/home/dev/acme', version: '1.0.0', branch: 'main', client: { name: 'claude-code\nsecond line', version: '2.1' } })
    await log.prompt('Add a cart', promptId(`${sessionId}########1`), Date.now())
    await reaches((sessions) => sessions[0]?.title === 'Add a cart')
    const tookMs = performance.now() - begunAt
    const { agent, client, id, recordedFolder, isLive, branch, problems } = library.list().sessions[0] ?? {}
    expect([{ agent, client, id, recordedFolder, isLive, branch, problems }, tookMs < 5_000]).toEqual([
      { agent: 'overturn', client: 'claude-code', id: sessionId, recordedFolder: '/home/dev/acme', isLive: true, branch: 'main', problems: 0 },
      true,
    ])
  })
})

describe('a log that may not be read', () => {
  it.skipIf(process.getuid?.() === 0)('is left out of the list, and refused by name', async () => {
    const { home, write, open } = newWorld()
    const file = write(join(home, '.qwen'), 1)
    chmodSync(file, 0)
    const library = open()
    await library.whenListed()
    expect(titles(library)).toEqual([])
    await expect(library.find(file)).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' })
  })
})
