import type { Duplex } from 'node:stream'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, JSONRPCMessageSchema, type JSONRPCMessage, type RequestId } from '@modelcontextprotocol/sdk/types.js'
import { lineCutter, maxLineBytes, parseLine } from './lines.js'

/**
 * MCP messages as lines of JSON on one stream, both ways.
 *
 * A line that is no message is passed over, and answered where it has an id; one above 64 MiB ends the connection.
 */
export class LineTransport implements Transport {
  onmessage?: Transport['onmessage']
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #stream: Duplex
  #isOpen = true

  constructor(stream: Duplex) {
    this.#stream = stream
  }

  async start(): Promise<void> {
    const cut = lineCutter(maxLineBytes, (line) => this.#take(line))
    this.#stream.on('data', (chunk: Buffer) => {
      if (cut(chunk)) return
      this.onerror?.(new Error('A line is longer than 64 MiB.'))
      this.#stream.destroy()
    })
    this.#stream.on('error', (error) => this.onerror?.(error))
    this.#stream.on('close', () => this.#closed())
    this.#stream.resume()
    // A stream that was closed before this moment says so no more.
    if (this.#stream.destroyed) this.#closed()
  }

  /** Resolves when the stream can take more, or is gone. Errors: rejects when it is gone already. */
  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen || !this.#stream.writable) return reject(new Error('The connection is closed.'))
      if (this.#stream.write(`${JSON.stringify(message)}\n`)) return resolve()
      const settle = (): void => {
        this.#stream.off('drain', settle).off('close', settle)
        resolve()
      }
      this.#stream.on('drain', settle).on('close', settle)
    })
  }

  /** Ends the stream once what was sent has left. */
  async close(): Promise<void> {
    if (this.#isOpen) this.#stream.end(() => this.#stream.destroy())
    this.#closed()
  }

  #closed(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.onclose?.()
  }

  #take(line: Buffer): void {
    if (!this.#isOpen) return
    const value = parseLine(line)
    const parsed = JSONRPCMessageSchema.safeParse(value)
    if (parsed.success) return this.onmessage?.(parsed.data)
    if (line.toString('utf8').trim() === '') return
    this.onerror?.(new Error('A line is no JSON-RPC message.'))
    const id = idOf(value)
    const error = { code: ErrorCode.InvalidRequest, message: 'This is no JSON-RPC 2.0 request.' }
    if (id !== null) this.send({ jsonrpc: '2.0', id, error }).catch(() => undefined)
  }
}

function idOf(value: unknown): RequestId | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  return typeof value.id === 'string' || Number.isSafeInteger(value.id) ? (value.id as RequestId) : null
}
