import type { Hunk } from '../../shared/changes.js'
import { formatHunk } from '../../shared/patch.js'
import type { PlannedFile } from './edit-plan.js'
import { plannedHunks } from './planned-hunks.js'

/** More of a diff than this is no help to a model. */
const longestDiff = 24_000

export interface DiffedFile {
  readonly path: string
  /** `null` where a side has no text. */
  readonly hunks: readonly Hunk[] | null
  /** Name before, and which sides are there. */
  readonly from?: string | null
  readonly how: string
}

/** The diff of an edit as a model reads it. */
export function diffText(files: readonly PlannedFile[]): DiffText {
  return unifiedDiff(
    files.map(({ path, from, operation, texts }) => ({
      path,
      from,
      hunks: texts && plannedHunks(texts),
      how: operation === 'create' ? 'created' : operation === 'delete' ? 'deleted' : 'changed',
    })),
  )
}

export interface DiffText {
  readonly text: string
  readonly isCut: boolean
}

/** Unified, whole hunks, cut with a word about what is missing. */
export function unifiedDiff(files: readonly DiffedFile[]): DiffText {
  const parts: string[] = []
  let length = 0
  let left = 0
  for (const { path, from = null, hunks, how } of files) {
    const head = `--- ${how === 'created' ? '/dev/null' : (from ?? path)}\n+++ ${how === 'deleted' ? '/dev/null' : path}\n`
    const body = hunks ? hunks.map(formatHunk) : ['Binary.\n']
    for (const part of [head, ...body]) {
      if (length + part.length > longestDiff) left++
      else parts.push(part)
      length += part.length
    }
  }
  const isCut = left > 0
  return { text: parts.join('') + (isCut ? `[${left} more parts of the diff are not shown]\n` : ''), isCut }
}
