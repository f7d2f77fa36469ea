import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import { agentCall } from './agent-call.js'
import type { GeminiAgent, GeminiAgents } from './gemini-agents.js'
import { callsIn, entriesOf, type GeminiContext } from './gemini-calls.js'
import type { GeminiLog } from './gemini-log.js'
import type { GeminiMessage } from './gemini-operations.js'
import type { GeminiTurn } from './gemini-turns.js'
import { textAt } from './json-values.js'

/** Agents that start agents are shown this deep. */
const deepest = 4

export interface TranscriptContext extends GeminiContext {
  /** When the next turn begins. */
  readonly to: number
}

/**
 * Everything of one turn in order. What an agent did stands inside the call that names it; what one did that no call names, since that
 * was cut off, stands in a call of its own.
 */
export async function transcriptOf(log: GeminiLog, { turn, messages }: GeminiTurn, agents: GeminiAgents, context: TranscriptContext, signal?: AbortSignal): Promise<readonly TranscriptEntry[]> {
  const shown = new Set<GeminiAgent>()
  const entriesIn = async (from: GeminiLog, message: GeminiMessage, depth: number): Promise<readonly TranscriptEntry[]> => {
    const { message: record, lost } = await from.read(message, signal)
    const entries: TranscriptEntry[] = []
    for (const entry of entriesOf(record, message.at, context)) {
      const started = entry.kind === 'call' && entry.call.subagent ? callsIn(record).find((each) => textAt(each, 'id') === entry.call.callId) : undefined
      const agentId = started === undefined ? null : textAt(started, 'agentId')
      const agent = agentId === null || depth >= deepest ? null : await agents.named(agentId)
      const isNew = agent !== null && !shown.has(agent)
      entries.push(isNew && entry.kind === 'call' ? { ...entry, call: await withCalls(entry.call, agent, depth + 1) } : entry)
    }
    entries.push(...lost.map((each): TranscriptEntry => ({ kind: 'other', ...each, at: message.at })))
    return entries
  }
  const withCalls = async (call: ToolCall, agent: GeminiAgent, depth: number): Promise<ToolCall> => {
    shown.add(agent)
    const calls: ToolCall[] = []
    for (const message of agent.log.document.order) {
      for (const entry of await entriesIn(agent.log, message, depth)) if (entry.kind === 'call') calls.push(entry.call)
    }
    return { ...call, subagent: { name: call.subagent?.name ?? 'agent', calls } }
  }
  const entries: TranscriptEntry[] = []
  for (const message of messages) entries.push(...(await entriesIn(log, message, 0)))
  for (const agent of await agents.all(signal)) {
    if (shown.has(agent) || agent.startedAt < turn.startedAt || agent.startedAt >= context.to) continue
    const call = await withCalls(agentCall(`agent-${agent.id}`, 'invoke_agent', 'agent', agent.startedAt), agent, 1)
    if (call.subagent?.calls.length === 0) continue
    const place = entries.findIndex(({ at }) => at > agent.startedAt)
    entries.splice(place < 0 ? entries.length : place, 0, { kind: 'call', call, at: agent.startedAt })
  }
  return entries
}
