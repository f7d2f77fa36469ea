import type { ServedApp } from '../hosts/host.js'
import type { ServedMethod } from '../../shared/rpc.js'

/** A served app with two methods, for tests of what carries frames: `echo` answers its params, `wait` only ends by abort. */
export interface TinyApp extends ServedApp {
  emit(event: string, payload: unknown): void
  /** How many connections listen to events now. */
  listenerCount(): number
  /** Ends when a running `wait` is aborted. */
  readonly aborted: Promise<void>
}

export function tinyApp(): TinyApp {
  const listeners = new Set<(event: string, payload: unknown) => void>()
  let markAborted: () => void = () => undefined
  const aborted = new Promise<void>((resolve) => (markAborted = resolve))
  const echo: ServedMethod = { kind: 'read', parse: (params) => params, run: async (params) => params }
  const wait: ServedMethod = {
    kind: 'job',
    parse: () => null,
    run: (_params, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          markAborted()
          resolve(null)
        })
      }),
  }
  return {
    methods: new Map([
      ['echo', echo],
      ['wait', wait],
    ]),
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onError: (_method, thrown) => {
      throw thrown
    },
    emit: (event, payload) => listeners.forEach((listener) => listener(event, payload)),
    listenerCount: () => listeners.size,
    aborted,
  }
}
