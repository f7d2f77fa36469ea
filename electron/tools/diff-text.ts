import { hunksOf } from '../../shared/changes.js'
import { formatHunk } from '../../shared/patch.js'
import type { PlannedFile } from './edit-plan.js'

/** More of a diff than this is no help to a model. */
const longestDiff = 24_000

/** One file of a diff as texts; a side without a text is `null`, a missing file is an empty one. */
export interface DiffedFile {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  /** Name before, and which sides are there. */
  readonly from?: string | null
  readonly how: string
}

/** The diff of an edit as a model reads it. */
export function diffText(files: readonly PlannedFile[]): DiffText {
  return diffOfStates(
    files.map(({ path, from, operation, texts }) => ({
      path,
      from,
      before: texts ? texts.before : null,
      after: texts ? texts.after : null,
      how: operation === 'create' ? 'created' : operation === 'delete' ? 'deleted' : 'changed',
    })),
  )
}

export interface DiffText {
  readonly text: string
  readonly isCut: boolean
}

/** Unified, whole hunks, cut with a word about what is missing. */
export function diffOfStates(files: readonly DiffedFile[]): DiffText {
  const parts: string[] = []
  let length = 0
  let left = 0
  for (const { path, from = null, before, after, how } of files) {
    const head = `--- ${how === 'created' ? '/dev/null' : (from ?? path)}\n+++ ${how === 'deleted' ? '/dev/null' : path}\n`
    const hunks = before !== null && after !== null ? hunksOf(before, after).map(formatHunk) : ['Binary.\n']
    for (const part of [head, ...hunks]) {
      if (length + part.length > longestDiff) left++
      else parts.push(part)
      length += part.length
    }
  }
  const isCut = left > 0
  return { text: parts.join('') + (isCut ? `[${left} more parts of the diff are not shown]\n` : ''), isCut }
}
