import { isOpen } from '../../shared/approval.js'
import {
  askWhyHere, approveAll, approveAlways, approveChosen, approveRestOfTurn, canAskWhyHere, rejectSelected, setAsking, setView, showConnect, showPolicy, showTab, startTyping, stepEntry, stepHunk, toggleHunk, undoDecision,
} from '../state/actions.js'
import { toggleDiffLayout, toggleWrap } from '../state/changes-actions.js'
import { newestUndoable, orderedEntries, selectedEntry, shownDraft } from '../state/approval-view.js'
import type { Command } from '../state/command.js'
import { getState, type AppStore } from '../state/store.js'
import { isTyping } from '../ui/typing.js'
import { leaveText } from './leave-text.js'

const inView = (state: AppStore): boolean => state.view === 'approvals'
const isCalm = (state: AppStore): boolean => inView(state) && state.approvals.asking === null
const hasEntries = (state: AppStore): boolean => isCalm(state) && orderedEntries(state.approvals).length > 0
const kindOf = ({ approvals }: AppStore): 'edit' | 'command' | 'plan' | null => selectedEntry(approvals)?.subject.kind ?? null
const canDecide = (state: AppStore): boolean => {
  const entry = selectedEntry(state.approvals)
  return isCalm(state) && entry !== null && isOpen(entry.state)
}
const isEdit = (state: AppStore): boolean => canDecide(state) && kindOf(state) === 'edit'
const hasText = (state: AppStore): boolean => inView(state) && shownDraft(state.approvals) !== null
const canWrite = (state: AppStore): boolean => isEdit(state) && (shownDraft(state.approvals)?.hunks.length ?? 0) > 0
const canUndo = (state: AppStore): boolean => isCalm(state) && newestUndoable(state.approvals) !== null
const isAsking = (state: AppStore): boolean => inView(state) && state.approvals.asking !== null

function confirm(): void {
  const { asking } = getState().approvals
  if (asking?.kind === 'rest-of-turn') void approveRestOfTurn()
  else if (asking?.kind === 'rule') void approveAlways(asking.rule)
  else if (asking?.kind === 'comments' && asking.text.trim() !== '') void rejectSelected(asking.text)
}

function startRejecting(): void {
  setAsking({ kind: kindOf(getState()) === 'plan' ? 'comments' : 'reject', text: '' })
}

function copyCommand(): void {
  document.querySelector<HTMLElement>('[data-copy]')?.click()
}

const common = { group: 'Approvals' } as const

/** What the keyboard and the palette can do about approvals. The first that fits takes the key. */
export const approvalsCommands: readonly Command[] = [
  { ...common, id: 'approvals.confirm', label: 'Do what is asked', hint: 'do it', keys: ['Mod+Enter'], when: (state) => isAsking(state) && state.approvals.asking?.kind !== 'reject', run: confirm },
  { ...common, id: 'approvals.close-asking', label: 'Leave the question as it is', hint: 'cancel', keys: ['Escape'], when: isAsking, run: () => setAsking(null) },
  { ...common, id: 'approvals.leave-text', label: 'Leave the text', hint: null, keys: ['Escape'], when: (state) => inView(state) && isTyping(), run: leaveText },
  { ...common, id: 'approvals.next', label: 'Go to the next entry', hint: 'entry', keys: ['J', 'ArrowDown'], when: hasEntries, run: () => stepEntry(1) },
  { ...common, id: 'approvals.previous', label: 'Go to the previous entry', hint: 'entry', keys: ['K', 'ArrowUp'], when: hasEntries, run: () => stepEntry(-1) },
  { ...common, id: 'approvals.next-hunk', label: 'Go to the next hunk', hint: 'hunk', keys: ['N'], when: (state) => isCalm(state) && kindOf(state) === 'edit', run: () => stepHunk(1) },
  { ...common, id: 'approvals.previous-hunk', label: 'Go to the previous hunk', hint: 'hunk', keys: ['P'], when: (state) => isCalm(state) && kindOf(state) === 'edit', run: () => stepHunk(-1) },
  { ...common, id: 'approvals.toggle', label: 'Take the hunk in, or leave it out', hint: 'include hunk', keys: ['Space'], when: isEdit, run: () => toggleHunk() },
  { ...common, id: 'approvals.edit', label: 'Edit the right side before it is approved', hint: 'edit right side', keys: ['E'], when: canWrite, run: startTyping },
  { ...common, id: 'approvals.approve', label: 'Approve what is ticked, run the command, or approve the plan', hint: 'approve', keys: ['A'], when: canDecide, run: () => void approveChosen() },
  { ...common, id: 'approvals.approve-all', label: 'Approve all of it', hint: null, keys: ['Shift+A'], when: canDecide, run: () => void approveAll() },
  { ...common, id: 'approvals.reject', label: 'Reject with a reason, or send the plan back', hint: 'reject', keys: ['X'], when: canDecide, run: startRejecting },
  { ...common, id: 'approvals.rest', label: 'Approve the rest of this turn', hint: null, keys: ['Shift+R'], when: isEdit, run: () => setAsking({ kind: 'rest-of-turn' }) },
  { ...common, id: 'approvals.undo', label: 'Undo the decision, while it can be undone', hint: 'undo decision', keys: ['Z'], when: canUndo, run: () => void undoDecision() },
  { ...common, id: 'approvals.waiting', label: 'Show what waits', hint: null, keys: [], when: (state) => inView(state) && state.approvals.tab !== 'waiting', run: () => showTab('waiting') },
  { ...common, id: 'approvals.decided', label: 'Show what was decided', hint: null, keys: [], when: (state) => inView(state) && state.approvals.tab !== 'decided', run: () => showTab('decided') },
  { ...common, id: 'approvals.why', label: 'Why is this line here?', hint: 'why this line', keys: ['Y'], when: (state) => inView(state) && canAskWhyHere(state), run: () => void askWhyHere() },
  { ...common, id: 'approvals.layout', label: 'Show the diff side by side, or in one column', hint: null, keys: ['V'], when: hasText, run: toggleDiffLayout },
  { ...common, id: 'approvals.wrap', label: 'Wrap long lines, or let them run on', hint: null, keys: ['W'], when: hasText, run: toggleWrap },
  { ...common, id: 'connect.copy', label: 'Copy the command', hint: 'copy command', keys: ['C'], when: ({ view, session, opening }) => view === 'connect' || (view === 'review' && session === null && opening === null), run: copyCommand },
  { ...common, id: 'connect.open', label: 'Connect an agent…', hint: null, keys: ['C'], when: (state) => state.view === 'approvals' && state.approvals.selected === null, run: () => showConnect() },
  { ...common, id: 'connect.open-anywhere', label: 'Connect an agent…', hint: null, keys: [], when: ({ view }) => view !== 'connect', run: () => showConnect() },
  { ...common, id: 'policy.open', label: 'Open the policy: rules, limits, protected branches', hint: null, keys: [], when: ({ view }) => view !== 'policy', run: showPolicy },
  { ...common, id: 'approvals.back', label: 'Go back to the approvals', hint: 'back to approvals', keys: ['Escape'], when: ({ view, notices }) => (view === 'policy' || view === 'connect') && notices.length === 0, run: () => setView('approvals') },
]
