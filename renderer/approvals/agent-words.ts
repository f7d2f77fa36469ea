import type { AgentSession } from '../../shared/agents.js'
import { clientName } from '../ui/agents.js'
import { modeWords } from './approval-words.js'

/** "Both agents ask for everything", or how many do what. */
export function modesText(agents: readonly AgentSession[]): string {
  const [first] = agents
  if (!first) return 'No agent is connected'
  const isSame = agents.every(({ mode }) => mode === first.mode)
  if (agents.length === 1) return `${clientName(first.client)} ${modeWords[first.mode].says}`
  const all = agents.length === 2 ? 'Both agents' : `All ${agents.length} agents`
  if (isSame) return `${all} ${plural[first.mode]}`
  const asking = agents.filter(({ mode }) => mode === 'ask').length
  return asking === 0 ? `${all} differ in what they ask` : `${asking} of ${agents.length} agents ask for everything`
}

const plural: Readonly<Record<AgentSession['mode'], string>> = {
  ask: 'ask for everything',
  'review-after': 'apply edits, ask for commands',
  plan: 'plan first',
}
