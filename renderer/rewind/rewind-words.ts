import type { FileResult, PlannedFile, Receipt, ReceiptFile, RewindAction, RewindTarget } from '../../shared/rewind.js'
import { reversedWords } from '../state/operation-words.js'
import { liveTurns } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import type { IconName } from '../ui/icons.js'
import { clockText, countText, durationText, numberText } from '../ui/words.js'

/** "the start of turn 4". */
export function targetText(session: OpenSession, target: RewindTarget): string {
  const index = liveTurns(session).find(({ promptId }) => promptId === target.promptId)?.index
  const turn = index === undefined ? 'a turn set aside' : `turn ${index}`
  return target.kind === 'step' ? `the state after change ${target.step} of ${turn}` : `the ${target.kind} of ${turn}`
}

interface ActionWords {
  readonly label: string
  readonly icon: IconName
  /** Colour class, or '' for plain text. */
  readonly look: 'con' | 'add' | 'del' | ''
}

const actions: Readonly<Record<RewindAction, ActionWords>> = {
  restore: { label: 'Restore', icon: 'back', look: '' },
  delete: { label: 'Delete', icon: 'minus', look: 'del' },
  recreate: { label: 'Recreate', icon: 'plus', look: 'add' },
  merge: { label: 'Merge', icon: 'merge', look: '' },
  conflict: { label: 'Conflict', icon: 'conflict', look: 'con' },
  cannot: { label: 'Cannot', icon: 'question', look: '' },
  unchanged: { label: 'Keep', icon: 'person', look: '' },
}

export function actionWords(action: RewindAction): ActionWords {
  return actions[action]
}

/** "5 restore", "1 conflict" and so on, in the order of the list; what does not occur is left out. */
export function talliesOf(files: readonly PlannedFile[]): readonly { readonly action: RewindAction; readonly text: string }[] {
  const order: readonly RewindAction[] = ['restore', 'delete', 'recreate', 'merge', 'conflict', 'cannot', 'unchanged']
  return order.flatMap((action) => {
    const count = files.filter((file) => file.action === action).length
    return count === 0 ? [] : [{ action, text: `${numberText(count)} ${actions[action].label.toLowerCase()}` }]
  })
}

/** The sentence on the primary button: "Rewind 14 files, leave 2 as they are". */
export function rewindSentence({ written, left }: { readonly written: number; readonly left: number }): string {
  const rewind = `Rewind ${countText(written, 'file')}`
  if (left === 0) return rewind
  return left === 1 ? `${rewind}, leave 1 as it is` : `${rewind}, leave ${numberText(left)} as they are`
}

/** Why the primary button cannot be pressed; `null` where it can. */
export function rewindHindrance(count: { readonly written: number; readonly left: number }, isPlanReady: boolean, target: string): string | null {
  if (count.written > 0) return isPlanReady ? null : 'The preview is being made.'
  if (count.left > 0) return 'Every file is left out or needs an answer first.'
  return isPlanReady ? `Every file is as it was at ${target}.` : 'The preview is being made.'
}

const results: Readonly<Record<FileResult, { readonly label: string; readonly icon: IconName; readonly look: 'add' | 'del' | 'con' | '' }>> = {
  restored: { label: 'Restored', icon: 'check', look: '' },
  deleted: { label: 'Deleted', icon: 'check', look: 'del' },
  recreated: { label: 'Recreated', icon: 'check', look: 'add' },
  merged: { label: 'Merged', icon: 'check', look: '' },
  unchanged: { label: 'Unchanged', icon: 'minus', look: '' },
  left: { label: 'Left', icon: 'minus', look: '' },
  failed: { label: 'Failed', icon: 'cross', look: 'del' },
}

export function resultWords(file: Pick<ReceiptFile, 'result' | 'action'>): (typeof results)[FileResult] {
  return file.result === 'left' && file.action === 'conflict' ? { ...results.left, look: 'con' } : results[file.result]
}

/** What was read back from the disk: the first eight digits, "absent", or nothing where the file was not touched. */
export function readBackText({ result, sha256 }: ReceiptFile): string {
  if (result === 'left' || result === 'failed') return ''
  return sha256 === null ? 'absent' : `${sha256.slice(0, 4)} ${sha256.slice(4, 8)}`
}

export interface ReceiptWords {
  readonly title: string
  readonly text: string
}

/** The head of a receipt. It claims success for a file only where the file was read again. */
export function receiptWords(receipt: Receipt): ReceiptWords {
  const count = (...wanted: readonly FileResult[]): number => receipt.files.filter(({ result }) => wanted.includes(result)).length
  const written = count('restored', 'deleted', 'recreated', 'merged')
  const failed = count('failed')
  const left = count('left')
  const files = countText(written, 'file')
  const titles: Readonly<Record<Receipt['action'], string>> = {
    rewind: `Rewound ${files} to ${receipt.label}`,
    undo: `Undid ${reversedWords(receipt.label)}, ${files} changed back`,
    redo: `Redid ${reversedWords(receipt.label)}, ${files} changed again`,
    'take-back': `Took back ${receipt.label}`,
  }
  const sentences = [
    failed > 0 ? `${countText(failed, 'file')} could not be written; the list says why.` : '',
    written > 0 ? `${failed > 0 ? 'Every other file' : 'Every file'} was read again after the write and has the bytes of the plan.` : 'Nothing was written.',
    left > 0 ? (left === 1 ? '1 file was left as it is.' : `${numberText(left)} files were left as they are.`) : '',
  ]
  return { title: titles[receipt.action], text: sentences.filter(Boolean).join(' ') }
}

/** The receipt as plain text, for the clipboard. */
export function receiptText(receipt: Receipt): string {
  const { title, text } = receiptWords(receipt)
  const started = new Date(receipt.startedAt)
  const lines = receipt.files.map((file) =>
    [resultWords(file).label.padEnd(10), file.path, file.reason, file.sha256 ?? (file.result === 'deleted' ? 'absent' : '')].filter(Boolean).join('  '),
  )
  return [title, text, `Started ${started.toISOString()}, took ${durationText(receipt.durationMs)}`, '', ...lines, ''].join('\n')
}

/** "12:38:04". */
export function secondsText(at: number): string {
  return `${clockText(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`
}
