import { createHash } from 'node:crypto'
import type { ApprovalSubject } from '../../shared/approval.js'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { ChangeCause } from '../../shared/file-state.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { Approving, CarriedOut, Content } from '../approvals/question.js'
import { isState } from '../history/write-state.js'
import { sha256Of } from '../workspace/text-files.js'
import { alone } from './alone.js'
import { askPerson } from './await-answer.js'
import { approvalFileOf, sidesOf, writesOf, type EditPlan, type PlannedFile } from './edit-plan.js'
import { chooseFiles, type ChosenFiles } from './chosen-files.js'
import { failedEdit, staleEdit, writtenAnswer, type FailedEdit } from './edit-answer.js'
import { putBack } from './put-back.js'
import { refusedBy, type CallScope } from './tool.js'
import type { ToolSession } from './tool-session.js'

/** An edit that a tool asks for. */
export interface EditProposal {
  /** Reads the files afresh and plans. Errors: whatever the plan is refused for. */
  readonly plan: (signal: AbortSignal) => Promise<EditPlan>
  /** What waits, for a sentence: "The edit of src/a.ts". */
  readonly what: string
  readonly cause: ChangeCause
  /** How the tool says that it was written; `null` as every edit does. */
  readonly say: ((written: ToolAnswer) => ToolAnswer) | null
}

/** What writing came to. */
type Written =
  | { readonly kind: 'written'; readonly changes: readonly LedgerChange[]; readonly answer: ToolAnswer; readonly undo: () => Promise<string> }
  | { readonly kind: 'stale' }
  | ({ readonly kind: 'failed' } & FailedEdit)

const everything: Approving = { kind: 'approve', files: [], comment: '', isForRestOfTurn: false, alwaysRules: [] }
const attempts = 3

/**
 * The one way to a write: planned, approved (or unasked where the session's mode says so), unchanged since it was planned, backed
 * up, written whole or not at all, read back. What comes back is what the agent is told.
 */
export async function proposeEdit(session: ToolSession, call: CallScope, proposal: EditProposal): Promise<ToolAnswer> {
  session.assertWritable('agent')
  const unasked = session.editsUnasked() ? await applyUnasked(session, call, proposal) : null
  if (unasked) return unasked
  const content = contentOf(session, call, proposal, await proposal.plan(call.signal))
  throwIfAborted(call.signal)
  return askPerson(session, call, proposal.what, { content, refused: (approval) => refusedBy(approval, 'APPROVAL_REJECTED', 'Nothing was written.') })
}

/** Writes without a question, planned while nobody else of ours writes; `null` where it has to be asked for by now. */
async function applyUnasked(session: ToolSession, call: CallScope, proposal: EditProposal): Promise<ToolAnswer | null> {
  return alone(session, call.signal, async () => {
    const because = session.editsUnasked()
    if (!because) return null
    const source = session.source(call)
    for (let attempt = 1; ; attempt++) {
      const plan = await proposal.plan(call.signal)
      const outcome = await write(session, call, proposal, plan, chooseFiles(plan, everything), '', call.signal)
      if (outcome.kind === 'stale' && attempt < attempts) continue
      if (outcome.kind === 'written') {
        const how = because === 'mode' ? 'Applied unasked, to be reviewed after.' : 'Applied: the rest of this turn is approved.'
        session.queue.note(source, subjectOf(plan), { kind: 'applied', by: 'mode', outcome: how, undo: outcome.undo })
        return outcome.answer
      }
      const { outcome: how, error, value } = outcome.kind === 'stale' ? staleEdit() : outcome
      session.queue.note(source, subjectOf(plan), { kind: 'failed', by: 'mode', outcome: how, error })
      return value
    }
  })
}

function contentOf(session: ToolSession, call: CallScope, proposal: EditProposal, plan: EditPlan): Content<ToolAnswer> {
  const { promptId } = session.source(call)
  const never = new AbortController().signal
  const planAgain = async (): Promise<Content<ToolAnswer>> => contentOf(session, call, proposal, await proposal.plan(never))
  return {
    subject: subjectOf(plan),
    sameAs: keyOf(call.tool, plan),
    texts: textsOf(plan.files),
    carryOut: async (decision, signal): Promise<CarriedOut<ToolAnswer>> => {
      const chosen = chooseFiles(plan, decision)
      const outcome = await alone(session, signal, () => write(session, call, proposal, plan, chosen, decision.comment, signal))
      switch (outcome.kind) {
        case 'written':
          if (decision.isForRestOfTurn) session.approveRestOfTurn(promptId)
          return { kind: 'applied', outcome: firstLine(outcome.answer.text), value: outcome.answer, undo: outcome.undo, written: writtenOf(plan, chosen) }
        case 'failed':
          return outcome
        case 'stale':
          return planAgain().then(
            (content) => ({ kind: 'stale', content }),
            (thrown: unknown) => ({ kind: 'failed', ...staleEdit(thrown) }),
          )
      }
    },
    refresh: async () => ((await isUnchanged(session, plan)) ? null : planAgain()),
  }
}

