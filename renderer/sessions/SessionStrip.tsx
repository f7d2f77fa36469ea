import { useMemo } from 'react'
import { openSession } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { agentOfSession, AgentSign, sessionAgentText } from '../ui/agents.js'
import { groupSessions, orderedSessions } from './session-groups.js'
import './sessions.css'

/** So many sessions of a long list are worth a sign; the palette and the wide list have all. */
const shownAtMost = 40

/** The list of sessions where there is no room for words: one sign each, the title on hover and for screen readers. */
export function SessionStrip() {
  const list = useStore((state) => valueOf(state.library))
  const openKey = useStore((state) => state.opening?.key ?? state.session?.key ?? null)
  const sessions = useMemo(() => orderedSessions(groupSessions(list?.sessions ?? [])), [list])
  return (
    <section className="pane bg strip scroll" data-pane="sessions" aria-label="Sessions">
      {sessions.slice(0, shownAtMost).map((session) => {
        const isOn = session.key === openKey
        return (
          <button
            key={session.key}
            type="button"
            className={isOn ? 'strip-sign on' : 'strip-sign'}
            aria-current={isOn}
            aria-label={`${session.title}, ${sessionAgentText(session)}`}
            title={session.title}
            onClick={() => void openSession(session.key)}
          >
            <AgentSign agent={agentOfSession(session)} />
          </button>
        )
      })}
    </section>
  )
}
