import type { AgentName, SessionSummary } from '../../shared/session.js'
import { visibleText } from './visible-text.js'

/** Name and sign of each agent whose sessions can be read, or that connects to us. */
const agents: Readonly<Record<string, { readonly name: string; readonly sign: string }>> = {
  'qwen-code': { name: 'qwen-code', sign: 'Qw' },
  'claude-code': { name: 'Claude Code', sign: 'Cl' },
  codex: { name: 'Codex', sign: 'Cx' },
  'gemini-cli': { name: 'Gemini CLI', sign: 'Ge' },
  opencode: { name: 'opencode', sign: 'Oc' },
  cursor: { name: 'Cursor', sign: 'Cu' },
  vscode: { name: 'VS Code', sign: 'Vs' },
  overturn: { name: 'Overturn', sign: 'Ov' },
}

/** Every agent whose sessions can be read, in the order of lists. */
export const agentNames = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'qwen-code', 'overturn'] as const satisfies readonly AgentName[]

/** How the names begin that agents give themselves when they connect, in lower case. */
const beginnings: readonly (readonly [begins: string, agent: string])[] = [
  ['qwen', 'qwen-code'],
  ['claude', 'claude-code'],
  ['codex', 'codex'],
  ['gemini', 'gemini-cli'],
  ['opencode', 'opencode'],
  ['cursor', 'cursor'],
  ['visual studio code', 'vscode'],
  ['vscode', 'vscode'],
]

/** The agent that a client's own name stands for; the name itself where it is not known. */
export function agentOfClient(client: string): string {
  const name = client.toLowerCase()
  return beginnings.find(([begins]) => name.startsWith(begins))?.[1] ?? client
}

export function agentName(agent: string): string {
  return agents[agent]?.name ?? visibleText(agent)
}

/** What a filter calls the sessions of an agent; those that ran through our tools have logs of ours. */
export function agentFilterName(agent: AgentName): string {
  return agent === 'overturn' ? 'Through Overturn' : agentName(agent)
}

/** Name of a connected agent, as it gave it or as it is known. */
export function clientName(client: string): string {
  return agentName(agentOfClient(client))
}

/** The agent whose work a session shows: in a log of ours the one that was connected. */
export function agentOfSession({ agent, client }: Pick<SessionSummary, 'agent' | 'client'>): string {
  return agent === 'overturn' && client !== null ? agentOfClient(client) : agent
}

/** The agent of a session in words: `Claude Code through Overturn`. */
export function sessionAgentText(session: Pick<SessionSummary, 'agent' | 'client'>): string {
  const name = agentName(agentOfSession(session))
  return session.agent === 'overturn' && session.client !== null ? `${name} through Overturn` : name
}

/** Two letters that stand for an agent. */
export function AgentSign({ agent }: { readonly agent: string }) {
  return (
    <span className="ag" aria-hidden="true">
      {agents[agent]?.sign ?? visibleText(agent).slice(0, 2)}
    </span>
  )
}
