import type { ChangeBadge } from '../../shared/file-state.js'
import { sizeText } from '../ui/words.js'
import { lineEndsText, sizeChangeText, unknownText } from './words.js'

export type BadgeTone = 'plain' | 'unknown' | 'conflict' | 'accent' | 'removed'

/** What a badge says, and the sentence behind it for the tooltip and for screen readers. */
export interface BadgeText {
  readonly text: string
  readonly tone: BadgeTone
  readonly title: string
}

/** The words of one badge. */
export function badgeText(badge: ChangeBadge): BadgeText {
  switch (badge.kind) {
    case 'line-ends':
      return lineEndsBadge(badge)
    case 'bom':
      if (badge.before && badge.after) return plain('BOM', 'The file begins with a byte order mark.')
      return badge.after ? plain('BOM added', 'A byte order mark was put in front.') : plain('BOM removed', 'The byte order mark in front is gone.')
    case 'encoding':
      return encodingBadge(badge)
    case 'mode':
      return modeBadge(badge)
    case 'link':
      return plain('link', `A link to ${badge.target}.`)
    case 'final-newline':
      return badge.after === true
        ? plain('final newline added', 'The last line has got a line end.')
        : plain('no final newline', badge.before === true ? 'The last line has lost its line end.' : 'The last line has no line end.')
    case 'only-blanks':
      return plain('only blanks', 'Nothing but spaces, tabs or line ends changed.')
    case 'binary':
      return binaryBadge(badge)
    case 'oversized':
      return plain(`oversized ${sizeText(badge.sizeBytes)}`, 'Too big to be shown by itself; it can be shown all the same.')
    case 'unreadable':
      return { text: 'unreadable', tone: 'removed', title: badge.reason }
    case 'unknown':
      return { text: badge.side === 'both' ? 'unknown' : `${badge.side} unknown`, tone: 'unknown', title: unknownText(badge.reason) }
    case 'backup-failed':
      return plain('backup failed', 'The agent could not back it up, so this content cannot be restored.')
    case 'refused':
      return plain(badge.reason, 'The agent was refused; nothing was written.')
    case 'outside-workspace':
      return plain('outside the folder', 'It lies outside the folder of this session.')
    case 'with-typing':
      return { text: 'contains your own changes', tone: 'conflict', title: 'What you, or another program, changed in between is in this comparison too.' }
  }
}

function plain(text: string, title: string): BadgeText {
  return { text, tone: 'plain', title }
}

function lineEndsBadge(badge: Extract<ChangeBadge, { kind: 'line-ends' }>): BadgeText {
  const before = badge.before === 'none' ? null : badge.before
  const after = badge.after === 'none' ? null : badge.after
  if (before !== null && after !== null && before !== after) {
    return plain(`${lineEndsText(before)} → ${lineEndsText(after)}`, 'The line ends changed.')
  }
  return plain(lineEndsText(after ?? before ?? 'none'), 'How its lines end.')
}

function encodingBadge(badge: Extract<ChangeBadge, { kind: 'encoding' }>): BadgeText {
  const before = badge.before?.toUpperCase() ?? null
  const after = badge.after?.toUpperCase() ?? null
  if (before !== null && after !== null && before !== after) return plain(`${before} → ${after}`, 'The encoding changed.')
  return plain(after ?? before ?? 'encoding unknown', 'The encoding of its text.')
}

function modeBadge(badge: Extract<ChangeBadge, { kind: 'mode' }>): BadgeText {
  const { before, after } = badge
  const executable = 0o111
  const octal = (mode: number): string => mode.toString(8).padStart(3, '0')
  if (before === null || after === null) {
    const known = after ?? before
    const canRun = known !== null && (known & executable) !== 0
    return plain(known === null ? 'mode unknown' : `mode ${octal(known)}`, canRun ? 'Its permission bits: it can be run as a program.' : 'Its permission bits.')
  }
  const title = `The permission bits changed from ${octal(before)} to ${octal(after)}.`
  if ((before & ~executable) === (after & ~executable) && before !== after) {
    if ((before & executable) === 0) return plain('mode +x', title)
    if ((after & executable) === 0) return plain('mode −x', title)
  }
  return plain(`mode ${octal(before)} → ${octal(after)}`, title)
}

function binaryBadge(badge: Extract<ChangeBadge, { kind: 'binary' }>): BadgeText {
  const { beforeBytes, afterBytes } = badge
  const title = 'Not text: compared byte by byte.'
  if (beforeBytes !== null && afterBytes !== null && beforeBytes !== afterBytes) {
    return plain(`binary ${sizeChangeText(beforeBytes, afterBytes)}`, title)
  }
  const known = afterBytes ?? beforeBytes
  return plain(known === null ? 'binary' : `binary ${sizeText(known)}`, title)
}
