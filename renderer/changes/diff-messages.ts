import type { LineChange } from '../../shared/line-diff.js'

/** A range of one text: 1-based lines and columns, the end exclusive. */
export interface TextRange {
  readonly startLine: number
  readonly startColumn: number
  readonly endLine: number
  readonly endColumn: number
}

/** Words that were replaced inside the change with this index; one of the two ranges may be empty. */
export interface WordMark {
  readonly change: number
  readonly before: TextRange
  readonly after: TextRange
}

/** What differs between two texts: lines, and within them the words where that helps the eye. Both in order. */
export interface TextDiff {
  readonly changes: readonly LineChange[]
  readonly words: readonly WordMark[]
}

export interface DiffRequest {
  readonly id: number
  readonly before: string
  readonly after: string
  /** In so many characters of changed lines words are marked; `null` for the usual number. */
  readonly markedUnits: number | null
}

export type DiffAnswer =
  | { readonly id: number; readonly kind: 'diff'; readonly diff: TextDiff }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string }
