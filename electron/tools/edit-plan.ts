import type { ApprovalFile, EditOperation } from '../../shared/approval.js'
import { isOnlyBlanks } from '../../shared/changes.js'
import { ReviewError } from '../../shared/errors.js'
import type { ChangeBadge, FileSide, FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import { diffLines } from '../../shared/line-diff.js'
import type { Seen } from '../workspace/disk-states.js'
import { decodeText, encodeText, hardLimitBytes, sideOf, type DecodedText } from '../workspace/text-decoding.js'
import { readBytes, sha256Of } from '../workspace/text-files.js'
import { plannedHunks, plannedStat } from './planned-hunks.js'
import type { ToolSession } from './tool-session.js'

/** A file as a plan found it. */
export interface FoundFile {
  readonly path: WorkspacePath
  readonly seen: Seen
  /** `null` where there is no text: nothing there, or binary. */
  readonly text: DecodedText | null
}

/** One file of an edit plan. Nothing is written by making one. */
export interface PlannedFile {
  readonly path: WorkspacePath
  /** Where a renamed file lies now. */
  readonly from: WorkspacePath | null
  readonly operation: EditOperation
  /** What lies at `from`, or at `path`. */
  readonly found: FoundFile
  /** What is to be there; `null` for a deleted file. A `null` mode keeps the present one. */
  readonly after: { readonly bytes: Uint8Array; readonly mode: number | null } | null
  /** Both sides as texts, where both have one; a missing file counts as an empty one. */
  readonly texts: { readonly before: string; readonly after: string } | null
  readonly note: string | null
}

export interface EditPlan {
  readonly files: readonly PlannedFile[]
  /** The command that this edit stands for; `null` for an edit asked for as one. */
  readonly sed: string | null
}

/**
 * What lies at a path of the workspace, with its bytes.
 * Errors: OUTSIDE_WORKSPACE, FILE_OVERSIZED, FILE_UNREADABLE (a link, folder or device), PERMISSION_DENIED.
 */
export async function findFile({ workspace, disk }: ToolSession, path: string, signal: AbortSignal): Promise<FoundFile> {
  const name = workspacePath(path)
  const place = workspace.resolveInside(path)
  if (!place.stats) return { path: name, seen: await disk.look(place, signal), text: null }
  if (place.stats.isDirectory()) throw new ReviewError('FILE_UNREADABLE', `${path} is a folder. Name a file.`)
  if (place.stats.isSymbolicLink()) throw new ReviewError('FILE_UNREADABLE', `${path} is a link. Name the file that it points to.`)
  const known = await disk.lookAndKeep(place, signal)
  const bytes = known.bytes ?? (await readBytes(place, path, hardLimitBytes, signal)).bytes
  if (known.state.kind !== 'file' || known.state.sha256 !== sha256Of(bytes)) {
    throw new ReviewError('FILE_CHANGED_SINCE_READ', `${path} is being written by somebody else right now. Try again.`)
  }
  const decoded = decodeText(bytes)
  return { path: name, seen: { ...known, bytes }, text: decoded.kind === 'text' ? decoded : null }
}

/** A file with new text, in the encoding, with the BOM and the mode that it has. Errors: ENCODING_CANNOT, NO_CHANGE. */
export function plannedText(found: FoundFile, text: string, note: string | null = null): PlannedFile {
  const exists = found.seen.state.kind === 'file'
  const bytes = encodedText(found, text)
  const { state } = found.seen
  if (state.kind === 'file' && state.sha256 === sha256Of(bytes)) {
    throw new ReviewError('NO_CHANGE', `${found.path} holds exactly this already. Nothing was written.`)
  }
  const before = exists ? (found.text?.text ?? null) : ''
  return {
    path: found.path,
    from: null,
    operation: exists ? 'modify' : 'create',
    found,
    after: { bytes, mode: null },
    texts: before === null ? null : { before, after: text },
    note,
  }
}

/** `text` with the line ends that an existing file has: lines that stay keep their own, new ones take the file's usual end. */
export function withLineEnds(found: FoundFile, text: string): string {
  const { text: old } = found
  if (!old || old.lineEnds === 'none' || old.lineEnds === 'lf') return text
  const plain = text.replaceAll('\r\n', '\n')
  if (old.lineEnds === 'crlf') return plain.replaceAll('\n', '\r\n')
  const oldLines = old.text.split(/(?<=\n)/)
  const usual = oldLines.filter((line) => line.endsWith('\r\n')).length * 2 > oldLines.length ? '\r\n' : '\n'
  const lines = plain.split(/(?<=\n)/)
  const changes = diffLines(oldLines.map((line) => line.replace(/\r\n$/, '\n')).join(''), plain)
  const kept: string[] = []
  let before = 0
  let after = 0
  for (const change of [...changes, { beforeStart: oldLines.length, beforeEnd: oldLines.length, afterStart: lines.length, afterEnd: lines.length }]) {
    for (; after < change.afterStart; before++, after++) kept.push(oldLines[before] ?? '')
    for (; after < change.afterEnd; after++) kept.push((lines[after] ?? '').replace(/\n$/, usual))
    before = change.beforeEnd
  }
  return kept.join('')
}

/** What the window is told of a planned file. */
export function approvalFileOf(file: PlannedFile): ApprovalFile {
  const { path, from, operation, texts, note } = file
  return {
    path,
    from,
    operation,
    stat: texts && plannedStat(texts),
    hunks: texts && operation !== 'rename' && operation !== 'delete' ? plannedHunks(texts).length : 0,
    badges: badgesOf(file),
    note,
    taken: null,
  }
}

/** Both sides of a planned file as the window shows them. */
export function sidesOf({ found, after }: PlannedFile, showOversized: boolean): { readonly before: FileSide; readonly after: FileSide } {
  const { state, bytes } = found.seen
  const before: FileSide = state.kind === 'file' && bytes ? sideOf(bytes, state.sha256, showOversized) : { kind: 'absent' }
  return { before, after: after ? sideOf(after.bytes, sha256Of(after.bytes), showOversized) : { kind: 'absent' } }
}

/** The states that a plan brings its files from and to, each path once. */
export interface PlannedWrite {
  readonly path: WorkspacePath
  readonly before: Seen
  readonly after: FileState
  readonly bytes: Uint8Array | null
}

/** What a look at a place sees where nothing lies. */
const nothing: Seen = { state: { kind: 'absent' }, stats: null, isSettled: true, bytes: null }

export function writesOf(file: PlannedFile): readonly PlannedWrite[] {
  const { path, from, found, after } = file
  const { state } = found.seen
  if (!after) return [{ path, before: found.seen, after: { kind: 'absent' }, bytes: null }]
  const sha256 = sha256Of(after.bytes)
  const keptMode = state.kind === 'file' ? state.mode : null
  const there: FileState = { kind: 'file', sha256, sizeBytes: after.bytes.length, mode: after.mode ?? keptMode }
  const isSameBytes = state.kind === 'file' && state.sha256 === sha256
  if (from === null) return [{ path, before: found.seen, after: there, bytes: isSameBytes ? null : after.bytes }]
  return [
    { path, before: nothing, after: there, bytes: after.bytes },
    { path: from, before: found.seen, after: { kind: 'absent' }, bytes: null },
  ]
}

/** A text in the encoding of the file that is there, UTF-8 for a new one. Errors: ENCODING_CANNOT. */
export function encodedText({ path, text }: FoundFile, content: string, hasBom = text?.hasBom ?? false): Uint8Array {
  const bytes = encodeText(content, text?.encoding ?? 'utf-8', hasBom)
  if (bytes) return bytes
  const encoding = text?.encoding ?? 'UTF-8'
  throw new ReviewError('ENCODING_CANNOT', `${path} is ${encoding}, and the new text has characters that ${encoding} cannot hold. Use other characters, or convert the file first.`)
}

function badgesOf(file: PlannedFile): readonly ChangeBadge[] {
  const { found, after, texts } = file
  const badges: ChangeBadge[] = []
  const { state } = found.seen
  const then = after && decodeText(after.bytes)
  if (after && state.kind === 'file' && after.mode !== null && after.mode !== state.mode) badges.push({ kind: 'mode', before: state.mode, after: after.mode })
  // That a new file can be run is in none of its lines.
  if (after && state.kind === 'absent' && after.mode !== null && (after.mode & 0o111) !== 0) badges.push({ kind: 'mode', before: null, after: after.mode })
  if (found.text && then?.kind === 'text') {
    if (found.text.lineEnds !== then.lineEnds && found.text.lineEnds !== 'none' && then.lineEnds !== 'none') {
      badges.push({ kind: 'line-ends', before: found.text.lineEnds, after: then.lineEnds })
    }
    if (found.text.encoding !== 'utf-8') badges.push({ kind: 'encoding', before: found.text.encoding, after: then.encoding })
  }
  if (texts && texts.before !== texts.after && isOnlyBlanks(texts.before, texts.after)) badges.push({ kind: 'only-blanks' })
  if (!texts) badges.push({ kind: 'binary', beforeBytes: state.kind === 'file' ? state.sizeBytes : null, afterBytes: after ? after.bytes.length : null })
  return badges
}
