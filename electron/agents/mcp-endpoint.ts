import type { Duplex } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type CallToolResult,
  type InitializeResult,
  type RequestId,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { ApprovalMode } from '../../shared/approval.js'
import { toWireError } from '../../shared/errors.js'
import type { Log } from '../base/log.js'
import type { AgentConnection, AgentDesk, Resume, ToolAnswer, ToolDefinition } from './agent-desk.js'
import { callBudgetMs } from './client-budgets.js'
import { cutOffMethod, sessionMeta } from './desk-client.js'
import { LineTransport } from './line-transport.js'
import { beatEveryMs, noProgress, startProgress } from './progress-beat.js'

export interface AgentOptions {
  /** Absolute. */
  readonly workspace: string
  readonly mode: ApprovalMode | null
  readonly resume: Resume | null
  readonly transportKind: 'stdio' | 'http'
  /** Our own version, as the agent is told. */
  readonly version: string
  /** Milliseconds between two signs of life of a running call. */
  readonly progressEveryMs?: number
}

/** One agent as its transport sees it. */
export interface ServedAgent {
  /** Whether it introduced itself and the desk took it. */
  readonly isConnected: () => boolean
  readonly isBusy: () => boolean
  /** The answer to this request can no longer reach the agent: its call is given up. */
  readonly abandon: (request: RequestId) => void
  /** The agent will send nothing more. What only reads may still be answered for a second; what writes is given up at once. */
  readonly finish: () => void
  readonly close: () => Promise<void>
}

const instructions =
  'Call begin_turn at each new prompt of the user, with the prompt, and make every change to files through these tools: a person approves it, and it can be undone. ' +
  'An answer with status "pending" is neither applied nor refused: call await_review with its id until it says what became of it.'

const cutOffRequest = z.object({
  method: z.literal(cutOffMethod),
  params: z.object({ calls: z.array(z.object({ request: z.union([z.string(), z.number()]), tool: z.string() })) }),
})

const notConnected = -32002
const lastAnswersMs = 1_000

interface Agent {
  readonly client: string
  readonly connection: AgentConnection
}

interface RunningCall {
  readonly abort: AbortController
  readonly onlyReads: boolean
}

/** A request that is answered with a JSON-RPC error; the SDK reads `code` and `data`. */
class RequestRefused extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
  }
}

/**
 * Serves one agent on one transport until that closes: introduces it to the desk, and carries its tool calls there.
 *
 * A call is given up (its signal fires) when the agent cancels it, when its connection ends, or by `abandon`. A call with a
 * progress token is heard of at once and every 10 seconds.
 */
