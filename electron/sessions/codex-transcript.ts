import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { agentCall } from './agent-call.js'
import { agentOf, type AgentLog, type CodexAgents } from './codex-agents.js'
import { finishCall } from './codex-calls.js'
import type { CallDraft } from './codex-drafts.js'
import type { DecodedTurn } from './codex-turn.js'

/** Agents that start agents are shown this deep. */
const deepest = 4

export interface TranscriptContext {
  readonly folder: string | null
  readonly isOpen: boolean
  /** When the next turn begins. */
  readonly to: number
}

/**
 * Everything of one turn in order. What an agent did that a call started stands inside that call; what one did on that an earlier turn
 * started, or no record names, in a call of its own.
 */
export async function transcriptOf(turn: DecodedTurn, agents: CodexAgents, context: TranscriptContext, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
  const { folder, isOpen, to } = context
  const all = await agents.all(signal)
  const shown = new Set<AgentLog>()
  const within = ({ work }: AgentLog): readonly CallDraft[] => work.calls.filter(({ askedAt }) => askedAt >= turn.startedAt && askedAt < to)
  const innerOf = (agent: AgentLog, depth: number): readonly ToolCall[] => {
    shown.add(agent)
    const calls: ToolCall[] = []
    for (const draft of within(agent)) calls.push(callOf(draft, draft.agent && depth < deepest ? agentOf(all, draft.agent) : null, depth + 1))
    return calls
  }
  const callOf = (draft: CallDraft, agent: AgentLog | null, depth: number): ToolCall => {
    const call = finishCall(draft, folder, isOpen)
    return agent && call.subagent && !shown.has(agent) ? { ...call, subagent: { name: agent.name, calls: innerOf(agent, depth) } } : call
  }
  const entries: TranscriptEntry[] = []
  for (const entry of turn.entries) {
    if (entry.kind !== 'call') entries.push(entry)
    else entries.push({ kind: 'call', call: callOf(entry.draft, entry.draft.agent && (await agents.named(entry.draft.agent)), 1), at: entry.at })
  }
  for (const agent of all) {
    const [first] = shown.has(agent) ? [] : within(agent)
    if (!first) continue
    const place = entries.findIndex(({ at }) => at > first.askedAt)
    const call = { ...agentCall(`agent-${agent.thread}`, 'spawn_agent', agent.name, first.askedAt), subagent: { name: agent.name, calls: innerOf(agent, 1) } }
    entries.splice(place < 0 ? entries.length : place, 0, { kind: 'call', call, at: first.askedAt })
  }
  return entries
}
