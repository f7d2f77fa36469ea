import { chooseHit, focusField, leaveSearch, moreHits, openHit, openSearch, stopSearch } from '../state/actions.js'
import type { Command } from '../state/command.js'
import { getState, type AppStore } from '../state/store.js'
import { searchRows, shownOrder } from './search-rows.js'

const isSearching = ({ view }: AppStore): boolean => view === 'search'
const hasHits = (state: AppStore): boolean => isSearching(state) && state.search.hits.length > 0
const isRunning = (state: AppStore): boolean => isSearching(state) && state.search.status.kind === 'searching'
const canGoOn = (state: AppStore): boolean => isSearching(state) && (state.search.status.kind === 'full' || state.search.status.kind === 'stopped')
const common = { group: 'Search' } as const

/** Goes so many hits on, in the order of the screen. */
export function stepShown(step: number): void {
  const { search } = getState()
  const order = shownOrder(searchRows(search.hits))
  const next = order[Math.max(0, Math.min(order.length - 1, order.indexOf(search.at) + step))]
  if (next !== undefined) chooseHit(next)
}

export const searchCommands: readonly Command[] = [
  { ...common, id: 'search.next', label: 'Go to the next hit', hint: 'hit', keys: ['J', 'ArrowDown'], when: hasHits, run: () => stepShown(1) },
  { ...common, id: 'search.previous', label: 'Go to the previous hit', hint: 'hit', keys: ['K', 'ArrowUp'], when: hasHits, run: () => stepShown(-1) },
  { ...common, id: 'search.page-down', label: 'Go ten hits on', hint: null, keys: ['PageDown'], when: hasHits, run: () => stepShown(10) },
  { ...common, id: 'search.page-up', label: 'Go ten hits back', hint: null, keys: ['PageUp'], when: hasHits, run: () => stepShown(-10) },
  { ...common, id: 'search.open-hit', label: 'Open the session at the hit', hint: 'open there', keys: ['Enter'], when: hasHits, run: () => void openHit() },
  { ...common, id: 'search.words', label: 'Change the words', hint: 'words', keys: ['/'], when: isSearching, run: focusField },
  { ...common, id: 'search.more', label: 'Search on', hint: 'search on', keys: ['M'], when: canGoOn, run: () => void moreHits() },
  { ...common, id: 'search.cancel', label: 'Stop the search', hint: 'stop', keys: ['Escape'], when: isRunning, run: stopSearch },
  { ...common, id: 'search.leave', label: 'Go back to where the search was opened', hint: 'back', keys: ['Escape'], when: isSearching, run: leaveSearch },
  { ...common, id: 'search.all', label: 'Search all sessions…', hint: null, keys: ['Mod+Shift+F', '4'], when: () => true, run: () => openSearch() },
]
