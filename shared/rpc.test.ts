import { describe, expect, it } from 'vitest'
import { ReviewError } from './errors.js'
import { connect, serve, type Frame, type Port, type ServedMethod } from './rpc.js'

/** Two ports joined back to back; `cut` closes both. */
function pipe(): { readonly host: Port; readonly window: Port; readonly cut: () => void; readonly raw: (frame: unknown) => void } {
  const make = (): { port: Port; deliver: (frame: unknown) => void; close: () => void; peer: { deliver: (frame: Frame) => void } } => {
    let onFrame: (frame: unknown) => void = () => undefined
    let onClose: () => void = () => undefined
    const peer = { deliver: (_frame: Frame): void => undefined }
    return {
      port: { send: (frame) => peer.deliver(frame), onFrame: (listener) => (onFrame = listener), onClose: (listener) => (onClose = listener) },
      deliver: (frame) => onFrame(frame),
      close: () => onClose(),
      peer,
    }
  }
  const host = make()
  const window = make()
  host.peer.deliver = (frame) => queueMicrotask(() => window.deliver(frame))
  window.peer.deliver = (frame) => queueMicrotask(() => host.deliver(frame))
  return {
    host: host.port,
    window: window.port,
    raw: (frame) => host.deliver(frame),
    cut: () => {
      host.close()
      window.close()
    },
  }
}

const method = (kind: ServedMethod['kind'], run: ServedMethod['run']): ServedMethod => ({ kind, parse: (params) => params, run })

const outcome = (call: Promise<unknown>): Promise<unknown> => call.catch((thrown: unknown) => (thrown instanceof ReviewError ? thrown.code : thrown))

describe('rpc', () => {
  it('answers with results, named refusals, and hides what was not meant to be seen', async () => {
    const seen: unknown[] = []
    const { host, window } = pipe()
    serve(
      host,
      new Map([
        ['double', method('read', async (params) => Number(params) * 2)],
        ['refuse', method('read', async () => Promise.reject(new ReviewError('TURN_NOT_FOUND', 'There is no turn 9.')))],
        ['break', method('read', async () => Promise.reject(new Error('/home/someone/secret')))],
      ]),
      (name, thrown) => seen.push([name, String(thrown)]),
    )
    const client = connect(window, () => undefined)
    const broken = await client.call('break', null).catch((thrown: unknown) => String(thrown))
    expect([
      await client.call('double', 21),
      await outcome(client.call('refuse', null)),
      await outcome(client.call('missing', null)),
      broken,
      seen,
    ]).toEqual([
      42,
      'TURN_NOT_FOUND',
      'UNKNOWN_METHOD',
      'ReviewError: Something failed inside Overturn. The log in the data folder has the cause.',
      [['break', 'Error: /home/someone/secret']],
    ])
  })

  it('cancels a read when its caller aborts, and lets a write run to its end', async () => {
    const { host, window } = pipe()
    const ended: string[] = []
    const untilAbort = (name: string): ServedMethod['run'] => (_params, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(ended.push(`${name} aborted`)))
        if (name === 'write') queueMicrotask(() => resolve(ended.push('write done')))
      })
    serve(host, new Map([['read', method('read', untilAbort('read'))], ['write', method('write', untilAbort('write'))]]), () => undefined)
    const client = connect(window, () => undefined)
    const abort = new AbortController()
    const calls = [client.call('read', null, { signal: abort.signal }), client.call('write', null, { signal: abort.signal })]
    await Promise.resolve()
    abort.abort()
    expect([await Promise.all(calls.map(outcome)), ended.toSorted()]).toEqual([['CANCELLED', 1], ['read aborted', 'write done']])
  })

  it('rejects waiting calls when the connection is lost, and aborts their work', async () => {
    const { host, window, cut } = pipe()
    const state = { aborted: false }
    const run: ServedMethod['run'] = (_params, { signal }) => new Promise(() => signal.addEventListener('abort', () => (state.aborted = true)))
    serve(host, new Map([['wait', method('job', run)]]), () => undefined)
    const client = connect(window, () => undefined)
    const call = client.call('wait', null)
    await new Promise((resolve) => setTimeout(resolve, 0))
    cut()
    expect([await outcome(call), await outcome(client.call('wait', null)), state]).toEqual(['CONNECTION_LOST', 'CONNECTION_LOST', { aborted: true }])
  })

  it('passes progress to the call it belongs to and events to the listener', async () => {
    const { host, window } = pipe()
    const events: unknown[] = []
    const send = serve(host, new Map([['work', method('job', async (_params, { progress }) => progress({ done: 3, total: 3, label: 'files' }))]]), () => undefined)
    const client = connect(window, (event, payload) => events.push([event, payload]))
    const steps: unknown[] = []
    send('library.changed', {})
    await client.call('work', null, { onProgress: ({ done, total, label }) => steps.push([done, total, label]) })
    expect([steps, events]).toEqual([[[3, 3, 'files']], [['library.changed', {}]]])
  })

  it('drops what is no frame', () => {
    const { host, raw } = pipe()
    const run: string[] = []
    serve(host, new Map([['x', method('read', async () => run.push('ran'))]]), () => undefined)
    for (const frame of [null, 7, 'call', {}, { type: 'call' }, { type: 'call', id: 'x', method: 'x' }, { type: 'call', id: 1, method: 5 }, { type: 'boom', id: 1 }]) raw(frame)
    expect(run).toEqual([])
  })
})
