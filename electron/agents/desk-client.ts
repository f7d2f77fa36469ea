import { connect as connectSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { ApprovalMode } from '../../shared/approval.js'
import { errorCodes, fromWireError, isAbort, ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { Resume } from './agent-desk.js'
import { readDeskFacts, type DeskFacts } from './desk-file.js'
import { parseLine, takeFirstLine } from './lines.js'

/** What a connection is for: an agent's MCP messages, or frames of another host. */
export type DeskHello =
  { readonly kind: 'mcp'; readonly workspace: string; readonly mode: ApprovalMode | null; readonly resume: Resume | null } | { readonly kind: 'rpc' }

export type DeskReach =
  | {
      readonly kind: 'open'
      /** What follows the greeting: lines of JSON both ways. Paused until it is read. */
      readonly stream: Duplex
      /** Of the host that holds the desk. */
      readonly version: string
    }
  /** No host lives that holds the desk of this data folder. */
  | { readonly kind: 'none' }
  /** One lives and does not take us: NOT_ADMITTED, INVALID_PARAMS or CONNECTION_LOST. */
  | { readonly kind: 'refused'; readonly error: ReviewError }

/** Raised when the greeting or what follows it changes so that an older side could not follow. */
export const socketProtocol = 2

/** Where the answer to `initialize` says which session the agent works in. */
export const sessionMeta = 'overturn/session'
/** Asks what became of requests that had no answer when the last host ended; only the shim of the command line does. */
export const cutOffMethod = 'overturn/cut-off'

const maxReplyBytes = 16_384
const replyTimeMs = 5_000

const replyShape = z.union([
  z.object({ ok: z.literal(true), version: z.string() }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.enum(errorCodes), message: z.string() }) }),
])

/** So long a host that takes the socket over may need to say in desk.json which token it admits. */
const newTokenMs = 2_000
const pollMs = 50

/** Connects to the host that holds the desk of a data folder, and greets it. Errors: CANCELLED, PERMISSION_DENIED (desk.json). */
export async function connectDesk(dataFolder: string, hello: DeskHello, signal?: AbortSignal): Promise<DeskReach> {
  const facts = await readDeskFacts(dataFolder)
  if (!facts) return { kind: 'none' }
  const reach = await greet(facts, hello, signal)
  if (reach.kind !== 'refused' || reach.error.code !== 'NOT_ADMITTED') return reach
  // The token may be that of a host that died, while the next one answers at its place already.
  for (const endsAt = Date.now() + newTokenMs; Date.now() < endsAt; ) {
    const now = await readDeskFacts(dataFolder)
    throwIfAborted(signal)
    if (now && now.token !== facts.token) return greet(now, hello, signal)
    await setTimeout(pollMs)
  }
  return reach
}

async function greet(facts: DeskFacts, hello: DeskHello, signal: AbortSignal | undefined): Promise<DeskReach> {
  const stream = await openSocket(facts.socket, signal)
  if (!stream) return { kind: 'none' }
  try {
    stream.write(`${JSON.stringify({ protocol: socketProtocol, token: facts.token, ...hello })}\n`)
    const reply = replyShape.safeParse(parseLine(await takeFirstLine(stream, maxReplyBytes, replyTimeMs)))
    if (!reply.success) throw new ReviewError('CONNECTION_LOST', 'What listens at the local socket is not Overturn. Start Overturn again.')
    if (reply.data.ok) return { kind: 'open', stream, version: reply.data.version }
    throw fromWireError({ ...reply.data.error, details: {} })
  } catch (thrown) {
    stream.destroy()
    if (signal?.aborted || !(thrown instanceof ReviewError)) throw thrown
    return { kind: 'refused', error: thrown }
  }
}

/** `null` when nobody listens there. */
function openSocket(path: string, signal: AbortSignal | undefined): Promise<Duplex | null> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path, signal })
    const fail = (thrown: Error): void => (isAbort(thrown) ? reject(thrown) : resolve(null))
    socket.once('error', fail)
    socket.once('connect', () => {
      socket.off('error', fail)
      // Its end is heard as `close`; without a listener a broken pipe would end this process.
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
