import { ReviewError, throwIfAborted } from '../../shared/errors.js'

/** Waits for work that others wait for too: the signal ends the waiting, not the work. Errors: CANCELLED, and those of the work. */
export function orAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return work
  throwIfAborted(signal)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.'))
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
