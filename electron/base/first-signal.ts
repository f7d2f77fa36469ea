/** A signal that fires with the first of several, until it is released. Not `AbortSignal.any`, which the Node of older Electrons does not have. */
export function firstSignal(...signals: readonly (AbortSignal | undefined)[]): { readonly signal: AbortSignal; release(): void } {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  if (signals.some((signal) => signal?.aborted)) abort()
  for (const signal of signals) signal?.addEventListener('abort', abort, { once: true })
  return { signal: stop.signal, release: () => signals.forEach((signal) => signal?.removeEventListener('abort', abort)) }
}
