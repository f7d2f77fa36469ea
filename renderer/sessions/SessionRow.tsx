import type { SessionSummary } from '../../shared/session.js'
import { usageText } from '../../shared/usage.js'
import { openSession } from '../state/actions.js'
import { agentOfSession, AgentSign, sessionAgentText } from '../ui/agents.js'
import { Badge, Stat, UsageText } from '../ui/parts.js'
import { countText, sessionWhen, sessionWhenSentence } from '../ui/words.js'

interface RowProps {
  readonly session: SessionSummary
  readonly isOn: boolean
  readonly now: number
  readonly style: { readonly transform: string; readonly height: number }
}

/** One session of the list: its title, agent, time and size. */
export function SessionRow({ session, isOn, now, style }: RowProps) {
  const turns = session.turns === null ? null : countText(session.turns, 'turn')
  const files = session.files === null ? null : countText(session.files, 'file')
  const when = sessionWhen(session, now)
  const label = [
    session.title,
    sessionAgentText(session),
    when,
    turns,
    files,
    usageText(session.usage),
    session.problems > 0 ? 'with problems' : null,
    session.workspace === null ? 'read only' : null,
  ]
  return (
    <div
      role="option"
      id={`session-${session.key}`}
      aria-selected={isOn}
      aria-label={label.filter(Boolean).join(', ')}
      className={isOn ? 'ses on' : 'ses'}
      style={style}
      title={[session.title, turns, files].filter(Boolean).join('\n')}
      onClick={() => void openSession(session.key)}
    >
      <div className="l1">
        <span className={isOn ? 'ell grow b' : 'ell grow'}>{session.title}</span>
        {session.workspace === null && <Badge title="Its folder is not here, so files cannot be rewound">read only</Badge>}
        {session.problems > 0 && (
          // A list reads no log so closely as the session does: there may be more.
          <Badge look="con" title={`At least ${countText(session.problems, 'record')} not understood`}>
            ◆
          </Badge>
        )}
        {session.isLive && <span className="live" />}
      </div>
      <div className="l2">
        <AgentSign agent={agentOfSession(session)} />
        <span className="ell" title={sessionWhenSentence(session)}>{when}</span>
        {session.client !== null && (
          <>
            <span>·</span>
            <span className="ell" title={sessionAgentText(session)}>
              through Overturn
            </span>
          </>
        )}
        {turns && session.client === null && (
          <span className="ell ses-turns">· {turns}</span>
        )}
        <span className="grow" />
        <UsageText usage={session.usage} />
        {session.stat && <Stat stat={session.stat} />}
      </div>
    </div>
  )
}
