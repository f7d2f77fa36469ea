// 10 MB from the host to the window: our frames over a socket beside JSON over a socket, and beside a structured clone, which is
// what the window of Electron gets.

import { once } from 'node:events'
import { Worker, parentPort, workerData } from 'node:worker_threads'
import { WebSocket, WebSocketServer } from 'ws'
import { decodeFrame, encodeFrame, type Utf8 } from '../../shared/frame-bytes.js'
import type { Frame } from '../../shared/rpc.js'
import { randomFrom, textSource } from './generated-text.js'
import { race, ratio, timed, type Timed } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const rounds = 15
const bytes = 10_000_000

/** First byte of a message that is bytes alone; a frame that began so would be above 4 GB. */
const readyMade = 0xff

/** How the receiver's thread is to take what comes. */
interface ReceiverOptions {
  readonly receiver: number
}

const decoder = new TextDecoder()
const utf8: Utf8 = { encode: (text) => Buffer.from(text), decode: (data) => decoder.decode(data) }

/** Is run in a thread of the bench, in the window's place: takes what comes, and answers with the characters in it. */
export async function receiveRecords(): Promise<void> {
  const { receiver } = workerData as ReceiverOptions
  const socket = new WebSocket(`ws://127.0.0.1:${receiver}`, { perMessageDeflate: false })
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (data[0] === readyMade) socket.send(String(data.length))
    else socket.send(String(charactersIn(isBinary ? decodeFrame(data, utf8) : JSON.parse(data.toString()))))
  })
  parentPort?.on('message', (frame: unknown) => parentPort?.postMessage(charactersIn(frame)))
  await once(socket, 'open')
}

function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, inner: unknown) => sum + charactersIn(inner), 0)
}

export const benchWire: Group = async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, maxPayload: 1 << 28 })
  await once(server, 'listening')
  const address = server.address()
  const receiver = typeof address === 'object' && address ? address.port : 0
  const worker = new Worker(process.argv[1] ?? '', { workerData: { receiver } satisfies ReceiverOptions })
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  const overSocket = async (data: string | Uint8Array): Promise<number> => {
    const answer = once(socket, 'message')
    socket.send(data)
    return Number(String((await answer)[0]))
  }
  const cloned = async (frame: Frame): Promise<number> => {
    const answer = once(worker, 'message')
    worker.postMessage(frame)
    return Number((await answer)[0])
  }

  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const [name, frame] of Object.entries(frames())) {
    const way = (title: string, run: () => Promise<number>): { readonly name: string; readonly run: () => Promise<Timed<number>> } => ({ name: title, run: () => timed(run) })
    const plain = Buffer.alloc(encodeFrame(frame, utf8).length, readyMade)
    const timings = await race(
      [
        way('structured clone', () => cloned(frame)),
        way('JSON over a socket', () => overSocket(JSON.stringify(frame))),
        way('ours over a socket', () => overSocket(encodeFrame(frame, utf8))),
        way('limit: as many bytes over a socket', () => overSocket(plain)),
      ],
      rounds,
    )
    const wanted = charactersIn(frame)
    rows.push(...[...timings].map(([title, { ms }]) => [name, title, ms, ratio(timings, title, 'structured clone')]))
    goals.push(
      { what: `${name}: against a structured clone`, measured: ratio(timings, 'ours over a socket', 'structured clone'), atMost: 1.5 },
      { what: `${name}: against JSON over a socket`, measured: ratio(timings, 'ours over a socket', 'JSON over a socket'), atMost: 1 },
      { what: `${name}: characters that got lost`, measured: Math.abs(wanted - (timings.get('ours over a socket')?.result ?? 0)), atMost: 0 },
    )
  }
  await worker.terminate()
  server.close()
  socket.terminate()
  return { tables: [table('10 MB to the window', ['what', 'way', 'ms', 'to the clone'], rows)], goals }
}

function frames(): Readonly<Record<string, Frame>> {
  const random = randomFrom(4)
  const text = textSource(random, bytes)
  const records: unknown[] = []
  for (let total = 0; total < bytes; ) {
    const output = text(400 + random() * 20_000)
    records.push({ kind: 'result', id: records.length, output, at: 1_767_600_000_000 + records.length })
    total += output.length
  }
  return {
    'two texts of 5 MB': { type: 'ok', id: 1, result: { kind: 'texts', before: text(bytes / 2), after: text(bytes / 2) } },
    [`${records.length} records`]: { type: 'ok', id: 2, result: { records } },
  }
}
