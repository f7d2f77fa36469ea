import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request, createServer, type ClientRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { silentLog } from '../base/log.js'
import { answerOf, fakeDesk, type FakeDesk } from '../testing/fake-desk.js'
import { agentToken } from './agent-token.js'
import { openHttpEndpoint, type HttpEndpoint, type HttpEndpointOptions } from './http-endpoint.js'

const token = 'T'.repeat(43)

let desk: FakeDesk
let endpoint: HttpEndpoint
let clients: Client[]

beforeEach(async () => {
  desk = fakeDesk()
  clients = []
  endpoint = await open()
})

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await endpoint.close()
})

describe('the loopback endpoint', () => {
  it('serves an agent in the folder and the mode of its address', async () => {
    const client = await agent('claude-code')
    const { tools } = await client.listTools()
    const progress: Progress[] = []
    const answer = client.callTool({ name: 'ask' }, CallToolResultSchema, { onprogress: (each) => progress.push(each) })
    const call = await desk.whenCalled(1)
    await expect.poll(() => progress.length).toBeGreaterThan(2)
    call.decide(answerOf('done', 'Written.'))
    expect([tools.length, (await answer).structuredContent, call.watch.budgetMs, desk.hellos]).toEqual([
      3,
      { status: 'done', text: 'Written.' },
      390_000,
      [{ client: 'claude-code', clientVersion: '1', transport: 'http', workspace: '/my work', mode: 'review-after', resume: null }],
    ])
  })

  it('keeps two agents apart', async () => {
    const [one, two] = [await agent('one'), await agent('two')]
    const [first, second] = [one.callTool({ name: 'ask' }), two.callTool({ name: 'ask' })]
    await desk.whenCalled(2)
    for (const call of desk.calls) call.decide(answerOf('done', `For ${call.client}.`))
    expect([(await first).structuredContent, (await second).structuredContent]).toEqual([
      { status: 'done', text: 'For one.' },
      { status: 'done', text: 'For two.' },
    ])
  })

  it('gives a call up that is cancelled, also one whose id is 0, and ends its stream without an answer', async () => {
    const session = await rawSession()
    const cancel = async (id: number): Promise<string> => {
      const coming = desk.whenCalled(desk.calls.length + 1)
      const stream = await post(session, { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'ask' } })
      const { watch } = await coming
      await post(session, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
      await aborted(watch.signal)
      return text(stream.response)
    }
    await cancel(0)
    expect(await cancel(5)).not.toContain('result')
  })

  it('gives the calls of a session up that is deleted, and leaves the desk', async () => {
    const session = await rawSession()
    await post(session, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'ask' } })
    const { watch } = await desk.whenCalled(1)
    const { status } = await fetch(session.url, { method: 'DELETE', headers: { ...usual, 'mcp-session-id': session.id } })
    await aborted(watch.signal)
    expect([status, await pingStatus(session)]).toEqual([200, 404])
    await expect.poll(() => desk.closed).toEqual(['raw'])
  })

  it('gives a call up whose response is closed, and no other', async () => {
    const session = await rawSession()
    const [first, second] = [
      await post(session, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'ask' } }),
      await post(session, { jsonrpc: '2.0', id: 6, method: 'tools/call', params: { name: 'ask' } }),
    ]
    await desk.whenCalled(2)
    first.request.destroy()
    await aborted((await desk.whenCalled(1)).watch.signal)
    const other = await desk.whenCalled(2)
    expect(other.watch.signal.aborted).toBe(false)
    other.decide(answerOf('done', 'Written.'))
    expect(await text(second.response)).toContain('Written.')
  })

  it('leaves the signal of a call alone that was answered', async () => {
    const client = await agent('fine')
    await client.callTool({ name: 'echo' })
    await client.ping()
    expect(desk.calls[0]?.watch.signal.aborted).toBe(false)
  })

  it('refuses who has not the token', async () => {
    const statuses = await Promise.all([undefined, 'Bearer', `Bearer ${token}x`, `Basic ${token}`, token].map((authorization) => knock({ authorization })))
    expect(statuses).toEqual([401, 401, 401, 401, 401])
    expect([await knock({}), await knock({ authorization: `bearer ${token}` })]).toEqual([200, 200])
  })

  it('refuses names and pages of other machines', async () => {
    const hosts = ['evil.example', '127.0.0.1.evil.example', 'localhost:1:2', '10.0.0.1', 'localhost:5000', '[::1]:80', '127.0.0.1']
    const origins = ['http://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'http://localhost:3000', 'https://127.0.0.1']
    expect([await Promise.all(hosts.map((host) => knock({ host }))), await Promise.all(origins.map((origin) => knock({ origin })))]).toEqual([
      [421, 421, 421, 421, 200, 200, 200],
      [403, 403, 403, 403, 200, 200],
    ])
  })

  it('refuses what it cannot serve, and says why', async () => {
    const url = endpoint.urlFor('/w', null)
    const ask = async (headers: Readonly<Record<string, string>>, body: string, at = url): Promise<unknown> => {
      const response = await fetch(at, { method: 'POST', headers: { ...usual, ...headers }, body })
      return [response.status, ((await response.json()) as { readonly error: { readonly message: string } }).error.message]
    }
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    expect([
      await ask({}, list),
      await ask({ 'mcp-session-id': 'gone' }, list),
      await ask({}, '{'),
      await ask({}, initialize, url.replace('%2Fw', 'w')),
      await ask({}, initialize, `${url}&mode=yolo`),
      await ask({}, list, url.replace('/mcp', '/')),
    ]).toEqual([
      [400, 'The header mcp-session-id is missing. Send initialize first.'],
      [404, 'This session has ended. Send initialize again, without a session id.'],
      [400, 'The request is no JSON.'],
      [400, 'The address must name the folder to work in: ?workspace=/absolute/folder'],
      [400, 'The mode in the address is one of: ask, review-after, plan.'],
      [404, 'There is nothing at this address; agents connect to /mcp.'],
    ])
    expect(desk.hellos).toEqual([])
  })

  it('refuses a body above 16 MiB, announced or not', async () => {
    const tooMuch = Buffer.alloc(16 * 1024 * 1024 + 1, 32)
    const send = async (headers: Readonly<Record<string, string | number>>): Promise<number | undefined> => {
      const asked = request(endpoint.urlFor('/w', null), { method: 'POST', headers: { ...usual, ...headers } })
      asked.on('error', () => undefined)
      asked.end(tooMuch)
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      asked.destroy()
      return response.statusCode
    }
    expect([await send({ 'content-length': tooMuch.length }), await send({ 'transfer-encoding': 'chunked' })]).toEqual([413, 413])
  })

  it('drops the session of an agent that the desk refused', async () => {
    desk.refusal = new ReviewError('WORKSPACE_MISSING', 'The folder is not there. Choose another.')
    const response = await fetch(endpoint.urlFor('/w', null), { method: 'POST', headers: usual, body: initialize })
    expect(await response.text()).toContain('The folder is not there.')
    const session = response.headers.get('mcp-session-id') ?? ''
    await expect
      .poll(async () => (await fetch(endpoint.urlFor('/w', null), { method: 'POST', headers: { ...usual, 'mcp-session-id': session }, body: '{}' })).status)
      .toBe(404)
  })

  it('ends sessions that nobody uses, and not one whose call waits', async () => {
    const quick = await open({ idleMs: 30 })
    const [idle, busy] = [await rawSession(quick), await rawSession(quick)]
    const waiting = await post(busy, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'ask' } })
    await expect.poll(() => desk.closed.length).toBe(1)
    const { decide, watch } = await desk.whenCalled(1)
    expect([await pingStatus(idle), watch.signal.aborted]).toEqual([404, false])
    decide(answerOf('done', 'Written.'))
    expect(await text(waiting.response)).toContain('Written.')
    await quick.close()
  })

  it('ends the longest silent session when there are more than 64', async () => {
    const oldest = await rawSession()
    const next = await rawSession()
    for (let count = 2; count < 64; count++) await rawSession()
    expect([await pingStatus(oldest), desk.closed.length]).toEqual([200, 0])
    await rawSession()
    expect([await pingStatus(next), await pingStatus(oldest), desk.closed.length]).toEqual([404, 200, 1])
  })

  it('takes the next port when the usual one is taken, and none when a taken one was named', async () => {
    const [first, second] = [await open({ port: null }), await open({ port: null })]
    expect([first.port >= 47474, second.port > first.port]).toEqual([true, true])
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    await expect(open({ port: (other.address() as AddressInfo).port })).rejects.toThrow('EADDRINUSE')
    other.close()
    await Promise.all([first.close(), second.close()])
  })

  it('ends everything when it is closed, and answers the calls that it gives up', async () => {
    const session = await rawSession()
    const { response } = await post(session, { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'ask' } })
    const { watch } = await desk.whenCalled(1)
    const ended = text(response)
    await endpoint.close()
    expect([watch.signal.aborted, await ended.catch(() => '')]).toEqual([true, expect.stringMatching(/"isError":true/)])
    endpoint = await open()
  })
})

