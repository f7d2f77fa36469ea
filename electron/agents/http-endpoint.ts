import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isAbsolute } from 'node:path'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CancelledNotificationSchema, ErrorCode, isInitializeRequest, isJSONRPCRequest, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { approvalModes, type ApprovalMode } from '../../shared/approval.js'
import { systemCode } from '../base/disk-errors.js'
import type { Log } from '../base/log.js'
import type { AgentDesk } from './agent-desk.js'
import { serveAgent, type ServedAgent } from './mcp-endpoint.js'
import { isLoopbackHost } from '../base/loopback.js'
import { isEqualSecret } from '../base/secrets.js'

export interface HttpEndpointOptions {
  readonly desk: AgentDesk
  /** `null` takes the usual port, or the next free one after it; 0 any free one. */
  readonly port: number | null
  readonly token: string
  readonly version: string
  readonly log: Log
  /** Milliseconds after which a session that nobody uses ends. */
  readonly idleMs?: number
  readonly progressEveryMs?: number
}

export interface HttpEndpoint {
  readonly port: number
  /** The address for one workspace; the bearer token goes beside it. */
  readonly urlFor: (workspace: string, mode: ApprovalMode | null) => string
  /** Ends every session and frees the port. */
  readonly close: () => Promise<void>
}

/** Agents are configured once with the port in their settings: the same one each time matters. */
const usualPort = 47474
const portsTried = 20
const maxBodyBytes = 16 * 1024 * 1024
const maxSessions = 64
const hourMs = 3_600_000
const mcpPath = '/mcp'
/** How long a host that ends waits for its last answers. */
const lastAnswersMs = 1_000
const sessionHeader = 'mcp-session-id'
const serverFault = -32000
const sessionUnknown = -32001

interface Session {
  readonly transport: StreamableHTTPServerTransport
  readonly agent: ServedAgent
  /** Responses that are still open: running requests, and the stream that a living client listens to. */
  openResponses: number
  lastUsedAt: number
}

/** A request that is answered with a status and a JSON-RPC error without an id. */
class HttpRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/**
 * Serves agents over streamable HTTP on 127.0.0.1, at `/mcp?workspace=/abs/dir&mode=ask`.
 *
 * Each session has a transport of its own; it ends by DELETE, after an hour of silence, or, the longest silent first, when there
 * are more than 64. Who has not the bearer token, names another `Host` or comes from a page elsewhere is refused. A call whose
 * response can no longer be written is given up.
 * Errors: rejects when the port cannot be had.
 */
