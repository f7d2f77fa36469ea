import type { Events, Method, Params, Result } from '../../shared/contract.js'
import { ReviewError } from '../../shared/errors.js'
import { connect, type CallOptions, type Port } from '../../shared/rpc.js'

/** What changed on the other side; nothing but its name and whose. */
export type ServerEvent = { readonly [Name in keyof Events]: { readonly name: Name; readonly payload: Events[Name] } }[keyof Events]

/** The contract's methods over one connection, typed. */
export interface Client {
  /**
   * Errors: `ReviewError` with the host's code; CANCELLED only when the signal fires, so that whoever passes over it hides
   * nothing (INTERNAL where the host gave up by itself); CONNECTION_LOST when the connection ends.
   */
  call<M extends Method>(method: M, params: Params<M>, options?: CallOptions): Promise<Result<M>>
  /** Ends when the connection closes. */
  readonly closed: Promise<void>
}

/** Speaks the contract over a port. */
export function createClient(port: Port, onEvent: (event: ServerEvent) => void): Client {
  const connection = connect(port, (name, payload) => {
    if (isEventName(name)) onEvent({ name, payload } as ServerEvent)
  })
  return {
    closed: connection.closed,
    // The host is typed by the same contract, so its answer has the method's type.
    call: async <M extends Method>(method: M, params: Params<M>, options?: CallOptions) => {
      try {
        return (await connection.call(method, params, options)) as Result<M>
      } catch (thrown) {
        const isUnasked = thrown instanceof ReviewError && thrown.code === 'CANCELLED' && !options?.signal?.aborted
        throw isUnasked ? new ReviewError('INTERNAL', thrown.message, { details: thrown.details, cause: thrown }) : thrown
      }
    },
  }
}

const eventNames: Readonly<Record<keyof Events, true>> = {
  'library.changed': true,
  'session.changed': true,
  'approvals.changed': true,
  'agents.changed': true,
  'policy.changed': true,
  'approval.asked': true,
}

function isEventName(name: string): name is keyof Events {
  return Object.hasOwn(eventNames, name)
}
