import type { SearchFilter, SearchHit, SearchPage } from '../../shared/search.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError } from './loadable.js'
import { goToPlace } from './place-actions.js'
import { emptyForm, initialSearch, type SearchForm, type SearchState } from './search-slice.js'
import { getState, setState } from './store.js'

/** So many hits are shown before the search waits to be asked for more. */
export const hitsAtOnce = 500
const hitsInPage = 100
/** So long nobody types before a search begins. */
const pauseMs = 250

function setSearch(change: Partial<SearchState> | ((search: SearchState) => Partial<SearchState>)): void {
  setState(({ search }) => ({ search: { ...search, ...(typeof change === 'function' ? change(search) : change) } }))
}

/** Shows the search over all sessions; with words it begins at once. What was found before is still there. */
export function openSearch(text: string | null = null): void {
  const { view, search } = getState()
  setState({ view: 'search', dialog: null, search: { ...search, cameFrom: view === 'search' ? search.cameFrom : view } })
  if (text !== null && text.trim() !== '' && text.trim() !== search.text.trim()) {
    setSearch({ text })
    void startSearch()
  }
  requestAnimationFrame(() => focusField())
}

/** The field with the words, as every way to the search leaves it. */
export function focusField(): void {
  const field = document.querySelector<HTMLInputElement>('#search-text')
  field?.focus()
  field?.select()
}

/** Back to the view that the search was opened from. */
export function leaveSearch(): void {
  const { session, search } = getState()
  const needsSession = search.cameFrom !== 'approvals' && search.cameFrom !== 'policy' && search.cameFrom !== 'connect'
  setState({ view: needsSession && session === null ? 'review' : search.cameFrom })
}

let typing: ReturnType<typeof setTimeout> | undefined

/** Takes over what is typed; the search begins once the typing pauses. */
export function setSearchText(text: string): void {
  setSearch({ text })
  searchSoon()
}

export function setSearchForm(change: Partial<SearchForm>): void {
  setSearch(({ form }) => ({ form: { ...form, ...change } }))
  searchSoon()
}

export function clearSearchForm(): void {
  setSearchForm(emptyForm)
}

function searchSoon(): void {
  searching.abort()
  endPause()
  typing = setTimeout(() => void startSearch(), pauseMs)
}

function endPause(): void {
  clearTimeout(typing)
  typing = undefined
}

let searching = new AbortController()

/** Begins anew with the words and filters as they are. What the search before found stays until something is found. */
export async function startSearch(): Promise<void> {
  endPause()
  searching.abort()
  const { text, form, hits } = getState().search
  const isImpossible = form.from !== '' && form.to !== '' && form.from > form.to
  if (text.trim() === '' || isImpossible) {
    const { cameFrom } = getState().search
    return setSearch({ ...initialSearch, text, form, cameFrom })
  }
  setSearch({ status: { kind: 'searching' }, isStale: hits.length > 0, next: null, searched: 0, unreadable: 0 })
  await readPages(hitsAtOnce)
}

/** Goes on after it was full or stopped, or tries again where it failed. */
export async function moreHits(): Promise<void> {
  const { status, hits, isStale } = getState().search
  if (status.kind !== 'full' && status.kind !== 'stopped' && status.kind !== 'error') return
  setSearch({ status: { kind: 'searching' } })
  await readPages((isStale ? 0 : hits.length) + hitsAtOnce)
}

/** Stops the running search; what was found stays. */
export function stopSearch(): void {
  endPause()
  searching.abort()
  setSearch(({ status }) => (status.kind === 'searching' ? { status: { kind: 'stopped' } } : {}))
}

/** Asks page after page, until all was looked at, so many hits are there, or it is stopped. */
async function readPages(enough: number): Promise<void> {
  searching.abort()
  searching = new AbortController()
  const { signal } = searching
  const { text, form } = getState().search
  const filter = filterOf(form)
  try {
    for (;;) {
      const { next, hits, isStale } = getState().search
      const limit = Math.max(1, Math.min(hitsInPage, enough - (isStale ? 0 : hits.length)))
      const page = await client().call('search.find', { text: text.trim(), filter, cursor: next, limit }, {
        signal,
        onProgress: ({ done, total }) => {
          if (!signal.aborted) setSearch(({ searched, sessions }) => ({ searched: Math.max(searched, done), sessions: total ?? sessions }))
        },
      })
      if (signal.aborted) return
      setSearch((search) => withPage(search, page, enough))
      if (getState().search.status.kind !== 'searching') return
    }
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) setSearch({ status: { kind: 'error', error: toReviewError(thrown) } })
  }
}

function withPage(search: SearchState, page: SearchPage, enough: number): Partial<SearchState> {
  const isFirst = search.isStale || search.hits.length === 0
  const isReplaced = page.hits.length > 0 || page.next === null
  const kept = search.isStale && isReplaced ? [] : search.hits
  const hits = page.hits.length === 0 ? kept : [...kept, ...page.hits]
  const isStale = search.isStale && !isReplaced
  return {
    hits,
    isStale,
    at: isFirst ? 0 : search.at,
    next: page.next,
    searched: page.searchedSessions,
    sessions: page.sessions,
    unreadable: page.unreadable,
    status: { kind: page.next === null ? 'done' : !isStale && hits.length >= enough ? 'full' : 'searching' },
  }
}

/** The form as the host takes it. Days are those of this computer's time. */
export function filterOf({ agents, kinds, workspace, path, from, to }: SearchForm): SearchFilter {
  return {
    agents: agents.length === 0 ? null : agents,
    kinds: kinds.length === 0 ? null : kinds,
    workspace,
    path: path.trim() === '' ? null : path.trim(),
    from: dayStart(from, 0),
    to: to === '' ? null : (dayStart(to, 1) ?? 0) - 1,
  }
}

/** The first millisecond of a day, or of one so many days later; `null` where it names none. */
function dayStart(day: string, later: number): number | null {
  const [year, month, date] = day.split('-').map(Number)
  if (year === undefined || month === undefined || date === undefined || Number.isNaN(date)) return null
  return new Date(year, month - 1, date + later).getTime()
}

/** Enter in the field: searches at once what was just typed, else opens the hit that the keys are about. */
export function submitSearch(): void {
  const { status, isStale } = getState().search
  if (typing !== undefined || status.kind === 'idle') void startSearch()
  else if (!isStale) void openHit()
}

export function chooseHit(at: number): void {
  setSearch({ at })
}

/** Opens the session of a hit at the place where the text stands; the search stays as it is, to come back to. */
export async function openHit(hit: SearchHit | undefined = getState().search.hits[getState().search.at]): Promise<void> {
  if (!hit) return
  const place = { session: hit.session, promptId: hit.promptId }
  switch (hit.kind) {
    case 'prompt':
      return goToPlace({ ...place, kind: 'turn' })
    case 'path':
    case 'change':
      return goToPlace(hit.path === null ? { ...place, kind: 'turn' } : { ...place, kind: 'file', path: hit.path, hunk: hit.hunk })
    case 'reply':
      return goToPlace({ ...place, kind: 'transcript', goal: { kind: 'text', text: hit.text }, words: hit.text.slice(hit.start, hit.end) })
    case 'command':
      return goToPlace({
        ...place,
        kind: 'transcript',
        goal: hit.callId === null ? { kind: 'text', text: hit.text } : { kind: 'call', callId: hit.callId },
        words: hit.text.slice(hit.start, hit.end),
      })
  }
}
