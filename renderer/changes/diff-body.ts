import type { ChangeBadge, FileSide, ShownEdit } from '../../shared/file-state.js'
import type { OpenFile } from '../state/changes-slice.js'
import { countText, sizeText } from '../ui/words.js'
import { badgeText } from './badges.js'
import { lineCount } from './display-text.js'
import { unknownText } from './words.js'

/** Above so many lines on one side a diff waits to be asked for. */
export const mostLines = 20_000

/** One side of a change that is no text, in words. */
export interface SideFacts {
  readonly title: string
  readonly text: string
  /** SHA-256 where the bytes are known. */
  readonly sha256: string | null
  readonly isUnknown: boolean
}

/** What the diff pane shows of a file. A side that is not there is `null`. */
export type DiffBody =
  | { readonly kind: 'diff'; readonly before: string | null; readonly after: string | null }
  /** The text is equal on both sides; what changed is said in words. */
  | { readonly kind: 'same'; readonly text: string; readonly facts: readonly string[] }
  /** Held back for its length. */
  | { readonly kind: 'long'; readonly before: SideFacts; readonly after: SideFacts }
  /** One side is text, of the other only facts are known. */
  | { readonly kind: 'half'; readonly known: 'before' | 'after'; readonly text: string; readonly other: SideFacts; readonly edits: readonly ShownEdit[] }
  | { readonly kind: 'facts'; readonly before: SideFacts; readonly after: SideFacts; readonly canShow: boolean; readonly edits: readonly ShownEdit[]; readonly badges: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

export function diffBodyOf(file: OpenFile, isExpanded: boolean): DiffBody {
  const { change, before, after } = file
  if (change.kind === 'refused') return { kind: 'refused', reason: refusalOf(change.badges) }
  const sides = [textOf(before), textOf(after)] as const
  if (sides[0] !== undefined && sides[1] !== undefined && (sides[0] !== null || sides[1] !== null)) {
    return diffOf(sides[0], sides[1], file, isExpanded)
  }
  if (before.kind === 'text' && after.kind === 'unknown') return { kind: 'half', known: 'before', text: before.text, other: factsOf(after, 'after'), edits: file.edits }
  if (after.kind === 'text' && before.kind === 'unknown') return { kind: 'half', known: 'after', text: after.text, other: factsOf(before, 'before'), edits: file.edits }
  return {
    kind: 'facts',
    before: factsOf(before, 'before'),
    after: factsOf(after, 'after'),
    canShow: before.kind === 'oversized' || after.kind === 'oversized',
    edits: file.edits,
    badges: sentencesOf(change.badges.filter(({ kind }) => !saidBySides.includes(kind))),
  }
}

/** Badges that say the same as the facts about the two sides. */
const saidBySides: readonly ChangeBadge['kind'][] = ['binary', 'oversized', 'unreadable', 'unknown', 'link']

/** The text of a side, `null` where nothing was there, `undefined` where it is something else. */
function textOf(side: FileSide): string | null | undefined {
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? null : undefined
}

function diffOf(before: string | null, after: string | null, file: OpenFile, isExpanded: boolean): DiffBody {
  const { badges } = file.change
  if (before === after) return { kind: 'same', text: after ?? '', facts: sentencesOf(badges) }
  // An empty file has no line that a diff could show.
  if ((before ?? '') === '' && (after ?? '') === '') {
    return { kind: 'same', text: '', facts: [before === null ? 'An empty file was created.' : 'An empty file was deleted.', ...sentencesOf(badges)] }
  }
  const lines = Math.max(lineCount(before ?? ''), lineCount(after ?? ''))
  if (lines > mostLines && !isExpanded) {
    return { kind: 'long', before: factsOf(file.before, 'before'), after: factsOf(file.after, 'after') }
  }
  return { kind: 'diff', before, after }
}

function refusalOf(badges: readonly ChangeBadge[]): string {
  return badges.flatMap((badge) => (badge.kind === 'refused' ? [badge.reason] : []))[0] ?? 'The agent was refused.'
}

function sentencesOf(badges: readonly ChangeBadge[]): readonly string[] {
  return badges.map((badge) => {
    const { text, title } = badgeText(badge)
    return `${text}: ${title}`
  })
}

/** A side in words. */
export function factsOf(side: FileSide, which: 'before' | 'after'): SideFacts {
  const known = (title: string, text: string, sha256: string | null = null): SideFacts => ({ title, text, sha256, isUnknown: false })
  switch (side.kind) {
    case 'text':
      return known('Text', `${countText(lineCount(side.text), 'line')}, ${sizeText(side.sizeBytes)}`)
    case 'absent':
      return known('Not there', which === 'before' ? 'The file did not exist yet.' : 'The file is gone.')
    case 'binary':
      return known(`Binary, ${sizeText(side.sizeBytes)}`, 'Compared byte by byte, not shown as text.', side.sha256)
    case 'oversized':
      return known(`Oversized, ${sizeText(side.sizeBytes)}`, 'Too large to be shown by itself.')
    case 'unreadable':
      return { title: 'Unreadable', text: side.reason, sha256: null, isUnknown: true }
    case 'link':
      return known('Link', `Points to ${side.target}`)
    case 'folder':
      return known('Folder', 'A folder stands in its place.')
    case 'unknown':
      return { title: 'Unknown', text: unknownText(side.reason), sha256: null, isUnknown: true }
  }
}
