// A stand-in for the model behind an agent, on loopback: it plays a script, so that a real agent program works the same way each
// time. It speaks what these programs ask for: OpenAI's chat completions and Anthropic's messages, streamed or at once.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** One answer of the model: a call of a tool by its full name, or the words that end the turn. */
export type ModelStep =
  { readonly kind: 'call'; readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | { readonly kind: 'say'; readonly text: string }

export interface FakeModel {
  /** Without a path. */
  readonly url: string
  /** What the agent told the model of its calls so far, in order. */
  readonly told: () => readonly string[]
  readonly close: () => Promise<void>
}

/** What both protocols have in common, as far as it is looked at. */
interface ModelRequest {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly messages?: readonly Message[]
  /** Asks for a title or the like, in a shape of its own. */
  readonly output_config?: { readonly format?: unknown }
}

interface Message {
  readonly role: string
  readonly content?: string | readonly Block[] | null
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: string | readonly Block[]
}

/** The script is over, or the agent asks beside it, for a title or a summary. */
const nothingToDo: ModelStep = { kind: 'say', text: 'Done.' }
const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

/** Serves the steps in order, one to each request that offers tools. */
export async function startFakeModel(steps: readonly ModelStep[]): Promise<FakeModel> {
  let served = 0
  let told: readonly string[] = []

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const isChat = pathname.endsWith('/chat/completions')
    if (request.method !== 'POST' || !(isChat || pathname.endsWith('/v1/messages'))) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Not served by the fake model."}}')
      return
    }
    const body = await readJson(request)
    const isBeside = (body.tools ?? []).length === 0 || body.output_config?.format !== undefined
    const id = `answer-${served}`
    const step = isBeside ? nothingToDo : (steps[served++] ?? nothingToDo)
    if (!isBeside) told = resultsIn(body.messages ?? [])
    const isStreamed = body.stream === true
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' })
    const model = body.model ?? 'fake-model'
    if (isChat) response.end(isStreamed ? chatEvents(step, id, model) : JSON.stringify(chatAnswer(step, id, model)))
    else response.end(isStreamed ? messageEvents(step, id, model) : JSON.stringify(messageAnswer(step, id, model)))
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    told: () => told,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function readJson(request: IncomingMessage): Promise<ModelRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest
}

/** Results of calls: messages of their own in the one protocol, blocks of the user's message in the other. */
function resultsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    if (role === 'tool') return [textOf(content)]
    return Array.isArray(content) ? content.filter(({ type }: Block) => type === 'tool_result').map((block: Block) => textOf(block.content)) : []
  })
}

function textOf(content: string | readonly Block[] | null | undefined): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('\n')
}

function chatAnswer(step: ModelStep, id: string, model: string): object {
  const message = { role: 'assistant', content: step.kind === 'say' ? step.text : null, ...(step.kind === 'call' ? { tool_calls: [chatCall(step, id)] } : {}) }
  return { id, object: 'chat.completion', created: 0, model, choices: [{ index: 0, message, finish_reason: chatEnd(step) }], usage }
}

function chatEvents(step: ModelStep, id: string, model: string): string {
  const chunk = (choices: readonly object[], more: object = {}): object => ({ id, object: 'chat.completion.chunk', created: 0, model, choices, ...more })
  const delta = step.kind === 'say' ? { role: 'assistant', content: step.text } : { role: 'assistant', tool_calls: [{ index: 0, ...chatCall(step, id) }] }
  const chunks = [
    chunk([{ index: 0, delta, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: chatEnd(step) }]),
    chunk([], { usage }),
  ]
  return [...chunks.map((each) => JSON.stringify(each)), '[DONE]'].map((each) => `data: ${each}\n\n`).join('')
}

function chatCall({ tool, args }: Extract<ModelStep, { kind: 'call' }>, id: string): object {
  return { id: `call-${id}`, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }
}

function chatEnd(step: ModelStep): string {
  return step.kind === 'call' ? 'tool_calls' : 'stop'
}

function messageAnswer(step: ModelStep, id: string, model: string): object {
  const content = step.kind === 'say' ? { type: 'text', text: step.text } : { type: 'tool_use', id: `toolu_${id}`, name: step.tool, input: step.args }
  return { ...messageHead(id, model), content: [content], stop_reason: messageEnd(step) }
}

function messageEvents(step: ModelStep, id: string, model: string): string {
  const isCall = step.kind === 'call'
  const block = isCall ? { type: 'tool_use', id: `toolu_${id}`, name: step.tool, input: {} } : { type: 'text', text: '' }
  const delta = isCall ? { type: 'input_json_delta', partial_json: JSON.stringify(step.args) } : { type: 'text_delta', text: step.text }
  const events = [
    { type: 'message_start', message: { ...messageHead(id, model), content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: messageEnd(step), stop_sequence: null }, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

function messageHead(id: string, model: string): object {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null, usage: { input_tokens: 100, output_tokens: 1 } }
}

function messageEnd(step: ModelStep): string {
  return step.kind === 'call' ? 'tool_use' : 'end_turn'
}
