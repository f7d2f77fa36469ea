import type { RecordedEdit } from '../../shared/session.js'
import { visibleText } from './visible-text.js'

export interface DiffLine {
  readonly look: 'added' | 'removed' | 'same' | 'place'
  readonly text: string
}

/** More lines of one edit are not drawn. */
const mostLines = 2000

/** What a recorded edit says that it changed, line by line. */
export function EditLines({ edit, label }: { readonly edit: Pick<RecordedEdit, 'change' | 'diff'>; readonly label?: string }) {
  const lines = editLines(edit)
  return (
    <pre className="edit-lines" {...(label === undefined ? {} : { tabIndex: 0, role: 'group', 'aria-label': label })}>
      {lines.slice(0, mostLines).map(({ look, text }, at) => (
        <span key={at} className={look}>
          {visibleText(text)}
          {'\n'}
        </span>
      ))}
      {lines.length > mostLines && <span className="place">{`… ${(lines.length - mostLines).toLocaleString('en')} more lines`}</span>}
    </pre>
  )
}

/** The lines of an edit with their signs. Empty where only the result tells. */
export function editLines({ change, diff }: Pick<RecordedEdit, 'change' | 'diff'>): readonly DiffLine[] {
  if (diff !== null)
    return splitLines(diff)
      .filter((line) => !line.startsWith('--- ') && !line.startsWith('+++ ') && !line.startsWith('Index:') && !/^=+$/.test(line))
      .map(diffLine)
  switch (change.kind) {
    case 'replace':
      return [...signed(change.oldText, '-'), ...signed(change.newText, '+')]
    case 'write':
      return signed(change.content, '+')
    case 'sed':
      return [{ look: 'same', text: change.command }]
    case 'delete':
      return [{ look: 'removed', text: '− the whole file' }]
  }
}

function signed(text: string, sign: '+' | '-'): readonly DiffLine[] {
  return text === '' ? [] : splitLines(text).map((line) => diffLine(sign + line))
}

function splitLines(text: string): readonly string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/)
}

function diffLine(text: string): DiffLine {
  if (text.startsWith('@@')) return { look: 'place', text }
  if (text.startsWith('+')) return { look: 'added', text: `+ ${text.slice(1)}` }
  if (text.startsWith('-')) return { look: 'removed', text: `− ${text.slice(1)}` }
  return { look: 'same', text: `  ${text.replace(/^ /, '')}` }
}
