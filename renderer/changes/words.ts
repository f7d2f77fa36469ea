import type { ChangeCause, ChangeKind, ContentSource, FileChange, LineEnds, UnknownReason } from '../../shared/file-state.js'
import { sizeText } from '../ui/words.js'

/** Two sizes of one file, the unit said once where it is the same: `9.1 → 18.4 kB`. */
export function sizeChangeText(before: number, after: number): string {
  const from = sizeText(before)
  const to = sizeText(after)
  const [value, unit] = from.split(' ')
  return to.endsWith(` ${unit}`) ? `${value} → ${to}` : `${from} → ${to}`
}

/** How the content of a change came to be known; the words beside the icon. */
export function causeText(change: Pick<FileChange, 'kind' | 'cause'>): string {
  if (change.kind === 'refused') return 'Refused edit'
  const words: Readonly<Record<ChangeCause, string>> = {
    edit: 'Recorded edit',
    sed: 'By sed',
    command: 'Seen after shell',
    user: 'By you',
    subagent: 'By a subagent',
    rewind: 'By a rewind',
    unknown: 'Unknown',
  }
  return words[change.cause]
}

/** The cause with how exactly both sides are known, for the head of the diff: `Recorded edit, both sides exact`. */
export function provenanceText(change: FileChange): string {
  const cause = causeText(change)
  if (change.kind === 'refused') return `${cause}, nothing was written`
  const { before, after } = change.sources
  if (before === 'none' && after === 'none') return `${cause}, neither side known`
  if (before === 'none') return `${cause}, before not known`
  if (after === 'none') return `${cause}, after not known`
  // The text of a record stands for bytes that are not known: its line ends and its BOM may be others.
  const doubt = change.badges.find((badge) => badge.kind === 'unknown')
  if (doubt) return `${cause}, ${doubt.side === 'both' ? 'both sides as the log shows them' : `${doubt.side} as the log shows it`}`
  return before === 'git' || after === 'git' ? `${cause}, both sides exact, ${before === after ? 'both' : before === 'git' ? 'before' : 'after'} from git` : `${cause}, both sides exact`
}

export function sourceText(source: ContentSource): string {
  const words: Readonly<Record<ContentSource, string>> = {
    backup: 'from a backup',
    edit: 'from recorded edits',
    record: 'from the record',
    command: 'from the text of a command',
    git: 'from a repository of git',
    disk: 'read from the disk',
    none: 'not known',
  }
  return words[source]
}

export function kindText(kind: ChangeKind): string {
  const words: Readonly<Record<ChangeKind, string>> = {
    added: 'added',
    modified: 'modified',
    deleted: 'deleted',
    mode: 'mode changed',
    unknown: 'content unknown',
    refused: 'edit refused',
  }
  return words[kind]
}

/** The letter of a change; the cross of a refused edit is an icon and has none. */
export function stateLetter(kind: ChangeKind): 'A' | 'M' | 'D' | '?' | null {
  const letters: Readonly<Record<ChangeKind, 'A' | 'M' | 'D' | '?' | null>> = {
    added: 'A',
    modified: 'M',
    deleted: 'D',
    mode: 'M',
    unknown: '?',
    refused: null,
  }
  return letters[kind]
}

/** Why a content is not known, as one sentence. */
export function unknownText(reason: UnknownReason): string {
  const words: Readonly<Record<UnknownReason, string>> = {
    'no-record': 'The log does not say what was in it.',
    'backup-missing': 'The log names a backup of it that is not there.',
    'backup-failed': 'The agent tried to back it up and failed.',
    'changed-by-command': 'A shell command changed it before there was a copy.',
    'records-disagree': 'Two records disagree about what was in it.',
    'log-broken': 'The log is damaged where its content should stand.',
    'outside-workspace': 'It lies outside the folder of this session and is not read.',
    unreadable: 'It could not be read.',
  }
  return words[reason]
}

export function lineEndsText(ends: LineEnds): string {
  const words: Readonly<Record<LineEnds, string>> = { lf: 'LF', crlf: 'CRLF', mixed: 'mixed line ends', none: 'one line' }
  return words[ends]
}
