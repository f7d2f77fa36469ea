import { type KeyboardEvent } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { moreHits, setSearchText, startSearch, stopSearch, submitSearch } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import type { SearchState } from '../state/search-slice.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button, EmptyState, ErrorState, LoadingState } from '../ui/parts.js'
import { countText } from '../ui/words.js'
import { Filters } from './Filters.js'
import { Results } from './Results.js'
import { stepShown } from './search-commands.js'
import { foundText, reachText } from './search-words.js'
import './search.css'

/** Words looked for in every session of every agent, and the places where they stand. */
export function SearchView() {
  return (
    <Group className="panes search" style={{ height: '100%' }}>
      <Panel id="filters" defaultSize={window.innerWidth < 1280 ? 216 : 248} minSize={200} maxSize={340} groupResizeBehavior="preserve-pixel-size">
        <Filters />
      </Panel>
      <Separator className="splitter" aria-label="Width of the filters" />
      <Panel id="results" minSize={420}>
        <section className="pane paper" data-pane="results" aria-label="Search">
          <h1 className="vh">Search all sessions</h1>
          <h2 className="vh">What was found</h2>
          <Field />
          <Status />
          <Body />
        </section>
      </Panel>
    </Group>
  )
}

function Field() {
  const text = useStore((state) => state.search.text)
  const at = useStore((state) => (state.search.hits.length > 0 ? state.search.at : null))
  const handleKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') stepShown(1)
    else if (event.key === 'ArrowUp') stepShown(-1)
    else if (event.key === 'Enter') submitSearch()
    else if (event.key === 'Escape') leaveField(event.currentTarget)
    else return
    event.preventDefault()
  }
  return (
    <label className="search-field">
      <Icon name="search" />
      <input
        id="search-text"
        autoFocus
        value={text}
        maxLength={400}
        spellCheck={false}
        autoComplete="off"
        aria-label="Search all sessions"
        placeholder="Search prompts, replies, commands, paths and changed text"
        role="combobox"
        aria-expanded={at !== null}
        aria-controls={at === null ? undefined : 'search-results'}
        aria-activedescendant={at === null ? undefined : `hit-${at}`}
        onChange={(event) => setSearchText(event.target.value)}
        onKeyDown={handleKey}
      />
    </label>
  )
}

/** Escape stops what runs; else it goes from the words to what they found. */
function leaveField(field: HTMLInputElement): void {
  stopSearch()
  field.blur()
  document.querySelector<HTMLElement>('#search-results')?.focus()
}

/** How much was found, how far the search has come, and the way to stop it or to go on. */
function Status() {
  const search = useStore((state) => state.search)
  const { status, searched, sessions } = search
  if (status.kind === 'idle') return null
  const isRunning = status.kind === 'searching'
  return (
    <div className="search-status md">
      <span className="b num" role="status">
        {isRunning && (search.isStale || search.hits.length === 0) ? 'Searching…' : foundText(search)}
      </span>
      <span className="t2 num ell">{reachText(search)}</span>
      <span className="grow" />
      {isRunning && (
        <Button size="small" keys="Escape" onClick={stopSearch}>
          Cancel
        </Button>
      )}
      {(status.kind === 'stopped' || status.kind === 'full') && (
        <Button size="small" keys="M" onClick={() => void moreHits()}>
          {status.kind === 'full' ? 'Show more' : 'Go on'}
        </Button>
      )}
      {isRunning && (
        <div className="bar" role="progressbar" aria-label="Sessions looked through" aria-valuemin={0} aria-valuemax={Math.max(1, sessions)} aria-valuenow={searched}>
          <i style={{ width: `${sessions === 0 ? 0 : (100 * searched) / sessions}%` }} />
        </div>
      )}
    </div>
  )
}

function Body() {
  const search = useStore((state) => state.search)
  const { status, hits, isStale } = search
  return (
    <>
      {status.kind === 'error' && <ErrorState error={status.error} onRetry={() => void (hits.length > 0 && !isStale ? moreHits() : startSearch())} />}
      {hits.length > 0 ? <Results hits={hits} isStale={isStale} /> : <NoHits search={search} />}
    </>
  )
}

function NoHits({ search }: { readonly search: SearchState }) {
  const sessions = useStore((state) => valueOf(state.library)?.sessions.length ?? null)
  const { status, form, text } = search
  const isNarrowed = form.agents.length + form.kinds.length > 0 || form.workspace !== null || form.path !== '' || form.from !== '' || form.to !== ''
  if (form.from !== '' && form.to !== '' && form.from > form.to) return <EmptyState icon="clock" title="The last day lies before the first one">Change one of the two dates.</EmptyState>
  switch (status.kind) {
    case 'searching':
      return <LoadingState label="Searching" lines={8} />
    case 'done':
      return (
        <EmptyState icon="search" title="Nothing has these words">
          {isNarrowed ? 'With fewer filters more sessions are looked through.' : `${/[\p{Lu}\p{Lt}]/u.test(text) ? 'A capital letter is looked for as it is; small letters find both. ' : ''}Words are looked for as they stand, one behind the other: fewer find more.`}
        </EmptyState>
      )
    case 'stopped':
      return <EmptyState icon="search" title="Stopped before anything was found" />
    case 'idle':
    case 'full':
      return (
        <EmptyState icon="search" title={text.trim() === '' ? 'Search everything that agents did' : 'Searching'}>
          {sessions === null ? 'All sessions are looked through, the newest first.' : `${countText(sessions, 'session')} of all agents. The newest are looked through first.`}
        </EmptyState>
      )
    case 'error':
      return null
  }
}
