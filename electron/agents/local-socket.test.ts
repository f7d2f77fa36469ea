import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect as connectSocket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, serve, type Port, type ServedMethod } from '../../shared/rpc.js'
import { silentLog } from '../base/log.js'
import { answerOf, fakeDesk, type FakeDesk } from '../testing/fake-desk.js'
import { connectDesk, type DeskHello } from './desk-client.js'
import { claimDesk, readDeskFacts, socketPath, type DeskClaim } from './desk-file.js'
import { framePort } from './frame-lines.js'
import { LineTransport } from './line-transport.js'
import { takeFirstLine } from './lines.js'
import { openLocalSocket, type LocalSocket } from './local-socket.js'

const mcpHello: DeskHello = { kind: 'mcp', workspace: '/work', mode: 'plan', resume: null }

let folder: string
let desk: FakeDesk
let claim: DeskClaim
let socket: LocalSocket

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overturn-desk-'))
  desk = fakeDesk()
  claim = claimed(folder)
  socket = await open()
})

afterEach(async () => {
  await socket.close()
  claim.release()
  await rm(folder, { recursive: true, force: true })
})

describe('the desk of a data folder', () => {
  it('is held by one host at a time', () => {
    expect(claimDesk(folder)).toBeNull()
    claim.release()
    const next = claimDesk(folder)
    expect(next).not.toBeNull()
    next?.release()
  })

  it('is found by a file and a socket that only this user can open', async () => {
    const facts = await readDeskFacts(folder)
    expect(facts).toMatchObject({ pid: process.pid, socket: socket.path, version: '0.1.0', httpPort: 47474 })
    const modes = await Promise.all([join(folder, 'desk.json'), socket.path].map(async (file) => (await stat(file)).mode & 0o777))
    expect(modes).toEqual([0o600, 0o600])
    expect(Buffer.from(facts?.token ?? '', 'base64url').length).toBe(32)
  })

  it('is none once its host has ended, and none beside what a dead host left', async () => {
    const facts = await readFile(join(folder, 'desk.json'))
    await socket.close()
    expect([await connectDesk(folder, mcpHello), existsSync(join(folder, 'desk.json'))]).toEqual([{ kind: 'none' }, false])
    await writeFile(join(folder, 'desk.json'), facts)
    await writeFile(socket.path, '')
    expect(await connectDesk(folder, mcpHello)).toEqual({ kind: 'none' })
    socket = await open()
    expect((await connectDesk(folder, mcpHello)).kind).toBe('open')
  })

  it('is reached by the token that it writes a moment after it has taken over', async () => {
    const file = join(folder, 'desk.json')
    const facts = await readFile(file, 'utf8')
    await writeFile(file, facts.replace(/"token":"[^"]*"/, `"token":"${Buffer.alloc(32).toString('base64url')}"`))
    const reach = connectDesk(folder, mcpHello)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await writeFile(file, facts)
    expect((await reach).kind).toBe('open')
  })

  it('is none beside a damaged desk.json', async () => {
    await writeFile(join(folder, 'desk.json'), '{"pid":')
    expect(await connectDesk(folder, mcpHello)).toEqual({ kind: 'none' })
  })

  it('serves an agent that came through it', async () => {
    const client = await agent()
    const answer = client.callTool({ name: 'ask' })
    ;(await desk.whenCalled(1)).decide(answerOf('done', 'Written.'))
    expect([(await answer).structuredContent, desk.hellos]).toMatchObject([
      { text: 'Written.' },
      [{ client: 'through', transport: 'stdio', workspace: '/work', mode: 'plan' }],
    ])
    await client.close()
    await expect.poll(() => desk.closed).toEqual(['through'])
  })

  it('serves frames of another host, and stops when that is gone', async () => {
    const reach = await connectDesk(folder, { kind: 'rpc' })
    if (reach.kind !== 'open') throw new Error(reach.kind)
    const events: unknown[] = []
    const connection = connect(framePort(reach.stream), (event, payload) => events.push([event, payload]))
    const long = 'x\u2028'.repeat(200_000)
    expect(await connection.call('echo', long)).toBe(long)
    sendEvent('approvals.changed', {})
    await connection.call('echo', 1)
    expect(events).toEqual([['approvals.changed', {}]])
    reach.stream.destroy()
    await expect.poll(() => served).toBe(0)
    await connection.closed
  })

  it('tells the frames of another host that the connection is lost when its host ends', async () => {
    const reach = await connectDesk(folder, { kind: 'rpc' })
    if (reach.kind !== 'open') throw new Error(reach.kind)
    const connection = connect(framePort(reach.stream), () => undefined)
    const waiting = connection.call('never', null)
    await socket.close()
    await expect(waiting).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  })

  it('refuses a wrong token, another protocol, an unknown kind and a folder that is not absolute', async () => {
    const { token } = (await readDeskFacts(folder)) ?? { token: '' }
    const right = { protocol: 2, token, kind: 'mcp', workspace: '/work', mode: null, resume: null }
    const replies = await Promise.all(
      [
        { ...right, token: `${token.slice(0, -1)}!` },
        { ...right, token: '' },
        { ...right, token: undefined },
        { ...right, protocol: 1 },
        { ...right, resume: { kind: 'session', sessionId: '../x' } },
        { ...right, kind: 'shell' },
        { ...right, workspace: 'work' },
        { ...right, mode: 'yolo' },
        'garbage',
      ].map((hello) => firstReply(`${JSON.stringify(hello)}\n`)),
    )
    expect(replies).toEqual([
      'NOT_ADMITTED',
      'NOT_ADMITTED',
      'NOT_ADMITTED',
      'NOT_ADMITTED',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'INVALID_PARAMS',
      'NOT_ADMITTED',
    ])
    expect(desk.hellos).toEqual([])
  })

  it('refuses a first line that does not end within 4 KiB', async () => {
    expect(await firstReply('x'.repeat(5_000))).toBe('NOT_ADMITTED')
  })

  it('says that a host refused it', async () => {
    const facts = JSON.parse(await readFile(join(folder, 'desk.json'), 'utf8')) as object
    await writeFile(join(folder, 'desk.json'), JSON.stringify({ ...facts, token: 'old' }))
    expect(await connectDesk(folder, mcpHello)).toMatchObject({ kind: 'refused', error: { code: 'NOT_ADMITTED' } })
  })

  it('takes something else at its socket for no desk', async () => {
    const path = join(folder, 'other.sock')
    const other = createServer((each) => each.end('hello\n')).listen(path)
    await once(other, 'listening')
    const facts = JSON.parse(await readFile(join(folder, 'desk.json'), 'utf8')) as object
    await writeFile(join(folder, 'desk.json'), JSON.stringify({ ...facts, socket: path }))
    expect(await connectDesk(folder, mcpHello)).toMatchObject({ kind: 'refused', error: { code: 'CONNECTION_LOST' } })
    other.close()
  })
})

describe('the first line', () => {
  it('must come in time, and leaves what follows it in the stream', async () => {
    const stream = new PassThrough()
    await expect(takeFirstLine(stream, 100, 10)).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    stream.write('one\ntwo\n')
    expect(await takeFirstLine(stream, 100, 1_000)).toBe('one')
    expect(await takeFirstLine(stream, 100, 1_000)).toBe('two')
  })
})

describe('the path of the socket', () => {
  const long = `/${'d'.repeat(100)}`

  it('lies in the data folder, and elsewhere where that is too long for a socket', () => {
    expect(socketPath('/data', 'linux', {})).toBe('/data/desk.sock')
    const elsewhere = socketPath(long, 'linux', {})
    expect(elsewhere).toMatch(/\/overturn-\d+\/overturn-[0-9a-f]{24}\.sock$/)
    expect([elsewhere.length <= 100, socketPath(`${long}e`, 'linux', {}) === elsewhere]).toEqual([true, false])
    expect(socketPath('C:\\data', 'win32', {})).toMatch(/^\\\\\.\\pipe\\overturn-[0-9a-f]{24}$/)
  })

  it('uses the runtime folder only while that is closed to others', async () => {
    const runtime = join(folder, 'r')
    await mkdir(runtime, { mode: 0o700 })
    const open = async (mode: number): Promise<boolean> => {
      await chmod(runtime, mode)
      return socketPath(long, 'linux', { XDG_RUNTIME_DIR: runtime }).startsWith(`${runtime}/`)
    }
    expect([await open(0o700), await open(0o755)]).toEqual([true, false])
  })

  it('is one that a socket can really have', async () => {
    const deep = join(folder, 'd'.repeat(100))
    await mkdir(deep)
    const deepClaim = claimed(deep)
    const other = await open(deepClaim)
    expect((await connectDesk(deep, mcpHello)).kind).toBe('open')
    await other.close()
    deepClaim.release()
  })
})

let served = 0
let sendEvent: (event: string, payload: unknown) => void

/** Two methods on one connection, as a host serves them. */
function serveFrames(send: Port['send']): { readonly receive: (frame: unknown) => void; readonly close: () => void } {
  let receive: (frame: unknown) => void = () => undefined
  let closed: () => void = () => undefined
  const port: Port = { send, onFrame: (listener) => (receive = listener), onClose: (listener) => (closed = listener) }
  const method = (run: ServedMethod['run']): ServedMethod => ({ kind: 'read', parse: (params) => params, run })
  const methods = new Map([
    ['echo', method(async (params) => params)],
    ['never', method(() => new Promise(() => undefined))],
  ])
  sendEvent = serve(port, methods, () => undefined)
  served++
  return {
    receive: (frame) => receive(frame),
    close: () => {
      served--
      closed()
    },
  }
}

function claimed(dataFolder: string): DeskClaim {
  const held = claimDesk(dataFolder)
  if (!held) throw new Error('The desk is taken.')
  return held
}

function open(held: DeskClaim = claim): Promise<LocalSocket> {
  return openLocalSocket({ claim: held, version: '0.1.0', httpPort: 47474, desk, serveFrames, log: silentLog })
}

async function agent(): Promise<Client> {
  const reach = await connectDesk(folder, mcpHello)
  if (reach.kind !== 'open') throw new Error(reach.kind)
  const client = new Client({ name: 'through', version: '1' })
  await client.connect(new LineTransport(reach.stream))
  return client
}

async function firstReply(bytes: string): Promise<unknown> {
  const raw = connectSocket(socket.path)
  raw.write(bytes)
  const chunks: Buffer[] = []
  raw.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(raw, 'close')
  return (JSON.parse(Buffer.concat(chunks).toString()) as { readonly error?: { readonly code: string } }).error?.code
}
