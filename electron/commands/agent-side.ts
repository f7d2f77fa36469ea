import type { Readable, Writable } from 'node:stream'
import { lineCutter, maxLineBytes, parseLine } from '../agents/lines.js'

export type RequestId = string | number

/** A request that has no answer yet. */
export interface OpenRequest {
  readonly id: RequestId
  /** The tool of a call; `null` for what is no call, and can be asked again. */
  readonly tool: string | null
  /** The whole line of what is no call. */
  readonly line: Buffer | null
}

const serverFault = -32000
const lineEnd = Buffer.from('\n')

/** The agent on our standard streams, how it introduced itself, and which of its requests have no answer yet. */
export class AgentSide {
  /** Resolves when no more lines will come. */
  readonly ended: Promise<void>
  readonly #input: Readable
  readonly #output: Writable
  readonly #open = new Map<RequestId, OpenRequest>()
  /** Lines that came while nobody took them. */
  #held: { readonly id: RequestId | null; readonly line: Buffer }[] = []
  #introduction: { readonly id: RequestId; readonly line: Buffer } | null = null
  #confirmation: Buffer | null = null
  #onLine: ((line: Buffer) => void) | null = null
  #onWanted: () => void = () => undefined
  #problem: string | null = null

  constructor(input: Readable, output: Writable) {
    this.#input = input
    this.#output = output
    const cut = lineCutter(maxLineBytes, (line) => this.#take(line))
    this.ended = new Promise((resolveEnd) => {
      input.on('end', resolveEnd).on('close', resolveEnd).on('error', () => resolveEnd())
      // Nobody reads any more: the agent is gone.
      output.on('error', () => resolveEnd())
      input.on('data', (chunk: Buffer) => {
        if (this.#problem !== null || cut(chunk)) return
        this.#problem = 'A line of the agent is longer than 64 MiB.'
        resolveEnd()
      })
    })
    input.pause()
  }

  /** Why the agent's lines ended before the agent did; `null` where it left by itself. */
  get problem(): string | null {
    return this.#problem
  }

  get open(): readonly OpenRequest[] {
    return [...this.#open.values()]
  }

  /** Those of them that somebody has taken. */
  get underWay(): readonly OpenRequest[] {
    return this.open.filter(({ id }) => !this.#held.some((each) => each.id === id))
  }

  get introduction(): { readonly id: RequestId; readonly line: Buffer } | null {
    return this.#introduction
  }

  /** The line by which the agent said that it is ready; `null` before that. */
  get confirmation(): Buffer | null {
    return this.#confirmation
  }

  /** Hands every line, without its end, to `onLine` until `stop`. */
  read(onLine: (line: Buffer) => void): void {
    this.#onLine = onLine
    for (const { line } of this.#held.splice(0)) onLine(line)
    this.#input.resume()
  }

  /** Lines that come from now on are held. */
  stop(): void {
    this.#onLine = null
    this.#input.pause()
  }

  /** Resolves when the agent waits for an answer, or sends something, or goes. */
  async whenWanted(): Promise<void> {
    if (this.#open.size > 0 || this.#held.length > 0) return
    const wanted = new Promise<void>((wake) => (this.#onWanted = wake))
    this.#input.resume()
    await Promise.race([wanted, this.ended])
    this.#input.pause()
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
    return this.#output.write(Buffer.concat([line, lineEnd]))
  }

  whenWritable(listener: () => void): void {
    this.#output.once('drain', listener)
  }

  /** Answers one open request with a sentence: a call as a tool that failed, which the model reads, all else with an error. */
  refuse({ id, tool }: OpenRequest, message: string): void {
    const end = tool === null ? { error: { code: serverFault, message } } : { result: { isError: true, content: [{ type: 'text', text: message }] } }
    this.write(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, ...end })))
  }

  refuseOpen(message: string): void {
    this.#held = []
    for (const request of this.open) this.refuse(request, message)
  }

  /** Answers each request so until the agent goes. */
  async refuseAll(message: string): Promise<void> {
    this.refuseOpen(message)
    this.read(() => this.refuseOpen(message))
    await this.ended
  }

  /** Lets go of both streams once everything is written. */
  async leave(): Promise<void> {
    this.#input.destroy()
    if (this.#output.writable) await new Promise<void>((written) => this.#output.write('', () => written()))
  }

  #take(line: Buffer): void {
    const message = parseLine(line)
    let id: RequestId | null = null
    if (isObject(message) && 'method' in message) {
      id = idOf(message)
      const isCall = message.method === 'tools/call'
      if (id !== null) this.#open.set(id, { id, tool: isCall ? toolOf(message) : null, line: isCall ? null : line })
      if (id !== null && message.method === 'initialize') this.#introduction = { id, line }
      if (message.method === 'notifications/initialized') this.#confirmation = line
    }
    if (this.#onLine) this.#onLine(line)
    else this.#held.push({ id, line })
    this.#onWanted()
  }
}

function toolOf(message: object): string {
  const params = 'params' in message ? message.params : null
  return isObject(params) && 'name' in params && typeof params.name === 'string' ? params.name : ''
}

/** Identity of the request that a message answers; `null` for any other. */
export function answeredId(message: unknown): RequestId | null {
  return isObject(message) && ('result' in message || 'error' in message) ? idOf(message) : null
}

function idOf(message: object): RequestId | null {
  if (!('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