export async function serveAgent(transport: Transport, desk: AgentDesk, options: AgentOptions, log: Log): Promise<ServedAgent> {
  const { workspace, mode, resume, transportKind, version, progressEveryMs = beatEveryMs } = options
  const server = new Server({ name: 'overturn', title: 'Overturn', version }, { capabilities: { tools: {}, logging: {} }, instructions })
  const running = new Map<RequestId, RunningCall>()
  let introduction: Promise<Agent> | null = null
  let isConnected = false
  let isOpen = true
  let isFinishing = false

  const introduce = async (name: string, clientVersion: string): Promise<Agent> => {
    const client = plainName(name) || 'unknown'
    const hello = { client, clientVersion: plainName(clientVersion) || null, transport: transportKind, workspace, mode, resume }
    const connection = await desk.connect(hello)
    if (!isOpen) connection.close()
    isConnected = isOpen
    return { client, connection }
  }

  const whenIntroduced = (): Promise<Agent> => {
    if (!introduction) throw new RequestRefused(notConnected, 'Send initialize first.')
    return introduction.catch(() => {
      throw new RequestRefused(notConnected, 'This agent could not be connected; see the answer to initialize.')
    })
  }

  server.setRequestHandler(InitializeRequestSchema, async ({ params }): Promise<InitializeResult> => {
    if (introduction) throw new RequestRefused(ErrorCode.InvalidRequest, 'This connection is initialized already.')
    introduction = introduce(params.clientInfo.name, params.clientInfo.version)
    let sessionId: string
    try {
      ;({ sessionId } = (await introduction).connection)
    } catch (thrown) {
      introduction = null
      const { code, message } = toWireError(thrown)
      log.error('agent.refused', thrown, { workspace })
      throw new RequestRefused(notConnected, message, { code })
    }
    const { protocolVersion } = params
    return {
      protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION,
      capabilities: { tools: {}, logging: {} },
      serverInfo: { name: 'overturn', title: 'Overturn', version },
      instructions,
      _meta: { [sessionMeta]: sessionId },
    }
  })

  server.setRequestHandler(cutOffRequest, async ({ params }) => {
    const { connection } = await whenIntroduced()
    return { calls: params.calls.map(({ request, tool }) => ({ request, text: connection.cutOff(request, tool) })) }
  })

  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: (await whenIntroduced()).connection.tools().map(announced) }))

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const { client, connection } = await whenIntroduced()
    const id = extra.requestId
    const tool = connection.tools().find(({ name }) => name === params.name)
    if (!tool) throw new RequestRefused(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}. tools/list names all of them.`)
    if (running.has(id)) throw new RequestRefused(ErrorCode.InvalidRequest, 'A call with this id is running. Give each request an id of its own.')

    const abort = new AbortController()
    const onlyReads = tool.annotations.readOnlyHint
    if (extra.signal.aborted || (isFinishing && !onlyReads)) abort.abort()
    extra.signal.addEventListener('abort', () => abort.abort(), { once: true })
    running.set(id, { abort, onlyReads })

    const token = extra._meta?.progressToken
    const tellProgress = (progress: number, message: string): void => {
      // The agent may be gone: then nobody misses it.
      extra.sendNotification({ method: 'notifications/progress', params: { progressToken: token ?? 0, progress, message } }).catch(() => undefined)
    }
    const beat = token === undefined ? noProgress : startProgress(tellProgress, progressEveryMs)
    try {
      const budgetMs = callBudgetMs({ client, transport: transportKind, hasToken: token !== undefined })
      return resultOf(await connection.call(params.name, params.arguments ?? {}, { signal: abort.signal, progress: beat.tell, budgetMs, request: id }))
    } catch (thrown) {
      log.error('agent.call', thrown, { tool: params.name, client })
      return { isError: true, content: [{ type: 'text', text: toWireError(thrown).message }] }
    } finally {
      beat.stop()
      running.delete(id)
    }
  })

  const abandon = (id: RequestId): void => running.get(id)?.abort.abort()
  // Before the SDK, which passes over the cancellation of a request whose id is 0.
  transport.onmessage = (message) => {
    const cancelled = CancelledNotificationSchema.safeParse(message)
    if (cancelled.success && cancelled.data.params.requestId !== undefined) abandon(cancelled.data.params.requestId)
  }
  server.onerror = (error) => log.info('agent.protocol', { message: error.message, workspace })
  server.onclose = () => {
    isOpen = false
    isConnected = false
    for (const call of running.values()) call.abort.abort()
    // A desk that refused it has nothing to close.
    introduction?.then(({ connection }) => connection.close()).catch(() => undefined)
  }

  const finish = async (): Promise<void> => {
    isFinishing = true
    for (const call of running.values()) if (!call.onlyReads) call.abort.abort()
    const endsAt = Date.now() + lastAnswersMs
    await introduction?.catch(() => undefined)
    do await new Promise((resolve) => setTimeout(resolve, 20))
    while (running.size > 0 && Date.now() < endsAt)
    await server.close()
  }

  await server.connect(transport)
  return {
    isConnected: () => isConnected,
    isBusy: () => running.size > 0,
    abandon,
    finish: () => void finish().catch((thrown: unknown) => log.error('agent.close', thrown)),
    close: () => server.close(),
  }
}

/** Serves one agent on a stream that carries lines of JSON both ways; the stream must allow to be half open. */
export function serveAgentOn(stream: Duplex, desk: AgentDesk, options: AgentOptions, log: Log): Promise<ServedAgent> {
  const serving = serveAgent(new LineTransport(stream), desk, options, log)
  stream.on('end', () => void serving.then((agent) => agent.finish(), () => stream.destroy()))
  return serving
}

function announced({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    outputSchema: { ...outputSchema, type: 'object' },
    annotations: { title, ...annotations },
    // Claude Code would hide the tools behind a search for tools until its model thinks of that.
    _meta: { 'anthropic/alwaysLoad': true },
  }
}

/** Some agents show their model the text alone, some `structured` alone, some both: each says all that matters. */
function resultOf({ isError, text, structured }: ToolAnswer): CallToolResult {
  return { isError, content: [{ type: 'text', text }], structuredContent: { ...structured } }
}

/** What an agent calls itself, as one short line. */
function plainName(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim().slice(0, 200)
}
