import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/frame-bytes.js'
import { tinyApp, type TinyApp } from '../testing/tiny-app.js'
import { startWebHost, type WebHost } from './web-host.js'

const utf8: Utf8 = { encode: (text) => Buffer.from(text), decode: (bytes) => Buffer.from(bytes).toString() }

let folder: string
let app: TinyApp
let host: WebHost

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overturn-web-host-'))
  await mkdir(join(folder, 'renderer', 'assets'), { recursive: true })
  await writeFile(join(folder, 'renderer', 'index.html'), '<title>Overturn</title>')
  await writeFile(join(folder, 'renderer', 'assets', 'main-1a2b.js'), 'export {}')
  await writeFile(join(folder, 'secret.js'), 'secret')
  app = tinyApp()
  host = await startWebHost({ app, rendererFolder: join(folder, 'renderer'), port: 0 })
})

afterEach(async () => {
  await host.close()
  await rm(folder, { recursive: true })
})

describe('web host', () => {
  it('exchanges the start token once for a strict cookie and goes to the page', async () => {
    const start = new URL(host.newStartUrl())
    const first = await get(start.pathname + start.search)
    expect([first.status, first.location, first.cookie?.replace(/=[^;]+/, '=…').replace(/-[0-9a-f]{8}/, '-…')]).toEqual([
      303,
      '/',
      'overturn-…=…; Path=/; HttpOnly; SameSite=Strict',
    ])
    const again = await get(start.pathname + start.search)
    expect([again.status, again.cookie]).toEqual([403, undefined])
  })

  it('takes only the newest start token, which has at least 128 bits', async () => {
    const [old, newest] = [new URL(host.newStartUrl()), new URL(host.newStartUrl())]
    expect(Buffer.from(newest.searchParams.get('start') ?? '', 'base64url').length).toBeGreaterThanOrEqual(16)
    expect([(await get(`/${old.search}`)).status, (await get(`/${newest.search}`)).status]).toEqual([403, 303])
  })

  it('takes another port when the usual one is taken, and none when a taken one was named', async () => {
    const options = { app, rendererFolder: join(folder, 'renderer') }
    const [first, second] = [await startWebHost({ ...options, port: null }), await startWebHost({ ...options, port: null })]
    expect(second.port).not.toBe(first.port)
    await expect(startWebHost({ ...options, port: host.port })).rejects.toThrow(`Port ${host.port} is taken by another program. Name another one with --port`)
    await Promise.all([first.close(), second.close()])
  })

  it('leads an admitted browser with a used start address to the page', async () => {
    const start = new URL(host.newStartUrl()).search
    const cookie = cookieOf(await get(`/${start}`))
    const again = await get(`/${start}`, { cookie })
    expect([again.status, again.location]).toEqual([303, '/'])
  })

  it('serves the page under a strict policy to the admitted browser', async () => {
    const page = await get('/', { cookie: await admit() })
    expect([page.status, page.body, page.headers['content-security-policy']]).toEqual([
      200,
      '<title>Overturn</title>',
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
        `font-src 'self'; connect-src 'self' ws://127.0.0.1:${host.port}; base-uri 'none'; form-action 'none'; ` +
        "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'",
    ])
    expect(Object.keys(page.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each([
    { what: 'without the cookie', headers: {}, status: 403 },
    { what: 'with a wrong cookie', headers: { cookie: 'overturn-00000000=x' }, status: 403 },
    { what: 'with the host name of a page', headers: { host: 'attacker.example' }, status: 421 },
    { what: 'with a host name that only begins like ours', headers: { host: '127.0.0.1.attacker.example' }, status: 421 },
    { what: 'with a host name that is no address of this machine', headers: { host: '127.0.0.2' }, status: 421 },
  ])('refuses the page $what', async ({ headers, status }) => {
    await admit()
    const answer = await get('/', headers)
    expect([answer.status, answer.headers['content-type'], answer.body.length > 20]).toEqual([status, 'text/plain; charset=utf-8', true])
  })

  it('refuses a right cookie value under a foreign host name', async () => {
    expect((await get('/', { cookie: await admit(), host: 'attacker.example' })).status).toBe(421)
  })

  it('refuses the start token under a foreign host name and keeps it unused', async () => {
    const start = `/${new URL(host.newStartUrl()).search}`
    expect([(await get(start, { host: 'attacker.example' })).status, (await get(start)).status]).toEqual([421, 303])
  })

  it('accepts any port in the host name, as a tunnel changes it', async () => {
    const cookie = await admit()
    const hosts = ['localhost:9000', '127.0.0.1', '[::1]:1']
    expect(await Promise.all(hosts.map(async (name) => (await get('/', { cookie, host: name })).status))).toEqual([200, 200, 200])
  })

  it.each(['/../secret.js', '/assets/../../secret.js', '/%2e%2e/secret.js', '/..%2fsecret.js', '/..\\secret.js', '//secret.js', '/assets', '/.sources', '/index.html%00.js'])(
    'answers 404 to %s',
    async (path) => {
      expect((await get(path, { cookie: await admit() })).status).toBe(404)
    },
  )

  it('answers nothing but GET and HEAD', async () => {
    const cookie = await admit()
    const methods = ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']
    expect(await Promise.all(methods.map(async (method) => (await get('/', { cookie }, method)).status))).toEqual([200, 405, 405, 405, 405])
  })

  it.each([
    { what: 'without the cookie', change: { cookie: '' }, status: 403 },
    { what: 'from a foreign origin', change: { origin: 'http://attacker.example' }, status: 403 },
    { what: 'from another port of this machine', change: { origin: 'http://127.0.0.1:1' }, status: 403 },
    { what: 'from the same host by https', change: { origin: 'https://127.0.0.1' }, status: 403 },
    { what: 'from a page without origin', change: { origin: 'null' }, status: 403 },
    { what: 'without an origin', change: { origin: '' }, status: 403 },
    { what: 'under a foreign host name', change: { host: 'attacker.example', origin: 'http://attacker.example' }, status: 421 },
    { what: 'at another address', change: { path: '/other' }, status: 404 },
  ])('refuses a WebSocket $what', async ({ change, status }) => {
    expect(await openSocket({ cookie: await admit(), ...change })).toBe(status)
  })

  it('carries calls, answers and events to the admitted page', async () => {
    const socket = await connected(await admit())
    const text = 'é'.repeat(100_000)
    socket.send(encodeFrame({ type: 'call', id: 1, method: 'echo', params: { text } }, utf8))
    expect(await nextFrame(socket)).toEqual({ type: 'ok', id: 1, result: { text } })
    app.emit('library.changed', {})
    expect(await nextFrame(socket)).toEqual({ type: 'event', event: 'library.changed', payload: {} })
  })

  it('works through a tunnel that changes the port', async () => {
    const socket = await openSocket({ cookie: await admit(), host: 'localhost:9000', origin: 'http://localhost:9000' })
    expect(socket).toBeInstanceOf(WebSocket)
  })

  it('aborts the work of a connection that ends', async () => {
    const socket = await connected(await admit())
    socket.send(encodeFrame({ type: 'call', id: 1, method: 'wait', params: null }, utf8))
    socket.send(encodeFrame({ type: 'call', id: 2, method: 'echo', params: null }, utf8))
    await nextFrame(socket)
    expect(app.listenerCount()).toBe(1)
    socket.terminate()
    await app.aborted
    expect(app.listenerCount()).toBe(0)
  })

  it.each([{ what: 'text', data: '{"type":"call"}' }, { what: 'broken bytes', data: Buffer.from([0, 0, 0, 99, 1]) }])(
    'ends a connection that sends $what',
    async ({ data }) => {
      const socket = await connected(await admit())
      socket.send(data)
      const [code] = (await once(socket, 'close')) as [number]
      expect(code).toBe(1007)
    },
  )
})

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
  readonly location: string | undefined
  readonly cookie: string | undefined
}

/** One request with the path exactly as given; `fetch` would tidy it up. */
async function get(path: string, headers: NodeJS.Dict<string> = {}, method = 'GET'): Promise<Answer> {
  const sent = request({ host: '127.0.0.1', port: host.port, path, method, headers, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let body = ''
  for await (const chunk of response) body += String(chunk)
  return { status: response.statusCode ?? 0, headers: response.headers, body, location: response.headers.location, cookie: response.headers['set-cookie']?.[0] }
}

function cookieOf(answer: Answer): string {
  return answer.cookie?.split(';')[0] ?? ''
}

async function admit(): Promise<string> {
  return cookieOf(await get(`/${new URL(host.newStartUrl()).search}`))
}

interface SocketRequest {
  readonly cookie: string
  readonly host?: string
  readonly origin?: string
  readonly path?: string
}

/** The open socket, or the status of the refusal. */
async function openSocket({ cookie, host: name = `127.0.0.1:${host.port}`, origin = `http://${name}`, path = '/ws' }: SocketRequest): Promise<WebSocket | number> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, { headers: { host: name, cookie, ...(origin === '' ? {} : { origin }) } })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.once('error', reject)
  })
}

async function connected(cookie: string): Promise<WebSocket> {
  const socket = await openSocket({ cookie })
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
  return socket
}

async function nextFrame(socket: WebSocket): Promise<unknown> {
  const [data] = (await once(socket, 'message')) as [Buffer]
  return decodeFrame(data, utf8)
}
