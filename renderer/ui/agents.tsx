/** Name and sign of each agent whose sessions can be read. */
const agents: Readonly<Record<string, { readonly name: string; readonly sign: string }>> = {
  'qwen-code': { name: 'qwen-code', sign: 'Qw' },
  overturn: { name: 'Overturn', sign: 'Ov' },
}

export function agentName(agent: string): string {
  return agents[agent]?.name ?? agent
}

/** Two letters that stand for an agent. */
export function AgentSign({ agent }: { readonly agent: string }) {
  return (
    <span className="ag" aria-hidden="true">
      {agents[agent]?.sign ?? agent.slice(0, 2)}
    </span>
  )
}