export async function openHttpEndpoint(options: HttpEndpointOptions): Promise<HttpEndpoint> {
  const { log, idleMs = hourMs } = options
  const sessions = new Map<string, Session>()

  const server = createServer((request, response) => {
    answer(request, response, sessions, options).catch((thrown: unknown) => {
      if (!(thrown instanceof HttpRefusal)) log.error('http.agent', thrown)
      refuse(response, thrown instanceof HttpRefusal ? thrown : new HttpRefusal(500, ErrorCode.InternalError, 'Something failed inside Overturn.'))
    })
  })
  const port = await listen(server, options.port)
  const sweeper = setInterval(() => endIdle(sessions, Date.now() - idleMs), Math.min(idleMs, 60_000))
  sweeper.unref()

  return {
    port,
    urlFor: (workspace, mode) =>
      `http://127.0.0.1:${port}${mcpPath}?${new URLSearchParams({ workspace, ...(mode === null ? {} : { mode }) }).toString()}`,
    close: async () => {
      clearInterval(sweeper)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Calls that were given up are answered first: an agent that hears nothing waits until its own limit.
      for (const { agent } of sessions.values()) agent.finish()
      for (let waitedMs = 0; waitedMs < lastAnswersMs && [...sessions.values()].some(({ agent }) => agent.isBusy()); waitedMs += 20) await pause(20)
      await Promise.all([...sessions.values()].map(({ agent }) => agent.close()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number | null): Promise<number> {
  const candidates = port === null ? Array.from({ length: portsTried }, (_none, index) => usualPort + index) : [port]
  for (const [index, candidate] of candidates.entries()) {
    try {
      server.listen(candidate, '127.0.0.1')
      await once(server, 'listening')
      break
    } catch (thrown) {
      if (systemCode(thrown) !== 'EADDRINUSE' || index === candidates.length - 1) throw thrown
    }
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Map<string, Session>,
  options: HttpEndpointOptions,
): Promise<void> {
  judge(request, options.token)
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (url.pathname !== mcpPath) throw new HttpRefusal(404, serverFault, `There is nothing at this address; agents connect to ${mcpPath}.`)

  const body = request.method === 'POST' ? await readJson(request) : undefined
  const session = await sessionFor(request, body, url, sessions, options)
  session.lastUsedAt = Date.now()
  session.openResponses++
  const carried = requestIds(body)
  response.on('close', () => {
    session.openResponses--
    session.lastUsedAt = Date.now()
    // Nothing can be written to it any more. A call that was answered is not running, and is left alone.
    for (const id of carried) session.agent.abandon(id)
    if (isInitializeRequest(body) && !session.agent.isConnected()) void session.agent.close()
  })
  await session.transport.handleRequest(request, response, body)
  // No answer follows a cancelled request, so its stream would stay open for good.
  for (const id of cancelledIds(body)) session.transport.closeSSEStream(id)
}

/** Throws a refusal for a request that does not come from a program of this user on this machine. */
function judge({ headers }: IncomingMessage, token: string): void {
  if (!isLoopbackHost(headers.host)) throw new HttpRefusal(421, serverFault, 'This address is not a name of this machine. Use http://127.0.0.1.')
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin)) {
    throw new HttpRefusal(403, serverFault, 'This request comes from a page of another machine.')
  }
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (given === undefined || !isEqualSecret(token, given)) {
    const why = 'This request has no valid bearer token. Copy the configuration from "Connect an agent" in Overturn again.'
    throw new HttpRefusal(401, serverFault, why, { 'WWW-Authenticate': 'Bearer' })
  }
}

function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\//i.test(origin) && isLoopbackHost(origin.replace(/^https?:\/\//i, ''))
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBody(request)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new HttpRefusal(400, ErrorCode.ParseError, 'The request is no JSON.')
  }
}

/** Leaves the socket open when it gives up, so that the refusal can still be written. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.pause()
      reject(new HttpRefusal(413, serverFault, 'The request is larger than 16 MiB.', { Connection: 'close' }))
    }
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge()
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBodyBytes) tooLarge()
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', () => reject(new HttpRefusal(400, serverFault, 'The request was cut off.')))
  })
}

async function sessionFor(
  request: IncomingMessage,
  body: unknown,
  url: URL,
  sessions: Map<string, Session>,
  options: HttpEndpointOptions,
): Promise<Session> {
  const id = request.headers[sessionHeader]
  if (typeof id === 'string') {
    const session = sessions.get(id)
    if (!session) throw new HttpRefusal(404, sessionUnknown, 'This session has ended. Send initialize again, without a session id.')
    return session
  }
  if (!isInitializeRequest(body)) throw new HttpRefusal(400, serverFault, `The header ${sessionHeader} is missing. Send initialize first.`)
  return startSession(url, sessions, options)
}

async function startSession(url: URL, sessions: Map<string, Session>, options: HttpEndpointOptions): Promise<Session> {
  const { desk, version, log, progressEveryMs } = options
  const workspace = url.searchParams.get('workspace') ?? ''
  const mode = approvalModes.find((each) => each === url.searchParams.get('mode')) ?? null
  if (!isAbsolute(workspace)) throw new HttpRefusal(400, ErrorCode.InvalidParams, 'The address must name the folder to work in: ?workspace=/absolute/folder')
  if (mode === null && url.searchParams.has('mode')) {
    throw new HttpRefusal(400, ErrorCode.InvalidParams, `The mode in the address is one of: ${approvalModes.join(', ')}.`)
  }
  if (sessions.size >= maxSessions) endLongestSilent(sessions)
  if (sessions.size >= maxSessions) throw new HttpRefusal(503, serverFault, `${maxSessions} agents are connected. End one and try again.`)

  const id = randomUUID()
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => id })
  transport.onclose = () => sessions.delete(id)
  const agent = await serveAgent(transport, desk, { workspace, mode, resume: null, transportKind: 'http', version, progressEveryMs }, log)
  const session: Session = { transport, agent, openResponses: 0, lastUsedAt: Date.now() }
  sessions.set(id, session)
  return session
}

function endIdle(sessions: ReadonlyMap<string, Session>, unusedSince: number): void {
  for (const { agent, openResponses, lastUsedAt } of sessions.values()) {
    if (openResponses === 0 && !agent.isBusy() && lastUsedAt <= unusedSince) void agent.close()
  }
}

/** Programs that end without a DELETE leave their sessions behind. */
function endLongestSilent(sessions: ReadonlyMap<string, Session>): void {
  const silent = [...sessions.values()].filter(({ agent, openResponses }) => openResponses === 0 && !agent.isBusy())
  void silent.sort((a, b) => a.lastUsedAt - b.lastUsedAt)[0]?.agent.close()
}

function requestIds(body: unknown): readonly RequestId[] {
  return (Array.isArray(body) ? body : [body]).filter(isJSONRPCRequest).map(({ id }) => id)
}

function cancelledIds(body: unknown): readonly RequestId[] {
  return (Array.isArray(body) ? body : [body]).flatMap((message) => {
    const cancelled = CancelledNotificationSchema.safeParse(message)
    return cancelled.success && cancelled.data.params.requestId !== undefined ? [cancelled.data.params.requestId] : []
  })
}

function refuse(response: ServerResponse, { status, code, message, headers }: HttpRefusal): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }))
}
