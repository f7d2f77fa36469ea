import type { FileResult, Receipt, ReceiptFile } from '../../shared/rewind.js'
import { receiptLine } from './apply-changes.js'
import type { HistoryParts } from './history-parts.js'
import type { Operation } from './journal.js'
import type { OperationFile } from './operation.js'
import { removeAsides, settleFiles, standing, type Settled, type Standing } from './settle.js'

/**
 * Ends the operations that a crash cut off in this workspace; the workspace lock must be held.
 *
 * Where it had begun and every file stands before or after it, it is completed; where somebody changed one meanwhile, it is
 * undone, and that file is left. Returns one sentence for each. May itself be cut off and called again.
 */
export async function recover(parts: HistoryParts): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const operation of parts.journal.pending()) {
    if (operation.intent.workspace !== parts.workspace.root) continue
    sentences.push(await end(parts, operation))
  }
  return sentences
}

async function end(parts: HistoryParts, operation: Operation): Promise<string> {
  const { intent } = operation
  await removeAsides(parts, intent)
  const stand = await standing(parts, intent)
  // Not begun: then the snapshot may not have reached the disk either.
  const wanted = stand.includes('elsewhere') || !stand.includes('after') ? 'before' : 'after'
  const settled = await settleFiles(parts, intent, wanted)
  const files = settled.map((each) => line(each, wanted))
  const open = settled.filter((each) => each.kind !== 'wanted').map((each) => each.file.path)
  const recovered = sentence(operation, stand, wanted, open)
  const receipt: Receipt = {
    operationId: intent.id,
    action: operation.action,
    label: intent.label,
    startedAt: intent.at,
    durationMs: Math.max(0, parts.now() - intent.at),
    files,
    snapshot: { files: intent.files.length, sizeBytes: intent.files.reduce((sum, { before }) => sum + (before.kind === 'file' ? before.sizeBytes : 0), 0) },
  }
  const outcome = wanted === 'before' ? 'interrupted' : open.length > 0 ? 'partly' : 'done'
  await parts.journal.finish({ id: intent.id, receipt, outcome, recovered })
  parts.log.warn('history.recovered', { operation: intent.id, sentence: recovered })
  return recovered
}

function line({ file, kind, now, error }: Settled, wanted: 'before' | 'after'): ReceiptFile {
  if (kind === 'elsewhere') return receiptLine(file.path, file.action, 'left', 'Changed by somebody else meanwhile, so it was left', now, error)
  if (kind === 'stuck') return receiptLine(file.path, file.action, 'failed', 'It could not be written. Look at it', now, error)
  if (wanted === 'before') return receiptLine(file.path, file.action, 'left', 'Cut off. It is as it was before', now)
  return receiptLine(file.path, file.action, doneResult(file), 'Completed after it had been cut off', now)
}

function doneResult(file: OperationFile): FileResult {
  if (file.action === 'merge') return 'merged'
  if (file.after.kind === 'absent') return 'deleted'
  return file.before.kind === 'absent' ? 'recreated' : 'restored'
}

const names = { rewind: 'The rewind to', undo: 'The undo of', redo: 'The redo of', 'take-back': 'Taking back' } as const

function sentence(operation: Operation, stand: readonly Standing[], wanted: 'before' | 'after', open: readonly string[]): string {
  const rest = open.length > 0 ? `; look at ${open.slice(0, 3).join(', ')}${open.length > 3 ? ` and ${open.length - 3} more` : ''}` : ''
  const done = wanted === 'after' ? `It was completed, ${count(stand.length - open.length)}` : whyUndone(stand)
  return `${names[operation.action]} ${operation.intent.label} had been cut off. ${done}${rest}.`
}

function whyUndone(stand: readonly Standing[]): string {
  return stand.includes('elsewhere') ? 'It was undone, because a file had changed meanwhile' : 'It had not written anything yet'
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`
}
