import { isOpen, type Approval } from '../../shared/approval.js'
import { selectEntry } from '../state/actions.js'
import { orderedEntries } from '../state/approval-view.js'
import { useStore } from '../state/store.js'
import { agentOfClient, AgentSign } from '../ui/agents.js'
import { Kbd } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { elapsedText, folderName } from '../ui/words.js'
import { wantsText } from './approval-words.js'
import { CommandBody } from './CommandBody.js'
import { Asks } from './QuestionHead.js'

/** A look at what comes next, where it is a command: the small ones can then be judged at one glance. */
export function NextEntry({ entry }: { readonly entry: Approval }) {
  const approvals = useStore((state) => state.approvals)
  const entries = orderedEntries(approvals)
  const next = entries[entries.findIndex(({ id }) => id === entry.id) + 1]
  if (entry.subject.kind !== 'edit' || next?.subject.kind !== 'command' || !isOpen(next.state) || approvals.tab !== 'waiting') return null
  const { subject, source } = next
  return (
    <section className="next-entry" aria-label="The next question">
      <button type="button" className="question-head" onClick={() => selectEntry(next.id)}>
        <span className="row grow">
          <AgentSign agent={agentOfClient(source.client)} />
          <span className="b ell">{wantsText(next)}</span>
          <span className="md t3 ell">
            in {visibleText(folderName(subject.directory))}, at most {elapsedText(subject.timeLimitMs)}
          </span>
        </span>
        <Asks entry={next} />
        <span className="row md t3">
          <Kbd keys="J" /> to decide
        </span>
      </button>
      <div className="next-body">
        <CommandBody subject={subject} isPeek />
      </div>
    </section>
  )
}
