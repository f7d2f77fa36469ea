import type { SearchState } from '../state/search-slice.js'
import { countText, numberText } from '../ui/words.js'

/** How much was found: `37 hits in 9 sessions`. */
export function foundText({ hits, isStale }: Pick<SearchState, 'hits' | 'isStale'>): string {
  if (isStale || hits.length === 0) return 'Nothing found'
  const sessions = new Set(hits.map(({ session }) => session)).size
  return `${countText(hits.length, 'hit')} in ${countText(sessions, 'session')}`
}

/** How far the search has come: `214 of 1,032 sessions`; what could not be read is said too. */
export function reachText({ status, searched, sessions, unreadable }: Pick<SearchState, 'status' | 'searched' | 'sessions' | 'unreadable'>): string {
  const skipped = unreadable === 0 ? '' : `, ${numberText(unreadable)} could not be read`
  if (status.kind === 'done') return `${countText(sessions, 'session')} looked through${skipped}`
  if (sessions === 0) return ''
  return `${numberText(searched)} of ${countText(sessions, 'session')}${skipped}`
}
