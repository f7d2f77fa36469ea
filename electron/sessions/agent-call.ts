import type { ToolCall } from '../../shared/session.js'

/** Stands in a transcript for a call that no record has, of an agent whose work is known. */
export function agentCall(callId: string, name: string, agent: string, startedAt: number | null): ToolCall {
  return {
    callId,
    name,
    kind: 'subagent',
    status: 'done',
    startedAt,
    durationMs: null,
    args: '{}',
    output: '',
    isOutputCut: false,
    edit: null,
    command: null,
    seen: null,
    subagent: { name: agent, calls: [] },
  }
}
