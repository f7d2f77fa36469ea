import { memo, type CSSProperties } from 'react'
import type { FileChange } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { Icon } from '../ui/icons.js'
import { ChurnBars, StatusLetter } from '../ui/parts.js'
import { formatCount } from '../ui/words.js'
import { Badges } from './Badges.js'
import { causeIcon, rowLabel } from './file-rows.js'
import { PathName } from './PathName.js'
import { causeText, kindText, stateLetter } from './words.js'

interface FileRowProps {
  readonly id: string
  readonly change: FileChange
  readonly place: number
  readonly count: number
  readonly isSelected: boolean
  readonly style: CSSProperties
  readonly onSelect: (path: WorkspacePath) => void
  readonly onTick: (path: WorkspacePath) => void
}

/** One file of the list. The row as a whole is the option; its box is for the pointer, Space is for the keyboard. */
export const FileRow = memo(function FileRow({ id, change, place, count, isSelected, style, onSelect, onTick }: FileRowProps) {
  const { path, kind, stat, review } = change
  const isRefused = kind === 'refused'
  const checked = review === 'reviewed' ? 'true' : review === 'changed-since' ? 'mixed' : 'false'
  return (
    <div
      id={id}
      role="option"
      className={`file-row${isSelected ? ' on' : ''}${review === 'reviewed' ? ' seen' : ''}`}
      style={style}
      aria-selected={isSelected}
      aria-checked={isRefused ? undefined : review === 'reviewed'}
      aria-setsize={count}
      aria-posinset={place}
      aria-label={rowLabel(change)}
      onClick={() => onSelect(path)}
    >
      {isRefused ? <span /> : (
        <span
          className="chk"
          aria-hidden="true"
          aria-checked={checked}
          data-bound={change.contentKey !== null}
          title={review === 'changed-since' ? 'It changed since you reviewed it' : 'Reviewed'}
          onClick={(event) => {
            event.stopPropagation()
            onTick(path)
          }}
        />
      )}
      <StatusLetter letter={stateLetter(kind) ?? 'X'} title={kindText(kind)} />
      <PathName path={path} />
      <Badges badges={change.badges} />
      <span className="prov" title={causeText(change)}><Icon name={causeIcon(change)} size={13} /><span className="words">{causeText(change)}</span></span>
      <span className="count-cell add">{stat && stat.insertions > 0 ? `+${formatCount(stat.insertions)}` : ''}</span>
      <span className="count-cell del">{stat && stat.deletions > 0 ? `−${formatCount(stat.deletions)}` : ''}</span>
      <ChurnBars stat={kind === 'unknown' ? null : (stat ?? { insertions: 0, deletions: 0 })} />
    </div>
  )
})
