import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '../app.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import { runCommandLine } from './run-command-line.js'

interface World {
  readonly home: string
  readonly folder: string
  readonly run: (...words: readonly string[]) => Promise<{ readonly code: number; readonly out: string; readonly notes: string }>
}

/** The command line over the logs of one home. */
function newWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'overturn-cli-search-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [home, folder] = [join(root, 'qwen'), join(root, 'work')]
  cpSync(resolve('electron/sessions/fixtures/qwen-code/shop/trees/final'), folder, { recursive: true })
  const run: World['run'] = async (...words) => {
    let [out, notes] = ['', '']
    const terminal = { out: (text: string | Uint8Array) => void (out += Buffer.from(text).toString()), note: (text: string) => void (notes += text) }
    const code = await runCommandLine(words, terminal, async () => {
      const app = await createApp({
        environment: { OVERTURN_DATA_DIR: join(root, 'data'), QWEN_HOME: home },
        programFolder: resolve('build'),
        host: { pickFolder: null, pickFile: null, reveal: null, notify: null },
        workspace: null,
        isWorkspaceForced: false,
        locations: [],
        isWatching: false,
        desk: 'asks',
        commandLine: [],
      })
      const open = async (session: string) => app.workbench.open((await app.library.find(session)).key)
      return { world: { sessions: async () => app.library.list().sessions, open, search: app.search, ...terminal, progress: () => undefined, signal: new AbortController().signal }, close: app.dispose }
    })
    return { code, out, notes }
  }
  return { home, folder, run }
}

/** Two turns on one file, the second with a hostile prompt. */
async function told(world: World): Promise<SimulatedAgent> {
  const agent = new SimulatedAgent({ 'a.txt': 'old\n' }, 100, world.folder)
  agent.prompt('Write one needle')
  agent.edit('a.txt', 'old\n', 'old\none\n')
  agent.prompt('again\u001b[2J needle')
  agent.edit('a.txt', 'one\n', 'one\ntwo needle\n')
  await agent.save(world.home)
  writeFileSync(join(world.folder, 'a.txt'), agent.text('a.txt') ?? '')
  return agent
}

describe('overturn search', () => {
  it('prints a line for each hit, nothing in it that moves a cursor', async () => {
    const world = newWorld()
    await told(world)
    const { code, out } = await world.run('search', 'needle')
    expect([code, out.split('\n').map((line) => line.replace(/^[0-9a-f]{16} /, ''))]).toEqual([
      0,
      ['2 prompt  again·[2J needle', '2 change a.txt:1  two needle', '1 prompt  Write one needle', ''],
    ])
  })

  it('keeps to its filters and its limit, and says where it stopped', async () => {
    const world = newWorld()
    await told(world)
    const kinds = await world.run('search', 'needle', '--kind', 'change', '--agent', 'qwen-code', '--path', 'a.txt', '--workspace', world.folder, '--since', '2026-01-05', '--until', '2026-01-06', '--json')
    const limited = await world.run('search', 'needle', '--limit', '2')
    const elsewhere = await world.run('search', 'needle', '--workspace', '/nowhere')
    expect([kinds.code, JSON.parse(kinds.out), limited.out.split('\n').length, limited.notes, elsewhere.code, elsewhere.notes]).toEqual([
      0,
      { hits: [expect.objectContaining({ kind: 'change', path: 'a.txt', hunk: 1, callId: 'call-2' })], isWhole: true, searchedSessions: 1, sessions: 1, unreadable: 0 },
      3,
      'Stopped after 2 hits. --limit N shows more.\n',
      1,
      'Nothing found in 0 sessions.\n',
    ])
  })

  it('does not understand a kind, an agent, a date or a limit that is none', async () => {
    const world = newWorld()
    const codes = await Promise.all([['--kind', 'x'], ['--agent', 'x'], ['--since', 'x'], ['--since', '1'], ['--until', '2026-02-31'], ['--limit', '1', '--limit', '2'], ['--limit', '0'], ['--colour', 'x']].map(async (options) => (await world.run('search', 'needle', ...options)).code))
    expect([...codes, (await world.run('search')).code]).toEqual(Array.from({ length: 9 }, () => 2))
  })
})

describe('overturn why', () => {
  it('prints the turn, prompt and call that wrote a line, or who did', async () => {
    const world = newWorld()
    await told(world)
    const written = await world.run('why', `${join(world.folder, 'a.txt')}:3`)
    const before = await world.run('why', `${join(world.folder, 'a.txt')}:1`, '--json')
    expect([written.code, written.out.replace(/[0-9a-f]{16}/, '<session>'), before.code, JSON.parse(before.out), (await world.run('why', 'a.txt')).code]).toEqual([
      0,
      'two needle\nturn 2 of "Write one needle"  2026-01-05 08:00  qwen-code  <session>\n  again·[2J needle\n  edit call-2, hunk 1\n',
      1,
      { kind: 'not-recorded', line: 'old', reason: expect.stringContaining('stood there before turn 1') as string },
      2,
    ])
  })

  it('finds the turn behind a rewind of ours, whatever was typed since', async () => {
    const world = newWorld()
    const agent = await told(world)
    const third = agent.prompt('third')
    agent.write('a.txt', 'all new\n')
    await agent.save(world.home)
    const file = join(world.folder, 'a.txt')
    writeFileSync(file, agent.text('a.txt') ?? '')
    const { code } = await world.run('rewind', agent.log.sessionId, '--to', third)
    writeFileSync(file, `typed\n${readFileSync(file, 'utf8')}`)
    const lines = await Promise.all([1, 4].map((line) => world.run('why', `${file}:${line}`)))
    expect([code, ...lines.map(({ out }) => out.split('\n')[1])]).toEqual([0, expect.stringMatching(/^Typed by you, .* after a rewind of Overturn/), expect.stringMatching(/^turn 2 of /)])
  })
})
