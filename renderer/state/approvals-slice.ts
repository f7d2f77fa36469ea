import type { Approval, ApprovalTexts } from '../../shared/approval.js'
import type { ApprovalList } from '../../shared/contract.js'
import type { ReviewError } from '../../shared/errors.js'
import type { ApprovalId, WorkspacePath } from '../../shared/ids.js'
import type { FileDraft } from './approval-draft.js'
import type { Loadable } from './loadable.js'
import type { ShownLine } from './why-slice.js'

/** What a person has made of one question so far. It lives until the question is decided. */
export interface Draft {
  readonly files: ReadonlyMap<WorkspacePath, FileDraft>
  /** Files that are left out as a whole. */
  readonly leftOut: ReadonlySet<WorkspacePath>
}

/** A field or a question over the buttons of the selected entry. */
export type Asking =
  | { readonly kind: 'reject'; readonly text: string }
  /** Comments that send a plan back, or go with its approval. */
  | { readonly kind: 'comments'; readonly text: string }
  | { readonly kind: 'rest-of-turn' }
  | { readonly kind: 'rule'; readonly rule: string }

export interface ApprovalsState {
  readonly list: Loadable<ApprovalList>
  readonly tab: 'waiting' | 'decided'
  readonly selected: ApprovalId | null
  /** The file of the selected entry that is on the screen. */
  readonly path: WorkspacePath | null
  /** Both sides of files, by `textsKey`. */
  readonly texts: ReadonlyMap<string, Loadable<ApprovalTexts>>
  readonly drafts: ReadonlyMap<ApprovalId, Draft>
  /** Files whose oversized content, or long diff, the person asked for, by `textsKey`. */
  readonly expanded: ReadonlySet<string>
  /** 0-based; the hunk that the keys are about. */
  readonly hunk: number
  readonly asking: Asking | null
  /** The selected entry came by itself this moment, after a decision on another one. */
  readonly isJustThere: boolean
  /** Entries whose decision, or undo, is on its way. */
  readonly busy: ReadonlySet<ApprovalId>
  /** Why the last decision on an entry was not carried out. */
  readonly problems: ReadonlyMap<ApprovalId, ReviewError>
  /** The line of the side before that the pointer or the cursor is on. */
  readonly pointed: ShownLine | null
  /** Counts up to move the focus into the editable side. */
  readonly focusCount: number
}

export const noDraft: Draft = { files: new Map(), leftOut: new Set() }

export const initialApprovals: ApprovalsState = {
  list: { kind: 'idle' },
  tab: 'waiting',
  selected: null,
  path: null,
  texts: new Map(),
  drafts: new Map(),
  expanded: new Set(),
  hunk: 0,
  asking: null,
  isJustThere: false,
  busy: new Set(),
  problems: new Map(),
  pointed: null,
  focusCount: 0,
}

export function textsKey(id: ApprovalId, path: WorkspacePath): string {
  return `${id}\n${path}`
}

/** Every entry that the list holds, those that wait first. */
export function entriesOf({ list }: Pick<ApprovalsState, 'list'>): readonly Approval[] {
  const value = list.kind === 'ready' ? list.value : list.kind === 'loading' ? list.stale : null
  return value ? [...value.waiting, ...value.decided] : []
}
