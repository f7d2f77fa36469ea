import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { isLoopbackHost } from '../base/loopback.js'
import { Admission, isOwnOrigin } from './admission.js'
import { serveSocket } from './frame-socket.js'
import type { ServedApp } from './host.js'
import { readRendererFile, securityHeaders } from './renderer-files.js'

export interface WebHostOptions {
  readonly app: ServedApp
  /** The built renderer. */
  readonly rendererFolder: string
  /** 0 takes any free port; `null` the usual one, or any free one when that is taken. */
  readonly port: number | null
}

export interface WebHost {
  readonly port: number
  /** An address that admits one browser once; the address made before it stops working. */
  newStartUrl(): string
  /** Ends every connection and frees the port. */
  close(): Promise<void>
}

/** A browser keeps what a page remembers by its port, and so does a tunnel: the same one each time is worth trying. */
const usualPort = 4179
/** Where the page opens its WebSocket. */
const framesPath = '/ws'
const maxFrameBytes = 64 * 1024 * 1024

interface Refusal {
  readonly status: number
  readonly why: string
}

const notLoopback: Refusal = { status: 421, why: 'This address is not a name of this machine. Use the address that Overturn printed.' }
const foreignOrigin: Refusal = { status: 403, why: 'This request comes from another page. Open the address that Overturn printed.' }
const noCookie: Refusal = {
  status: 403,
  why: 'This browser is not admitted. The address that Overturn printed works once; press Enter in its terminal for a new one.',
}
const notFound: Refusal = { status: 404, why: 'There is nothing at this address.' }
const onlyGet: Refusal = { status: 405, why: 'Only GET is answered here.' }

/**
 * Serves the renderer and its frames to browsers on this machine.
 *
 * A browser is admitted by the single-use token of a start address, which it exchanges for a cookie; without the cookie,
 * with a `Host` that is no loopback name, or with a foreign `Origin` it gets a refusal that says so.
 * Errors: rejects with a sentence when the port cannot be had.
 */
export async function startWebHost({ app, rendererFolder, port }: WebHostOptions): Promise<WebHost> {
  const admission = new Admission()
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false })

  const server = createServer((request, response) => {
    answer(request, response, admission, rendererFolder).catch((thrown: unknown) => {
      app.onError('http', thrown)
      response.destroy()
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const refusal = judgeUpgrade(request, admission)
    if (refusal !== null) refuseUpgrade(socket, refusal)
    else sockets.handleUpgrade(request, socket, head, (webSocket) => serveSocket(webSocket, app))
  })
  const actualPort = port === null ? await listen(server, usualPort).catch(() => listen(server, 0)) : await listen(server, port)

  return {
    port: actualPort,
    newStartUrl: () => `http://127.0.0.1:${actualPort}/?start=${admission.newStartToken()}`,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** Listens on this machine alone and returns the port. */
async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EADDRINUSE') throw new Error(`Port ${port} is taken by another program. Name another one with --port, or leave --port out: a free one is taken then.`, { cause: thrown })
    if (thrown.code === 'EACCES') throw new Error(`Port ${port} may not be used by this user. Name one above 1023 with --port.`, { cause: thrown })
    throw thrown
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

async function answer(request: IncomingMessage, response: ServerResponse, admission: Admission, folder: string): Promise<void> {
  const { host } = request.headers
  if (!isLoopbackHost(host)) return refuse(response, notLoopback)
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, onlyGet)

  const { path, start } = readTarget(request.url ?? '/')
  const cookie = start === null ? null : admission.useStartToken(start)
  if (cookie !== null) return redirectHome(response, { 'Set-Cookie': cookie })
  if (!admission.hasCookie(request.headers.cookie)) return refuse(response, noCookie)
  if (start !== null) return redirectHome(response, {})

  const file = await readRendererFile(folder, path, `ws://${host}`)
  if (file === null) return refuse(response, notFound)
  response.writeHead(200, { ...file.headers, 'Content-Length': file.bytes.length })
  response.end(file.bytes)
}

/** The path of a request target, undecoded, and its start token. */
function readTarget(target: string): { readonly path: string; readonly start: string | null } {
  const query = target.indexOf('?')
  if (query === -1) return { path: target, start: null }
  return { path: target.slice(0, query), start: new URLSearchParams(target.slice(query)).get('start') }
}

function redirectHome(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(303, { ...securityHeaders(''), ...headers, Location: '/', 'Cache-Control': 'no-store' }).end()
}

function refuse(response: ServerResponse, { status, why }: Refusal): void {
  response.writeHead(status, { ...securityHeaders(''), 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
  response.end(`${why}\n`)
}

function judgeUpgrade(request: IncomingMessage, admission: Admission): Refusal | null {
  const { host, origin, cookie } = request.headers
  if (!isLoopbackHost(host)) return notLoopback
  if (!isOwnOrigin(origin, host)) return foreignOrigin
  if (!admission.hasCookie(cookie)) return noCookie
  if (request.url !== framesPath) return notFound
  return null
}

function refuseUpgrade(socket: Duplex, { status, why }: Refusal): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${why}\n`)
}
