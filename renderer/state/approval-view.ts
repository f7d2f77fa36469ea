import { isOpen, type Approval, type ApprovedFile, type Decision } from '../../shared/approval.js'
import type { ApprovalId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import { approvedFile, isAllOut, type FileDraft } from './approval-draft.js'
import { entriesOf, noDraft, textsKey, type ApprovalsState, type Draft } from './approvals-slice.js'
import { valueOf } from './loadable.js'
import type { AppStore } from './store.js'

/** The questions of one session, oldest first. */
export interface ApprovalGroup {
  readonly session: SessionKey
  readonly source: Approval['source']
  readonly approvals: readonly Approval[]
}

/** Questions by session: the session that asked first comes first, and its newest turn stands in the head. */
export function groupApprovals(approvals: readonly Approval[]): readonly ApprovalGroup[] {
  const groups = new Map<SessionKey, Approval[]>()
  for (const approval of approvals) {
    const group = groups.get(approval.source.session)
    if (group) group.push(approval)
    else groups.set(approval.source.session, [approval])
  }
  return [...groups].flatMap(([session, list]) => {
    const newest = list.at(-1)
    return newest ? [{ session, source: newest.source, approvals: list }] : []
  })
}

/** What J and K go through, in the order of the list. */
export function orderedEntries(approvals: ApprovalsState): readonly Approval[] {
  const list = valueOf(approvals.list)
  if (!list) return []
  return approvals.tab === 'decided' ? list.decided : groupApprovals(list.waiting).flatMap((group) => group.approvals)
}

export function selectedEntry(approvals: ApprovalsState): Approval | null {
  const { selected } = approvals
  return selected === null ? null : (entriesOf(approvals).find(({ id }) => id === selected) ?? null)
}

export function draftOf(approvals: ApprovalsState, id: ApprovalId): Draft {
  return approvals.drafts.get(id) ?? noDraft
}

/** The draft of the file on the screen, where it has text on both sides. */
export function shownDraft(approvals: ApprovalsState): FileDraft | null {
  const { selected, path } = approvals
  return selected === null || path === null ? null : (draftOf(approvals, selected).files.get(path) ?? null)
}

/** Why the selected entry cannot be approved now, in one sentence; `null` where it can. */
export function approvalHindrance({ approvals, connection }: Pick<AppStore, 'approvals' | 'connection'>): string | null {
  const entry = selectedEntry(approvals)
  if (!entry) return 'Nothing is selected.'
  if (!isOpen(entry.state)) return 'This question does not wait any more.'
  if (connection.kind !== 'open') return 'The connection is lost. Nothing can be decided before it is back.'
  if (approvals.busy.has(entry.id)) return 'Your decision is on its way.'
  if (approvals.isJustThere) return 'It came this moment. Look at it first.'
  if (entry.subject.kind !== 'edit' || approvals.path === null) return null
  const texts = approvals.texts.get(textsKey(entry.id, approvals.path))
  if (texts?.kind === 'error') return 'The content cannot be shown. What cannot be seen cannot be approved.'
  if (texts?.kind !== 'ready' || texts.value.revision !== entry.revision) return 'The content is still being read.'
  return null
}

/** How much of an edit is ticked. */
export interface Chosen {
  readonly files: number
  readonly allFiles: number
  readonly hunks: number
  readonly allHunks: number
  readonly isWhole: boolean
  readonly isTyped: boolean
}

/** What of an edit would be written, files that were not looked at included: these are taken whole. */
export function chosenOf(approval: Approval, draft: Draft): Chosen {
  if (approval.subject.kind !== 'edit') return { files: 0, allFiles: 0, hunks: 0, allHunks: 0, isWhole: true, isTyped: false }
  let files = 0
  let hunks = 0
  let allHunks = 0
  let isTyped = false
  for (const file of approval.subject.files) {
    const made = draft.files.get(file.path)
    const isOut = isFileOut(draft, file.path)
    allHunks += file.hunks
    if (isOut) continue
    files++
    hunks += file.hunks - (made?.leftOut.size ?? 0)
    isTyped ||= made !== undefined && made.typed !== null
  }
  const allFiles = approval.subject.files.length
  return { files, allFiles, hunks, allHunks, isWhole: files === allFiles && hunks === allHunks, isTyped }
}

export function isFileOut(draft: Draft, path: WorkspacePath): boolean {
  const made = draft.files.get(path)
  return draft.leftOut.has(path) || (made !== undefined && isAllOut(made))
}

/** The files of a decision: those that are not taken whole as proposed. With `everything` all ticks count as set. */
export function approvedFiles(approval: Approval, draft: Draft, everything: boolean): readonly ApprovedFile[] {
  if (approval.subject.kind !== 'edit') return []
  return approval.subject.files.flatMap(({ path }): readonly ApprovedFile[] => {
    if (!everything && draft.leftOut.has(path)) return [{ path, hunks: [], text: null }]
    const made = draft.files.get(path)
    const choice = made ? approvedFile(path, everything ? { ...made, leftOut: new Set() } : made) : null
    return choice ? [choice] : []
  })
}

/** A decision to approve; what it is about is added by whoever decides. */
export function approveDecision(part: Partial<Extract<Decision, { kind: 'approve' }>>): Decision {
  return { kind: 'approve', files: [], comment: '', isForRestOfTurn: false, alwaysRules: [], ...part }
}

/** The newest decision that can be taken back. */
export function newestUndoable(approvals: ApprovalsState): Approval | null {
  const chosen = selectedEntry(approvals)
  if (chosen?.canUndo) return chosen
  return valueOf(approvals.list)?.decided.find(({ canUndo }) => canUndo) ?? null
}
