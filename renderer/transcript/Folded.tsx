import type { ReactNode } from 'react'
import { Icon } from '../ui/icons.js'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly children: ReactNode
}

/** Something to read only on demand. */
export function Folded({ title, isOpen, onToggle, children }: Props) {
  return (
    <>
      <button type="button" className="call-head fold-head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <span className="t2">{title}</span>
      </button>
      {isOpen && <div className="fold-body">{children}</div>}
    </>
  )
}
