import type { ReviewError } from '../../shared/errors.js'
import type { FileChange, ReadChange, Scope } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { TakeBackPlan } from '../../shared/rewind.js'
import type { Progress } from '../../shared/rpc.js'
import type { Loadable } from './loadable.js'
import type { ScopeKind } from './scope.js'
import type { ShownLine } from './why-slice.js'

/** The file that is looked at. */
export type OpenFile = ReadChange

/** The changes of the diff on the screen, as the editor counted them. */
export interface ShownDiff {
  readonly path: WorkspacePath
  readonly count: number
  /** 0-based; always a change that exists, or 0 where there is none. */
  readonly current: number
}

/** One change that is about to be taken back: its preview, and whether it is being done. */
export interface TakingBack {
  readonly promptId: PromptId
  readonly path: WorkspacePath
  /** 1-based. */
  readonly hunk: number
  readonly plan: Loadable<TakeBackPlan>
  readonly isRunning: boolean
  readonly error: ReviewError | null
}

export interface ChangesState {
  readonly scopeKind: ScopeKind
  /** What `list` belongs to; `null` before the first list. */
  readonly scope: Scope | null
  readonly list: Loadable<readonly FileChange[]>
  /** How far the running list has come. */
  readonly progress: Progress | null
  readonly selectedPath: WorkspacePath | null
  readonly file: Loadable<OpenFile>
  readonly diff: ShownDiff | null
  /** Which change to go to once the diff of the next file is there. */
  readonly arriveAt: 'first' | 'last'
  /** A change that one came here for, from 1; its file may still be on its way. */
  readonly goal: { readonly path: WorkspacePath; readonly hunk: number } | null
  /** Files whose long diff, or oversized content, the person asked for. */
  readonly expanded: ReadonlySet<WorkspacePath>
  readonly takingBack: TakingBack | null
  /** The line of the diff that the pointer or the cursor is on. */
  readonly pointed: (ShownLine & { readonly path: WorkspacePath }) | null
}

export const initialChanges: ChangesState = {
  scopeKind: 'turn',
  scope: null,
  list: { kind: 'idle' },
  progress: null,
  selectedPath: null,
  file: { kind: 'idle' },
  diff: null,
  arriveAt: 'first',
  goal: null,
  expanded: new Set(),
  takingBack: null,
  pointed: null,
}
