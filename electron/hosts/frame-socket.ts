import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/frame-bytes.js'
import { openConnection, type ServedApp } from './host.js'

/** What is needed of a WebSocket of the package `ws`. */
export interface FrameSocket {
  readonly bufferedAmount: number
  readonly isPaused: boolean
  send(data: Uint8Array, sent: () => void): void
  pause(): void
  resume(): void
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'message', listener: (data: unknown, isBinary: boolean) => void): unknown
  on(event: 'close' | 'error', listener: () => void): unknown
}

/** Above this much unsent data a connection's calls wait in the socket, so that a slow reader cannot fill our memory. */
const highWaterBytes = 8 * 1024 * 1024
/** Above this much, events alone have piled up at a reader that is gone. */
const maxUnsentBytes = 512 * 1024 * 1024
const invalidData = 1007

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const utf8: Utf8 = { encode: (text) => Buffer.from(text), decode: (bytes) => decoder.decode(bytes) }

/** Serves `app` on one open socket until it closes. A message that is no frame closes it. */
export function serveSocket(socket: FrameSocket, app: ServedApp): void {
  const connection = openConnection(app, (frame) => {
    if (socket.bufferedAmount > maxUnsentBytes) return socket.terminate()
    socket.send(encodeFrame(frame, utf8), () => {
      if (socket.isPaused && socket.bufferedAmount <= highWaterBytes) socket.resume()
    })
    if (socket.bufferedAmount > highWaterBytes) socket.pause()
  })
  socket.on('message', (data, isBinary) => {
    const frame = isBinary && data instanceof Uint8Array ? decodeOrNull(data) : null
    if (frame === null) socket.close(invalidData, 'This message is no frame.')
    else connection.receive(frame)
  })
  socket.on('close', connection.close)
  socket.on('error', () => socket.terminate())
}

function decodeOrNull(data: Uint8Array): unknown {
  try {
    return decodeFrame(data, utf8)
  } catch {
    return null
  }
}
