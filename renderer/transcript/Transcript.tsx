import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { TranscriptEntry } from '../../shared/session.js'
import { openTranscript, refreshTranscript, setTranscriptSearch, setView } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { liveTurns } from '../state/scope.js'
import type { OpenSession, OpenTranscript } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { EmptyState, ErrorState, IconButton, LoadingState } from '../ui/parts.js'
import { Entry } from './Entry.js'
import { markFound } from './mark-found.js'
import { goalEntry, matchingEntries } from './transcript-text.js'
import { useReturn } from '../state/use-return.js'
import './transcript.css'

/** One turn to read: the prompt, replies, thoughts and calls in their order. */
export function Transcript() {
  const session = useStore((state) => state.session)
  useReturn()
  if (!session?.transcript) return null
  const { transcript } = session
  const entries = valueOf(transcript.entries)
  return (
    <section className="pane paper transcript" data-pane="files" aria-label="Transcript">
      <Head session={session} transcript={transcript} entries={entries ?? []} />
      {transcript.entries.kind === 'error' ? (
        <ErrorState error={transcript.entries.error} onRetry={() => void refreshTranscript()} />
      ) : entries === null ? (
        <LoadingState label="Loading the transcript" lines={10} />
      ) : entries.length === 0 ? (
        <EmptyState icon="lines" title="Nothing was recorded in this turn" />
      ) : (
        <Entries key={transcript.promptId} transcript={transcript} entries={entries} />
      )}
    </section>
  )
}

interface HeadProps {
  readonly session: OpenSession
  readonly transcript: OpenTranscript
  readonly entries: readonly TranscriptEntry[]
}

function Head({ session, transcript, entries }: HeadProps) {
  const turns = liveTurns(session)
  const at = turns.findIndex(({ promptId }) => promptId === transcript.promptId)
  const turn = turns[at]
  const step = (delta: number): void => {
    const next = turns[at + delta]
    if (next) void openTranscript(next.promptId)
  }
  const hits = matchingEntries(entries, transcript.search).length
  return (
    <div className="head">
      <h2>{turn ? `Turn ${turn.index}` : 'Turn set aside'}</h2>
      <span className="md t3 ell">transcript</span>
      <span className="grow" />
      <label className="find transcript-find">
        <span className="vh">Find in the transcript</span>
        <input
          id="transcript-search"
          value={transcript.search}
          placeholder="Find in the transcript"
          onChange={(event) => setTranscriptSearch(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        {transcript.search.trim() !== '' && <span className="sm t3 num">{hits}</span>}
      </label>
      <IconButton icon="up" label="Turn before" disabled={at <= 0} onClick={() => step(-1)} />
      <IconButton icon="down" label="Turn after" disabled={at < 0 || at >= turns.length - 1} onClick={() => step(1)} />
      <IconButton icon="cross" label="Back to the changes" keys="Escape" onClick={() => setView('review')} />
    </div>
  )
}

function Entries({ transcript, entries }: { readonly transcript: OpenTranscript; readonly entries: readonly TranscriptEntry[] }) {
  const scroller = useRef<HTMLDivElement>(null)
  const goal = goalEntry(entries, transcript.goal)
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set(goal >= 0 ? [goal] : []))
  const hits = useMemo(() => matchingEntries(entries, transcript.search), [entries, transcript.search])
  const toggle = useCallback(
    (index: number) => setOpen((now) => (now.has(index) ? new Set([...now].filter((one) => one !== index)) : new Set(now).add(index))),
    [],
  )
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (entries[at]?.kind === 'call' || entries[at]?.kind === 'thought' ? 36 : 120),
    overscan: 6,
    paddingStart: 20,
    paddingEnd: 60,
  })
  useEffect(() => {
    scroller.current?.focus()
    if (goal >= 0) virtual.scrollToIndex(goal, { align: 'start' })
  }, [goal, virtual])
  const first = hits.includes(goal) ? goal : hits[0]
  useEffect(() => {
    // What was found inside folded entries would otherwise stay hidden.
    if (hits.length > 0) setOpen((now) => new Set([...now, ...hits.slice(0, 50)]))
  }, [hits])
  useEffect(() => {
    if (first !== undefined) virtual.scrollToIndex(first, { align: 'start' })
  }, [first, transcript.search, virtual])
  const shown = virtual.getVirtualItems()
  useEffect(() => markFound(scroller.current, transcript.search))
  return (
    <div className="scroll transcript-scroll" ref={scroller} tabIndex={0} role="region" aria-label="Entries of the transcript">
      <div className="transcript-entries" style={{ height: virtual.getTotalSize() }}>
        {shown.map((item) => {
          const entry = entries[item.index]
          return (
            entry && (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className="entry-place"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <Entry entry={entry} index={item.index} isOpen={open.has(item.index)} isHit={hits.includes(item.index)} onToggle={toggle} />
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}
