// What the diff bench calls: our line diff and our patches, in the words of a unified diff.

import { applyPatch as applyOurs } from '../../shared/apply-patch.js'
import { diffLines as diffOurs } from '../../shared/line-diff.js'

/** A change as the head of a hunk has it, without context: lines counted from 1; an empty side names the line before it. */
export interface BenchChange {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
}

export function diffLines(before: string, after: string): readonly BenchChange[] {
  return diffOurs(before, after).map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => ({
    oldStart: beforeEnd > beforeStart ? beforeStart + 1 : beforeStart,
    oldLines: beforeEnd - beforeStart,
    newStart: afterEnd > afterStart ? afterStart + 1 : afterStart,
    newLines: afterEnd - afterStart,
  }))
}

/** Throws when the patch does not fit. */
export function applyPatch(text: string, patch: string): string {
  const applied = applyOurs(text, patch)
  if (applied.kind === 'refused') throw new Error(applied.reason)
  return applied.text
}
