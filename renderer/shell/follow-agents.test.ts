import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentSession } from '../../shared/agents.js'
import { ReviewError } from '../../shared/errors.js'
import { createClient } from '../api/client.js'
import { setClient } from '../state/client-ref.js'
import { initialAgents } from '../state/agents-slice.js'
import { openSession } from '../state/session-actions.js'
import { initialShell } from '../state/shell-slice.js'
import { getState, setState } from '../state/store.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey, scriptedLibrary } from '../testing/scripted-session.js'
import { followAgents } from './follow-agents.js'

const script = scriptedAnswers({ isOpen: false, turns: null })
const taxKey = scriptedLibrary.sessions[1]?.key ?? cartKey

function agent(turn: number, session = taxKey): AgentSession {
  return {
    session, client: 'claude-code', clientVersion: null, transport: 'stdio', workspace: '/home/me/shop', isConnected: true, connectedAt: 1, lastCallAt: 2, turn, mode: 'ask',
    isPlanApproved: false, isRestOfTurnApproved: false, waiting: 0, taint: { level: 'PUBLIC', reasons: [] }, worktree: null, limits: [],
  }
}

function listed(...agents: readonly AgentSession[]): void {
  setState({ agents: { ...initialAgents, list: { kind: 'ready', value: agents } } })
}

/** The script answers by microtasks alone. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve()
}
const shown = (): unknown => [getState().session?.key ?? null, getState().notices.map((notice) => (notice.kind === 'error' ? notice.error.code : notice.title))]

let stop = new AbortController()

beforeEach(() => {
  setClient(createClient(scriptedPort(script), () => undefined))
  setState({ ...initialShell(), agents: initialAgents, isStarted: true })
  stop = new AbortController()
  followAgents(stop.signal)
})
afterEach(() => stop.abort())

describe('an agent that begins to work', () => {
  it('has its session opened on the first screen, once its first turn begins', async () => {
    listed(agent(0))
    await settled()
    const connected = shown()
    listed(agent(1))
    await settled()
    expect([connected, shown()]).toEqual([[null, []], [taxKey, []]])
  })

  it('is only told of where a session is open, and once', async () => {
    await openSession(cartKey)
    listed()
    listed(agent(1))
    listed(agent(2))
    await settled()
    expect(shown()).toEqual([cartKey, ['Claude Code began to work in shop.']])
  })

  it('is no news in the session that is open, nor where it was at work before the window came', async () => {
    await openSession(cartKey)
    listed(agent(3))
    listed(agent(3), agent(1, cartKey))
    await settled()
    expect(shown()).toEqual([cartKey, []])
  })

  it('leaves the first screen alone while its log is not in the list yet, and is opened when it is', async () => {
    setClient(createClient(scriptedPort({ ...script, 'session.open': () => Promise.reject(new ReviewError('SESSION_NOT_FOUND', 'There is no such session.')) }), () => undefined))
    listed(agent(1))
    await settled()
    const early = [getState().opening, shown()]
    setClient(createClient(scriptedPort(script), () => undefined))
    setState({ library: { kind: 'ready', value: scriptedLibrary } })
    await settled()
    expect([early, shown()]).toEqual([[null, [null, []]], [taxKey, []]])
  })

  it('is told of, not opened, where the person looks at something else', async () => {
    listed()
    setState({ view: 'connect' })
    listed(agent(1))
    await settled()
    expect(shown()).toEqual([null, ['Claude Code began to work in shop.']])
  })
})
