import type { Readable } from 'node:stream'
import { ReviewError } from '../../shared/errors.js'

export const maxLineBytes = 64 * 1024 * 1024
const lineFeed = 10

/**
 * Cuts a stream of bytes into lines at byte 10 alone: JSON strings may hold U+2028, at which line readers cut too.
 *
 * Shape: the returned function takes the next chunk, calls `onLine` for each line it ends (without its line feed), and returns
 * `false` once an unfinished line is longer than `maxBytes`.
 */
export function lineCutter(maxBytes: number, onLine: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = []
  let heldBytes = 0
  return (chunk) => {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)])
      parts = []
      heldBytes = 0
      from = end + 1
      onLine(line)
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
    heldBytes += chunk.length - from
    return heldBytes <= maxBytes
  }
}

/**
 * Takes the first line off a stream and leaves the rest in it, paused.
 * Errors: CONNECTION_LOST when the stream ends first, the line is longer than `maxBytes`, or does not come within `timeoutMs`.
 */
export function takeFirstLine(stream: Readable, maxBytes: number, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const stop = (): void => {
      clearTimeout(timer)
      stream.off('data', take).off('end', lost).off('close', lost).off('error', lost)
      stream.pause()
    }
    const lost = (): void => {
      stop()
      reject(new ReviewError('CONNECTION_LOST', 'The other side of the local socket did not introduce itself. Start Overturn again.'))
    }
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf(lineFeed)
      bytes += end < 0 ? chunk.length : end
      if (bytes > maxBytes) return lost()
      if (end < 0) return void chunks.push(chunk)
      stop()
      if (end + 1 < chunk.length) stream.unshift(chunk.subarray(end + 1))
      resolve(Buffer.concat([...chunks, chunk.subarray(0, end)]).toString('utf8'))
    }
    const timer = setTimeout(lost, timeoutMs)
    stream.on('data', take).on('end', lost).on('close', lost).on('error', lost)
    stream.resume()
  })
}

/** The value of a line of JSON, or `undefined` for anything else. */
export function parseLine(line: Buffer | string): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    return undefined
  }
}
