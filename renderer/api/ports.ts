import { ReviewError } from '../../shared/errors.js'
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/frame-bytes.js'
import type { Frame, Port } from '../../shared/rpc.js'

/** What the preload script of the window puts into the page; absent in a browser. */
export interface Bridge {
  send(frame: Frame): void
  onFrame(listener: (frame: unknown) => void): void
}

declare global {
  interface Window {
    readonly overturn?: Bridge
  }
}

/**
 * Opens one connection to the host: over the bridge where the window has one, else over a socket to the page's origin.
 * Errors: CONNECTION_LOST when the socket cannot be opened; NOT_ADMITTED when the host is there and does not know us.
 */
export function openPort(signal: AbortSignal): Promise<Port> {
  return window.overturn ? Promise.resolve(bridgePort(window.overturn)) : socketPort(socketAddress(window.location), signal)
}

/** The bridge lives as long as the page: it never closes. */
export function bridgePort(bridge: Bridge): Port {
  return {
    send: (frame) => bridge.send(frame),
    onFrame: (listener) => bridge.onFrame(listener),
    onClose: () => undefined,
  }
}

/** A port over a WebSocket with binary frames. A message that cannot be read closes it. */
export function socketPort(address: string, signal: AbortSignal): Promise<Port> {
  const socket = new WebSocket(address)
  socket.binaryType = 'arraybuffer'
  signal.addEventListener('abort', () => socket.close(), { once: true })
  const port: Port = {
    send: (frame) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(toBuffer(encodeFrame(frame, utf8)))
    },
    onFrame: (listener) => {
      socket.onmessage = ({ data }: MessageEvent<unknown>) => {
        const frame = data instanceof ArrayBuffer ? readFrame(data) : null
        if (frame === null) socket.close()
        else listener(frame)
      }
    },
    onClose: (listener) => {
      socket.onclose = () => listener()
    },
  }
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(port)
    socket.onclose = () => void whyRefused().then(reject)
  })
}

/** A refused socket does not say why; the page's own address does. A host that was started anew knows no window of before. */
async function whyRefused(): Promise<ReviewError> {
  const status = await fetch('/', { method: 'HEAD', cache: 'no-store' }).then((response) => response.status, () => null)
  if (status === 403) return new ReviewError('NOT_ADMITTED', 'Overturn was started anew. Open the address that it printed.')
  return new ReviewError('CONNECTION_LOST', 'The connection to Overturn could not be opened. Is it still running?')
}

function socketAddress(location: Location): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`
}

function readFrame(data: ArrayBuffer): unknown {
  try {
    return decodeFrame(new Uint8Array(data), utf8)
  } catch {
    return null
  }
}

/** The socket's types want a buffer that is not shared; an encoded frame owns all of its own. */
function toBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const utf8: Utf8 = { encode: (text) => encoder.encode(text), decode: (bytes) => decoder.decode(bytes) }
