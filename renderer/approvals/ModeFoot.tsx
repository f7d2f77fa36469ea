import { Popover } from 'radix-ui'
import { useState } from 'react'
import type { AgentSession } from '../../shared/agents.js'
import { valueOf } from '../state/loadable.js'
import { setPrefs } from '../state/prefs-actions.js'
import { useStore } from '../state/store.js'
import { agentOfClient, AgentSign, clientName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { Button } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { folderName } from '../ui/words.js'
import { modesText } from './agent-words.js'
import { ModeChoice } from './ModeChoice.js'
import { askToNotify, permission } from './notify.js'
import { TaintBadge } from './TaintBadge.js'

/** How the connected agents are decided about, and the way to change it. */
export function ModeFoot() {
  const agents = useStore((state) => valueOf(state.agents.list))
  const connected = agents?.filter(({ isConnected }) => isConnected) ?? []
  return (
    <div className="mode-foot">
      <span className="md t2 ell grow">{modesText(connected)}</span>
      <NotifyButton />
      {connected.length > 0 && (
        <Popover.Root>
          <Popover.Trigger asChild>
            <Button size="small">Change…</Button>
          </Popover.Trigger>
          <Popover.Portal>
            <Popover.Content className="pop mode-pop" side="top" align="end" sideOffset={8} collisionPadding={8} aria-label="How each session is decided">
              {connected.map((agent) => (
                <Session key={agent.session} agent={agent} />
              ))}
            </Popover.Content>
          </Popover.Portal>
        </Popover.Root>
      )}
    </div>
  )
}

function Session({ agent }: { readonly agent: AgentSession }) {
  return (
    <section className="mode-session" aria-label={clientName(agent.client)}>
      <div className="row">
        <AgentSign agent={agentOfClient(agent.client)} />
        <b className="b">{clientName(agent.client)}</b>
        <span className="md t2 ell grow" title={visibleText(agent.workspace)}>
          in {visibleText(folderName(agent.workspace))}, turn {agent.turn}
        </span>
        <TaintBadge agent={agent} />
      </div>
      {agent.isRestOfTurnApproved && <p className="md acc">The rest of this turn is approved: edits are written unasked until its next turn.</p>}
      {agent.limits.map((limit) => (
        <p key={limit} className="md t2">
          {visibleText(limit)}
        </p>
      ))}
      <ModeChoice agent={agent} />
    </section>
  )
}

/** Offered where the host around the window shows no notifications itself. The browser is asked on this click only. */
function NotifyButton() {
  const canHost = useStore((state) => state.app?.abilities.canNotify ?? true)
  const isOn = useStore((state) => state.prefs.notify)
  const [allowed, setAllowed] = useState(permission)
  if (canHost || allowed === null || allowed === 'denied') return null
  if (isOn && allowed === 'granted') {
    return (
      <button type="button" className="ib on" aria-pressed="true" aria-label="Notify me" title="You are notified when a question comes and the window is hidden" onClick={() => setPrefs({ notify: false })}>
        <Icon name="bell" />
      </button>
    )
  }
  return (
    <Button size="small" look="quiet" icon="bell" aria-label="Notify me" title="Notify me when a question comes and the window is hidden" onClick={() => void askToNotify().then(() => setAllowed(permission()))}>
      <span className="notify-words">Notify me</span>
    </Button>
  )
}
