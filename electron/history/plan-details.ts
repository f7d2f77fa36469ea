import { countChanges, isOnlyBlanks, type DiffStat } from '../../shared/changes.js'
import type { ChangeBadge, FileState } from '../../shared/file-state.js'
import type { PlannedFile } from '../../shared/rewind.js'
import { decodeText, displayLimitBytes, type Decoded } from '../workspace/text-decoding.js'
import type { FilePlan } from './rewind-plan.js'

/** The bytes on the disk and those that would be written; `null` for no file, or one that is too large to be looked into. */
export interface BytesOfChange {
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

/** A plan as the window shows it: with the lines that the disk will lose and gain, and the facts that a line diff hides. */
export function describePlan(plan: FilePlan, bytes: BytesOfChange): PlannedFile {
  const { facts, action, reason, conflicts, result } = plan
  const before = bytes.before && decodeText(bytes.before)
  const after = bytes.after && decodeText(bytes.after)
  return {
    path: facts.path,
    action,
    reason: reason + lineEndNote(plan, before, after),
    stat: action === 'cannot' ? null : statOf(before, after),
    badges: [...stateBadges(facts.disk, result?.state ?? facts.target, facts.target), ...textBadges(before, after, bytes)],
    conflicts,
    disk: facts.disk,
    target: facts.target,
  }
}

function statOf(before: Decoded | null, after: Decoded | null): DiffStat | null {
  if (before?.kind === 'binary' || after?.kind === 'binary' || (!before && !after)) return null
  return countChanges(before?.text ?? '', after?.text ?? '')
}

function lineEndNote({ action }: FilePlan, before: Decoded | null, after: Decoded | null): string {
  if (action !== 'restore' || before?.kind !== 'text' || after?.kind !== 'text') return ''
  return before.lineEnds === 'crlf' && after.lineEnds === 'crlf' ? ', line ends stay CRLF' : ''
}

function stateBadges(disk: FileState, after: FileState, target: FileState): ChangeBadge[] {
  const badges: ChangeBadge[] = []
  if (target.kind === 'unknown') badges.push({ kind: 'unknown', side: 'after', reason: target.reason })
  if (disk.kind === 'unknown') badges.push({ kind: 'unreadable', reason: 'The file on the disk cannot be read' })
  for (const state of [disk, after]) if (state.kind === 'link') badges.push({ kind: 'link', target: state.target })
  if (disk.kind === 'file' && after.kind === 'file' && disk.mode !== after.mode && disk.mode !== null && after.mode !== null) {
    badges.push({ kind: 'mode', before: disk.mode, after: after.mode })
  }
  const largest = Math.max(sizeOf(disk), sizeOf(after))
  if (largest > displayLimitBytes) badges.push({ kind: 'oversized', sizeBytes: largest })
  return badges
}

function textBadges(before: Decoded | null, after: Decoded | null, bytes: BytesOfChange): ChangeBadge[] {
  if (before?.kind === 'binary' || after?.kind === 'binary') {
    return [{ kind: 'binary', beforeBytes: bytes.before?.length ?? null, afterBytes: bytes.after?.length ?? null }]
  }
  const [one, two] = [before ?? after, after ?? before]
  if (!one || !two) return []
  const badges: ChangeBadge[] = []
  const hasCr = [one, two].some((text) => text.lineEnds === 'crlf' || text.lineEnds === 'mixed')
  if (hasCr || (one.lineEnds !== two.lineEnds && one.lineEnds !== 'none' && two.lineEnds !== 'none')) {
    badges.push({ kind: 'line-ends', before: before?.lineEnds ?? null, after: after?.lineEnds ?? null })
  }
  if (one.hasBom !== two.hasBom) badges.push({ kind: 'bom', before: one.hasBom, after: two.hasBom })
  if (one.encoding !== two.encoding) badges.push({ kind: 'encoding', before: one.encoding, after: two.encoding })
  if (one.hasFinalNewline !== two.hasFinalNewline && one.hasFinalNewline !== null && two.hasFinalNewline !== null) {
    badges.push({ kind: 'final-newline', before: one.hasFinalNewline, after: two.hasFinalNewline })
  }
  if (isOnlyBlanks(one.text, two.text)) badges.push({ kind: 'only-blanks' })
  return badges
}

function sizeOf(state: FileState): number {
  return state.kind === 'file' ? state.sizeBytes : 0
}
