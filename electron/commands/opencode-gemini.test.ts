import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app.js'
import { readTruth, writeTruthTree } from '../testing/judge-states.js'
import { runCommandLine } from './run-command-line.js'

const cases = [
  { agent: 'opencode', fixture: 'opencode/run-basic', from: 'home/.local', to: '.local' },
  { agent: 'gemini-cli', fixture: 'gemini-cli/print-basic', from: 'home/.gemini', to: '.gemini' },
] as const

const rows = z.array(z.object({ path: z.string(), state: z.enum(['present', 'absent', 'unknown']), sha256: z.string().nullable() }))
const listed = z.array(z.object({ id: z.string(), agent: z.string(), title: z.string(), turns: z.number().nullable() }))
const receipt = z.object({ receipt: z.array(z.object({ path: z.string(), result: z.string() })) })

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The command line in a home that holds what the agent kept, on the files as they were at the end. */
function newWorld({ fixture, from, to }: (typeof cases)[number]) {
  const source = resolve('electron/sessions/fixtures', fixture)
  const truth = readTruth(source)
  const root = mkdtempSync(join(tmpdir(), 'overturn-agents-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = join(root, 'home')
  cpSync(join(source, from), join(home, to), { recursive: true })
  const hidden = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('dot-git'))
  for (const path of hidden) renameSync(join(home, path), join(home, path, '../.git'))
  const workspace = writeTruthTree(source, truth.prompts.at(-1)?.end ?? {})
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const data = join(root, 'data')
  mkdirSync(data)
  const environment = { HOME: home, OVERTURN_DATA_DIR: data, XDG_DATA_HOME: join(home, '.local/share'), GEMINI_CLI_HOME: home, QWEN_HOME: join(root, 'none'), CLAUDE_CONFIG_DIR: join(root, 'none'), CODEX_HOME: join(root, 'none') }
  const run = async (...words: readonly string[]) => {
    const out: Buffer[] = []
    let notes = ''
    const terminal = { out: (text: string | Uint8Array) => void out.push(Buffer.from(text)), note: (text: string) => void (notes += text) }
    const code = await runCommandLine(words, terminal, async () => {
      const app = await createApp({ environment, programFolder: resolve('build'), host: { pickFolder: null, pickFile: null, reveal: null, notify: null }, workspace, isWorkspaceForced: true, locations: [], isWatching: false, desk: 'asks', commandLine: [] })
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
    return { code, out: Buffer.concat(out), notes }
  }
  return { truth, home, workspace, run, json: async (...words: readonly string[]) => JSON.parse((await run(...words, '--json')).out.toString('utf8')) as unknown }
}

function stampsOf(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => {
    const file = join(entry.parentPath, entry.name)
    return `${relative(folder, file)} ${statSync(file).mtimeMs} ${sha256(readFileSync(file))}`
  })
}

describe.each(cases)('the commands on a session of $agent', (each) => {
  it('list it, show its turns, print exact bytes, and rewind to what is known, without a trace in the agent\'s own store', async () => {
    const { truth, run, json, home, workspace } = newWorld(each)
    const before = stampsOf(home)
    const sessions = listed.parse(await json('sessions'))
    expect(sessions).toMatchObject([{ agent: each.agent, turns: 3 }])
    const id = sessions[0]?.id ?? ''
    const shown = z.object({ turns: z.array(z.object({ index: z.number().nullable(), prompt: z.string() })) }).parse(await json('show', id))
    expect(shown.turns.map(({ prompt }) => prompt.replace(/^"|"$/g, ''))).toEqual(truth.prompts.map(({ text }) => text))

    let known = 0
    for (const [at, { start, end }] of [...truth.prompts, { start: truth.prompts.at(-1)?.end ?? {}, end: {} }].entries()) {
      const moment = at < truth.prompts.length ? `${at + 1}` : 'end'
      for (const { path, state, sha256: hash } of rows.parse(await json('files', id, '--at', moment))) {
        if (state === 'unknown') continue
        known++
        expect([moment, path, hash]).toEqual([moment, path, start[path] ?? null])
        if (state === 'present') expect([path, sha256((await run('cat', id, path, '--at', moment)).out)]).toEqual([path, start[path]])
      }
      void end
    }
    expect(known).toBeGreaterThan(5)
    expect((await run('diff', id, '--from', '2', '--to', 'end', 'src/coupon.js')).code).toBe(0)

    const unknown = new Set(rows.parse(await json('files', id, '--at', '3')).flatMap(({ path, state }) => (state === 'unknown' ? [path] : [])))
    const { receipt: done } = receipt.parse(await json('rewind', id, '--to', '3'))
    const start = truth.prompts[2]?.start ?? {}
    for (const { path, result } of done.filter((file) => file.result !== 'left' && file.result !== 'failed' && !unknown.has(file.path))) {
      const now = statSync(join(workspace, path), { throwIfNoEntry: false }) ? sha256(readFileSync(join(workspace, path))) : null
      expect([path, result, now]).toEqual([path, result, start[path] ?? null])
    }
    expect(stampsOf(home)).toEqual(before)
  })
})
