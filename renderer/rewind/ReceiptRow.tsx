import { memo, type CSSProperties } from 'react'
import type { WorkspacePath } from '../../shared/ids.js'
import type { ReceiptFile } from '../../shared/rewind.js'
import { PathName } from '../changes/PathName.js'
import { Icon } from '../ui/icons.js'
import { readBackText, resultWords } from './rewind-words.js'

interface ReceiptRowProps {
  readonly id: string
  readonly file: ReceiptFile
  readonly place: number
  readonly count: number
  readonly isSelected: boolean
  readonly style: CSSProperties
  readonly onSelect: (path: WorkspacePath) => void
}

/** What became of one file, and what was read back from the disk. */
export const ReceiptRow = memo(function ReceiptRow({ id, file, place, count, isSelected, style, onSelect }: ReceiptRowProps) {
  const words = resultWords(file)
  const readBack = readBackText(file)
  const sign = words.icon === 'check' ? 'acc' : words.icon === 'cross' ? 'del' : 't3'
  return (
    <div
      id={id}
      role="option"
      className={`receipt-row${isSelected ? ' on' : ''}`}
      style={style}
      aria-selected={isSelected}
      aria-setsize={count}
      aria-posinset={place}
      aria-label={[words.label, file.path, file.reason, readBack && `read back ${readBack}`].filter(Boolean).join(', ')}
      onClick={() => onSelect(file.path)}
    >
      <span className={sign}><Icon name={words.icon} size={14} /></span>
      <span className={`action ${words.look}`}>{words.label}</span>
      <PathName path={file.path} />
      <span className="md t2 ell" title={file.reason}>{file.reason}</span>
      <span className="mono t3 ell read-back" title={file.sha256 ?? undefined}>{readBack}</span>
    </div>
  )
})
