import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { connectDesk } from '../agents/desk-client.js'
import { lineCutter, maxLineBytes } from '../agents/lines.js'
import { createApp, type App } from '../app.js'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { createEditWriter } from '../history/edit-writer.js'
import { openSessionLog } from '../history/session-log.js'
import { approve } from '../testing/desk-harness.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { sha256Of } from '../workspace/text-files.js'
import { openWorkspace } from '../workspace/workspace.js'

let base: string
let data: string
let ws: string
let closers: (() => unknown)[]
const { HOME } = process.env

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'overturn-hold-')))
  data = join(base, 'data')
  ws = join(base, 'ws')
  mkdirSync(ws)
  mkdirSync(join(base, 'dist'))
  writeFileSync(join(base, 'package.json'), '{ "version": "1.0.0" }')
  writeFileSync(join(ws, 'a'), 'one\n')
  // No logs of the person who runs the tests.
  process.env['HOME'] = base
  closers = []
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
  process.env['HOME'] = HOME
  rmSync(base, { recursive: true, force: true })
})

interface TestApp {
  readonly app: App
  readonly events: string[]
  readonly notified: string[]
  close(): Promise<void>
}

/** An app over the same data folder, as each process makes one. */
async function start(desk: 'holds' | 'asks' = 'holds'): Promise<TestApp> {
  const events: string[] = []
  const notified: string[] = []
  const app = await createApp({
    environment: { OVERTURN_DATA_DIR: data, PATH: process.env['PATH'] },
    programFolder: join(base, 'dist'),
    host: { pickFolder: null, pickFile: null, reveal: null, notify: (title) => void notified.push(title) },
    workspace: null,
    isWorkspaceForced: false,
    locations: [],
    isWatching: false,
    desk,
    commandLine: ['overturn'],
  })
  app.onEvent((event) => void events.push(event))
  let isOpen = true
  const close = async (): Promise<void> => {
    if (isOpen) await app.dispose()
    isOpen = false
  }
  closers.push(close)
  return { app, events, notified, close }
}

const context = () => ({ signal: new AbortController().signal, progress: () => undefined })

/** An agent on the real socket. */
async function agent(): Promise<{ call(name: string, args: unknown): Promise<string>; readonly closed: Promise<void> }> {
  const reached = await connectDesk(data, { kind: 'mcp', workspace: ws, mode: null, resume: null })
  if (reached.kind !== 'open') throw new Error('The desk is not there.')
  const stream: Duplex = reached.stream
  const waiting = new Map<number, (text: string) => void>()
  const cut = lineCutter(maxLineBytes, (line) => {
    const { id, result } = JSON.parse(line.toString()) as { readonly id?: number; readonly result?: { readonly content?: readonly { readonly text: string }[] } }
    if (id !== undefined) waiting.get(id)?.(result?.content?.[0]?.text ?? '')
  })
  stream.on('data', (chunk: Buffer) => void cut(chunk))
  stream.resume()
  let ids = 0
  const send = (method: string, params: unknown): Promise<string> =>
    new Promise((resolve) => {
      waiting.set(++ids, resolve)
      stream.write(`${JSON.stringify({ jsonrpc: '2.0', id: ids, method, params })}\n`)
    })
  await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'socket-agent', version: '1' } })
  closers.push(() => stream.destroy())
  return { call: (name, args) => send('tools/call', { name, arguments: args }), closed: new Promise((resolve) => stream.on('close', () => resolve())) }
}

