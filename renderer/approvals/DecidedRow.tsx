import type { Approval } from '../../shared/approval.js'
import { selectEntry, showTab } from '../state/actions.js'
import { clientName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { whenText } from '../ui/words.js'
import { entryTitle, outcomeIcon, outcomeText } from './approval-words.js'

interface DecidedRowProps {
  readonly approval: Approval
  readonly isOn: boolean
  readonly now: number
  /** It stands below the questions that wait, and leads to the list of decisions. */
  readonly isButton?: boolean
}

/** What became of one question. */
export function DecidedRow({ approval, isOn, now, isButton = false }: DecidedRowProps) {
  const { id, decidedAt, subject, source } = approval
  const title = entryTitle(approval)
  const outcome = outcomeText(approval)
  const cells = (
    <>
      <Icon name={outcomeIcon(approval)} size={14} />
      <span className={subject.kind === 'command' ? 'ell mono' : 'ell'} title={title}>
        {title}
      </span>
      <span className="ell t2" title={outcome}>
        {outcome}
      </span>
      <span className="num t3">{decidedAt === null ? '' : whenText(decidedAt, now)}</span>
    </>
  )
  const label = `${title}, ${outcome}, ${clientName(source.client)}`
  if (isButton) {
    return (
      <button
        type="button"
        className="decided-row"
        aria-label={label}
        onClick={() => {
          selectEntry(id)
          showTab('decided')
        }}
      >
        {cells}
      </button>
    )
  }
  return (
    <div id={`approval-${id}`} role="option" aria-selected={isOn} aria-label={label} className={isOn ? 'decided-row on' : 'decided-row'} onClick={() => selectEntry(id)}>
      {cells}
    </div>
  )
}
