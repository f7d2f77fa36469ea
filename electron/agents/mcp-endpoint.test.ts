import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { JSONRPCMessage, Progress } from '@modelcontextprotocol/sdk/types.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { silentLog } from '../base/log.js'
import { answerOf, fakeDesk, fakeTools, type FakeDesk } from '../testing/fake-desk.js'
import { LineTransport } from './line-transport.js'
import { lineCutter, parseLine } from './lines.js'
import { serveAgentOn, type ServedAgent } from './mcp-endpoint.js'

const progressEveryMs = 20

let desk: FakeDesk
let sockets: Socket[]

beforeEach(() => {
  desk = fakeDesk()
  sockets = []
})
afterEach(() => sockets.forEach((socket) => socket.destroy()))

describe('an agent on a socket', () => {
  it('is introduced with its name, and told how to work with us', async () => {
    const { client } = await agent('claude-code\n\u202Eevil')
    expect([desk.hellos, client.getServerVersion()]).toEqual([
      [{ client: 'claude-code evil', clientVersion: '2.1', transport: 'stdio', workspace: '/work space', mode: 'ask', resume: null }],
      { name: 'overturn', title: 'Overturn', version: '0.1.0' },
    ])
    expect(client.getInstructions()).toMatch(/begin_turn.*await_review/)
  })

  it('sees the tools with their annotations and output schemas', async () => {
    const { client } = await agent()
    const { tools } = await client.listTools()
    const _meta = { 'anthropic/alwaysLoad': true }
    expect(tools).toEqual(fakeTools.map((tool) => ({ ...tool, annotations: { title: tool.title, ...tool.annotations }, _meta })))
  })

  it('gets answers, refusals and tickets as text and as what the output schema says', async () => {
    const { client } = await agent()
    const fits = new Ajv2020().compile(fakeTools[0]?.outputSchema ?? {})
    await client.listTools()
    for (const status of ['done', 'refused', 'pending', 'cancelled'] as const) {
      const answer = client.callTool({ name: 'ask', arguments: { text: status } })
      ;(await desk.whenCalled(desk.calls.length + 1)).decide(answerOf(status, `It is ${status}.`))
      const { content, structuredContent, isError } = await answer
      expect([content, isError, fits(structuredContent)]).toEqual([
        [{ type: 'text', text: `It is ${status}.` }],
        status === 'refused' || status === 'cancelled',
        true,
      ])
    }
  })

  it('is told of progress at once and again and again, with growing numbers and the last message', async () => {
    const { client } = await agent()
    const heard: Progress[] = []
    let enough: () => void = () => undefined
    const fourth = new Promise<void>((resolve) => (enough = resolve))
    const onprogress = (progress: Progress): void => {
      heard.push(progress)
      if (heard.length === 4) enough()
    }
    const answer = client.callTool({ name: 'ask' }, CallToolResultSchema, { onprogress })
    const call = await desk.whenCalled(1)
    call.watch.progress('Waits for approval.')
    await fourth
    call.decide(answerOf('done', 'Written.'))
    await answer
    const count = heard.length
    // Two more beats would have come by then.
    await Promise.all([client.ping(), new Promise((resolve) => setTimeout(resolve, 2.5 * progressEveryMs))])
    expect(heard.slice(0, 4)).toEqual(
      [1, 2, 3, 4].map((progress) => ({ progress, message: progress === 1 ? 'Started.' : 'Waits for approval.' })),
    )
    expect(heard.length).toBe(count)
  })

  it('hears no progress that it did not ask for', async () => {
    const { client, socket } = await agent()
    const lines: string[] = []
    socket.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
    const answer = client.callTool({ name: 'ask' })
    const call = await desk.whenCalled(1)
    call.watch.progress('Waits for approval.')
    await new Promise((resolve) => setTimeout(resolve, 2.5 * progressEveryMs))
    call.decide(answerOf('done', 'Written.'))
    await answer
    expect(lines.join('')).not.toContain('progress')
  })

  it('gives a call up when it is cancelled, also one whose id is 0', async () => {
    const { client } = await agent()
    const stop = new AbortController()
    const answer = client.callTool({ name: 'ask' }, CallToolResultSchema, { signal: stop.signal }).catch(() => 'gone')
    const call = await desk.whenCalled(1)
    stop.abort()
    await aborted(call.watch.signal)
    expect(await answer).toBe('gone')

    const raw = await rawAgent()
    raw.send({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'ask' } })
    const second = await desk.whenCalled(2)
    raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    await aborted(second.watch.signal)
  })

  it('gives its calls up and leaves the desk when its connection is gone', async () => {
    const { client, socket } = await agent('goner')
    void client.callTool({ name: 'ask' }).catch(() => undefined)
    const { watch } = await desk.whenCalled(1)
    socket.destroy()
    await aborted(watch.signal)
    await expect.poll(() => desk.closed).toEqual(['goner'])
  })

  it('still gets what it only reads when it has ended its side, and no longer what writes', async () => {
    const { client, served } = await agent()
    const [written, seen] = [client.callTool({ name: 'ask' }), client.callTool({ name: 'look' })]
    await desk.whenCalled(2)
    served.finish()
    expect((await written).structuredContent).toEqual({ status: 'cancelled', text: 'Given up.' })
    desk.calls.find(({ name }) => name === 'look')?.decide(answerOf('done', 'Seen.'))
    expect((await seen).structuredContent).toEqual({ status: 'done', text: 'Seen.' })
    await expect.poll(() => desk.closed).toEqual(['test'])
  })

  it('writes nothing for calls that were still on their way when it ended its side, and answers them', async () => {
    const raw = await rawAgent(false)
    raw.write(`${introduction}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}\n`)
    raw.end()
    expect([await raw.next(), await raw.next()]).toMatchObject([{ id: 1 }, { id: 2, result: { structuredContent: { status: 'cancelled' } } }])
  })

  it('leaves no desk behind when it goes while it is introduced', async () => {
    const raw = await rawAgent(false)
    raw.write(`${introduction}\n`)
    raw.end()
    await expect.poll(() => [desk.hellos.length, desk.closed]).toEqual([1, ['raw']])
  })

  it('is held no longer than its client waits', async () => {
    const budgets: (number | null | undefined)[] = []
    for (const name of ['opencode', 'codex-mcp-client', 'somebody']) {
      const { client } = await agent(name)
      await client.callTool({ name: 'echo' })
      budgets.push(desk.calls.at(-1)?.watch.budgetMs)
      await client.callTool({ name: 'echo' }, CallToolResultSchema, { onprogress: () => undefined })
      budgets.push(desk.calls.at(-1)?.watch.budgetMs)
    }
    expect(budgets).toEqual([55_000, 390_000, 270_000, 270_000, 50_000, 50_000])
  })

  it('gets a protocol error for an unknown tool, and no inner message of a fault', async () => {
    const { client } = await agent()
    await expect(client.callTool({ name: 'destroy' })).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('no tool destroy') })
    const answer = await client.callTool({ name: 'echo', arguments: { text: 'throw' } })
    expect([answer.isError, answer.structuredContent, JSON.stringify(answer.content).includes('secret')]).toEqual([true, undefined, false])
  })

  it('reads why the desk refused it, and may try again', async () => {
    desk.refusal = new ReviewError('WORKSPACE_MISSING', 'The folder is not there. Choose another.')
    const raw = await rawAgent()
    raw.send({ ...initialize, id: 7 })
    expect(await raw.next()).toMatchObject({ id: 7, error: { message: 'The folder is not there. Choose another.', data: { code: 'WORKSPACE_MISSING' } } })
    raw.send({ jsonrpc: '2.0', id: 8, method: 'tools/list' })
    expect(await raw.next()).toMatchObject({ id: 8, error: { message: 'Send initialize first.' } })
    desk.refusal = null
    raw.send({ ...initialize, id: 9 })
    expect(await raw.next()).toMatchObject({ id: 9, result: { protocolVersion: '2025-06-18' } })
  })

  it('answers lists and calls that follow initialize without waiting for it', async () => {
    const raw = await rawAgent(false)
    raw.write(`${introduction}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}\n`)
    expect([await raw.next(), await raw.next()]).toMatchObject([{ id: 1 }, { id: 2, result: { structuredContent: { text: 'hi' } } }])
  })

  it('survives lines that are no messages, and is answered where one has an id', async () => {
    const raw = await rawAgent()
    raw.write('garbage\n\n{"half":\n[]\n\u0000\n{"jsonrpc":"2.0","id":5,"method":5}\n')
    expect(await raw.next()).toMatchObject({ id: 5, error: { code: -32600 } })
    raw.send({ jsonrpc: '2.0', id: 6, method: 'ping' })
    expect(await raw.next()).toEqual({ jsonrpc: '2.0', id: 6, result: {} })
  })

  it('takes a text with a line separator in it, in pieces of one byte', async () => {
    const raw = await rawAgent()
    const text = 'a\u2028b\u00E9'
    for (const byte of Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'echo', arguments: { text } } })}\n`)) raw.write(Buffer.of(byte))
    expect(await raw.next()).toMatchObject({ result: { structuredContent: { status: 'done', text } } })
  })

  it('may set the level of log messages', async () => {
    const { client } = await agent()
    expect(await client.setLoggingLevel('debug')).toEqual({})
  })

  it('is kept apart from another one', async () => {
    const [one, two] = [await agent('one'), await agent('two')]
    const [first, second] = [one.client.callTool({ name: 'ask' }), two.client.callTool({ name: 'ask' })]
    await desk.whenCalled(2)
    one.socket.destroy()
    await expect(first).rejects.toThrow('Connection closed')
    const other = desk.calls.find(({ client }) => client === 'two')
    expect(other?.watch.signal.aborted).toBe(false)
    other?.decide(answerOf('done', 'Two.'))
    expect((await second).structuredContent).toEqual({ status: 'done', text: 'Two.' })
  })
})

describe('cutting lines', () => {
  it('says when an unfinished line is too long, and not for many short ones', () => {
    const lines: string[] = []
    const cut = lineCutter(4, (line) => lines.push(line.toString()))
    expect([cut(Buffer.from('ab\ncd\nef')), cut(Buffer.from('gh')), cut(Buffer.from('i'))]).toEqual([true, true, false])
    expect(lines).toEqual(['ab', 'cd'])
  })
})

async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [far] = (await once(server, 'connection')) as [Socket]
  server.close()
  sockets.push(near, far)
  for (const socket of [near, far]) socket.on('error', () => undefined)
  return [near, far]
}

async function serve(far: Socket): Promise<ServedAgent> {
  const options = { workspace: '/work space', mode: 'ask', resume: null, transportKind: 'stdio', version: '0.1.0', progressEveryMs } as const
  return serveAgentOn(far, desk, options, silentLog)
}

/** The SDK's own client at the near end. */
async function agent(name = 'test'): Promise<{ readonly client: Client; readonly socket: Socket; readonly served: ServedAgent }> {
  const [near, far] = await socketPair()
  const served = await serve(far)
  const client = new Client({ name, version: '2.1' })
  await client.connect(new LineTransport(near))
  return { client, socket: near, served }
}

const initialize = {
  jsonrpc: '2.0' as const,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const introduction = JSON.stringify({ ...initialize, id: 1 })

interface RawAgent {
  readonly end: () => void
  readonly send: (message: JSONRPCMessage) => void
  readonly write: (bytes: string | Buffer) => void
  readonly next: () => Promise<unknown>
}

async function rawAgent(isIntroduced = true): Promise<RawAgent> {
  const [near, far] = await socketPair()
  await serve(far)
  const lines: unknown[] = []
  const cut = lineCutter(1_000_000, (line) => lines.push(parseLine(line)))
  near.on('data', cut)
  const next = async (): Promise<unknown> => {
    await expect.poll(() => lines.length).toBeGreaterThan(0)
    return lines.shift()
  }
  const raw: RawAgent = {
    send: (message) => near.write(`${JSON.stringify(message)}\n`),
    write: (bytes) => near.write(bytes),
    end: () => near.end(),
    next,
  }
  if (isIntroduced && !desk.refusal) {
    raw.send({ ...initialize, id: 1 })
    await raw.next()
  }
  return raw
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
}
