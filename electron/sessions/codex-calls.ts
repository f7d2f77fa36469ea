import type { RecordedEdit, ToolCall } from '../../shared/session.js'
import { callStatus, kindOf, type CallDraft } from './codex-drafts.js'
import { askedPatch, editsOf, type CodexEdit } from './codex-edits.js'
import { cutText } from './json-values.js'
import { calledPath } from './tracked-paths.js'

const keptOutput = 65_536

/** The whole output of a call: what the user was shown, else what the model was given. */
export function outputOf({ shown, given }: CallDraft): string {
  return shown ?? given?.text ?? ''
}

/** The call that a draft has become. */
export function finishCall(draft: CallDraft, folder: string | null, isOpen: boolean): ToolCall {
  const output = outputOf(draft)
  const edits = editsOf(draft)
  const patch = edits ? askedPatch(draft) : null
  return {
    callId: draft.callId,
    // One name for a patch, however it was passed on.
    name: edits ? 'apply_patch' : draft.name,
    kind: edits ? 'edit' : kindOf(draft),
    status: callStatus(draft, isOpen),
    startedAt: draft.askedAt,
    durationMs: draft.durationMs,
    args: JSON.stringify(patch ? { input: patch.patch } : draft.args, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput,
    edit: edits?.length === 1 && edits[0] ? recordedEdit(edits[0], folder) : null,
    command: !edits && draft.command ? { text: draft.command.text, exitCode: draft.exitCode, directory: draft.command.directory } : null,
    seen: null,
    subagent: kindOf(draft) === 'subagent' ? { name: 'agent', calls: [] } : null,
  }
}

/** A patch of one file; one of several is in the ledger. */
function recordedEdit(edit: CodexEdit, folder: string | null): RecordedEdit | null {
  const path = calledPath(edit.path, folder)
  if (path === null) return null
  const none = { path, before: null, after: null, isNewFile: false, diff: null }
  switch (edit.kind) {
    case 'add':
      return { ...none, change: { kind: 'write', content: edit.content }, after: { text: edit.content, isWhole: true } }
    case 'delete':
      return { ...none, change: { kind: 'delete' }, before: edit.content === null ? null : { text: edit.content, isWhole: true } }
    case 'update':
      return { ...none, change: { kind: 'sed', command: '' }, diff: edit.diff }
    case 'patch':
    case 'other':
      return { ...none, change: { kind: 'sed', command: '' } }
  }
}
