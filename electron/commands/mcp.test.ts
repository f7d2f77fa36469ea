import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimDesk, type DeskClaim } from '../agents/desk-file.js'
import { openLocalSocket, type LocalSocket } from '../agents/local-socket.js'
import { silentLog } from '../base/log.js'
import { answerOf, fakeDesk, type FakeDesk } from '../testing/fake-desk.js'
import { mcp, startHeadlessHost, type McpWorld } from './mcp.js'

let folder: string
let desk: FakeDesk
let host: { readonly claim: DeskClaim; readonly socket: LocalSocket } | null
let input: PassThrough
let output: PassThrough
let notes: string
let starts: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overturn-shim-'))
  await mkdir(join(folder, 'a b'))
  desk = fakeDesk()
  host = null
  input = new PassThrough()
  output = new PassThrough()
  notes = ''
  starts = 0
})

afterEach(async () => {
  await stopHost()
  await rm(folder, { recursive: true, force: true })
})

describe('overturn mcp', () => {
  it('carries an agent to the running host, for the folder and the mode that it names', async () => {
    await startHost()
    const code = run(['--workspace', 'a b', '--mode', 'review-after'])
    await introduce()
    send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } })
    expect(await next()).toMatchObject({ id: 2, result: { structuredContent: { text: 'hi' } } })
    input.end()
    expect([await code, starts, notes, desk.hellos]).toEqual([
      0,
      0,
      '',
      [{ client: 'shim', clientVersion: '1', transport: 'stdio', workspace: join(folder, 'a b'), mode: 'review-after', resume: null }],
    ])
  })

  it('works in the folder it was started in when none is named', async () => {
    await startHost()
    const code = run([])
    await introduce()
    input.end()
    expect([await code, desk.hellos[0]?.workspace, desk.hellos[0]?.mode]).toEqual([0, folder, null])
  })

  it('starts a host when none runs, once, and loses nothing that was said meanwhile', async () => {
    const code = run([], () => {
      void startHost()
      return { failed: new Promise(() => undefined) }
    })
    await introduce()
    input.end()
    expect([await code, starts]).toEqual([0, 1])
  })

  it('answers each request with what to do when no host can be started', async () => {
    send({ id: 'a', method: 'initialize', params: {} })
    const code = run([], () => ({ failed: Promise.resolve('It ended at once (exit code 3).') }), 50)
    expect(await next()).toMatchObject({ id: 'a', error: { message: expect.stringMatching(/could not be started.*exit code 3.*Start Overturn/) } })
    send({ method: 'notifications/initialized' })
    send({ id: 0, method: 'tools/list' })
    expect(await next()).toMatchObject({ id: 0, error: { code: -32000 } })
    input.end()
    expect([await code, notes]).toEqual([1, expect.stringContaining('Start Overturn')])
  })

  it('answers so when the folder does not exist, and starts nothing', async () => {
    const code = run(['--workspace', 'gone'])
    send({ id: 1, method: 'initialize', params: {} })
    expect(await next()).toMatchObject({ id: 1, error: { message: expect.stringContaining('--workspace') } })
    input.end()
    expect([await code, starts]).toEqual([1, 0])
  })

  it('does not understand an unknown mode or option', async () => {
    expect([await run(['--mode', 'yolo']), await run(['--folder', 'x']), notes]).toEqual([2, 2, expect.stringMatching(/--mode takes[^]*Usage[^]*--folder/)])
  })

  it('goes on in the same session when the host dies, and answers what was open by what the next one proves', async () => {
    await startHost()
    const code = run([], () => {
      void startHost()
      return { failed: new Promise(() => undefined) }
    })
    await introduce()
    send({ id: 2, method: 'tools/call', params: { name: 'echo' } })
    await next()
    send({ id: 3, method: 'tools/call', params: { name: 'ask' } })
    send({ id: 'x', method: 'tools/call', params: { name: 'look' } })
    await desk.whenCalled(3)
    await stopHost()
    expect([await next(), await next()]).toMatchObject([
      { id: 3, result: { isError: true, content: [{ type: 'text', text: 'ask 3 was cut off.' }] } },
      { id: 'x', result: { isError: true, content: [{ type: 'text', text: 'look x was cut off.' }] } },
    ])
    send({ id: 4, method: 'tools/call', params: { name: 'echo', arguments: { text: 'again' } } })
    expect(await next()).toMatchObject({ id: 4, result: { structuredContent: { text: 'again' } } })
    input.end()
    expect([await code, starts, desk.hellos.map(({ resume, client }) => [resume, client])]).toEqual([
      0,
      1,
      [
        [null, 'shim'],
        [{ kind: 'lost-connection', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) }, 'shim'],
      ],
    ])
  })

  it('needs no host before the agent wants something, and asks again what is no call', async () => {
    await startHost()
    const code = run([])
    await introduce()
    await stopHost()
    await startHost()
    expect(desk.hellos.length).toBe(1)
    send({ id: 2, method: 'tools/list' })
    expect(await next()).toMatchObject({ id: 2, result: { tools: [{ name: 'echo' }, { name: 'look' }, { name: 'ask' }] } })
    await stopHost()
    input.end()
    expect([await code, starts, desk.hellos.length]).toEqual([0, 0, 2])
  })

  it('refuses what is open where no host can be had again, and tries anew with the next request', async () => {
    await startHost()
    const code = run([], () => ({ failed: Promise.resolve('It ended at once (exit code 3).') }), 50)
    await introduce()
    send({ id: 2, method: 'tools/call', params: { name: 'ask' } })
    await desk.whenCalled(1)
    await stopHost()
    expect(await next()).toMatchObject({ id: 2, result: { isError: true, content: [{ text: expect.stringMatching(/could not be started.*not known: look at the present state/) }] } })
    await startHost()
    send({ id: 3, method: 'tools/call', params: { name: 'echo', arguments: { text: 'again' } } })
    expect(await next()).toMatchObject({ id: 3, result: { structuredContent: { text: 'again' } } })
    input.end()
    expect(await code).toBe(0)
  })

  it('goes on with the session that it is told, or the last one', async () => {
    await startHost()
    const id = '5e551011-0000-4000-8000-000000000001'
    for (const words of [['--session', id], ['--continue']]) {
      const code = run(words)
      await introduce()
      input.end()
      await code
      input = new PassThrough()
      output = new PassThrough()
    }
    expect(desk.hellos.map(({ resume }) => resume)).toEqual([{ kind: 'session', sessionId: id }, { kind: 'newest' }])
    expect([await run(['--session', '../x']), await run(['--session', id, '--continue']), notes]).toEqual([2, 2, expect.stringMatching(/--session takes[^]*take one of them/)])
  })

  it('gives a waiting call up when the agent ends its side, and passes the last answers on', async () => {
    await startHost()
    const code = run([])
    await introduce()
    send({ id: 2, method: 'tools/call', params: { name: 'ask' } })
    send({ id: 3, method: 'tools/call', params: { name: 'look' } })
    const calls = [await desk.whenCalled(1), await desk.whenCalled(2)]
    input.end()
    expect(await next()).toMatchObject({ id: 2, result: { structuredContent: { status: 'cancelled' } } })
    calls.find(({ name }) => name === 'look')?.decide(answerOf('done', 'Seen.'))
    expect([await next(), await code]).toMatchObject([{ id: 3, result: { structuredContent: { text: 'Seen.' } } }, 0])
  })

  it('ends within a second of the agent, whatever still waits', async () => {
    await startHost()
    const code = run([])
    await introduce()
    send({ id: 2, method: 'tools/call', params: { name: 'look' } })
    const { watch } = await desk.whenCalled(1)
    const endedAt = Date.now()
    input.end()
    expect(await code).toBe(0)
    expect(Date.now() - endedAt).toBeLessThan(2_000)
    await expect.poll(() => watch.signal.aborted).toBe(true)
  })

  it('passes bytes on as they are, in pieces and in one of many megabytes', async () => {
    await startHost()
    const code = run([])
    await introduce()
    input.write('not a message \u00ff\n')
    const text = 'x\u2028\u0000"'.repeat(1_000_000)
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text } } })}\n`)
    input.write(line.subarray(0, 100))
    input.write(line.subarray(100))
    const answer = (await next()) as { readonly result: { readonly structuredContent: { readonly text: string } } }
    expect(answer.result.structuredContent.text === text).toBe(true)
    input.end()
    expect(await code).toBe(0)
  })
})

describe('a host in the background', () => {
  it('is heard of when it ends at once or cannot be started', async () => {
    expect(await startHeadlessHost([process.execPath, join(folder, 'cli.cjs')]).failed).toBe('It ended at once (exit code 1).')
    expect(await startHeadlessHost([join(folder, 'no-node'), join(folder, 'cli.cjs')]).failed).toMatch(/ended at once \(exit code 127\)|could not be started \(.*ENOENT/)
  })
})

async function startHost(): Promise<void> {
  const claim = claimDesk(folder)
  if (!claim) throw new Error('The desk is taken.')
  const serveFrames = (): { readonly receive: () => void; readonly close: () => void } => ({ receive: () => undefined, close: () => undefined })
  host = { claim, socket: await openLocalSocket({ claim, version: '0.1.0', httpPort: null, desk, serveFrames, log: silentLog }) }
}

async function stopHost(): Promise<void> {
  await host?.socket.close()
  host?.claim.release()
  host = null
}

function run(words: readonly string[], begin?: McpWorld['startHost'], startTimeMs?: number): Promise<number> {
  const startHost: McpWorld['startHost'] = () => {
    starts++
    return begin?.() ?? { failed: new Promise(() => undefined) }
  }
  return mcp(words, { input, output, note: (text) => (notes += text), folder, dataFolder: folder, startHost, startTimeMs })
}

function send(message: object): void {
  input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

let rest = ''

/** The next line of the output. */
async function next(): Promise<unknown> {
  while (!rest.includes('\n')) {
    await expect.poll(() => output.readableLength, { timeout: 10_000, interval: 5 }).toBeGreaterThan(0)
    rest += (output.read() as Buffer).toString()
  }
  const end = rest.indexOf('\n')
  const line = rest.slice(0, end)
  rest = rest.slice(end + 1)
  return JSON.parse(line)
}

async function introduce(): Promise<void> {
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'shim', version: '1' } } })
  expect(await next()).toMatchObject({ id: 1, result: { serverInfo: { name: 'overturn' } } })
  send({ method: 'notifications/initialized' })
}
