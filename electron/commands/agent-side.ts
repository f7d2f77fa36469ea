import type { Duplex, Readable, Writable } from 'node:stream'
import { lineCutter, maxLineBytes, parseLine } from '../agents/lines.js'

type RequestId = string | number

const lastAnswersMs = 1_000
const serverFault = -32000

/** The agent on our standard streams, and which of its requests have no answer yet. */
export class AgentSide {
  readonly #input: Readable
  readonly #output: Writable
  readonly #open = new Set<RequestId>()
  readonly #ended: Promise<void>
  #onChunk: (chunk: Buffer) => void = () => undefined

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
    const watch = lineCutter(maxLineBytes, (line) => {
      const id = requestId(parseLine(line))
      if (id !== null) this.#open.add(id)
    })
    let isWatching = true
    this.#ended = new Promise((resolveEnd) => {
      input.on('end', resolveEnd).on('close', resolveEnd).on('error', () => resolveEnd())
      // Nobody reads any more: the agent is gone.
      output.on('error', () => resolveEnd())
    })
    input.pause()
    input.on('data', (chunk: Buffer) => {
      isWatching &&= watch(chunk)
      this.#onChunk(chunk)
    })
    input.pause()
  }

  /** Hands every chunk to `onChunk`, and tells once when no more will come. */
  read(onChunk: (chunk: Buffer) => void, onEnd: () => void): void {
    this.#onChunk = onChunk
    void this.#ended.then(onEnd)
    this.#input.resume()
  }

  pause(): void {
    this.#input.pause()
  }

  resume(): void {
    this.#input.resume()
  }

  /** Writes one line of the host. Returns whether more may follow at once. */
  write(line: Buffer): boolean {
    const id = answeredId(parseLine(line))
    if (id !== null) this.#open.delete(id)
    return this.#output.write(Buffer.concat([line, Buffer.from('\n')]))
  }

  whenWritable(listener: () => void): void {
    this.#output.once('drain', listener)
  }

  /** Answers each open request with an error. */
  refuseOpen(message: string): void {
    for (const id of this.#open) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: serverFault, message } })}\n`)
    this.#open.clear()
  }

  /** Answers each request with an error until the agent goes. */
  async refuseAll(message: string): Promise<void> {
    this.read(() => this.refuseOpen(message), () => undefined)
    await this.#ended
  }

  /** Lets go of both streams once everything is written. */
  async leave(): Promise<void> {
    this.#input.destroy()
    if (this.#output.writable) await new Promise<void>((written) => this.#output.write('', () => written()))
  }
}

/** Carries lines both ways until one side ends. Returns the exit code. */
export function relay(stream: Duplex, agent: AgentSide): Promise<number> {
  return new Promise((resolveCode) => {
    let hasAgentEnded = false
    agent.read(
      (chunk) => {
        if (stream.write(chunk) || stream.destroyed) return
        agent.pause()
        stream.once('drain', () => agent.resume())
      },
      () => {
        hasAgentEnded = true
        stream.end()
        setTimeout(() => stream.destroy(), lastAnswersMs).unref()
      },
    )
    // Whole lines only, so that an answer can follow when the host dies in the middle of one.
    const cut = lineCutter(maxLineBytes, (line) => {
      if (agent.write(line)) return
      stream.pause()
      agent.whenWritable(() => stream.resume())
    })
    stream.on('data', (chunk: Buffer) => {
      if (!cut(chunk)) stream.destroy()
    })
    stream.resume()
    stream.on('close', () => {
      if (!hasAgentEnded) {
        agent.refuseOpen('Overturn ended while this request ran. Look at the present state of the files, start Overturn, then connect to this server again.')
      }
      resolveCode(hasAgentEnded ? 0 : 1)
    })
  })
}

function requestId(message: unknown): RequestId | null {
  return isObject(message) && 'method' in message ? idOf(message) : null
}

function answeredId(message: unknown): RequestId | null {
  return isObject(message) && ('result' in message || 'error' in message) ? idOf(message) : null
}

function idOf(message: object): RequestId | null {
  if (!('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
