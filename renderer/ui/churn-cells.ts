import type { DiffStat } from '../../shared/changes.js'

/** `a` added, `r` removed, `u` unknown, empty: no line. */
export type ChurnCell = 'a' | 'r' | 'u' | ''

/** Lines at which one more of the five cells is filled. */
const steps = [1, 5, 15, 40, 100]

/**
 * Five cells for a change: as many filled as the change is large, split by the share of added lines. A side that is
 * not zero has at least one cell, as far as there are two.
 */
export function churnCells(stat: DiffStat | null): readonly ChurnCell[] {
  if (!stat) return ['u', 'u', 'u', 'u', 'u']
  const { insertions, deletions } = stat
  const total = insertions + deletions
  const both = insertions > 0 && deletions > 0 ? 2 : 0
  const filled = Math.max(both, steps.filter((step) => total >= step).length)
  const share = total === 0 ? 0 : Math.round((filled * insertions) / total)
  const added = both ? Math.min(filled - 1, Math.max(1, share)) : share
  return Array.from({ length: 5 }, (_, at) => (at < added ? 'a' : at < filled ? 'r' : ''))
}
