import type { ChangeBadge } from '../../shared/file-state.js'
import { Icon } from '../ui/icons.js'

/** Whether nothing but blanks changed, which is easily overlooked. */
export function isOnlyBlanks(badges: readonly ChangeBadge[]): boolean {
  return badges.some(({ kind }) => kind === 'only-blanks')
}

/** Over a diff in which nothing but blanks changed: in some languages that changes what the code does. */
export function BlanksNote() {
  return (
    <div className="diff-note blanks" role="note">
      <Icon name="conflict" size={14} />
      <span className="b">Only blanks changed.</span>
      <span className="t2 ell">Spaces are drawn as dots and tabs as arrows; no difference is left out.</span>
    </div>
  )
}
