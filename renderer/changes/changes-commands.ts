import { hasTranscript, nextScope, showInTranscript, stepChange, stepFile, toggleDiffLayout, toggleReviewed, toggleWrap } from '../state/changes-actions.js'
import type { Command } from '../state/command.js'
import { getState, type AppStore } from '../state/store.js'
import { askWhy, canAskWhy, closeWhy, goToWriter, lineToAsk } from '../state/why-actions.js'
import { applyTakeBack, closeTakeBack, previewTakeBack } from '../state/take-back-actions.js'

const isReviewing = (state: AppStore): boolean => state.view === 'review' && state.session !== null && state.dialog === null && state.changes.takingBack === null
const inList = (state: AppStore): boolean => isReviewing(state) && state.focusedPane === 'files'
const hasFile = (state: AppStore): boolean => isReviewing(state) && state.changes.selectedPath !== null
const canTakeBack = ({ changes }: AppStore): boolean => changes.takingBack?.plan.kind === 'ready' && changes.takingBack.plan.value.fits
const hasWhy = (state: AppStore): boolean => state.why !== null && (state.view === 'review' || state.view === 'approvals') && state.changes.takingBack === null
const isAsking = (state: AppStore): boolean => state.changes.takingBack !== null

function askHere(): void {
  const line = lineToAsk(getState())
  if (line) void askWhy(line)
}

/** What the keyboard and the palette can do in the changes pane. The first that fits takes the key. */
export const changesCommands: readonly Command[] = [
  { id: 'why.go', label: 'Go to the turn that wrote the line', hint: 'go to the turn', keys: ['Mod+Enter'], group: 'Changes', when: (state) => hasWhy(state) && state.why?.answer.kind === 'ready' && state.why.answer.value.kind === 'written', run: () => void goToWriter() },
  { id: 'why.close', label: 'Close the answer', hint: 'close the answer', keys: ['Escape'], group: 'Changes', when: hasWhy, run: closeWhy },
  { id: 'take-back.apply', label: 'Take back the change', hint: 'take back', keys: ['Mod+Enter'], group: 'Changes', when: canTakeBack, run: () => void applyTakeBack() },
  { id: 'take-back.cancel', label: 'Leave the change as it is', hint: 'cancel', keys: ['Escape'], group: 'Changes', when: isAsking, run: closeTakeBack },
  { id: 'files.next', label: 'Go to the next file of the list', hint: 'file', keys: ['J', 'ArrowDown'], group: 'Changes', when: inList, run: () => void stepFile(1) },
  { id: 'files.previous', label: 'Go to the previous file of the list', hint: 'file', keys: ['K', 'ArrowUp'], group: 'Changes', when: inList, run: () => void stepFile(-1) },
  { id: 'file.next', label: 'Go to the next file', hint: 'next file', keys: ['F'], group: 'Changes', when: hasFile, run: () => void stepFile(1) },
  { id: 'file.previous', label: 'Go to the previous file', hint: null, keys: ['Shift+F'], group: 'Changes', when: hasFile, run: () => void stepFile(-1) },
  { id: 'diff.files.next', label: 'Go to the next file', hint: null, keys: ['J'], group: 'Changes', when: (state) => hasFile(state) && state.focusedPane === 'diff', run: () => void stepFile(1) },
  { id: 'diff.files.previous', label: 'Go to the previous file', hint: null, keys: ['K'], group: 'Changes', when: (state) => hasFile(state) && state.focusedPane === 'diff', run: () => void stepFile(-1) },
  { id: 'change.next', label: 'Go to the next change', hint: 'change', keys: ['N'], group: 'Changes', when: hasFile, run: () => stepChange(1) },
  { id: 'change.previous', label: 'Go to the previous change', hint: 'change', keys: ['P'], group: 'Changes', when: hasFile, run: () => stepChange(-1) },
  { id: 'file.review', label: 'Mark the file as reviewed, or take the mark off', hint: 'reviewed', keys: ['Space'], group: 'Changes', when: hasFile, run: () => void toggleReviewed() },
  { id: 'file.transcript', label: 'Show in the transcript how the file came about', hint: 'transcript', keys: ['Enter'], group: 'Changes', when: (state) => hasFile(state) && state.focusedPane !== 'timeline' && state.focusedPane !== 'sessions' && hasTranscript(state.changes), run: showInTranscript },
  { id: 'scope.next', label: 'Compare other moments', hint: 'scope', keys: ['S'], group: 'Changes', when: isReviewing, run: nextScope },
  { id: 'change.take-back', label: 'Take back this change', hint: 'take back change', keys: ['T'], group: 'Changes', when: hasFile, run: () => void previewTakeBack() },
  { id: 'line.why', label: 'Why is this line here?', hint: 'why this line', keys: ['Y'], group: 'Changes', when: (state) => isReviewing(state) && canAskWhy(state), run: askHere },
  { id: 'diff.layout', label: 'Show the diff side by side, or in one column', hint: null, keys: ['V'], group: 'Changes', when: isReviewing, run: toggleDiffLayout },
  { id: 'diff.wrap', label: 'Wrap long lines, or let them run on', hint: null, keys: ['W'], group: 'Changes', when: isReviewing, run: toggleWrap },
]