describe('the bearer token', () => {
  it('stays the same, in a file of this user alone, and is replaced when it is damaged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overturn-token-'))
    const [first, again] = [await agentToken(folder), await agentToken(folder)]
    const file = join(folder, 'agent-token')
    expect([again, (await stat(file)).mode & 0o777, (await readFile(file, 'utf8')).trim()]).toEqual([first, 0o600, first])
    await writeFile(file, 'short\n')
    const fresh = await agentToken(folder)
    expect([fresh === first, /^[\w-]{43}$/.test(fresh), await agentToken(folder)]).toEqual([false, true, fresh])
    await rm(folder, { recursive: true })
  })
})

const usual = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json', 'accept': 'application/json, text/event-stream' }
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

function open(options: Partial<HttpEndpointOptions> = {}): Promise<HttpEndpoint> {
  return openHttpEndpoint({ desk, port: 0, token, version: '0.1.0', log: silentLog, progressEveryMs: 20, ...options })
}

async function agent(name: string): Promise<Client> {
  const client = new Client({ name, version: '1' })
  const url = new URL(endpoint.urlFor('/my work', 'review-after'))
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: usual.authorization } } })
  await client.connect(transport)
  clients.push(client)
  return client
}

interface RawSession {
  readonly url: string
  readonly id: string
}

