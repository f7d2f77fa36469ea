import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SessionSummary } from '../../shared/session.js'
import { createApp } from '../app.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import { runCommandLine } from './run-command-line.js'

type Run = (...words: readonly string[]) => Promise<{ readonly code: number; readonly out: string; readonly notes: string }>

/** The command line of somebody whose only session ran under us; `to` is qwen-code's home for `isHome`. */
async function newWorld(isHome = false): Promise<{ readonly live: LiveSession; readonly run: Run; readonly to: string }> {
  const live = await liveSession({ 'a.txt': 'one\n' })
  const to = mkdtempSync(join(tmpdir(), 'overturn-export-'))
  onTestFinished(() => {
    live.dispose()
    rmSync(to, { recursive: true, force: true })
  })
  const run: Run = async (...words) => {
    let [out, notes] = ['', '']
    const terminal = { out: (text: string | Uint8Array) => void (out += Buffer.from(text).toString()), note: (text: string) => void (notes += text) }
    const code = await runCommandLine(words, terminal, async () => {
      const app = await createApp({
        environment: { OVERTURN_DATA_DIR: live.temp.data, QWEN_HOME: join(to, isHome ? '' : 'none') },
        programFolder: resolve('build'),
        host: { pickFolder: null, pickFile: null, reveal: null, notify: null },
        workspace: null,
        isWorkspaceForced: false,
        locations: [],
        isWatching: false,
        desk: 'asks',
        commandLine: [],
      })
      const open = async (session: string) => {
        const opened = await app.workbench.open((await app.library.find(session)).key)
        await opened.recorded.whenLoaded()
        return opened
      }
      const sessions = async () => {
        await app.library.whenCounted()
        return app.library.list().sessions
      }
      return { world: { sessions, open, search: app.search, ...terminal, progress: () => undefined, signal: new AbortController().signal }, close: app.dispose }
    })
    return { code, out, notes }
  }
  return { live, run, to }
}

describe('a session that ran under us, on the command line', () => {
  it('is exported by its id', async () => {
    const { live, run, to } = await newWorld()
    await live.turn('Change it')
    await live.edit({ 'a.txt': 'two\n' })
    const id = live.log.sessionId
    const exported = await run('export', id, '--format', 'qwen-code', '--to', to)
    const again = await run('export', id, '--format', 'qwen-code', '--to', to, '--json')
    expect([exported.code, /^Exported: .*, 1 backup\n$/.test(exported.out), again.code, JSON.parse(again.out), readdirSync(join(to, 'file-history', id)).length]).toEqual([0, true, 0, expect.objectContaining({ wasThere: true }), 1])
  })

  it('is not exported in a format that is not known, nor is one of another program', async () => {
    const { live, run, to } = await newWorld()
    await live.turn('Change it')
    const shop = resolve('electron/sessions/fixtures/qwen-code/shop/home')
    const log = readdirSync(shop, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl')) ?? ''
    const answers = [await run('export', live.log.sessionId), await run('export', live.log.sessionId, '--format', 'codex'), await run('export', join(shop, log), '--format', 'qwen-code', '--to', to)]
    expect([answers.map(({ code }) => code), answers[2]?.notes, existsSync(join(to, 'projects'))]).toEqual([[2, 2, 1], 'Only a session that ran under Overturn can be exported. Choose another one.\n', false])
  })

  it('keeps its id, and is listed and found once, while its export holds nothing else', async () => {
    const { live, run, to } = await newWorld(true)
    await live.turn('Change it')
    await live.edit({ 'a.txt': 'two\n' })
    const id = live.log.sessionId
    const { log } = JSON.parse((await run('export', id, '--format', 'qwen-code', '--to', to, '--json')).out) as { readonly log: string }
    const listed = async () => (JSON.parse((await run('sessions', '--json')).out) as readonly SessionSummary[]).map(({ agent, turns, sharedTurns }) => [agent, turns, sharedTurns?.turns ?? null]).sort()
    const hits = ((await run('search', 'Change it')).out.match(/Change it/g) ?? []).length
    const copied = [await listed(), hits, (await run('show', id)).code]
    await live.turn('More of it')
    const older = await listed()
    // qwen-code resumes it.
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    const prompt = JSON.parse(lines[0] ?? '') as Readonly<Record<string, unknown>>
    const { uuid } = JSON.parse(lines.at(-1) ?? '') as { readonly uuid: string }
    appendFileSync(log, `${JSON.stringify({ ...prompt, uuid: '5e551011-0000-4000-8000-000000000001', parentUuid: uuid, message: { role: 'user', parts: [{ text: 'And on' }] } })}\n`)
    const resumed = await listed()
    const named = await run('show', id, '--json')
    const byFile = await run('show', log, '--json')
    expect([copied, older, resumed, named.out.includes('More of it'), named.out.includes('And on'), byFile.out.includes('And on')]).toEqual([
      [[['overturn', 1, 1]], 1, 0],
      [['overturn', 2, 1]],
      [
        ['overturn', 2, 1],
        ['qwen-code', 2, 1],
      ],
      true,
      false,
      true,
    ])
  })

  it('is listed for its own folder only, by whatever name that has', async () => {
    const { live, run, to } = await newWorld()
    await live.turn('Change it')
    const link = join(to, 'link')
    symlinkSync(live.temp.root, link)
    const listed = async (folder: string) => (JSON.parse((await run('sessions', '--workspace', folder, '--json')).out) as readonly SessionSummary[]).map(({ workspace }) => workspace)
    expect([await listed(live.temp.root), await listed(link), await listed(to), (await run('sessions', '--workspace', to)).notes]).toEqual([
      [live.temp.root],
      [live.temp.root],
      [],
      expect.stringContaining('No session has the folder'),
    ])
  })

  it('is shown, read and rewound as any other', async () => {
    const { live, run } = await newWorld()
    await live.turn('Change it')
    await live.command('sh', () => live.temp.put('a.txt', 'by a command\n'))
    const id = live.log.sessionId
    const show = await run('show', id)
    const before = await run('cat', id, 'a.txt', '--at', '1')
    const back = await run('rewind', id, '--to', '1')
    expect([show.out.includes('a.txt'), before.out, back.code, live.temp.tree()]).toEqual([true, 'one\n', 0, { 'a.txt': '644 one\n' }])
  })
})
