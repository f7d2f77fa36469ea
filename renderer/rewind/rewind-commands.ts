import type { Command } from '../state/command.js'
import { valueOf } from '../state/loadable.js'
import { applyRewind, closeReceipt, closeRewind, redoLast, rewindToSelected, showReceiptDiff, stepPlanned, stepReceiptFile, stepTarget, toggleIncluded, undoLast } from '../state/rewind-actions.js'
import { acceptDraft, canEdit, chooseSide, editInPlace, stepConflict, toggleDetail } from '../state/rewind-texts-actions.js'
import type { AppStore } from '../state/store.js'
import { copyReceipt } from './copy-receipt.js'
import { isTyping } from '../ui/typing.js'
import { leaveText } from './leave-text.js'

const isPreview = (state: AppStore): boolean => state.view === 'rewind' && state.dialog === null && state.rewind.running === null
const isReceipt = (state: AppStore): boolean => state.view === 'receipt' && state.dialog === null
const selectedTurn = ({ session }: AppStore): boolean => session !== null && session.selection.turn !== null
const isAboutSession = ({ view }: AppStore): boolean => view !== 'approvals' && view !== 'policy' && view !== 'connect'
const isCalm = (state: AppStore): boolean => isAboutSession(state) && state.rewind.running === null && state.changes.takingBack === null && state.dialog === null
const conflicts = (state: AppStore): number => valueOf(state.rewind.texts)?.chosen.length ?? 0
const selectedAction = (state: AppStore): string | null => (state.rewind.selectedPath === null ? null : (state.rewind.known.get(state.rewind.selectedPath)?.action ?? null))
const canChoose = (state: AppStore): boolean => isPreview(state) && (conflicts(state) > 0 || selectedAction(state) === 'conflict')
const hasDraft = (state: AppStore): boolean => {
  const open = valueOf(state.rewind.texts)
  const resolution = open && state.rewind.resolutions[open.texts.path]
  return isPreview(state) && open !== null && open.draft !== null && !(resolution?.kind === 'text' && resolution.text === open.draft)
}

/** What the keyboard and the palette can do about rewinding. The first that fits takes the key. */
export const rewindCommands: readonly Command[] = [
  { id: 'rewind.next-file', label: 'Go to the next file of the rewind', hint: 'file', keys: ['J', 'ArrowDown'], group: 'Rewind', when: isPreview, run: () => stepPlanned(1) },
  { id: 'rewind.previous-file', label: 'Go to the previous file of the rewind', hint: 'file', keys: ['K', 'ArrowUp'], group: 'Rewind', when: isPreview, run: () => stepPlanned(-1) },
  { id: 'rewind.include', label: 'Rewind this file, or leave it out', hint: 'include file', keys: ['Space'], group: 'Rewind', when: isPreview, run: () => toggleIncluded() },
  { id: 'rewind.mine', label: 'Keep mine', hint: 'resolve conflict', keys: ['M'], group: 'Rewind', when: canChoose, run: () => chooseSide('mine') },
  { id: 'rewind.old', label: 'Take the old one', hint: 'resolve conflict', keys: ['O'], group: 'Rewind', when: canChoose, run: () => chooseSide('old') },
  { id: 'rewind.edit', label: 'Edit the result in place', hint: 'resolve conflict', keys: ['E'], group: 'Rewind', when: (state) => canChoose(state) && canEdit(valueOf(state.rewind.texts)), run: editInPlace },
  { id: 'rewind.next-conflict', label: 'Go to the next conflict', hint: 'conflict', keys: ['N'], group: 'Rewind', when: (state) => isPreview(state) && conflicts(state) > 1, run: () => stepConflict(1) },
  { id: 'rewind.previous-conflict', label: 'Go to the previous conflict', hint: 'conflict', keys: ['P'], group: 'Rewind', when: (state) => isPreview(state) && conflicts(state) > 1, run: () => stepConflict(-1) },
  { id: 'rewind.detail', label: 'Show the diff of disk and result, or the three texts', hint: 'diff of disk and result', keys: ['Enter'], group: 'Rewind', when: (state) => isPreview(state) && conflicts(state) > 0, run: toggleDetail },
  { id: 'rewind.earlier', label: 'Rewind to the turn before', hint: 'earlier, later turn', keys: ['['], group: 'Rewind', when: isPreview, run: () => stepTarget(-1) },
  { id: 'rewind.later', label: 'Rewind to the turn after', hint: 'earlier, later turn', keys: [']'], group: 'Rewind', when: isPreview, run: () => stepTarget(1) },
  { id: 'rewind.use-text', label: 'Use the text that was typed', hint: null, keys: ['Mod+Enter'], group: 'Rewind', when: (state) => hasDraft(state) || (isPreview(state) && isTyping()), run: acceptDraft },
  // Not while a text is typed: there the same key uses it, and who presses it twice means neither a line nor all files.
  { id: 'rewind.apply', label: 'Do the rewind', hint: null, keys: ['Mod+Enter'], group: 'Rewind', when: (state) => isPreview(state) && state.rewind.plan.kind === 'ready' && !isTyping(), run: () => void applyRewind() },
  { id: 'rewind.leave-text', label: 'Leave the text', hint: null, keys: ['Escape'], group: 'Rewind', when: (state) => isPreview(state) && isTyping(), run: leaveText },
  { id: 'rewind.cancel', label: 'Leave the preview', hint: 'cancel', keys: ['Escape'], group: 'Rewind', when: isPreview, run: closeRewind },
  { id: 'rewind.undo', label: 'Undo the last rewind or take-back', hint: 'undo', keys: ['Mod+Z'], group: 'Rewind', when: (state) => isCalm(state) && !isTyping() && Boolean(state.session?.header.undo), run: undoLast },
  { id: 'rewind.redo', label: 'Redo what was undone', hint: 'redo', keys: ['Mod+Shift+Z'], group: 'Rewind', when: (state) => isCalm(state) && !isTyping() && Boolean(state.session?.header.redo), run: redoLast },
  { id: 'rewind.open', label: 'Rewind to the start of the selected turn', hint: 'rewind to turn', keys: ['R'], group: 'Rewind', when: (state) => (state.view === 'review' || state.view === 'map') && isCalm(state) && selectedTurn(state), run: rewindToSelected },
  { id: 'receipt.next', label: 'Go to the next file of the receipt', hint: 'file', keys: ['J', 'ArrowDown'], group: 'Rewind', when: isReceipt, run: () => stepReceiptFile(1) },
  { id: 'receipt.previous', label: 'Go to the previous file of the receipt', hint: 'file', keys: ['K', 'ArrowUp'], group: 'Rewind', when: isReceipt, run: () => stepReceiptFile(-1) },
  { id: 'receipt.diff', label: 'Show the diff of this file', hint: 'diff of this file', keys: ['Enter'], group: 'Rewind', when: isReceipt, run: showReceiptDiff },
  { id: 'receipt.copy', label: 'Copy the receipt', hint: 'copy receipt', keys: ['C'], group: 'Rewind', when: isReceipt, run: () => void copyReceipt() },
  { id: 'receipt.close', label: 'Go back to the review', hint: 'back to review', keys: ['Escape'], group: 'Rewind', when: isReceipt, run: closeReceipt },
]
