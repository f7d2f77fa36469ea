import { useEffect, useRef } from 'react'
import { cancelOpening, openSession, setTimelineFilter } from '../state/actions.js'
import type { OpenSession, Opening } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { EmptyState, ErrorState, IconButton, LoadingState, PaneHead, ProgressLine } from '../ui/parts.js'
import { countText, numberText, sizeText } from '../ui/words.js'
import { RailLegend } from './RailLegend.js'
import { findTurn } from './timeline-commands.js'
import { TimelineList } from './TimelineList.js'
import { useTimeline } from './use-timeline.js'
import './timeline.css'

/** The turns of the open session along their rail. */
export function Timeline({ session, opening }: { readonly session: OpenSession | null; readonly opening: Opening | null }) {
  const finder = useStore((state) => state.timelineFilter)
  const isRewinding = useStore((state) => state.view === 'rewind')
  const note = isRewinding ? 'drag the playhead, or press [ ]' : session ? countText(session.header.turns, 'turn') : ''
  return (
    <section className="pane bg tl-pane" data-pane="timeline" aria-label="Timeline">
      <PaneHead title="Timeline" note={note}>
        <IconButton
          icon="search"
          label="Find a turn"
          keys="/"
          isOn={finder !== null}
          onClick={() => setTimelineFilter(finder === null ? '' : null)}
          disabled={!session}
        />
      </PaneHead>
      {finder !== null && <TurnFinder words={finder} />}
      {opening && !opening.error && <OpeningNote opening={opening} session={session} />}
      {session && <SharedTurns session={session} />}
      {session ? (
        <Rows session={session} />
      ) : opening?.error ? (
        <ErrorState error={opening.error} />
      ) : opening ? (
        <LoadingState label="Reading the session" />
      ) : (
        <EmptyState icon="rail" title="No session is open" />
      )}
      <RailLegend />
    </section>
  )
}

function Rows({ session }: { readonly session: OpenSession }) {
  const model = useTimeline(session)
  if (session.outline.rows.length === 0 && !session.header.loading) {
    return (
      <div className="tl">
        <EmptyState icon="rail" title="No turn in this session">
          The log holds no prompt.
        </EmptyState>
      </div>
    )
  }
  return <TimelineList session={session} model={model} />
}

/** Says that the first turns are in the log of another session too: one of the two went on from the other. */
function SharedTurns({ session }: { readonly session: OpenSession }) {
  const listed = useStore((state) => (state.library.kind === 'ready' ? state.library.value.sessions : null))
  const shared = listed?.find(({ key }) => key === session.key)?.sharedTurns
  const other = shared && listed?.find(({ key }) => key === shared.session)
  if (!shared || !other) return null
  return (
    <p className="tl-note sm t2">
      {shared.turns === 1 ? 'Turn 1 is' : `Turns 1–${numberText(shared.turns)} are`} also in{' '}
      <button type="button" className="link" onClick={() => void openSession(other.key)}>
        {other.title}
      </button>
    </p>
  )
}

/** How far reading has come, and the newest prompts while the middle is not there yet. */
function OpeningNote({ opening, session }: { readonly opening: Opening; readonly session: OpenSession | null }) {
  const own = session?.key === opening.key ? session.header : null
  const { done, total } = own?.loading ?? opening.progress ?? { done: 0, total: null }
  const size = total === null ? sizeText(done) : `${sizeText(done)} of ${sizeText(total)}`
  return (
    <div className="tl-note late">
      <ProgressLine
        title="Reading session"
        note={own ? `turn ${numberText(own.turns)}, ${size}` : size}
        done={done}
        total={total}
        onCancel={cancelOpening}
      />
      {own && own.newestPrompts.length > 0 && (
        <p className="sm t3 ell" style={{ marginTop: 6 }}>
          Newest: {own.newestPrompts[0]?.prompt}
        </p>
      )}
    </div>
  )
}

function TurnFinder({ words }: { readonly words: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="tl-find">
      <label className="find">
        <span className="vh">Number or words of a turn</span>
        <input
          ref={field}
          value={words}
          placeholder="Number or words of a turn"
          onChange={(event) => {
            setTimelineFilter(event.target.value)
            if (/^\d+$/.test(event.target.value.trim())) findTurn(event.target.value, 1)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') findTurn(words, event.shiftKey ? -1 : 1)
            else if (event.key === 'Escape') setTimelineFilter(null)
            else return
            event.preventDefault()
            event.stopPropagation()
          }}
        />
      </label>
    </div>
  )
}
