import { Popover } from 'radix-ui'
import type { AgentSession } from '../../shared/agents.js'
import type { SessionKey } from '../../shared/ids.js'
import { setView } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { agentOfClient, AgentSign, clientName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'
import { countText } from '../ui/words.js'
import { modeWords } from './approval-words.js'
import { ModeChoice } from './ModeChoice.js'
import { TaintBadge } from './TaintBadge.js'
import './agent-line.css'

/** Over the timeline of a session that an agent works through us: that it is connected, and how its calls are decided. */
export function AgentLine({ session }: { readonly session: SessionKey }) {
  const agent = useStore((state) => valueOf(state.agents.list)?.find((one) => one.session === session) ?? null)
  if (!agent) return null
  const name = clientName(agent.client)
  return (
    <div className="agent-line">
      <span className={agent.isConnected ? 'live' : 'gone'} />
      <AgentSign agent={agentOfClient(agent.client)} />
      <span className="grow md" title={`${name} ${visibleText(agent.clientVersion ?? '')}`}>
        {agent.isConnected ? `${name} is connected, ${modeWords[agent.mode].says}` : `${name} is not connected any more`}
      </span>
      {agent.isConnected && (
        <Popover.Root>
          <Popover.Trigger asChild>
            <button type="button" className="ib" aria-label={`How ${name} is decided`} title="How its calls are decided">
              <Icon name="dots" />
            </button>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content className="pop mode-pop" align="end" sideOffset={6} collisionPadding={8} aria-label={`How ${name} is decided`}>
              {agent.limits.length > 0 && <p className="md t2">{countText(agent.limits.length, 'limit')}: {agent.limits.map(visibleText).join(' ')}</p>}
              <ModeChoice agent={agent} />
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
      <Facts agent={agent} />
    </div>
  )
}

/** What else is to be known of it, in a second line where there is anything. */
function Facts({ agent }: { readonly agent: AgentSession }) {
  const { worktree, waiting, taint } = agent
  if (waiting === 0 && taint.level === 'PUBLIC' && (worktree?.branch ?? null) === null) return null
  return (
    <div className="agent-facts">
      {worktree !== null && worktree.branch !== null && (
        <span className={worktree.isProtected ? 'bdg con' : 'bdg'} title={`${worktree.isProtected ? 'This branch is protected, so nothing is written. ' : ''}Writes in ${visibleText(worktree.folder)}`}>
          <Icon name="branch" size={13} />
          <span className="ell">{visibleText(worktree.branch)}</span>
        </span>
      )}
      <TaintBadge agent={agent} />
      {waiting > 0 && (
        <button type="button" className="bdg acc" onClick={() => setView('approvals')}>
          {waiting === 1 ? '1 question waits' : `${waiting} questions wait`}
          <span className="vh">, go to the approvals</span>
        </button>
      )}
    </div>
  )
}
