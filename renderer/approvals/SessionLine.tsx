import type { ApprovalSource } from '../../shared/approval.js'
import type { SessionKey } from '../../shared/ids.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { agentOfClient, AgentSign, clientName } from '../ui/agents.js'
import { visibleText } from '../ui/visible-text.js'
import { TaintLevel } from './TaintBadge.js'

/** Whose questions follow: the agent, its session and turn, how closely its content must be kept. */
export function SessionLine({ session, source }: { readonly session: SessionKey; readonly source: ApprovalSource }) {
  const agent = useStore((state) => valueOf(state.agents.list)?.find((one) => one.session === session) ?? null)
  const title = visibleText(source.title)
  return (
    <div className="approval-group" role="presentation">
      {agent?.isConnected === false ? (
        <span className="gone" title="The agent is not connected any more" />
      ) : (
        <span className="live" title="The agent is connected" />
      )}
      <AgentSign agent={agentOfClient(source.client)} />
      <b>{clientName(source.client)}</b>
      <span className="ell grow" title={title}>
        {title}, turn {source.turn}
      </span>
      {agent && <TaintLevel level={agent.taint.level} />}
    </div>
  )
}
