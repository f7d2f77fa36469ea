import type { ReviewError } from '../../shared/errors.js'
import type { SearchHit, SearchKind } from '../../shared/search.js'
import type { AgentName } from '../../shared/session.js'
import type { View } from './shell-slice.js'

/** What narrows the search, as the form holds it: nothing ticked lets everything through. */
export interface SearchForm {
  readonly agents: readonly AgentName[]
  readonly kinds: readonly SearchKind[]
  readonly workspace: string | null
  /** As typed; a file, a folder, or the end of a path. */
  readonly path: string
  /** Days as `2026-11-30`; empty for no limit. Both days count. */
  readonly from: string
  readonly to: string
}

/** `full`: so much was found that it waits to be asked for more. `stopped`: by the person. */
export type SearchStatus =
  | { readonly kind: 'idle' | 'searching' | 'full' | 'stopped' | 'done' }
  | { readonly kind: 'error'; readonly error: ReviewError }

export interface SearchState {
  readonly text: string
  readonly form: SearchForm
  readonly status: SearchStatus
  /** Found so far, newest sessions first. While a new search has found nothing yet, still what the one before found. */
  readonly hits: readonly SearchHit[]
  /** Whether `hits` belong to the search before this one. */
  readonly isStale: boolean
  /** Where the search goes on; `null` at its beginning and its end. */
  readonly next: string | null
  readonly searched: number
  readonly sessions: number
  readonly unreadable: number
  /** Index into `hits` of the one that the keys are about. */
  readonly at: number
  /** Where one came from, to go back to. */
  readonly cameFrom: View
}

export const emptyForm: SearchForm = { agents: [], kinds: [], workspace: null, path: '', from: '', to: '' }

export const initialSearch: SearchState = {
  text: '',
  form: emptyForm,
  status: { kind: 'idle' },
  hits: [],
  isStale: false,
  next: null,
  searched: 0,
  sessions: 0,
  unreadable: 0,
  at: 0,
  cameFrom: 'review',
}
