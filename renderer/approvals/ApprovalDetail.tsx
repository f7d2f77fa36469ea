import { useRef } from 'react'
import { isOpen, type Approval } from '../../shared/approval.js'
import { useIsNarrow } from '../changes/use-size.js'
import { useStore } from '../state/store.js'
import { errorWords } from '../ui/error-text.js'
import { Icon } from '../ui/icons.js'
import { Badge } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { clockText } from '../ui/words.js'
import { outcomeText } from './approval-words.js'
import { AskingBar } from './AskingBar.js'
import { CommandBody } from './CommandBody.js'
import { DecisionBar, UndoButton } from './DecisionBar.js'
import { EditBody } from './EditBody.js'
import { NextEntry } from './NextEntry.js'
import { PlanBody } from './PlanBody.js'
import { QuestionHead } from './QuestionHead.js'

const narrowPx = 760

/** One question: who asks for what, what can be answered, and the content that the answer is bound to. */
export function ApprovalDetail({ entry }: { readonly entry: Approval }) {
  const pane = useRef<HTMLElement>(null)
  const isNarrow = useIsNarrow(pane, narrowPx)
  const problem = useStore((state) => state.approvals.problems.get(entry.id) ?? null)
  const { subject } = entry
  return (
    <section ref={pane} className={`pane paper question${isNarrow ? ' narrow' : ''}`} aria-label="Question" data-pane="question">
      <QuestionHead entry={entry} isNarrow={isNarrow} />
      {isOpen(entry.state) ? <DecisionBar entry={entry} isNarrow={isNarrow} /> : <Ended entry={entry} />}
      <AskingBar entry={entry} />
      {entry.state === 'stale' && <StaleNotice entry={entry} />}
      {problem && problem.code !== 'FILE_CHANGED_SINCE_READ' && (
        <div className="question-notice error" role="alert">
          <Icon name="cross" />
          <span>
            <b className="b">{errorWords(problem).title}</b> {errorWords(problem).text}
          </span>
        </div>
      )}
      {subject.kind === 'edit' && <EditBody entry={entry} subject={subject} isNarrow={isNarrow} />}
      {subject.kind === 'command' && (
        <div className="question-scroll scroll" tabIndex={0} role="region" aria-label="Command">
          <CommandBody subject={subject} isOver={!isOpen(entry.state)} />
        </div>
      )}
      {subject.kind === 'plan' && <PlanBody subject={subject} />}
      <NextEntry entry={entry} />
    </section>
  )
}

/** Of a question that is over: what came of it. Nothing can be decided here any more. */
function Ended({ entry }: { readonly entry: Approval }) {
  const isGood = entry.state === 'applied' || entry.state === 'approved'
  return (
    <div className={isGood ? 'question-notice done' : 'question-notice'} role="status">
      <Icon name={isGood ? 'check' : entry.state === 'expired' ? 'clock' : 'cross'} />
      <span className="grow">
        <b className="b first-large">{outcomeText(entry)}</b>
        {entry.decidedAt !== null && <span className="t2"> at {clockText(entry.decidedAt)}.</span>} <span className="t2">{visibleText(entry.outcome ?? '')}</span>
      </span>
      {entry.canUndo && <UndoButton entry={entry} />}
    </div>
  )
}

function StaleNotice({ entry }: { readonly entry: Approval }) {
  const what = entry.subject.kind === 'edit' && entry.subject.files.length === 1 ? visibleText(entry.subject.files[0]?.path ?? '') : 'A file of this patch'
  return (
    <div className="question-notice warn" role="alert">
      <Icon name="conflict" />
      <span>
        <b className="b">{what} changed after you opened it.</b> <span className="t2">Nothing was written. The diff is fresh. Your ticks stay where a hunk is the same.</span>
      </span>
      <span className="grow" />
      <Badge look="con">stale</Badge>
    </div>
  )
}
