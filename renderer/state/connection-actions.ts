import { createClient, type ServerEvent } from '../api/client.js'
import type { Port } from '../../shared/rpc.js'
import { loadAgents, loadPolicy } from './agents-actions.js'
import { loadApprovals } from './approvals-actions.js'
import { client, setClient } from './client-ref.js'
import { toReviewError } from './loadable.js'
import { loadLibrary, openFirstSession, openSession, refreshSession } from './session-actions.js'
import { getState, setState } from './store.js'

const waitsMs = [500, 1_000, 2_000, 4_000, 8_000] as const

let endWait: (() => void) | null = null

/**
 * Connects, and connects again whenever the connection is lost, until the signal fires.
 * After each connect the present state is asked for; nothing that was cut off is sent again.
 */
export async function stayConnected(openPort: (signal: AbortSignal) => Promise<Port>, signal: AbortSignal): Promise<void> {
  let tries = 0
  let isFirst = true
  let isRefused = false
  while (!signal.aborted) {
    try {
      const client = createClient(await openPort(signal), handleEvent)
      setClient(client)
      const app = await client.call('app.state', {}, { signal })
      setState({ app, connection: { kind: 'open' } })
      tries = 0
      isRefused = false
      void loadApprovals()
      void loadAgents()
      if (isFirst) void startUp()
      else void catchUp()
      isFirst = false
      await client.closed
    } catch (thrown) {
      // The wait below shows that there is no connection; only one reason says more than that.
      isRefused = toReviewError(thrown).code === 'NOT_ADMITTED'
    }
    setClient(null)
    if (signal.aborted) return
    const waitMs = waitsMs[Math.min(tries, waitsMs.length - 1)] ?? 8_000
    tries += 1
    setState({ connection: { kind: 'lost', retryAt: Date.now() + waitMs, tries, isRefused } })
    await wait(waitMs, signal)
    setState({ connection: { kind: 'lost', retryAt: null, tries, isRefused } })
  }
}

/** Ends the wait before the next try. */
export function reconnectNow(): void {
  endWait?.()
}

function handleEvent(event: ServerEvent): void {
  switch (event.name) {
    case 'library.changed':
      refreshAppSoon()
      return void loadLibrary()
    case 'session.changed':
      refreshAppSoon()
      return void refreshSession(event.payload.session)
    case 'approvals.changed':
    case 'approval.asked':
      return void loadApprovals()
    case 'agents.changed':
      refreshAppSoon()
      return void loadAgents()
    case 'policy.changed':
      return void loadPolicy()
  }
}

/** Asks again how much the history holds. */
export async function refreshApp(): Promise<void> {
  try {
    const app = await client().call('app.state', {})
    if (JSON.stringify(app) !== JSON.stringify(getState().app)) setState({ app })
  } catch {
    // The last numbers stay; a lost connection shows itself.
  }
}

const appAfterMs = 1_000
let appTimer: ReturnType<typeof setTimeout> | null = null

/** Whatever was edited went into the history first, and many edits at once are one question. */
function refreshAppSoon(): void {
  appTimer ??= setTimeout(() => {
    appTimer = null
    void refreshApp()
  }, appAfterMs)
}

async function startUp(): Promise<void> {
  await loadLibrary()
  openFirstSession()
  setState({ isStarted: true })
}

/** The host may be a new process that has not read the session yet. */
async function catchUp(): Promise<void> {
  const key = getState().session?.key ?? getState().opening?.key
  if (key) void openSession(key, { isAsked: false })
  await loadLibrary()
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      endWait = null
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    endWait = done
  })
}
