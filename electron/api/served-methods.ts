import { contract, type Handlers, type Method, type Params } from '../../shared/contract.js'
import { ReviewError } from '../../shared/errors.js'
import type { ServedMethod } from '../../shared/rpc.js'

/**
 * The handlers as a host serves them: each call's params are checked against the contract first.
 * Errors: INVALID_PARAMS with `details.field`, the path of the first field that does not fit.
 */
export function servedMethods(handlers: Handlers): ReadonlyMap<string, ServedMethod> {
  const methods = Object.keys(contract) as Method[]
  return new Map(methods.map((method) => [method, servedMethod(method, handlers[method])]))
}

function servedMethod<M extends Method>(method: M, handler: Handlers[M]): ServedMethod {
  const { kind, params: schema } = contract[method]
  const parse = (params: unknown): Params<M> => {
    const checked = schema.safeParse(params)
    if (checked.success) return checked.data as Params<M>
    const issue = checked.error.issues[0]
    const field = issue?.path.join('.') ?? ''
    throw new ReviewError('INVALID_PARAMS', `${method} was called with a wrong ${field === '' ? 'set of values' : `"${field}"`}. Reload the window.`, {
      details: { field },
    })
  }
  const run = handler as (params: Params<M>, context: Parameters<ServedMethod['run']>[1]) => Promise<unknown>
  return { kind, parse, run: (params, context) => run(params as Params<M>, context) }
}
