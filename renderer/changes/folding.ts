import type { LineChange } from '../../shared/line-diff.js'

/** Unchanged lines that stay beside each change. */
export const contextLines = 3

/** So many folds an editor lays out without being felt. */
const mostFolds = 150

/**
 * From how many hidden lines on an unchanged stretch is folded. Usually 2; where a file has very many changes, only its
 * longest stretches are folded.
 */
export function leastFoldedLines(changes: readonly LineChange[]): number {
  const gaps: number[] = []
  let end = 0
  for (const { beforeStart, beforeEnd } of changes) {
    gaps.push(beforeStart - end - 2 * contextLines)
    end = beforeEnd
  }
  gaps.sort((a, b) => b - a)
  return Math.max(2, (gaps[mostFolds] ?? 0) + 1)
}
