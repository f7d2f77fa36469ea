import { isOpen, type Approval } from '../../shared/approval.js'
import { goToHunk, toggleHunk } from '../state/actions.js'
import { placesOf, type FileDraft } from '../state/approval-draft.js'
import { Icon } from '../ui/icons.js'
import { Tick } from '../ui/parts.js'
import { ownChangeText } from './told.js'

interface HunkHeadProps {
  readonly entry: Approval
  readonly draft: FileDraft
  readonly number: number
  readonly isCurrent: boolean
}

/** The line over a hunk: its tick, where it lies, what becomes of it. */
export function HunkHead({ entry, draft, number, isCurrent }: HunkHeadProps) {
  const place = placesOf(draft)[number - 1]
  if (!place) return null
  const isOut = draft.leftOut.has(number)
  const own = ownChangeText(draft, place.edits)
  const count = draft.hunks.length
  const first = place.shownStart + 1
  const last = Math.max(first, place.shownEnd)
  const name = count === 1 ? 'Hunk' : `Hunk ${number} of ${count}`
  return (
    <div className={`hunk-head${isCurrent ? ' current' : ''}${isOut ? ' out' : ''}`} onClick={() => goToHunk(number - 1)}>
      {isOpen(entry.state) && <Tick label={`Take ${name.toLowerCase()}`} checked={!isOut} onChange={() => toggleHunk(number)} />}
      <b className="b">{name}</b>
      <span className="t3 num">{first === last ? `line ${first}` : `lines ${first}–${last}`}</span>
      <span className="grow" />
      {own && (
        <span className="bdg acc">
          <Icon name="pencil" size={13} />
          {own}
        </span>
      )}
      {isOpen(entry.state) && <span className="md t2">{isOut ? 'Leave out' : own ? 'Approve as edited' : 'Approve'}</span>}
    </div>
  )
}
