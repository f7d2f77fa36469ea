import { applyHunks, hunksOf, invertHunk, countChanges } from '../../shared/changes.js'
import { ReviewError } from '../../shared/errors.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { Receipt, TakeBackPlan } from '../../shared/rewind.js'
import { decodeText, encodeText, type DecodedText } from '../workspace/text-decoding.js'
import { sha256Of } from '../workspace/text-files.js'
import type { KnownContent } from './content.js'
import type { HistoryParts, Watch } from './history-parts.js'
import { applyRewind, fileTexts, planOne, type RewindRequest } from './rewind.js'
import type { FilePlan } from './rewind-plan.js'

/** One change of one turn, and the turn's two contents of the file. */
export interface TakeBackRequest {
  readonly promptId: PromptId
  /** "turn 4". */
  readonly turn: string
  readonly path: WorkspacePath
  /** 1-based, in the order of `hunksOf(before, after, 0)`: each block of changed lines by itself. */
  readonly hunk: number
  readonly before: KnownContent
  readonly after: KnownContent
}

/**
 * What taking back one change would do to the present text: the inverse of the hunk merged with all that came later.
 *
 * Where it no longer fits, `fits` is false and `reason` names the lines in the way.
 * Errors: HUNK_NOT_FOUND, CONTENT_UNKNOWN (a side of the turn is unknown or no text), BACKUP_MISSING, BACKUP_DAMAGED.
 */
export async function previewTakeBack(parts: HistoryParts, request: TakeBackRequest, signal?: AbortSignal): Promise<TakeBackPlan> {
  const { rewind, hunks } = await asRewind(request, signal)
  const { plan, planHash } = await planOne(parts, rewind, request.path, signal)
  const texts = await fileTexts(parts, rewind, request.path, signal)
  const misfit = misfitOf(plan, request)
  const after = misfit === null ? (texts.result ?? texts.disk) : texts.disk
  const isText = (texts.disk.kind === 'text' || texts.disk.kind === 'absent') && (after.kind === 'text' || after.kind === 'absent')
  const [textBefore, textAfter] = [texts.disk, after].map((side) => (side.kind === 'text' ? side.text : ''))
  return {
    path: request.path,
    promptId: request.promptId,
    hunk: request.hunk,
    hunks,
    planHash,
    fits: misfit === null,
    reason: misfit ?? fitReason(plan),
    stat: isText ? countChanges(textBefore ?? '', textAfter ?? '') : { insertions: 0, deletions: 0 },
    before: texts.disk,
    after,
  }
}

/**
 * Takes the change back. The workspace lock must be held.
 * Errors: TAKE_BACK_CONFLICT with the reason, REWIND_PLAN_STALE (nothing was written); those of `previewTakeBack` and `applyRewind`.
 */
export async function applyTakeBack(parts: HistoryParts, request: TakeBackRequest, planHash: string, watch: Watch): Promise<Receipt> {
  const { rewind } = await asRewind(request, watch.signal)
  const { plan } = await planOne(parts, rewind, request.path, watch.signal)
  const misfit = misfitOf(plan, request)
  if (misfit !== null) throw new ReviewError('TAKE_BACK_CONFLICT', `${misfit}. Nothing was written.`)
  return applyRewind(parts, rewind, planHash, watch)
}

/** The take-back as a rewind of one file: from what the turn left to the same text without the hunk. */
async function asRewind(request: TakeBackRequest, signal: AbortSignal | undefined): Promise<{ readonly rewind: RewindRequest; readonly hunks: number }> {
  const { path, promptId, hunk, turn } = request
  const [before, after] = [await textOf(request.before, signal), await textOf(request.after, signal)]
  const hunks = hunksOf(before?.text ?? '', after?.text ?? '', 0)
  const wanted = hunks[hunk - 1]
  if (!wanted) {
    throw new ReviewError('HUNK_NOT_FOUND', `${path} has ${hunks.length} changes in ${turn}. Choose one of them.`, { details: { hunks: hunks.length } })
  }
  // The only change of a file that was created, or deleted, is its creation or deletion.
  const isWhole = hunks.length === 1 && (before === null || after === null)
  const target = isWhole ? request.before : withoutHunk(after, wanted)
  return {
    hunks: hunks.length,
    rewind: {
      subject: { kind: 'take-back', promptId, path, hunk },
      label: `change ${hunk} of ${path} in ${turn}`,
      words: { to: 'before this change', by: 'this change' },
      files: [{ path, target, base: request.after, turn, untyped: 'kept' }],
      choices: { paths: null, resolutions: {} },
    },
  }

  function withoutHunk(text: DecodedText | null, change: (typeof hunks)[number]): KnownContent {
    const applied = applyHunks(text?.text ?? '', [invertHunk(change)])
    const bytes = applied.kind === 'applied' ? encodeText(applied.text, text?.encoding ?? 'utf-8', text?.hasBom ?? false) : null
    if (!bytes) throw new ReviewError('TAKE_BACK_CONFLICT', `This change of ${path} cannot be taken back by itself. Nothing was written.`)
    // No mode: a take-back is about lines.
    return { state: { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: null }, read: () => Promise.resolve(bytes) }
  }
}

async function textOf(content: KnownContent, signal: AbortSignal | undefined): Promise<DecodedText | null> {
  if (content.state.kind === 'absent') return null
  const decoded = decodeText(await content.read(signal))
  if (decoded.kind === 'text') return decoded
  throw new ReviewError('CONTENT_UNKNOWN', 'The file is binary, so single changes of it cannot be taken back.')
}

function misfitOf({ action, merge, facts }: FilePlan, { turn, after }: TakeBackRequest): string | null {
  if (facts.disk.kind === 'absent' && after.state.kind !== 'absent') return 'The file is no longer there'
  if (action === 'unchanged') return 'The file does not have this change any more'
  if (action !== 'conflict') return null
  const blocks = merge?.kind === 'merged' ? merge.conflicts : []
  if (blocks.length === 0) return `The file was changed since ${turn} in a way that cannot be merged`
  const lines = blocks.map(({ diskLine, diskText }) => lineRange(diskLine, diskText))
  return `It no longer fits: ${lines.join(', ')} changed since ${turn}`
}

function lineRange(first: number, text: string): string {
  const count = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
  if (count === 0) return `what stood before line ${first}`
  return count === 1 ? `line ${first}` : `lines ${first} to ${first + count - 1}`
}

function fitReason({ action }: FilePlan): string {
  // What came after this change may be a later turn's as well as the person's.
  if (action === 'merge') return 'Fits, and all later changes stay'
  if (action === 'delete') return 'The turn created this file, so it goes'
  return action === 'recreate' ? 'The turn deleted this file, so it comes back' : 'Fits, nothing else changed the file since'
}
