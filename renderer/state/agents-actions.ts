import type { ApprovalMode } from '../../shared/approval.js'
import type { Params, PolicyState } from '../../shared/contract.js'
import type { SessionKey } from '../../shared/ids.js'
import type { AgentsState, Connecting } from './agents-slice.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { getState, setState } from './store.js'

function setAgents(change: Partial<AgentsState> | ((agents: AgentsState) => Partial<AgentsState>)): void {
  setState(({ agents }) => ({ agents: { ...agents, ...(typeof change === 'function' ? change(agents) : change) } }))
}

let newestList = 0

/** Asks which agents work through our tools; the last answer stays on screen meanwhile. */
export async function loadAgents(): Promise<void> {
  const own = ++newestList
  setAgents(({ list }) => ({ list: { kind: 'loading', stale: valueOf(list) } }))
  try {
    const value = await client().call('agent.list', {})
    if (own === newestList) setAgents({ list: { kind: 'ready', value } })
  } catch (thrown) {
    if (own === newestList && !isCancelled(thrown)) setAgents({ list: { kind: 'error', error: toReviewError(thrown) } })
  }
}

/** Sets how the calls of a session are decided from now on. What waits keeps waiting. */
export async function setMode(session: SessionKey, mode: ApprovalMode): Promise<void> {
  setAgents(({ settingMode }) => ({ settingMode: new Set([...settingMode, session]) }))
  try {
    const changed = await client().call('agent.setMode', { session, mode })
    setAgents(({ list }) => {
      const known = valueOf(list)
      return known ? { list: { kind: 'ready', value: known.map((one) => (one.session === session ? changed : one)) } } : {}
    })
  } catch (thrown) {
    notifyError(thrown, () => void setMode(session, mode))
  }
  setAgents(({ settingMode }) => ({ settingMode: new Set([...settingMode].filter((key) => key !== session)) }))
}

export function setConnecting(change: Partial<Connecting>): void {
  setAgents(({ connecting }) => ({ connecting: { ...connecting, ...change } }))
}

let asking = new AbortController()

/** Shows how agents are connected; the workspace is the one given, else that of the open session, else the host's choice. */
export function showConnect(workspace: string | null = getState().session?.header.summary.workspace ?? null): void {
  setState({ view: 'connect' })
  void loadConnect(getState().agents.connecting.workspace ?? workspace)
}

/** Asks for the commands for a workspace. */
export async function loadConnect(workspace: string | null): Promise<void> {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const { connecting } = getState().agents
  setConnecting({
    workspace,
    state: { kind: 'loading', stale: valueOf(connecting.state) },
    worktree: connecting.worktree.kind === 'made' && connecting.worktree.folder === workspace ? connecting.worktree : { kind: 'none' },
  })
  try {
    const value = await client().call('agent.connect', { workspace }, { signal })
    if (!signal.aborted) setConnecting({ state: { kind: 'ready', value }, workspace: value.workspace })
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) setConnecting({ state: { kind: 'error', error: toReviewError(thrown) } })
  }
}

/** Lets the host ask for the folder of the workspace. */
export async function pickWorkspace(): Promise<void> {
  try {
    const folder = await client().call('session.pick', { what: 'workspace' })
    if (folder !== null) await loadConnect(folder)
  } catch (thrown) {
    notifyError(thrown, () => void pickWorkspace())
  }
}

/** Makes a fresh worktree of the workspace and shows the commands for it. */
export async function makeWorktree(): Promise<void> {
  const { workspace, worktree } = getState().agents.connecting
  if (workspace === null || worktree.kind === 'making') return
  setConnecting({ worktree: { kind: 'making', progress: null } })
  try {
    const made = await client().call('agent.makeWorktree', { workspace, branch: null }, { onProgress: (progress) => setConnecting({ worktree: { kind: 'making', progress } }) })
    setConnecting({ worktree: { kind: 'made', ...made } })
    await loadConnect(made.folder)
  } catch (thrown) {
    setConnecting({ worktree: isCancelled(thrown) ? { kind: 'none' } : { kind: 'failed', error: toReviewError(thrown) } })
  }
}

/** Asks for the policy; the last one stays on screen meanwhile. */
export async function loadPolicy(): Promise<void> {
  setAgents(({ policy }) => ({ policy: { kind: 'loading', stale: valueOf(policy) } }))
  try {
    setAgents({ policy: { kind: 'ready', value: await client().call('policy.read', {}) } })
  } catch (thrown) {
    if (!isCancelled(thrown)) setAgents({ policy: { kind: 'error', error: toReviewError(thrown) } })
  }
}

export function showPolicy(): void {
  setState({ view: 'policy' })
  void loadPolicy()
}

/** Changes settings of the policy; what is shown is what the host then says. */
export async function updatePolicy(change: Params<'policy.update'>): Promise<void> {
  await savePolicy(() => client().call('policy.update', change))
}

/** Removes a rule: its command asks again from now on. */
export async function removeRule(id: string, command: string): Promise<void> {
  if (await savePolicy(() => client().call('policy.removeRule', { id }))) {
    notify({ kind: 'done', title: 'The rule was removed.', text: `From now on it asks again: ${command}`, action: null })
  }
}

async function savePolicy(save: () => Promise<PolicyState>): Promise<boolean> {
  setAgents({ isSavingPolicy: true })
  try {
    setAgents({ policy: { kind: 'ready', value: await save() }, isSavingPolicy: false })
    return true
  } catch (thrown) {
    setAgents({ isSavingPolicy: false })
    notifyError(thrown)
    return false
  }
}
