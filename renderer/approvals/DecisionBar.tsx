import { useEffect } from 'react'
import type { Approval } from '../../shared/approval.js'
import { approveAll, approveChosen, approveRestOfTurn, setAsking, undoDecision } from '../state/actions.js'
import { approvalHindrance, chosenOf, draftOf } from '../state/approval-view.js'
import { useStore } from '../state/store.js'
import { Button } from '../ui/parts.js'
import { approveLabel } from './approval-words.js'
import { keepFocus } from './leave-text.js'

/** What can be answered. Every button says what it does, and why it cannot now. */
export function DecisionBar({ entry, isNarrow }: { readonly entry: Approval; readonly isNarrow: boolean }) {
  const { subject } = entry
  const hindrance = useStore(approvalHindrance)
  const draft = useStore((state) => draftOf(state.approvals, entry.id))
  const isBusy = useStore((state) => state.approvals.busy.has(entry.id))
  const isOffline = useStore((state) => state.connection.kind !== 'open')
  const answerHindrance = isBusy ? 'Your decision is on its way.' : isOffline ? 'The connection is lost. Nothing can be decided before it is back.' : null
  const chosen = chosenOf(entry, draft)
  const isNothing = subject.kind === 'edit' && chosen.files === 0
  const isDenied = subject.kind === 'command' && subject.judgement.verdict === 'denied'
  const reason = isNothing ? 'Tick what is to be written, or reject it.' : isDenied ? 'The policy denies a part of it.' : hindrance
  const isLong = isNarrow && subject.kind === 'edit'
  return (
    <div className="decision-bar" role="group" aria-label="Decide">
      <Button look="primary" icon={subject.kind === 'command' ? 'play' : 'check'} keys="A" disabledReason={reason} onClick={() => void approveChosen()}>
        {approveLabel(entry, chosen)}
      </Button>
      {subject.kind === 'edit' && !chosen.isWhole && (
        <Button keys="Shift+A" disabledReason={hindrance} onClick={() => void approveAll()}>
          Approve all
        </Button>
      )}
      {subject.kind === 'plan' ? (
        <Button keys="X" disabledReason={answerHindrance} onClick={() => setAsking({ kind: 'comments', text: '' })}>
          Send back with comments…
        </Button>
      ) : (
        <Button keys="X" disabledReason={answerHindrance} onClick={() => setAsking({ kind: 'reject', text: '' })}>
          {isLong ? 'Reject…' : 'Reject with a reason…'}
        </Button>
      )}
      <span className="grow" />
      {subject.kind === 'edit' && (
        <Button look="quiet" keys="Shift+R" disabledReason={reason} onClick={() => setAsking({ kind: 'rest-of-turn' })}>
          {isLong ? 'Rest of turn…' : 'Approve the rest of this turn…'}
        </Button>
      )}
    </div>
  )
}

/** Puts back what an applied edit changed. */
export function UndoButton({ entry }: { readonly entry: Approval }) {
  const isBusy = useStore((state) => state.approvals.busy.has(entry.id))
  return (
    <Button size="small" icon="back" keys="Z" disabledReason={isBusy ? 'It is being put back.' : null} onClick={() => void undoDecision(entry)}>
      Undo the decision
    </Button>
  )
}

/** Asked once more: all further edits of the turn without a look at them. */
export function RestOfTurn({ entry }: { readonly entry: Approval }) {
  useEffect(() => keepFocus, [])
  const hindrance = useStore(approvalHindrance)
  return (
    <div className="asking" role="group" aria-label="Approve the rest of this turn">
      <span className="grow">
        <b className="b">Approve the rest of turn {entry.source.turn}?</b>{' '}
        <span className="t2">This edit is written, and every further edit of this turn without asking. Commands still ask. Each edit can be taken back.</span>
      </span>
      <Button keys="Escape" onClick={() => setAsking(null)}>
        Cancel
      </Button>
      <Button look="primary" keys="Mod+Enter" autoFocus disabledReason={hindrance} onClick={() => void approveRestOfTurn()}>
        Approve the rest of this turn
      </Button>
    </div>
  )
}
