import { throwIfAborted } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { RecordedEdit, TranscriptEntry, Turn } from '../../shared/session.js'
import type { KnownContent } from '../history/content.js'
import { placedCalls } from '../review/recorded-steps.js'
import { readSide } from '../review/text-facts.js'
import { recordedSides, turnFiles, type TurnFile } from '../review/turn-files.js'
import { patchPieces, type Piece } from './patch-pieces.js'
import type { SearchedSession } from './searched-session.js'

/** The files that a turn changed, in path order, refused edits left out. */
export async function changedFiles({ contents }: SearchedSession, { promptId }: Turn, signal?: AbortSignal): Promise<readonly TurnFile[]> {
  return (await turnFiles(contents, promptId, signal)).filter(({ refusal, isModeOnly }) => refusal === null && !isModeOnly)
}

/** Both texts of a file as the turn's diff shows them, `''` for no file; `null` where one of the two is neither known nor recorded whole, or is no text. */
export async function textsOf(file: TurnFile, entries: readonly TranscriptEntry[], signal?: AbortSignal): Promise<Piece | null> {
  const recorded = file.isRecorded ? recordedSides(entries, file.path) : null
  const before = (await knownText(file.before.content, signal)) ?? (recorded?.isNewFile ? '' : wholeText(recorded?.before))
  const after = (await knownText(file.after.content, signal)) ?? (recorded?.isDeleted ? '' : wholeText(recorded?.after))
  throwIfAborted(signal)
  return before === null || after === null ? null : { before, after }
}

/** `null` where the content is not known, or is no text. */
export async function knownText(content: KnownContent, signal?: AbortSignal): Promise<string | null> {
  const { side } = await readSide(content, false, signal)
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? '' : null
}

function wholeText(text: RecordedEdit['after'] | undefined): string | null {
  return text?.isWhole ? text.text : null
}

/** A call that wrote to a file, with what it says of it. */
export interface EditCall {
  readonly callId: string
  /** `null` for a patch of several files. */
  readonly edit: RecordedEdit | null
  /** What it took away and what it brought, as far as its record tells: both texts whole, or just the places that it names. */
  readonly pieces: readonly Piece[]
}

/** The calls of a turn that surely wrote to a file, in order. `folder` is the one that the log names. */
export function editsOf(entries: readonly TranscriptEntry[], path: WorkspacePath, folder: string | null): readonly EditCall[] {
  return placedCalls(entries).flatMap(({ call }): readonly EditCall[] => {
    const { callId, edit, status } = call
    if (status !== 'done' || (edit && edit.path !== path)) return []
    const piece = edit && pieceOf(edit)
    const pieces = piece ? [piece] : patchPieces(call, path, folder)
    return edit || pieces.length > 0 ? [{ callId, edit, pieces }] : []
  })
}

/** `null` for an edit of which just the outcome could tell, and is not recorded whole. */
function pieceOf({ change, before, after, isNewFile }: RecordedEdit): Piece | null {
  const [one, two] = [isNewFile ? '' : wholeText(before), change.kind === 'delete' ? '' : wholeText(after)]
  if (one !== null && two !== null) return { before: one, after: two }
  switch (change.kind) {
    case 'replace':
      return { before: change.oldText, after: change.newText }
    case 'write':
      return { before: '', after: change.content }
    case 'delete':
      return { before: before?.text ?? '', after: '' }
    case 'sed':
      return null
  }
}
