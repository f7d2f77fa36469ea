import { describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import type { Port } from '../../shared/rpc.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { client } from './client-ref.js'
import { reconnectNow, stayConnected } from './connection-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState, useStore } from './store.js'

/** A port that can be cut. */
function cuttable(): { readonly port: Port; readonly cut: () => void } {
  const inner = scriptedPort(scriptedAnswers({ isOpen: false, turns: null }))
  let cut = (): void => undefined
  return {
    port: {
      ...inner,
      onClose: (listener) => {
        cut = listener
      },
    },
    cut: () => cut(),
  }
}

function reached(kind: 'open' | 'lost'): Promise<void> {
  return new Promise((resolve) => {
    if (getState().connection.kind === kind) return resolve()
    const stop = useStore.subscribe(({ connection }) => {
      if (connection.kind !== kind) return
      stop()
      resolve()
    })
  })
}

describe('the connection', () => {
  it('is opened, seen to be lost, and opened again at once when asked', async () => {
    setState(initialShell())
    const stop = new AbortController()
    const ports = [cuttable(), cuttable()]
    let opened = 0
    const ended = stayConnected(() => Promise.resolve((ports[opened++] ?? cuttable()).port), stop.signal)
    await reached('open')
    ports[0]?.cut()
    await reached('lost')
    expect(() => client()).toThrow(expect.objectContaining({ code: 'CONNECTION_LOST' }))
    reconnectNow()
    await reached('open')
    expect([opened, getState().app?.version]).toEqual([2, '0.1.0'])
    stop.abort()
    ports[1]?.cut()
    await ended
  })

  it('asks once for the size of the history when much has changed', async () => {
    setState(initialShell())
    const stop = new AbortController()
    const scripted = scriptedAnswers({ isOpen: false, turns: null })
    let sizeBytes = 0
    const inner = scriptedPort({
      ...scripted,
      'app.state': async (params, context) => {
        const app = await scripted['app.state']?.(params, context)
        if (!app) throw new Error('The script has no state.')
        return { ...app, history: { ...app.history, sizeBytes: ++sizeBytes } }
      },
    })
    let deliver: (frame: unknown) => void = () => undefined
    const end = cuttable()
    const port: Port = { ...end.port, send: inner.send, onFrame: (listener) => inner.onFrame((deliver = listener)) }
    const ended = stayConnected(() => Promise.resolve(port), stop.signal)
    await reached('open')
    for (let n = 0; n < 20; n++) deliver({ type: 'event', event: 'library.changed', payload: {} })
    await expect.poll(() => getState().app?.history.sizeBytes, { timeout: 10_000 }).toBe(2)
    expect(sizeBytes).toBe(2)
    stop.abort()
    end.cut()
    await ended
  })

  it('is told apart from a host that does not know this window', async () => {
    setState(initialShell())
    const stop = new AbortController()
    const ended = stayConnected(() => Promise.reject(new ReviewError('NOT_ADMITTED', 'Open the address.')), stop.signal)
    await reached('lost')
    expect(getState().connection).toMatchObject({ kind: 'lost', isRefused: true })
    stop.abort()
    await ended
  })
})
