import type { Duplex } from 'node:stream'
import type { Port } from '../../shared/rpc.js'
import { lineCutter, maxLineBytes, parseLine } from './lines.js'

/** Above this much unsent data the other side's frames wait in the socket, so that a slow reader cannot fill our memory. */
const highWaterBytes = 8 * 1024 * 1024
/** Above this much, events alone have piled up at a reader that is gone. */
const maxUnsentBytes = 512 * 1024 * 1024

/** Frames as lines of JSON on one stream. A line that is no JSON is passed over; one above 64 MiB ends the connection. */
export function framePort(stream: Duplex): Port {
  return {
    send: (frame) => {
      if (!stream.writable) return
      if (stream.writableLength > maxUnsentBytes) return void stream.destroy()
      stream.write(`${JSON.stringify(frame)}\n`, () => {
        if (stream.isPaused() && stream.writableLength <= highWaterBytes) stream.resume()
      })
      if (stream.writableLength > highWaterBytes) stream.pause()
    },
    onFrame: (listener) => {
      const cut = lineCutter(maxLineBytes, (line) => {
        const frame = parseLine(line)
        if (frame !== undefined) listener(frame)
      })
      stream.on('data', (chunk: Buffer) => {
        if (!cut(chunk)) stream.destroy()
      })
      stream.resume()
    },
    onClose: (listener) => {
      stream.on('end', () => stream.end())
      if (stream.destroyed) listener()
      else stream.on('close', listener)
    },
  }
}
