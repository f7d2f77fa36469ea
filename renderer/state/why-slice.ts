import type { Progress } from '../../shared/rpc.js'
import type { WhyAnswer } from '../../shared/search.js'
import type { Loadable } from './loadable.js'

/** A line as it is looked at. `side` of a diff; `line` from 1. */
export interface ShownLine {
  readonly side: 'before' | 'after'
  readonly line: number
}

/**
 * How the line on the screen was found in the file as it is now. `same`: it stands there, at `line`. `gone`: it does not.
 * `unknown`: the two could not be compared, so the answer is about whatever stands at this number now.
 */
export type LineNow =
  | { readonly kind: 'same'; readonly line: number }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unknown'; readonly line: number }

/** One question why a line is there. */
export interface WhyState {
  /** Absolute path of the file, and the name it is shown by. */
  readonly file: string
  readonly path: string
  readonly shown: ShownLine
  /** `null` while it is looked for. */
  readonly now: LineNow | null
  readonly answer: Loadable<WhyAnswer>
  /** Sessions that were looked through so far. */
  readonly progress: Progress | null
}
