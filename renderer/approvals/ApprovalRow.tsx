import type { Approval } from '../../shared/approval.js'
import type { DiffStat } from '../../shared/changes.js'
import type { Draft } from '../state/approvals-slice.js'
import { Icon } from '../ui/icons.js'
import { Stat } from '../ui/parts.js'
import { splitPath } from '../ui/words.js'
import { entryIcon, entryNotes, entryTitle, wantsText } from './approval-words.js'
import { ownCountText } from './told.js'

interface ApprovalRowProps {
  readonly approval: Approval
  readonly draft: Draft
  readonly isOn: boolean
  /** It comes with J. */
  readonly isNext: boolean
  readonly onSelect: () => void
}

/** One question that waits. */
export function ApprovalRow({ approval, draft, isOn, isNext, onSelect }: ApprovalRowProps) {
  const { subject, state } = approval
  const title = entryTitle(approval)
  const notes = entryNotes(approval)
  const own = ownCountText(draft)
  const isPath = subject.kind === 'edit' && subject.files.length === 1
  const stat = subject.kind === 'edit' ? sumOf(subject.files.map((file) => file.stat)) : null
  const label = [wantsText(approval), isPath ? null : title, ...notes, own, state === 'stale' ? 'changed on disk since' : null, state === 'approved' ? 'being carried out' : null]
  return (
    <div
      id={`approval-${approval.id}`}
      role="option"
      aria-selected={isOn}
      aria-label={label.filter(Boolean).join(', ')}
      className={`approval-row${isOn ? ' on' : ''}${isNext ? ' next' : ''}`}
      onClick={onSelect}
    >
      <span className="approval-icon">
        <Icon name={entryIcon(approval)} />
      </span>
      <div className="grow">
        <div className="l1">
          {isPath ? <Path path={title} isOn={isOn} /> : <span className={`ell grow${subject.kind === 'command' ? ' mono' : ''}${isOn ? ' b' : ''}`}>{title}</span>}
          {stat && <Stat stat={stat} />}
        </div>
        <div className="l2">
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
          {own && <span className="acc">{own}</span>}
          {state === 'stale' && (
            <span className="con g">
              <Icon name="conflict" size={13} />
              stale
            </span>
          )}
          {state === 'approved' && <span className="acc">{subject.kind === 'command' ? 'runs now' : 'is being written'}</span>}
        </div>
      </div>
    </div>
  )
}

function Path({ path, isOn }: { readonly path: string; readonly isOn: boolean }) {
  const { folder, name } = splitPath(path)
  return (
    <span className={isOn ? 'path grow b' : 'path grow'} title={path}>
      <span className="dir">{folder}</span>
      <span className="name">{name}</span>
    </span>
  )
}

function sumOf(stats: readonly (DiffStat | null)[]): DiffStat | null {
  const known = stats.filter((stat) => stat !== null)
  if (known.length === 0) return null
  return {
    insertions: known.reduce((sum, { insertions }) => sum + insertions, 0),
    deletions: known.reduce((sum, { deletions }) => sum + deletions, 0),
  }
}
