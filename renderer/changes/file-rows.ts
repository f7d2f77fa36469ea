import type { DiffStat } from '../../shared/changes.js'
import type { ChangeCause, FileChange } from '../../shared/file-state.js'
import type { IconName } from '../ui/icons.js'
import { countText } from '../ui/words.js'
import { badgeText } from './badges.js'
import { causeText, kindText } from './words.js'

/** The picture that goes with how a change came to be known. */
export function causeIcon(change: Pick<FileChange, 'kind' | 'cause'>): IconName {
  if (change.kind === 'refused') return 'cross'
  const icons: Readonly<Record<ChangeCause, IconName>> = {
    edit: 'pencil',
    sed: 'sed',
    command: 'eye',
    user: 'person',
    subagent: 'agent',
    rewind: 'back',
    unknown: 'question',
  }
  return icons[change.cause]
}

/** What a screen reader says of a row: everything that its pictures and columns say. */
export function rowLabel(change: FileChange): string {
  const { stat } = change
  const parts = [
    change.path,
    kindText(change.kind),
    ...(stat && stat.insertions > 0 ? [`${stat.insertions} added`] : []),
    ...(stat && stat.deletions > 0 ? [`${stat.deletions} removed`] : []),
    causeText(change),
    ...change.badges.map((badge) => badgeText(badge).text),
    ...(change.review === 'reviewed' ? ['reviewed'] : change.review === 'changed-since' ? ['changed since you reviewed it'] : []),
  ]
  return parts.join(', ')
}

export interface ChangeTotals {
  /** Files that changed, refused edits not counted. */
  readonly files: number
  readonly stat: DiffStat
  readonly reviewed: number
  /** Files that a reviewed mark can be bound to. */
  readonly reviewable: number
}

export function totalsOf(changes: readonly FileChange[]): ChangeTotals {
  const written = changes.filter(({ kind }) => kind !== 'refused')
  return {
    files: written.length,
    stat: {
      insertions: written.reduce((sum, { stat }) => sum + (stat?.insertions ?? 0), 0),
      deletions: written.reduce((sum, { stat }) => sum + (stat?.deletions ?? 0), 0),
    },
    reviewed: written.filter(({ review }) => review === 'reviewed').length,
    reviewable: written.filter(({ contentKey }) => contentKey !== null).length,
  }
}

/** "3 of 8 reviewed", or `null` where there is nothing to review. */
export function reviewedText({ reviewed, reviewable }: ChangeTotals): string | null {
  if (reviewable === 0) return null
  return reviewed === reviewable ? `All ${countText(reviewable, 'file')} reviewed` : `${reviewed} of ${reviewable} reviewed`
}
