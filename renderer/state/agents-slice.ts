import type { AgentSession, ConnectRecipe, ConnectState } from '../../shared/agents.js'
import type { ReviewError } from '../../shared/errors.js'
import type { SessionKey } from '../../shared/ids.js'
import type { PolicyState } from '../../shared/contract.js'
import type { Progress } from '../../shared/rpc.js'
import type { Loadable } from './loadable.js'

/** The screen that tells how an agent is connected. */
export interface Connecting {
  /** As typed; `null` lets the host choose. */
  readonly workspace: string | null
  readonly state: Loadable<ConnectState>
  readonly recipe: ConnectRecipe['id']
  readonly transport: 'stdio' | 'http'
  readonly worktree: Worktree
}

export type Worktree =
  | { readonly kind: 'none' }
  | { readonly kind: 'making'; readonly progress: Progress | null }
  | { readonly kind: 'made'; readonly folder: string; readonly branch: string; readonly base: string; readonly filtersLeftOut: readonly string[] }
  | { readonly kind: 'failed'; readonly error: ReviewError }

export interface AgentsState {
  readonly list: Loadable<readonly AgentSession[]>
  /** Sessions whose mode is being set. */
  readonly settingMode: ReadonlySet<SessionKey>
  readonly connecting: Connecting
  readonly policy: Loadable<PolicyState>
  readonly isSavingPolicy: boolean
}

export const initialAgents: AgentsState = {
  list: { kind: 'idle' },
  settingMode: new Set(),
  connecting: { workspace: null, state: { kind: 'idle' }, recipe: 'claude-code', transport: 'stdio', worktree: { kind: 'none' } },
  policy: { kind: 'idle' },
  isSavingPolicy: false,
}
