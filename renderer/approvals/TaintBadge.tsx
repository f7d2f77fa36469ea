import { Popover } from 'radix-ui'
import type { AgentSession } from '../../shared/agents.js'
import type { Sensitivity } from '../../shared/policy.js'
import { visibleText } from '../ui/visible-text.js'

const names: Readonly<Record<Sensitivity, string>> = { PUBLIC: 'public', INTERNAL: 'internal', CONFIDENTIAL: 'confidential', RESTRICTED: 'restricted' }

/** How closely the content must be kept that a session has seen, with why and from where; nothing while all of it is public. */
export function TaintBadge({ agent }: { readonly agent: AgentSession }) {
  const { level, reasons } = agent.taint
  if (level === 'PUBLIC') return null
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className={isHigh(level) ? 'bdg con taint' : 'bdg taint'} aria-label={`Has seen ${names[level]} content. Why`}>
          {names[level]}
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="pop taint-reasons" align="start" sideOffset={6} aria-label="What the session has seen">
          <p className="b">This session has seen {names[level]} content.</p>
          <p className="md t2">The level rises with what a tool returns and never falls. From a level that the policy names on, commands that reach the network ask.</p>
          <ul>
            {reasons.map(({ level: own, why, source }, at) => (
              <li key={at} className="md">
                <span className="bdg">{names[own]}</span> {visibleText(why)}
                <span className="mono t2 taint-source">{visibleText(source)}</span>
              </li>
            ))}
          </ul>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** The level alone, where nothing can be opened: an option of a list may hold no button. */
export function TaintLevel({ level }: { readonly level: Sensitivity }) {
  if (level === 'PUBLIC') return null
  return <span className={isHigh(level) ? 'bdg con' : 'bdg'} title={`The session has seen ${names[level]} content`}>{names[level]}</span>
}

function isHigh(level: Sensitivity): boolean {
  return level === 'CONFIDENTIAL' || level === 'RESTRICTED'
}
