import { ReviewError } from '../../shared/errors.js'
import type { ChangeBadge, ChangeKind, FileSide } from '../../shared/file-state.js'
import type { KnownContent } from '../history/content.js'
import { decodeText, displayLimitBytes, hardLimitBytes, type Decoded } from '../workspace/text-decoding.js'

/** One side of a change: what the window shows, and what is known of its text. */
export interface Side {
  readonly side: FileSide
  /** The decoded text; `null` for everything that is none, or too large to be shown. */
  readonly text: Decoded | null
  readonly sizeBytes: number | null
  readonly mode: number | null
}

/** Reads and decodes one side. A backup that is gone makes it unreadable, never empty. */
export async function readSide(content: KnownContent, showOversized: boolean, signal?: AbortSignal): Promise<Side> {
  const { state } = content
  if (state.kind !== 'file') return { side: state, text: null, sizeBytes: null, mode: null }
  const { sizeBytes, sha256, mode } = state
  if (sizeBytes > hardLimitBytes || (sizeBytes > displayLimitBytes && !showOversized)) {
    return { side: { kind: 'oversized', sizeBytes }, text: null, sizeBytes, mode }
  }
  try {
    const text = decodeText(await content.read(signal))
    const side: FileSide = text.kind === 'text' ? { kind: 'text', text: text.text, sizeBytes } : { kind: 'binary', sizeBytes, sha256 }
    return { side, text, sizeBytes, mode }
  } catch (thrown) {
    if (!(thrown instanceof ReviewError) || thrown.code === 'CANCELLED') throw thrown
    return { side: { kind: 'unreadable', reason: thrown.message }, text: null, sizeBytes, mode }
  }
}

/** A side whose text comes from a record: without line ends and BOM, so no more is known of it. */
export function recordedSide(text: string | null): Side {
  if (text === null) return { side: { kind: 'absent' }, text: null, sizeBytes: null, mode: null }
  return { side: { kind: 'text', text, sizeBytes: Buffer.byteLength(text) }, text: null, sizeBytes: null, mode: null }
}

/** What happened to a file, by its two sides. */
export function kindOfChange(before: FileSide, after: FileSide): ChangeKind {
  const isThere = (side: FileSide): boolean => side.kind !== 'absent' && side.kind !== 'folder'
  if (before.kind === 'unknown' || after.kind === 'unknown') return after.kind === 'absent' ? 'deleted' : 'unknown'
  if (before.kind === 'absent' && after.kind === 'folder') return 'added'
  if (before.kind === 'folder' && after.kind === 'absent') return 'deleted'
  if (!isThere(before)) return isThere(after) ? 'added' : 'unknown'
  return isThere(after) ? 'modified' : 'deleted'
}

/** The facts about a change that a line diff does not show. `isOnlyBlanks` comes from whoever compared the texts. */
export function badgesOf(before: Side, after: Side, isOnlyBlanks: boolean): readonly ChangeBadge[] {
  return [...stateBadges(before, after), ...textBadges(before, after), ...(isOnlyBlanks ? [{ kind: 'only-blanks' } as const] : [])]
}

function stateBadges(before: Side, after: Side): readonly ChangeBadge[] {
  const badges: ChangeBadge[] = [...unknownBadges(before.side, after.side)]
  for (const { side } of [before, after]) {
    if (side.kind === 'link') badges.push({ kind: 'link', target: side.target })
    if (side.kind === 'unreadable') badges.push({ kind: 'unreadable', reason: side.reason })
  }
  const isNewProgram = before.side.kind === 'absent' && after.mode !== null && (after.mode & 0o111) !== 0
  const hasOtherMode = before.mode !== null && after.mode !== null && before.mode !== after.mode
  if (isNewProgram || hasOtherMode) badges.push({ kind: 'mode', before: before.mode, after: after.mode })
  if (before.side.kind === 'oversized' || after.side.kind === 'oversized') {
    badges.push({ kind: 'oversized', sizeBytes: Math.max(before.sizeBytes ?? 0, after.sizeBytes ?? 0) })
  }
  if (before.side.kind === 'binary' || after.side.kind === 'binary') {
    badges.push({ kind: 'binary', beforeBytes: before.sizeBytes, afterBytes: after.sizeBytes })
  }
  return badges
}

function unknownBadges(before: FileSide, after: FileSide): readonly ChangeBadge[] {
  const [one, two] = [before.kind === 'unknown' ? before.reason : null, after.kind === 'unknown' ? after.reason : null]
  const reason = one ?? two
  if (reason === null) return []
  const badges: ChangeBadge[] = [{ kind: 'unknown', side: one === null ? 'after' : two === null ? 'before' : 'both', reason }]
  if (one === 'backup-failed' || two === 'backup-failed') badges.push({ kind: 'backup-failed' })
  return badges
}

function textBadges(before: Side, after: Side): readonly ChangeBadge[] {
  const [one, two] = [before.text?.kind === 'text' ? before.text : null, after.text?.kind === 'text' ? after.text : null]
  const some = two ?? one
  if (!some || before.text?.kind === 'binary' || after.text?.kind === 'binary') return []
  const badges: ChangeBadge[] = []
  const hasCr = [one, two].some((text) => text?.lineEnds === 'crlf' || text?.lineEnds === 'mixed')
  if (hasCr) badges.push({ kind: 'line-ends', before: one?.lineEnds ?? null, after: two?.lineEnds ?? null })
  if ((one ?? some).hasBom !== (two ?? some).hasBom || (!(one && two) && some.hasBom)) badges.push({ kind: 'bom', before: one?.hasBom ?? false, after: two?.hasBom ?? false })
  if ([one, two].some((text) => text && text.encoding !== 'utf-8')) badges.push({ kind: 'encoding', before: one?.encoding ?? null, after: two?.encoding ?? null })
  if (one && two && one.hasFinalNewline !== two.hasFinalNewline && one.text !== '' && two.text !== '') {
    badges.push({ kind: 'final-newline', before: one.hasFinalNewline, after: two.hasFinalNewline })
  } else if (!one && two?.hasFinalNewline === false) {
    badges.push({ kind: 'final-newline', before: null, after: false })
  }
  return badges
}
