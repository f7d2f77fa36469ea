import type { OperationId, WorkspacePath } from '../../shared/ids.js'
import type { PlannedFile, Receipt, Resolution, RewindFileTexts, RewindPlan, RewindTarget } from '../../shared/rewind.js'
import type { Progress } from '../../shared/rpc.js'
import type { Loadable } from './loadable.js'

/** What was chosen for one conflict of a file; `null` while nothing is. */
export type ConflictChoice = 'mine' | 'old' | null

/** The three texts of the selected file and what the person makes of them. */
export interface OpenTexts {
  readonly texts: RewindFileTexts
  /** One for each conflict, in order. */
  readonly chosen: readonly ConflictChoice[]
  /** The conflict that M, O and E act on; 0-based. */
  readonly current: number
  /** Text typed in the result pane; `null` while it is untouched. */
  readonly draft: string | null
  /** Counts up when the result is laid in anew and what was typed is let go. */
  readonly edition: number
}

export interface RewindState {
  /** Where the preview would go; `null` while no preview is open. */
  readonly target: RewindTarget | null
  readonly plan: Loadable<RewindPlan>
  readonly progress: Progress | null
  /** What is planned for every file that the rewind is about, those left out included; in the order of the list. */
  readonly known: ReadonlyMap<WorkspacePath, PlannedFile>
  readonly leftOut: ReadonlySet<WorkspacePath>
  readonly resolutions: Readonly<Record<string, Resolution>>
  readonly selectedPath: WorkspacePath | null
  readonly texts: Loadable<OpenTexts>
  /** What the lower half shows of a file with three texts. */
  readonly detail: 'texts' | 'diff'
  /** Counts up each time the person asks to type into the result. */
  readonly editRequests: number
  /** A rewind, undo or redo that runs. */
  readonly running: { readonly action: 'rewind' | 'undo' | 'redo'; readonly progress: Progress | null; readonly isStopping: boolean } | null
  readonly receipt: { readonly operationId: OperationId; readonly loaded: Loadable<Receipt>; readonly target: RewindTarget | null } | null
  /** The file of the receipt that has the focus. */
  readonly receiptPath: WorkspacePath | null
}

export const initialRewind: RewindState = {
  target: null,
  plan: { kind: 'idle' },
  progress: null,
  known: new Map(),
  leftOut: new Set(),
  resolutions: {},
  selectedPath: null,
  texts: { kind: 'idle' },
  detail: 'texts',
  editRequests: 0,
  running: null,
  receipt: null,
  receiptPath: null,
}