async function rawSession(at: HttpEndpoint = endpoint): Promise<RawSession> {
  const url = at.urlFor('/w', null)
  const response = await fetch(url, { method: 'POST', headers: usual, body: initialize })
  await response.text()
  return { url, id: response.headers.get('mcp-session-id') ?? '' }
}

/** Sends one message and returns as soon as the head of the response is there. */
async function post({ url, id }: RawSession, message: object): Promise<{ readonly request: ClientRequest; readonly response: IncomingMessage }> {
  const asked = request(url, { method: 'POST', headers: { ...usual, 'mcp-session-id': id } })
  asked.on('error', () => undefined)
  asked.end(JSON.stringify(message))
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => undefined)
  return { request: asked, response }
}

async function pingStatus(session: RawSession): Promise<number | undefined> {
  const { response } = await post(session, { jsonrpc: '2.0', id: 99, method: 'ping' })
  await text(response)
  return response.statusCode
}

/** The status of an initialize with these headers instead of the usual ones. */
async function knock(headers: Readonly<Record<string, string | undefined>>): Promise<number | undefined> {
  const given = Object.entries({ ...usual, ...headers }).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const asked = request(endpoint.urlFor('/w', null), { method: 'POST', headers: Object.fromEntries(given) })
  asked.end(initialize)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  await text(response)
  return response.statusCode
}

async function text(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
}
