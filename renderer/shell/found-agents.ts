import type { SessionList } from '../../shared/contract.js'
import { chooseLog, openSample, openSession } from '../state/actions.js'
import type { Command } from '../state/command.js'
import { valueOf } from '../state/loadable.js'
import { getState, type AppStore } from '../state/store.js'

/** What was found of one agent. */
export interface FoundAgent {
  readonly agent: string
  readonly sessions: number
  readonly workspaces: number
  readonly newestAt: number | null
  readonly problem: string | null
}

/** Stores that are no agent's own: the copied sample, and what the person added. */
const ownStores = new Set(['sample', 'added'])

/** One line for each agent whose folders were looked through, the one with the newest session first. A problem is told only where nothing was found. */
export function foundAgents(list: SessionList): readonly FoundAgent[] {
  const known = foundIn.get(list)
  if (known) return known
  const found = lookThrough(list)
  foundIn.set(list, found)
  return found
}

// Keys and foot bar ask at every change of the state, of lists of thousands of sessions.
const foundIn = new WeakMap<SessionList, readonly FoundAgent[]>()

function lookThrough({ sessions, stores }: SessionList): readonly FoundAgent[] {
  const own = sessions.filter((session) => !session.isSample)
  const agents = new Set([...own.map(({ agent }) => agent), ...stores.map(({ agent }) => agent).filter((agent) => !ownStores.has(agent))])
  return [...agents]
    .map((agent) => {
      const found = own.filter((session) => session.agent === agent)
      return {
        agent,
        sessions: found.length,
        workspaces: new Set(found.map(({ workspace, recordedFolder }) => workspace ?? recordedFolder)).size,
        newestAt: found.reduce<number | null>((newest, { lastActiveAt }) => Math.max(newest ?? 0, lastActiveAt ?? 0) || null, null),
        problem: found.length > 0 ? null : (stores.find((store) => store.agent === agent && store.problem !== null)?.problem ?? null),
      }
    })
    .sort((a, b) => (b.newestAt ?? 0) - (a.newestAt ?? 0))
}

/** Opens the newest session of an agent; the list beside it has the others. */
export function openNewestOf(agent: string): void {
  const sessions = valueOf(getState().library)?.sessions ?? []
  const newest = sessions
    .filter((session) => session.agent === agent && !session.isSample)
    .sort((a, b) => (b.lastActiveAt ?? 0) - (a.lastActiveAt ?? 0))[0]
  if (newest) void openSession(newest.key)
}

const isFirstRun = ({ session, opening, view }: AppStore): boolean => session === null && opening === null && view === 'review'

const agentAt = (at: number, state: AppStore): FoundAgent | undefined => {
  const list = valueOf(state.library)
  const agent = list ? foundAgents(list)[at] : undefined
  return agent && agent.sessions > 0 ? agent : undefined
}

export const firstRunCommands: readonly Command[] = [
  {
    id: 'first.sample',
    label: 'Open the sample session',
    hint: 'open the sample',
    keys: ['Enter'],
    group: 'Go to',
    when: isFirstRun,
    run: () => void openSample(),
  },
  {
    id: 'first.open',
    label: 'Open a session file or folder…',
    hint: 'open a file',
    keys: ['O'],
    group: 'Go to',
    when: isFirstRun,
    run: () => void chooseLog(),
  },
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((at): Command => ({
    id: `first.agent-${at + 1}`,
    label: 'Open the sessions of a found agent, by its number',
    hint: 'open found sessions',
    keys: [String(at + 1)],
    group: 'Go to',
    when: (state) => isFirstRun(state) && agentAt(at, state) !== undefined,
    run: () => {
      const found = agentAt(at, getState())
      if (found) openNewestOf(found.agent)
    },
  })),
  {
    id: 'first.sample-again',
    label: 'Open the sample session',
    hint: null,
    keys: [],
    group: 'Go to',
    when: (state) => !isFirstRun(state),
    run: () => void openSample(),
  },
]