function textsOf(files: readonly PlannedFile[]): Content<ToolAnswer>['texts'] {
  return async (path, showOversized) => {
    const file = files.find((each) => each.path === path)
    if (!file) throw new ReviewError('FILE_NOT_FOUND', 'This file is not part of the question. Look at the list again.')
    return sidesOf(file, showOversized)
  }
}

/** What was written of a plan, with the proposal of files that were left out; `null` where it was written as planned. */
function writtenOf({ files, sed }: EditPlan, chosen: ChosenFiles): Pick<Content<ToolAnswer>, 'subject' | 'texts'> | null {
  if (chosen.taken.size === 0) return null
  const shown = files.map((planned) => chosen.files.find(({ path }) => path === planned.path) ?? planned)
  return { subject: { kind: 'edit', files: shown.map((file) => ({ ...approvalFileOf(file), taken: chosen.taken.get(file.path) ?? null })), sed }, texts: textsOf(shown) }
}

/**
 * Writes what was chosen of a plan, if the disk is still as it was planned on. To be called alone on the workspace.
 * Errors, and nothing was written: CANCELLED, those of `assertWritable`.
 */
async function write(session: ToolSession, call: CallScope, proposal: EditProposal, plan: EditPlan, chosen: ChosenFiles, comment: string, signal: AbortSignal): Promise<Written> {
  throwIfAborted(signal)
  throwIfAborted(session.ended)
  session.assertWritable('agent')
  await session.noteTyping()
  if (!(await isUnchanged(session, plan))) return { kind: 'stale' }
  const writes = chosen.files.flatMap(writesOf)
  for (const { path } of writes) await session.history.trackEdit(path)
  throwIfAborted(signal)
  throwIfAborted(session.ended)
  const note = { log: session.logFile, promptId: session.source(call).promptId, callId: call.callId }
  const result = await session.writer.write(note, writes, (changes) => session.noteWritten(call.callId, proposal.cause, changes))
  if (result.kind === 'undone') {
    const isStale = result.cause instanceof ReviewError && result.cause.code === 'FILE_CHANGED_SINCE_READ' && result.stuck.length === 0
    if (result.stuck.length > 0) await session.noteWritten(`${call.callId}-stuck`, proposal.cause, result.stuck).catch((thrown: unknown) => session.failed(call.tool, thrown))
    return isStale ? { kind: 'stale' } : { kind: 'failed', ...failedEdit(result.cause, result.stuck) }
  }
  const { changes, madeFolders } = result
  for (const { path, after } of changes) {
    if (after.kind === 'file') session.seen.set(path, after.sha256)
    else session.seen.delete(path)
    await session.history.recordWritten(path)
  }
  const plain = writtenAnswer(chosen, comment)
  const answer = proposal.say ? proposal.say(plain) : plain
  return { kind: 'written', changes, answer, undo: () => putBack(session, call, changes, madeFolders) }
}

/** Whether every file of a plan, also those that are left out, lies on the disk as the plan found it. */
async function isUnchanged({ workspace, disk }: ToolSession, plan: EditPlan): Promise<boolean> {
  for (const { found, from, path } of plan.files) {
    try {
      const { state } = await disk.look(workspace.resolveInside(found.path))
      if (!isState(state, found.seen.state)) return false
      if (from !== null && workspace.resolveInside(path).stats !== null) return false
    } catch (thrown) {
      // A folder on the way was swapped for a link: the path is another one now.
      if (thrown instanceof ReviewError) return false
      throw thrown
    }
  }
  return true
}

function subjectOf({ files, sed }: EditPlan): ApprovalSubject {
  return { kind: 'edit', files: files.map(approvalFileOf), sed }
}

/** The same call on the same files with the same outcome is the same question. */
function keyOf(name: string, plan: EditPlan): string {
  const parts = plan.files.map(({ path, from, operation, found, after }) => [
    path, from, operation, found.path, found.seen.state.kind === 'file' ? found.seen.state.sha256 : found.seen.state.kind, after ? [sha256Of(after.bytes), after.mode] : null,
  ])
  return createHash('sha256').update(JSON.stringify([name, parts])).digest('hex')
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
