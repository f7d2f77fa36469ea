import { isAbsolute } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import { recognise, type RecognisedSed } from '../edits/sed-command.js'
import { decodeText } from '../workspace/text-decoding.js'
import { findFile, type EditPlan } from './edit-plan.js'
import type { ToolSession } from './tool-session.js'
import { inWorkspace } from './workspace-path.js'

/** What becomes of a command that may be a `sed -i`. */
export type SedPlan =
  | { readonly kind: 'edit'; readonly path: string; readonly parsed: RecognisedSed; readonly plan: EditPlan }
  /** sed would leave the file as it is. */
  | { readonly kind: 'no-match'; readonly path: string; readonly hasMatch: boolean }
  /** The shell does it; `reason` says why, `null` where the command has nothing to do with sed. */
  | { readonly kind: 'shell'; readonly reason: string | null }

/** Plans a shell command as an edit, where what GNU sed would do is certain to the byte. Starts no program. Throws for an abort only. */
export async function planSed(session: ToolSession, command: string, signal: AbortSignal): Promise<SedPlan> {
  if (!/\bsed\b/.test(command)) return { kind: 'shell', reason: null }
  const parsed = recognise(command)
  if (!parsed.simulated) return { kind: 'shell', reason: parsed.reason }
  const environment = session.environment()
  if (environment['POSIXLY_CORRECT'] !== undefined) return { kind: 'shell', reason: 'POSIXLY_CORRECT is set, and sed reads scripts in another way then' }
  try {
    return await planRecognised(session, command, parsed, signal)
  } catch (thrown) {
    if (thrown instanceof ReviewError && thrown.code !== 'CANCELLED') return { kind: 'shell', reason: `its file cannot be read as a plain file here: ${thrown.message}` }
    throw thrown
  }
}

async function planRecognised(session: ToolSession, command: string, parsed: RecognisedSed, signal: AbortSignal): Promise<SedPlan> {
  const path = fileOf(session, parsed.path)
  const found = await findFile(session, path, signal)
  const { state, stats, bytes } = found.seen
  if (state.kind !== 'file' || !bytes) return { kind: 'shell', reason: 'there is no such file' }
  // sed puts a new file in the old one's place, which cuts a hard link; that is left to sed itself.
  if (stats !== null && stats.nlink > 1) return { kind: 'shell', reason: 'the file has several hard links' }
  const edit = await session.sed.apply(bytes, parsed, { locale: localeOf(session.environment()), signal })
  if (edit.kind === 'declined') return { kind: 'shell', reason: edit.reason }
  if (Buffer.compare(edit.bytes, bytes) === 0) return { kind: 'no-match', path, hasMatch: edit.lineCount > 0 }
  const after = decodeText(edit.bytes)
  const file = {
    path: found.path,
    from: null,
    operation: 'modify' as const,
    found,
    after: { bytes: edit.bytes, mode: null },
    texts: found.text && after.kind === 'text' ? { before: found.text.text, after: after.text } : null,
    note: parsed.isMacForm ? "Written for the sed of macOS. GNU sed would take '' for the script and fail with \"can't read\"." : null,
  }
  return { kind: 'edit', path, parsed, plan: { files: [file], sed: command } }
}

/** sed follows `..` on the disk; a path with one is left to it. */
function fileOf({ workspace }: ToolSession, path: string): string {
  if (!isAbsolute(path) && path.split('/').includes('..')) throw new ReviewError('OUTSIDE_WORKSPACE', 'The path leads through "..".')
  return inWorkspace(workspace, path)
}

/** The locale by which a program reads characters. */
function localeOf(environment: NodeJS.ProcessEnv): string {
  return environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || 'C'
}
