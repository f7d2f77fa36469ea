import { hunksOf } from '../../shared/changes.js'
import type { RecordedEdit, ToolCall } from '../../shared/session.js'
import { callStatus, kindOf, type CallDraft } from './codex-drafts.js'
import { askedPatch, editsOf, type CodexEdit } from './codex-edits.js'
import type { PatchChunk } from './codex-patch.js'
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
  const asked = edits ? askedPatch(draft) : null
  const recorded = (edits ?? []).map((edit) => recordedEdit(edit, folder))
  return {
    callId: draft.callId,
    // One name for a patch, however it was passed on.
    name: edits ? 'apply_patch' : draft.name,
    kind: edits ? 'edit' : kindOf(draft),
    status: callStatus(draft, isOpen),
    startedAt: draft.askedAt,
    durationMs: draft.durationMs,
    args: JSON.stringify(asked ? { input: asked.patch } : draft.args, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput,
    edit: recorded.length === 1 ? (recorded[0] ?? null) : null,
    ...(recorded.length > 1 ? { patch: recorded.filter((edit) => edit !== null) } : {}),
    command: !edits && draft.command ? { text: draft.command.text, exitCode: draft.exitCode, directory: draft.command.directory } : null,
    seen: null,
    subagent: kindOf(draft) === 'subagent' ? { name: 'agent', calls: [] } : null,
  }
}

/** One file of a patch, for display; what it made of the file is in the ledger. */
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
      return { ...none, change: { kind: 'sed', command: '' }, diff: chunksText(edit.chunks) }
    case 'other':
      return { ...none, change: { kind: 'sed', command: '' } }
  }
}

const signs = { kept: ' ', removed: '-', added: '+' } as const

/** The places of a patch text with their lines; where in the file they stand it does not say. */
function chunksText(chunks: readonly PatchChunk[]): string {
  return chunks
    .map(({ context, oldLines, newLines }) => {
      const [before, after] = [oldLines, newLines].map((lines) => lines.map((line) => `${line}\n`).join(''))
      const lines = hunksOf(before ?? '', after ?? '', oldLines.length).flatMap((hunk) => hunk.lines.map(({ kind, text }) => signs[kind] + text))
      return `@@${context === null ? '' : ` ${context}`}\n${lines.join('')}`
    })
    .join('')
}
