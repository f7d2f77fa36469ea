import { memo, type CSSProperties } from 'react'
import type { WorkspacePath } from '../../shared/ids.js'
import type { PlannedFile } from '../../shared/rewind.js'
import { Badges } from '../changes/Badges.js'
import { badgeText } from '../changes/badges.js'
import { PathName } from '../changes/PathName.js'
import { Icon } from '../ui/icons.js'
import { Stat } from '../ui/parts.js'
import { actionWords } from './rewind-words.js'

interface PlanRowProps {
  readonly id: string
  readonly file: PlannedFile
  readonly place: number
  readonly count: number
  readonly isSelected: boolean
  readonly isLeftOut: boolean
  readonly style: CSSProperties
  readonly onSelect: (path: WorkspacePath) => void
  readonly onTick: (path: WorkspacePath) => void
}

/** What will happen to one file. The row is the option; its box is for the pointer, Space is for the keyboard. */
export const PlanRow = memo(function PlanRow({ id, file, place, count, isSelected, isLeftOut, style, onSelect, onTick }: PlanRowProps) {
  const { path, action, reason, stat } = file
  // Of a rewind only the goal can be unknown, so it needs no side.
  const badges = file.badges.map((badge) => (badge.kind === 'unknown' ? { ...badge, side: 'both' as const } : badge))
  const words = actionWords(action)
  const checked = isLeftOut || action === 'cannot' || action === 'unchanged' ? 'false' : action === 'conflict' ? 'mixed' : 'true'
  const included = checked === 'true' ? 'included' : checked === 'mixed' ? 'stays until you choose' : 'left out'
  return (
    <div
      id={id}
      role="option"
      className={`plan-row${isSelected ? ' on' : ''}${isLeftOut ? ' out' : ''}`}
      style={style}
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={place}
      aria-label={[words.label, path, reason, ...badges.map((badge) => badgeText(badge).text), included].join(', ')}
      onClick={() => onSelect(path)}
    >
      <span
        className="chk"
        aria-hidden="true"
        aria-checked={checked}
        data-bound={action !== 'cannot'}
        title={action === 'cannot' ? 'It cannot be rewound' : 'Rewind this file'}
        onClick={(event) => {
          event.stopPropagation()
          onTick(path)
        }}
      />
      <span className={`action ${words.look}`}><Icon name={words.icon} size={14} />{words.label}</span>
      <PathName path={path} />
      <span className="md t2 ell" title={reason}>{isLeftOut ? 'Left out, stays as it is' : reason}</span>
      <Badges badges={badges} />
      <span className="md plan-stat">{stat && <Stat stat={stat} />}</span>
    </div>
  )
})
