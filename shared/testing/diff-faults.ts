import { TextLines } from '../diff/text-lines.js'
import type { LineChange } from '../line-diff.js'

/** Why changes do not describe the two texts, or `null` where they do. */
export function diffFault(before: string, after: string, changes: readonly LineChange[]): string | null {
  const old = new TextLines(before)
  const now = new TextLines(after)
  let i = 0
  let j = 0
  for (const change of [
    ...changes,
    { beforeStart: old.count, beforeEnd: old.count, afterStart: now.count, afterEnd: now.count },
  ]) {
    const isLast = change.beforeStart === old.count && change.afterStart === now.count
    const place = `at lines ${change.beforeStart} and ${change.afterStart}`
    if (change.beforeStart - i !== change.afterStart - j) return `unequal gaps ${place}`
    if (i > 0 && change.beforeStart === i && !isLast) return `touching changes ${place}`
    if (old.slice(i, change.beforeStart) !== now.slice(j, change.afterStart))
      return `differing lines between changes ${place}`
    if (change.beforeStart === change.beforeEnd && change.afterStart === change.afterEnd && !isLast)
      return `empty change ${place}`
    i = change.beforeEnd
    j = change.afterEnd
  }
  return null
}

/** Added and removed lines together. */
export function changedLines(changes: readonly LineChange[]): number {
  return changes.reduce(
    (sum, change) => sum + change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart,
    0,
  )
}
