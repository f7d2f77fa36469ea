import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AgentDesk, AgentHello, CallWatch, ToolAnswer, ToolDefinition } from '../agents/agent-desk.js'

/** A call as the desk saw it. */
export interface SeenCall {
  readonly client: string
  readonly name: string
  readonly args: unknown
  readonly watch: CallWatch
  /** Answers it. */
  readonly decide: (answer: ToolAnswer) => void
}

/** A desk with three tools: `echo` answers at once, `look` (reads) and `ask` (writes) wait for `decide` or their signal. */
export interface FakeDesk extends AgentDesk {
  readonly hellos: AgentHello[]
  readonly calls: SeenCall[]
  readonly closed: string[]
  /** Set to refuse the next agents. */
  refusal: Error | null
  /** The call with that number (from 1), once it has come. */
  readonly whenCalled: (count: number) => Promise<SeenCall>
}

const outputSchema = {
  type: 'object',
  properties: { status: { enum: ['done', 'pending', 'refused', 'cancelled'] }, text: { type: 'string' } },
  required: ['status', 'text'],
  additionalProperties: false,
}

function tool(name: string, readOnlyHint: boolean): ToolDefinition {
  return {
    name,
    title: `Tool ${name}`,
    description: `What ${name} does.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    outputSchema,
    annotations: { readOnlyHint, destructiveHint: false, idempotentHint: readOnlyHint, openWorldHint: false },
  }
}

export const fakeTools = [tool('echo', true), tool('look', true), tool('ask', false)]

export function answerOf(status: 'done' | 'pending' | 'refused' | 'cancelled', text: string): ToolAnswer {
  return { isError: status === 'refused' || status === 'cancelled', text, structured: { status, text } }
}

export function fakeDesk(): FakeDesk {
  const calls: SeenCall[] = []
  const desk: FakeDesk = {
    hellos: [],
    calls,
    closed: [],
    refusal: null,
    connect: async (hello) => {
      await setImmediate()
      if (desk.refusal) throw desk.refusal
      desk.hellos.push(hello)
      const { client } = hello
      return {
        sessionId: hello.resume !== null && 'sessionId' in hello.resume ? hello.resume.sessionId : randomUUID(),
        cutOff: (request, tool) => `${tool} ${request} was cut off.`,
        tools: () => fakeTools,
        close: () => void desk.closed.push(client),
        call: (name, args, watch) =>
          new Promise((resolve, reject) => {
            calls.push({ client, name, args, watch, decide: resolve })
            const { text } = args as { readonly text?: string }
            if (text === 'throw') return reject(new Error('A fault in /a/secret/place.'))
            if (name === 'echo') return resolve(answerOf('done', text ?? ''))
            const cancel = (): void => resolve(answerOf('cancelled', 'Given up.'))
            if (watch.signal.aborted) cancel()
            else watch.signal.addEventListener('abort', cancel)
          }),
      }
    },
    whenCalled: async (count) => {
      for (;;) {
        const call = calls[count - 1]
        if (call) return call
        await setImmediate()
      }
    },
  }
  return desk
}
