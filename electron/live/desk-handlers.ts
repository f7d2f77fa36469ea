import type { ConnectState } from '../../shared/agents.js'
import type { Handlers, PolicyState } from '../../shared/contract.js'
import type { PolicyFile } from '../policy/policy-file.js'
import type { Desk } from './desk.js'

/** The methods of the contract that belong to the desk: answered where it is, forwarded from everywhere else. */
export const deskMethods = [
  'approval.list',
  'approval.read',
  'approval.decide',
  'approval.undo',
  'agent.list',
  'agent.setMode',
  'agent.connect',
  'agent.makeWorktree',
  'policy.read',
  'policy.removeRule',
  'policy.update',
] as const
export type DeskMethod = (typeof deskMethods)[number]
export type DeskHandlers = Pick<Handlers, DeskMethod>

/** Events by which the desk's host says what is to be asked for again. */
export const changeEvents = ['approvals.changed', 'agents.changed', 'policy.changed'] as const
/** All that it tells the other hosts. */
export const deskEvents = [...changeEvents, 'approval.asked'] as const

export interface DeskHandlerParts {
  readonly desk: Desk
  readonly policy: PolicyFile
  readonly connectState: (workspace: string | null) => Promise<ConnectState>
  readonly onPolicyChanged: () => void
}

export function createDeskHandlers({ desk, policy, connectState, onPolicyChanged }: DeskHandlerParts): DeskHandlers {
  const { queue } = desk
  const policyState = (): PolicyState => ({ settings: policy.current(), file: policy.file, problem: policy.problem() })
  return {
    'approval.list': async () => queue.list(),
    'approval.read': ({ approval, path, showOversized }) => queue.texts(approval, path, showOversized),
    'approval.decide': ({ approval, revision, decision }) => queue.decide(approval, revision, decision),
    'approval.undo': ({ approval }) => queue.undo(approval),
    'agent.list': async () => desk.list(),
    'agent.setMode': async ({ session, mode }) => desk.setMode(session, mode),
    'agent.connect': ({ workspace }) => connectState(workspace),
    'agent.makeWorktree': ({ workspace, branch }, context) => desk.makeWorktree(workspace, branch, context),
    'policy.read': async () => {
      await policy.reload()
      return policyState()
    },
    'policy.removeRule': async ({ id }) => {
      await policy.update((settings) => ({ ...settings, rules: settings.rules.filter((rule) => rule.id !== id) }))
      onPolicyChanged()
      return policyState()
    },
    'policy.update': async (change) => {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      await policy.update((settings) => ({ ...settings, ...given }))
      onPolicyChanged()
      return policyState()
    },
  }
}
