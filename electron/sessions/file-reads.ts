import { read, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'

const readLater = promisify(read)

/** A read that takes longer waited for the disk. */
const slowReadMs = 5
const sliceMs = 8
/** The most that is read at once. */
export const largestRead = 1 << 20

// The first read is taken for a quick one: most logs were written a moment ago.
let isFromMemory = true
let sliceStart = 0

/**
 * Reads into a buffer, at most 1 MiB. Returns how many bytes; 0 at the end of the file.
 *
 * A read that waits for the disk is handed to another thread. As long as reads are answered from memory they are made at once
 * instead, which halves the time of a big log and of many small ones, with a pause after each 8 ms; so the caller's thread is never
 * held for long.
 */
export async function readInto(file: number, into: Buffer, at: number, length: number, position: number): Promise<number> {
  const now = performance.now()
  if (isFromMemory && now - sliceStart > sliceMs) {
    await setImmediate()
    sliceStart = performance.now()
  }
  const wanted = Math.min(length, largestRead)
  const before = performance.now()
  const bytesRead = isFromMemory
    ? readSync(file, into, at, wanted, position)
    : (await readLater(file, into, at, wanted, position)).bytesRead
  isFromMemory = performance.now() - before < slowReadMs
  return bytesRead
}

/** Buffers for reads that leave nothing behind, of two sizes: a new one for each costs more than the read. */
const spares = [
  { bytes: 1 << 16, most: 8, idle: [] as Buffer[] },
  { bytes: 4 << 20, most: 1, idle: [] as Buffer[] },
]

/** Reads as `readBytes` does, into a buffer that is used again: what `look` returns must hold none of its bytes. */
export async function lookAtBytes<Value>(file: number, offset: number, length: number, look: (bytes: Buffer) => Value): Promise<Value> {
  const fitting = spares.find(({ bytes }) => length <= bytes)
  if (!fitting) return look(await readBytes(file, offset, length))
  const spare = fitting.idle.pop() ?? Buffer.allocUnsafe(fitting.bytes)
  try {
    return look(await fill(spare.subarray(0, Math.max(0, length)), file, offset))
  } finally {
    if (fitting.idle.length < fitting.most) fitting.idle.push(spare)
  }
}

/** Up to `length` bytes from `offset`; fewer where the file ends. */
export async function readBytes(file: number, offset: number, length: number): Promise<Buffer> {
  return fill(Buffer.allocUnsafe(Math.max(0, length)), file, offset)
}

async function fill(bytes: Buffer, file: number, offset: number): Promise<Buffer> {
  let have = 0
  while (have < bytes.length) {
    const bytesRead = await readInto(file, bytes, have, bytes.length - have, offset + have)
    if (bytesRead === 0) break
    have += bytesRead
  }
  return bytes.subarray(0, have)
}
