import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { decodeFrame, encodeFrame } from '../../shared/frame-bytes.js'
import { tinyApp } from '../testing/tiny-app.js'
import { serveSocket, type FrameSocket } from './frame-socket.js'

const megabyte = 1024 * 1024

/** A socket whose reader takes nothing until `read` is called. */
class SlowSocket extends EventEmitter implements FrameSocket {
  bufferedAmount = 0
  isPaused = false
  isTerminated = false
  last: Uint8Array = new Uint8Array()
  readonly #waiting: { readonly size: number; readonly sent: () => void }[] = []

  send(data: Uint8Array, sent: () => void): void {
    this.bufferedAmount += data.length
    this.last = data
    this.#waiting.push({ size: data.length, sent })
  }

  /** The reader takes the oldest message. */
  read(): void {
    const message = this.#waiting.shift()
    if (message === undefined) return
    this.bufferedAmount -= message.size
    message.sent()
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  close(): void {
    this.emit('close')
  }

  terminate(): void {
    this.isTerminated = true
    this.emit('close')
  }
}

describe('frame socket', () => {
  it('stops reading above 8 MB of unsent data and goes on below it', () => {
    const [socket, app] = [new SlowSocket(), tinyApp()]
    serveSocket(socket, app)
    const states = [1, 2, 3].map(() => {
      app.emit('library.changed', 'x'.repeat(3 * megabyte))
      return socket.isPaused
    })
    socket.read()
    expect([...states, socket.isPaused]).toEqual([false, false, true, false])
  })

  it('carries a long text with its byte order mark both ways', async () => {
    const [socket, app] = [new SlowSocket(), tinyApp()]
    const utf8 = { encode: (text: string) => new TextEncoder().encode(text), decode: (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) }
    serveSocket(socket, app)
    const params = { text: `\ufeff${'x'.repeat(100_000)}` }
    socket.emit('message', Buffer.from(encodeFrame({ type: 'call', id: 1, method: 'echo', params }, utf8)), true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(decodeFrame(socket.last, utf8)).toEqual({ type: 'ok', id: 1, result: params })
  })

  it('gives up a reader that leaves 512 MB', () => {
    const [socket, app] = [new SlowSocket(), tinyApp()]
    serveSocket(socket, app)
    socket.bufferedAmount = 513 * megabyte
    app.emit('library.changed', {})
    expect([socket.isTerminated, app.listenerCount()]).toEqual([true, 0])
  })
})
