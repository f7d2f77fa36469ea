import { isOpen, type Approval, type Decision } from '../../shared/approval.js'
import type { ApprovalId } from '../../shared/ids.js'
import { approvalHindrance, approveDecision, approvedFiles, chosenOf, draftOf, newestUndoable, orderedEntries, selectedEntry } from './approval-view.js'
import { comeTo, flushTyping, loadApprovals, setApprovals, setAsking } from './approvals-actions.js'
import { client } from './client-ref.js'
import { toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { getState, setState } from './store.js'

/** Approves what is ticked, as it stands on the screen; a command or a plan as a whole. */
export async function approveChosen(): Promise<void> {
  flushTyping()
  const entry = decidable()
  if (!entry) return
  if (entry.subject.kind === 'plan') return decide(entry, approveDecision({ comment: commentOf() }))
  const draft = draftOf(getState().approvals, entry.id)
  if (entry.subject.kind === 'edit' && chosenOf(entry, draft).files === 0) return
  await decide(entry, approveDecision({ files: approvedFiles(entry, draft, false) }))
}

/** Approves everything, whatever is ticked; what was typed counts. */
export async function approveAll(): Promise<void> {
  flushTyping()
  const entry = decidable()
  if (entry) await decide(entry, approveDecision({ files: approvedFiles(entry, draftOf(getState().approvals, entry.id), true) }))
}

/** Approves what is ticked, and every further edit of the session until its next turn. */
export async function approveRestOfTurn(): Promise<void> {
  flushTyping()
  const entry = decidable()
  if (!entry) return
  await decide(entry, approveDecision({ files: approvedFiles(entry, draftOf(getState().approvals, entry.id), false), isForRestOfTurn: true }))
}

/** Runs a command and stores a rule first: exactly this text. */
export async function approveAlways(rule: string): Promise<void> {
  const entry = decidable()
  if (entry?.subject.kind !== 'command' || !entry.subject.judgement.parts.some(({ alwaysRule }) => alwaysRule === rule)) return
  await decide(entry, approveDecision({ alwaysRules: [rule] }))
}

/** Rejects the whole of the selected entry; the agent gets the reason. Needs no content on the screen. */
export async function rejectSelected(reason: string): Promise<void> {
  const { approvals, connection } = getState()
  const entry = selectedEntry(approvals)
  if (!entry || !isOpen(entry.state) || connection.kind !== 'open' || approvals.busy.has(entry.id)) return
  await decide(entry, { kind: 'reject', reason: reason.trim() })
}

function commentOf(): string {
  const { asking } = getState().approvals
  return asking?.kind === 'comments' ? asking.text.trim() : ''
}

function decidable(): Approval | null {
  const state = getState()
  if (approvalHindrance(state) !== null) return null
  return selectedEntry(state.approvals)
}

async function decide(entry: Approval, decision: Decision): Promise<void> {
  const { id, revision } = entry
  const next = followerOf(id)
  setBusy(id, true)
  setProblem(id, null)
  try {
    const ended = await client().call('approval.decide', { approval: id, revision, decision })
    adopt(ended)
    if (ended.state === 'not-applied') notify({ kind: 'warning', title: 'It was approved, and could not be carried out.', text: ended.outcome ?? '', action: null })
    if (getState().approvals.selected === id) advance(next)
  } catch (thrown) {
    const error = toReviewError(thrown)
    if (error.code === 'CONNECTION_LOST') notifyError(error)
    else setProblem(id, error)
    setAsking(null)
  }
  setBusy(id, false)
  await loadApprovals()
}

/** The entry that comes after one, in the order of the list. */
function followerOf(id: ApprovalId): ApprovalId | null {
  const entries = orderedEntries(getState().approvals)
  const at = entries.findIndex((entry) => entry.id === id)
  return (entries[at + 1] ?? entries[at - 1])?.id ?? null
}

function advance(next: ApprovalId | null): void {
  setAsking(null)
  if (next !== null) comeTo(next)
}

/** Takes the host's answer over at once; the list that follows says the same. */
function adopt(ended: Approval): void {
  setState(({ approvals }) => {
    const list = valueOf(approvals.list)
    if (!list) return {}
    const drafts = new Map(approvals.drafts)
    drafts.delete(ended.id)
    const isOver = !isOpen(ended.state) && ended.state !== 'approved'
    const waiting = isOver ? list.waiting.filter(({ id }) => id !== ended.id) : list.waiting.map((entry) => (entry.id === ended.id ? ended : entry))
    const decided = isOver ? [ended, ...list.decided.filter(({ id }) => id !== ended.id)] : list.decided
    return { approvals: { ...approvals, drafts, list: { kind: 'ready', value: { waiting, decided } } } }
  })
}

function setBusy(id: ApprovalId, isBusy: boolean): void {
  const busy = new Set(getState().approvals.busy)
  if (isBusy) busy.add(id)
  else busy.delete(id)
  setApprovals({ busy })
}

function setProblem(id: ApprovalId, error: ReturnType<typeof toReviewError> | null): void {
  const problems = new Map(getState().approvals.problems)
  if (error) problems.set(id, error)
  else problems.delete(id)
  setApprovals({ problems })
}

/** Puts back what an applied edit changed: the selected one where it can be, else the newest. */
export async function undoDecision(entry: Approval | null = newestUndoable(getState().approvals)): Promise<void> {
  if (!entry?.canUndo || getState().approvals.busy.has(entry.id)) return
  setBusy(entry.id, true)
  try {
    const undone = await client().call('approval.undo', { approval: entry.id })
    adopt(undone)
    notify({ kind: 'done', title: 'The decision was undone.', text: undone.outcome ?? 'The files are as they were before it.', action: null })
  } catch (thrown) {
    notifyError(thrown)
  }
  setBusy(entry.id, false)
  await loadApprovals()
}
