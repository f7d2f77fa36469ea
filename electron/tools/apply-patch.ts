import { z } from 'zod'
import { ReviewError, toWireError } from '../../shared/errors.js'
import { workspacePath } from '../../shared/ids.js'
import { applyBinaryPatch, applyFilePatch, parsePatchText, type PatchFile } from '../edits/patch-edit.js'
import { editResult } from './edit-result.js'
import { encodedText, findFile, type EditPlan, type FoundFile, type PlannedFile } from './edit-plan.js'
import { proposeEdit } from './propose-edit.js'
import { tool } from './tool.js'
import type { ToolSession } from './tool-session.js'
import { inWorkspace } from './workspace-path.js'

export const applyPatch = tool({
  name: 'apply_patch',
  title: 'Apply a patch',
  description:
    'Applies a patch to files of the workspace: a unified diff as git writes it (several files; create, delete, rename, copy, mode, binary), or the form "*** Begin Patch". All or nothing: where one file does not fit, none is written, and the answer says for each which line differs. One approval for the whole, with a diff for each file.',
  effect: 'writes',
  params: z.object({ patch: z.string().min(1).max(32_000_000).describe('The patch') }),
  result: editResult,
  run: ({ patch }, session, call) => {
    const parsed = parsePatchText(patch)
    if (parsed.kind === 'malformed') {
      throw new ReviewError('PATCH_MALFORMED', `Line ${parsed.line} of the patch: ${parsed.reason} Nothing was written.`, { details: { line: parsed.line } })
    }
    const { files } = parsed
    return proposeEdit(session, call, {
      what: files.length === 1 ? `The patch of ${files[0]?.path ?? ''}` : `The patch over ${files.length} files`,
      cause: 'edit',
      say: null,
      plan: (signal) => planPatch(session, files, signal),
    })
  },
})

/** Plans every file before any is written. Errors: PATCH_NOT_APPLICABLE naming each file that does not fit, with its reason. */
async function planPatch(session: ToolSession, files: readonly PatchFile[], signal: AbortSignal): Promise<EditPlan> {
  if (files.length === 0) throw new ReviewError('PATCH_MALFORMED', 'The patch names no file. Nothing was written.')
  const planned: PlannedFile[] = []
  const reasons: string[] = []
  const named = new Map<string, number>()
  for (const file of files) {
    for (const path of [file.path, ...(file.op === 'rename' && file.from !== null ? [file.from] : [])]) named.set(path, (named.get(path) ?? 0) + 1)
  }
  for (const file of files) {
    try {
      if ((named.get(file.path) ?? 0) > 1) throw new ReviewError('PATCH_NOT_APPLICABLE', `${file.path} is named twice. Put all its hunks into one part.`)
      planned.push(await planFile(session, file, signal))
    } catch (thrown) {
      if (!(thrown instanceof ReviewError) || thrown.code === 'CANCELLED') throw thrown
      reasons.push(toWireError(thrown).message)
    }
  }
  if (reasons.length > 0) {
    const others = files.length > reasons.length ? ` The other ${files.length - reasons.length} would fit.` : ''
    throw new ReviewError('PATCH_NOT_APPLICABLE', `The patch does not fit, so no file was written. ${reasons.join(' ')}${others}`, { details: { reasons } })
  }
  return { files: planned, sed: null }
}

async function planFile(session: ToolSession, file: PatchFile, signal: AbortSignal): Promise<PlannedFile> {
  const { op, newMode } = file
  if (newMode === 0o120000 || file.oldMode === 0o120000) {
    throw new ReviewError('PATCH_NOT_APPLICABLE', `${file.path} is a link in this patch. Links are not made by patches here; use a command.`)
  }
  const path = inWorkspace(session.workspace, file.path)
  const from = file.from === null ? null : inWorkspace(session.workspace, file.from)
  const target = await findFile(session, path, signal)
  if (from !== null && target.seen.state.kind !== 'absent') throw new ReviewError('FILE_EXISTS', `${path} exists already, and the patch would ${op === 'copy' ? 'copy' : 'move'} ${from} there.`)
  const found = from === null ? target : await findFile(session, from, signal)
  const after = changed(file, found)
  if (after.bytes === null) return { path: workspacePath(path), from: null, operation: 'delete', found, after: null, texts: found.text && { before: found.text.text, after: '' }, note: after.note }

  const mode = modeAfter(found, file)
  const plan = { path: workspacePath(path), after: { bytes: after.bytes, mode }, note: after.note }
  if (op === 'rename') {
    const texts = after.text !== null && found.text ? { before: found.text.text, after: after.text } : null
    return { ...plan, from: workspacePath(from ?? path), operation: 'rename', found, texts }
  }
  if (op === 'copy') return { ...plan, from: null, operation: 'create', found: target, texts: after.text === null ? null : { before: '', after: after.text } }
  const exists = found.seen.state.kind === 'file'
  const isSame = exists && Buffer.compare(after.bytes, found.seen.bytes ?? new Uint8Array(0)) === 0
  if (isSame && mode === null) throw new ReviewError('NO_CHANGE', `The patch changes nothing in ${path}.`)
  const before = exists ? (found.text?.text ?? null) : ''
  const texts = before === null || after.text === null ? null : { before, after: after.text }
  return { ...plan, from: null, operation: !exists ? 'create' : isSame ? 'mode' : 'modify', found, texts }
}

interface Changed {
  readonly bytes: Uint8Array | null
  /** `null` for a binary file. */
  readonly text: string | null
  readonly note: string | null
}

function changed(file: PatchFile, found: FoundFile): Changed {
  const exists = found.seen.state.kind === 'file'
  const isText = !file.isBinary && (found.text !== null || !exists)
  if (file.isBinary || (!isText && file.content.kind !== 'hunks')) {
    const result = applyBinaryPatch(file, found.seen.bytes)
    if (result.kind === 'refused') throw new ReviewError('PATCH_NOT_APPLICABLE', result.message)
    return { bytes: result.bytes, text: null, note: null }
  }
  if (!isText) throw new ReviewError('FILE_BINARY', `${found.path} is binary, and the patch has lines of text for it.`)
  // A patch shows the mark at a file's start as part of its first line.
  const mark = found.text?.hasBom ? '\ufeff' : ''
  const result = applyFilePatch(file, exists && found.text ? mark + found.text.text : null)
  if (result.kind === 'refused') throw new ReviewError('PATCH_NOT_APPLICABLE', result.message)
  if (result.text === null) return { bytes: null, text: null, note: result.note }
  const keepsMark = mark !== '' && result.text.startsWith(mark)
  const text = keepsMark ? result.text.slice(mark.length) : result.text
  return { bytes: encodedText(found, text, keepsMark), text, note: result.note }
}

/** Git knows of one bit of a mode: whether the file can be run. All others stay. */
function modeAfter({ seen: { state } }: FoundFile, { newMode, oldMode }: PatchFile): number | null {
  if (newMode === null || newMode === oldMode) return null
  const runs = (newMode & 0o111) !== 0
  const now = state.kind === 'file' ? state.mode : 0o666 & ~process.umask()
  if (now === null) return null
  const wanted = runs ? now | ((now & 0o444) >> 2) : now & ~0o111
  return state.kind === 'file' && wanted === now ? null : wanted
}