async function waitingIn({ app }: TestApp) {
  for (;;) {
    const [first] = (await app.handlers['approval.list']({}, context())).waiting
    if (first) return first
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => 'fulfilled', (thrown: { readonly code?: string }) => thrown.code)

describe('the desk of two processes', () => {
  it('is held by the first; the second forwards, and hears what happens', async () => {
    const [first, second] = [await start(), await start()]
    expect([await first.app.desk.join(), await second.app.desk.join()]).toEqual(['here', 'elsewhere'])
    const { call } = await agent()
    const edited = call('edit_file', { path: 'a', old_text: 'one', new_text: 'two' })
    const { id, revision } = await waitingIn(second)
    const shown = await second.app.handlers['approval.read']({ approval: id, path: workspacePath('a'), showOversized: false }, context())
    const decided = await second.app.handlers['approval.decide']({ approval: id, revision, decision: approve() }, context())
    expect([shown.after, decided.state, await edited, readFileSync(join(ws, 'a'), 'utf8')]).toMatchObject([{ kind: 'text', text: 'two\n' }, 'applied', expect.stringContaining('Written'), 'two\n'])
    await expect.poll(() => [first, second].map(({ events, notified }) => [events.includes('approvals.changed'), events.includes('agents.changed'), events.includes('approval.asked'), notified])).toEqual([
      [true, true, true, ['socket-agent wants to change a']],
      [true, true, true, ['socket-agent wants to change a']],
    ])
    await expect(second.app.handlers['approval.decide']({ approval: id, revision, decision: approve() }, context())).rejects.toMatchObject({ code: 'APPROVAL_NOT_WAITING' })
  })

  it('is taken over by the second when the first ends; a question that waited is gone with its agent', async () => {
    const [first, second] = [await start(), await start()]
    await first.app.desk.join()
    await second.app.desk.join()
    const one = await agent()
    void one.call('edit_file', { path: 'a', old_text: 'one', new_text: 'two' })
    const { id, revision } = await waitingIn(second)
    second.events.length = 0
    await first.close()
    await one.closed
    await expect.poll(() => second.events).toEqual(expect.arrayContaining(['approvals.changed', 'agents.changed', 'policy.changed']))
    expect([await codeOf(second.app.handlers['approval.decide']({ approval: id, revision, decision: approve() }, context())), await second.app.desk.join(), (await second.app.handlers['approval.list']({}, context())).waiting, readFileSync(join(ws, 'a'), 'utf8')]).toEqual([
      'APPROVAL_NOT_WAITING',
      'here',
      [],
      'one\n',
    ])
    const two = await agent()
    const edited = two.call('edit_file', { path: 'a', old_text: 'one', new_text: 'two' })
    const next = await waitingIn(second)
    await second.app.handlers['approval.decide']({ approval: next.id, revision: next.revision, decision: approve() }, context())
    expect(await edited).toContain('Written')
  })

  it('tells a call that was under way when the first ended that it is lost', async () => {
    const [first, second] = [await start(), await start()]
    await first.app.desk.join()
    await second.app.desk.join()
    const { call } = await agent()
    void call('edit_file', { path: 'a', old_text: 'one', new_text: 'two' })
    const { id } = await waitingIn(second)
    // Reads in a row: one of them is on its way at the end.
    const ends: Promise<unknown>[] = []
    const closing = first.close()
    for (let at = 0; at < 50; at++) ends.push(codeOf(second.app.handlers['approval.read']({ approval: id, path: workspacePath('a'), showOversized: false }, context())))
    await closing
    const codes = new Set(await Promise.all(ends))
    expect([...codes].filter((code) => !['fulfilled', 'CONNECTION_LOST', 'APPROVAL_NOT_WAITING'].includes(String(code)))).toEqual([])
    expect(codes.size).toBeGreaterThan(0)
  })

  it('is not opened by one that only asks', async () => {
    const asking = await start('asks')
    expect([await codeOf(asking.app.handlers['approval.list']({}, context())), await codeOf(asking.app.desk.join())]).toEqual(['HOST_NOT_RUNNING', 'HOST_NOT_RUNNING'])
    await (await start()).app.desk.join()
    expect(await asking.app.desk.join()).toBe('elsewhere')
  })

  it('tells each window of a rule that was stored with an approval', async () => {
    const first = await start()
    await first.app.desk.join()
    const { call } = await agent()
    void call('run_command', { command: 'touch made' })
    const { id, revision } = await waitingIn(first)
    await first.app.handlers['approval.decide']({ approval: id, revision, decision: approve({ alwaysRules: ['touch made'] }) }, context())
    expect([first.events.includes('policy.changed'), (await first.app.handlers['policy.read']({}, context())).settings.rules.length]).toEqual([true, 1])
  })
})

describe('the start of a desk', () => {
  it('ends an edit that a crash had cut off, and notes it in the log of its session, once', async () => {
    const first = await start()
    const workspace = await openWorkspace(ws)
    const store = await openBackupStore(data)
    const disk = createDiskStates()
    const written = await openSessionLog({ dataFolder: data, sessionId: '11111111-1111-4111-8111-111111111111', folder: ws, version: '1', branch: null, client: { name: 'a', version: null } })
    const writer = createEditWriter({ dataFolder: data, workspace, store, disk, log: silentLog })
    const seen = await disk.lookAndKeep(workspace.resolveInside('a'))
    const bytes = Buffer.from('two\n')
    const note = { log: written.file, promptId: 'p1', callId: 'call-1' }
    const change = { path: workspacePath('a'), before: seen, after: { kind: 'file' as const, sha256: sha256Of(bytes), sizeBytes: 4, mode: null }, bytes }
    // The process "dies" before the edit is noted: the file stands, its note lies there.
    await new Promise<void>((resolve) => void writer.write(note, [change], () => (resolve(), new Promise(() => undefined))))
    await first.app.desk.join()
    const entries = (): readonly string[] => readFileSync(written.file, 'utf8').split('\n').filter((line) => line.includes('overturn_ledger'))
    expect([entries().length, entries()[0], readFileSync(join(ws, 'a'), 'utf8')]).toEqual([1, expect.stringContaining('"callId":"call-1"'), 'two\n'])
    await first.close()
    await (await start()).app.desk.join()
    expect(entries().length).toBe(1)
  })
})
