import type { DeskReach } from '../agents/desk-client.js'
import type { Log } from '../base/log.js'
import { ReviewError } from '../../shared/errors.js'
import { connect, type Connection, type Port } from '../../shared/rpc.js'
import { changeEvents, deskEvents, deskMethods, type DeskHandlers, type DeskMethod } from './desk-handlers.js'

/** A desk in this process. */
export interface HeldDesk {
  readonly handlers: DeskHandlers
  readonly close: () => Promise<void>
}

export interface DeskLinkOptions {
  /** Opens the desk here, or `null` while another process holds it. */
  readonly hold: () => Promise<HeldDesk | null>
  /** Reaches the process that holds it. */
  readonly reach: () => Promise<DeskReach>
  /** Frames over a stream. */
  readonly portOf: (stream: (DeskReach & { kind: 'open' })['stream']) => Port
  /** Whether this process opens the desk where no other does; a single command does not. */
  readonly mayHold: boolean
  /** What the process that holds the desk tells. */
  readonly onEvent: (event: (typeof deskEvents)[number], payload: unknown) => void
  readonly log: Log
}

/** The one desk of this user, wherever it is. */
export interface DeskLink {
  readonly handlers: DeskHandlers
  /** Where the desk is now; opens or reaches it. Errors: HOST_NOT_RUNNING. */
  readonly join: () => Promise<'here' | 'elsewhere'>
  readonly close: () => Promise<void>
}

type Joined = { readonly kind: 'here'; readonly desk: HeldDesk } | { readonly kind: 'elsewhere'; readonly connection: Connection; readonly end: () => void }

const attempts = 40
const attemptMs = 100

/**
 * Joins the desk: opens it here, or forwards its methods to the process that holds it. When that process ends, the next call opens
 * it here. A call that was under way is lost and says so; it is never made twice.
 */
export function createDeskLink(options: DeskLinkOptions): DeskLink {
  const { hold, reach, portOf, mayHold, onEvent, log } = options
  let joined: Promise<Joined> | null = null
  let isClosed = false

  const joinNow = async (): Promise<Joined> => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (isClosed) throw new ReviewError('CONNECTION_LOST', 'Overturn is ending. Look at the present state before you try again.')
      const desk = mayHold ? await hold() : null
      if (desk) return { kind: 'here', desk }
      const reached = await reach()
      if (reached.kind === 'open') {
        const { stream } = reached
        const connection = connect(portOf(stream), (event, payload) => {
          const known = deskEvents.find((each) => each === event)
          if (known) onEvent(known, payload)
        })
        void connection.closed.then(() => {
          joined = null
          if (isClosed) return
          // What it held is gone with it; the window must not go on showing it.
          for (const event of changeEvents) onEvent(event, {})
          if (mayHold) link.join().catch((thrown: unknown) => log.error('desk.not-joined', thrown))
        })
        return { kind: 'elsewhere', connection, end: () => stream.destroy() }
      }
      if (reached.kind === 'refused') throw reached.error
      if (!mayHold) break
      // Its holder is starting or ending.
      await new Promise((resolve) => setTimeout(resolve, attemptMs))
    }
    throw new ReviewError('HOST_NOT_RUNNING', 'No Overturn runs that an agent could be connected to. Start it with "overturn serve", or let an agent connect.')
  }

  const joinOnce = (): Promise<Joined> => {
    const now = (joined ??= joinNow())
    now.catch(() => {
      if (joined === now) joined = null
    })
    return now
  }

  const forward =
    <M extends DeskMethod>(method: M): DeskHandlers[M] =>
    // The other side checked the params and made the result: it serves the same contract.
    (async (params: unknown, context: Parameters<DeskHandlers[M]>[1]) => {
      const where = await joinOnce()
      if (where.kind === 'here') return (where.desk.handlers[method] as (params: unknown, context: unknown) => Promise<unknown>)(params, context)
      return where.connection.call(method, params, { signal: context.signal, onProgress: context.progress })
    }) as DeskHandlers[M]

  const link: DeskLink = {
    handlers: Object.fromEntries(deskMethods.map((method) => [method, forward(method)])) as DeskHandlers,
    join: async () => (await joinOnce()).kind,
    close: async () => {
      isClosed = true
      const where = await joined?.catch(() => null)
      joined = null
      if (where?.kind === 'here') await where.desk.close()
      else where?.end()
    },
  }
  return link
}
