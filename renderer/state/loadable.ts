import { ReviewError, toWireError } from '../../shared/errors.js'

/** A value that comes from the host: nothing asked yet, on its way, there, or refused. `stale` keeps the last one while asking again. */
export type Loadable<Value> =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly stale: Value | null }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: ReviewError }

/** The value to show, the last one included. */
export function valueOf<Value>(loadable: Loadable<Value>): Value | null {
  if (loadable.kind === 'ready') return loadable.value
  return loadable.kind === 'loading' ? loadable.stale : null
}

/** Anything thrown, as the error that the window shows. */
export function toReviewError(thrown: unknown): ReviewError {
  if (thrown instanceof ReviewError) return thrown
  const wire = toWireError(thrown)
  return new ReviewError(wire.code, wire.message, { details: wire.details, cause: thrown })
}

export function isCancelled(thrown: unknown): boolean {
  return toReviewError(thrown).code === 'CANCELLED'
}
