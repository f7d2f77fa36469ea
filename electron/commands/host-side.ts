import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { lineCutter, maxLineBytes, parseLine } from '../agents/lines.js'
import { cutOffMethod, sessionMeta } from '../agents/desk-client.js'
import { answeredId, type AgentSide, type RequestId } from './agent-side.js'

const lastAnswersMs = 1_000
const lineEnd = Buffer.from('\n')

const introducedShape = z.object({ result: z.object({ _meta: z.object({ [sessionMeta]: z.uuid() }) }) })
const refusedShape = z.object({ error: z.object({ message: z.string() }) })
const cutOffShape = z.object({ result: z.object({ calls: z.array(z.object({ request: z.union([z.string(), z.number()]), text: z.string() })) }) })

/** One connection to the host that holds the desk. */
export class HostSide {
  readonly #stream: Duplex
  readonly #asked = new Map<RequestId, (message: unknown) => void>()
  readonly #closed: Promise<'host'>
  #onLine: (line: Buffer) => void = () => undefined
  #sessionId: string | null = null

  constructor(stream: Duplex) {
    this.#stream = stream
    // Whole lines only, so that an answer can follow when the host dies in the middle of one.
    const cut = lineCutter(maxLineBytes, (line) => this.#take(line))
    stream.on('data', (chunk: Buffer) => {
      if (!cut(chunk)) stream.destroy()
    })
    this.#closed = new Promise((resolveClosed) => {
      const close = (): void => {
        for (const answer of this.#asked.values()) answer(null)
        resolveClosed('host')
      }
      stream.on('close', close)
      if (stream.destroyed) close()
    })
  }

  /** Identity of the session that the agent works in, once the host told. */
  get sessionId(): string | null {
    return this.#sessionId
  }

  /**
   * Tells a host that takes over who the agent is and what it had asked, so that the agent needs not know: calls get the answer
   * that the session's log proves, all else is asked again.
   * Errors: CONNECTION_LOST; what the host refuses the agent with.
   */
  async takeOver(agent: AgentSide): Promise<void> {
    const { introduction, confirmation } = agent
    const open = agent.underWay
    if (!introduction || agent.open.some(({ id }) => id === introduction.id)) {
      // It is still waiting to be introduced, so the answer is for itself.
      for (const { line } of open) if (line) this.#send(line)
      return
    }
    const answer = await this.#ask(introduction.id, introduction.line)
    const refusal = refusedShape.safeParse(answer)
    if (refusal.success) throw new ReviewError('NOT_ADMITTED', refusal.data.error.message)
    this.#learn(answer)
    if (confirmation) this.#send(confirmation)
    const calls = open.flatMap(({ id, tool }) => (tool === null ? [] : [{ request: id, tool }]))
    if (calls.length > 0) {
      const id = `overturn-${randomUUID()}`
      const told = cutOffShape.safeParse(await this.#ask(id, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: cutOffMethod, params: { calls } }))))
      if (!told.success) throw lost()
      const texts = new Map(told.data.result.calls.map(({ request, text }) => [request, text]))
      for (const request of open) if (request.tool !== null) agent.refuse(request, texts.get(request.id) ?? unknownEnd)
    }
    for (const { line } of open) if (line) this.#send(line)
  }

  /** Carries lines both ways until one side ends; says which. */
  relay(agent: AgentSide): Promise<'agent' | 'host'> {
    this.#onLine = (line) => {
      if (agent.write(line)) return
      this.#stream.pause()
      agent.whenWritable(() => this.#stream.resume())
    }
    agent.read((line) => {
      if (this.#send(line) || this.#stream.destroyed) return
      agent.pause()
      this.#stream.once('drain', () => agent.resume())
    })
    this.#stream.resume()
    const left = agent.ended.then(async () => {
      this.#stream.end()
      setTimeout(() => this.#stream.destroy(), lastAnswersMs).unref()
      await this.#closed
      return 'agent' as const
    })
    let hasLeft = false
    void agent.ended.then(() => (hasLeft = true))
    return Promise.race([left, this.#closed.then((end) => (hasLeft ? ('agent' as const) : end))]).finally(() => agent.stop())
  }

  close(): void {
    this.#stream.destroy()
  }

  #send(line: Buffer): boolean {
    return this.#stream.write(Buffer.concat([line, lineEnd]))
  }

  /** The answer to a line of our own, which the agent does not see. Errors: CONNECTION_LOST. */
  async #ask(id: RequestId, line: Buffer): Promise<unknown> {
    const answer = new Promise<unknown>((resolveAnswer) => this.#asked.set(id, resolveAnswer))
    this.#stream.resume()
    this.#send(line)
    const message = await Promise.race([answer, this.#closed.then(() => null)])
    this.#asked.delete(id)
    if (message === null) throw lost()
    return message
  }

  #learn(message: unknown): void {
    const told = introducedShape.safeParse(message)
    if (told.success) this.#sessionId = told.data.result._meta[sessionMeta]
  }

  #take(line: Buffer): void {
    const isAsked = this.#asked.size > 0
    // Once the session is known, no line needs to be understood here.
    const message = isAsked || this.#sessionId === null ? parseLine(line) : null
    const id = answeredId(message)
    const asked = id === null ? undefined : this.#asked.get(id)
    if (asked) return asked(message)
    if (this.#sessionId === null) this.#learn(message)
    this.#onLine(line)
  }
}

/** What became of a call when nobody can tell. */
export const unknownEnd = 'Overturn ended while this call ran. What it did is not known: look at the present state of the files before you make it again.'

function lost(): ReviewError {
  return new ReviewError('CONNECTION_LOST', unknownEnd)
}
