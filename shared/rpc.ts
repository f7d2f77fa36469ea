import { fromWireError, ReviewError, throwIfAborted, toWireError, type WireError } from './errors.js'

/** The five frames. Everything that crosses the seam is one of them; values are JSON. */
export type Frame =
  | { readonly type: 'call'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'ok'; readonly id: number; readonly result: unknown }
  | { readonly type: 'err'; readonly id: number; readonly error: WireError }
  | { readonly type: 'event'; readonly event: string; readonly payload: unknown }

/** One connection, whatever carries it. `onFrame` and `onClose` take one listener each. */
export interface Port {
  send(frame: Frame): void
  onFrame(listener: (frame: unknown) => void): void
  onClose(listener: () => void): void
}

/** Progress of a running call: counts, never data. */
export interface Progress {
  readonly done: number
  readonly total: number | null
  readonly label: string
}

export interface CallContext {
  readonly signal: AbortSignal
  /** At most ten a second pass; the last one always does. */
  readonly progress: (progress: Progress) => void
}

export interface ServedMethod {
  readonly kind: 'read' | 'write' | 'job'
  /** Returns the checked params, or throws INVALID_PARAMS naming the field. */
  readonly parse: (params: unknown) => unknown
  readonly run: (params: unknown, context: CallContext) => Promise<unknown>
}

const progressIntervalMs = 100

/**
 * Answers the calls of one connection until it closes.
 *
 * A closed connection aborts its reads and jobs; a `write` that has begun runs to its end. Frames that are no
 * calls are dropped, since nothing can be answered to them.
 * Errors: travel as `err` frames; `onError` gets the original for the log.
 * Returns: a function that sends an event to this connection.
 */
export function serve(
  port: Port,
  methods: ReadonlyMap<string, ServedMethod>,
  onError: (method: string, thrown: unknown) => void,
): (event: string, payload: unknown) => void {
  const running = new Map<number, AbortController>()
  let isOpen = true
  const send = (frame: Frame): void => {
    if (isOpen) port.send(frame)
  }

  const answer = async (id: number, name: string, params: unknown): Promise<void> => {
    const abort = new AbortController()
    const method = methods.get(name)
    try {
      if (!method) throw new ReviewError('UNKNOWN_METHOD', `There is no method ${name.slice(0, 60)}. Reload the window.`)
      if (running.has(id)) throw new ReviewError('INVALID_PARAMS', 'This call number is in use. Reload the window.', { details: { field: 'id' } })
      if (method.kind !== 'write') running.set(id, abort)
      const progress = throttleProgress((value) => send({ type: 'event', event: 'job.progress', payload: { call: id, ...value } }))
      const result = await method.run(method.parse(params), { signal: abort.signal, progress })
      throwIfAborted(abort.signal)
      send({ type: 'ok', id, result })
    } catch (thrown) {
      const error = toWireError(thrown)
      if (error.code === 'INTERNAL') onError(name, thrown)
      send({ type: 'err', id, error })
    } finally {
      if (running.get(id) === abort) running.delete(id)
    }
  }

  port.onFrame((raw) => {
    const frame = readFrame(raw)
    if (frame?.type === 'call') void answer(frame.id, frame.method, frame.params)
    else if (frame?.type === 'cancel') running.get(frame.id)?.abort()
  })
  port.onClose(() => {
    isOpen = false
    for (const abort of running.values()) abort.abort()
  })
  return (event, payload) => send({ type: 'event', event, payload })
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface Connection {
  call(method: string, params: unknown, options?: CallOptions): Promise<unknown>
  /** Ends when the connection closes; calls that wait are rejected with CONNECTION_LOST. */
  readonly closed: Promise<void>
}

/** The calling side of one connection. Nothing is retried: a call cut off by a lost connection rejects. */
export function connect(port: Port, onEvent: (event: string, payload: unknown) => void): Connection {
  interface Waiting {
    readonly resolve: (value: unknown) => void
    readonly reject: (error: ReviewError) => void
    readonly onProgress: ((progress: Progress) => void) | undefined
  }
  const waiting = new Map<number, Waiting>()
  let nextId = 1
  let isOpen = true
  const lost = (): ReviewError => new ReviewError('CONNECTION_LOST', 'The connection to Overturn was lost. Look at the present state before you try again.')

  const closed = new Promise<void>((resolve) => {
    port.onClose(() => {
      isOpen = false
      for (const call of waiting.values()) call.reject(lost())
      waiting.clear()
      resolve()
    })
  })

  port.onFrame((raw) => {
    const frame = readFrame(raw)
    if (frame?.type === 'event' && frame.event === 'job.progress') {
      const payload = frame.payload as { readonly call: number } & Progress
      waiting.get(payload.call)?.onProgress?.(payload)
    } else if (frame?.type === 'event') {
      onEvent(frame.event, frame.payload)
    } else if (frame?.type === 'ok') {
      waiting.get(frame.id)?.resolve(frame.result)
      waiting.delete(frame.id)
    } else if (frame?.type === 'err') {
      waiting.get(frame.id)?.reject(fromWireError(frame.error))
      waiting.delete(frame.id)
    }
  })

  return {
    closed,
    call: (method, params, options = {}) =>
      new Promise((resolve, reject) => {
        if (!isOpen) return reject(lost())
        if (options.signal?.aborted) return reject(new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.'))
        const id = nextId++
        const cancel = (): void => port.send({ type: 'cancel', id })
        const settled = (): void => options.signal?.removeEventListener('abort', cancel)
        waiting.set(id, {
          resolve: (value) => (settled(), resolve(value)),
          reject: (error) => (settled(), reject(error)),
          onProgress: options.onProgress,
        })
        options.signal?.addEventListener('abort', cancel, { once: true })
        port.send({ type: 'call', id, method, params })
      }),
  }
}

function throttleProgress(send: (progress: Progress) => void): (progress: Progress) => void {
  let sentAt = -Infinity
  return (progress) => {
    const now = Date.now()
    if (now - sentAt < progressIntervalMs && progress.done !== progress.total) return
    sentAt = now
    send(progress)
  }
}

/** A frame, or `null` for anything that has not the shape of one: the other side is not trusted. */
function readFrame(raw: unknown): Frame | null {
  if (typeof raw !== 'object' || raw === null) return null
  const frame = raw as Record<string, unknown>
  const hasId = Number.isSafeInteger(frame['id'])
  switch (frame['type']) {
    case 'call':
      return hasId && typeof frame['method'] === 'string' ? (raw as Frame) : null
    case 'cancel':
    case 'ok':
      return hasId ? (raw as Frame) : null
    case 'err':
      return hasId && typeof frame['error'] === 'object' && frame['error'] !== null ? (raw as Frame) : null
    case 'event':
      return typeof frame['event'] === 'string' ? (raw as Frame) : null
    default:
      return null
  }
}
