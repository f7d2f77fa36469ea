import type { AgentSession } from '../../shared/agents.js'
import type { SessionKey } from '../../shared/ids.js'
import { cancelOpening, notify, openSession, setView } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { getState, useStore } from '../state/store.js'
import { clientName } from '../ui/agents.js'
import { visibleText } from '../ui/visible-text.js'
import { folderName } from '../ui/words.js'

/** Turn of each connected session at the last look; `null` before the first one. */
let known: ReadonlyMap<SessionKey, number> | null = null

/** A session that is to be opened as soon as its log is in the list. */
let wanted: SessionKey | null = null

/** Sessions in which the first turn began since the last look, the newest first. One that works on is no news. */
export function begunSince(before: ReadonlyMap<SessionKey, number>, agents: readonly AgentSession[]): readonly AgentSession[] {
  return agents
    .filter(({ session, isConnected, turn }) => isConnected && turn > 0 && (before.get(session) ?? 0) === 0)
    .sort((a, b) => (b.lastCallAt ?? b.connectedAt) - (a.lastCallAt ?? a.connectedAt))
}

/**
 * Follows agents that work through our tools, as long as the page lives: on the first screen a session that begins is
 * opened by itself, elsewhere it is only told. What was at work before the window came is in the list of sessions.
 */
export function followAgents(signal: AbortSignal): void {
  const look = (): void => {
    const { isStarted, agents } = getState()
    const list = valueOf(agents.list)
    if (!isStarted || !list) return
    const begun = begunSince(known ?? new Map(), list)
    const isFirstLook = known === null
    known = new Map(list.map(({ session, isConnected, turn }) => [session, isConnected ? turn : 0]))
    const newest = begun[0]
    if (!newest) return
    if (isFirstScreen()) void open(newest.session)
    else if (!isFirstLook) for (const agent of begun) tell(agent)
  }
  look()
  const stop = useStore.subscribe((state, before) => {
    if (state.agents.list !== before.agents.list || state.isStarted !== before.isStarted) look()
    if (state.library !== before.library && state.library.kind === 'ready' && wanted !== null) void open(wanted)
  })
  signal.addEventListener('abort', () => {
    stop()
    known = null
    wanted = null
  })
}

function isFirstScreen(): boolean {
  const { session, opening, view, dialog } = getState()
  return session === null && opening === null && view === 'review' && dialog === null
}

/** Its log may not be in the list yet; then it is tried again with the next list, unless the person opened another one. */
async function open(session: SessionKey, isAsked = false): Promise<void> {
  wanted = null
  const before = getState().session?.key
  await openSession(session, { isAsked })
  const { opening, session: now } = getState()
  if (opening?.key !== session || opening.error?.code !== 'SESSION_NOT_FOUND' || now?.key !== before) return
  cancelOpening()
  wanted = session
}

function tell({ session, client, workspace }: AgentSession): void {
  const state = getState()
  if (session === state.session?.key || session === state.opening?.key) return
  notify({
    kind: 'news',
    title: `${clientName(client)} began to work in ${visibleText(folderName(workspace))}.`,
    text: '',
    action: { label: 'Show', key: null, run: () => show(session) },
  })
}

function show(session: SessionKey): void {
  setView('review')
  void open(session, true)
}
