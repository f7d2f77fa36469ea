import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef, useState, type CSSProperties } from 'react'
import type { SearchHit } from '../../shared/search.js'
import { chooseHit, openHit } from '../state/actions.js'
import { summaryOf } from '../state/session-actions.js'
import { useStore } from '../state/store.js'
import { agentOfSession, AgentSign, sessionAgentText } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'
import { countText, folderName, whenText } from '../ui/words.js'
import { hitLabel, hitParts, kindWords, searchRows, turnWords } from './search-rows.js'

/** What was found, below the session that holds it; only the lines on the screen are in the page. */
export function Results({ hits, isStale }: { readonly hits: readonly SearchHit[]; readonly isStale: boolean }) {
  const scroller = useRef<HTMLDivElement>(null)
  const at = useStore((state) => state.search.at)
  const [now] = useState(Date.now)
  const rows = useMemo(() => searchRows(hits), [hits])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (row) => (rows[row]?.kind === 'session' ? 36 : 26),
    overscan: 12,
    paddingEnd: 16,
  })
  const row = rows.findIndex((one) => one.kind === 'hit' && one.index === at)
  useEffect(() => {
    // With the first hit of a session its name is wanted too.
    if (row >= 0) virtual.scrollToIndex(rows[row - 1]?.kind === 'session' ? row - 1 : row, { align: 'auto' })
    if (row >= 0) virtual.scrollToIndex(row, { align: 'auto' })
  }, [row, rows, virtual])
  return (
    <div
      ref={scroller}
      id="search-results"
      className={isStale ? 'search-results scroll stale' : 'search-results scroll'}
      role="listbox"
      tabIndex={0}
      aria-label="What was found"
      aria-busy={isStale}
      aria-activedescendant={row >= 0 ? `hit-${at}` : undefined}
    >
      <div className="rows" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const one = rows[item.index]
          if (!one) return null
          const style = { transform: `translateY(${item.start}px)`, height: item.size }
          return one.kind === 'session' ? (
            <SessionHead key={item.key} first={one.first} hits={one.hits} now={now} style={style} />
          ) : (
            <HitRow key={item.key} hit={one.hit} index={one.index} count={hits.length} isOn={one.index === at} style={style} />
          )
        })}
      </div>
    </div>
  )
}

function SessionHead({ first, hits, now, style }: { readonly first: SearchHit; readonly hits: number; readonly now: number; readonly style: CSSProperties }) {
  const folder = summaryOf(first.session)?.workspace ?? summaryOf(first.session)?.recordedFolder ?? null
  return (
    <div className="hit-session" role="presentation" style={style}>
      <AgentSign agent={agentOfSession(first)} />
      <b className="ell" title={visibleText(first.title)}>{visibleText(first.title)}</b>
      <span className="t3 ell md">{sessionAgentText(first)}{folder !== null && `, ${visibleText(folderName(folder))}`}</span>
      <span className="grow" />
      <span className="t3 md num">{countText(hits, 'hit')}</span>
      <span className="t2 md num when">{whenText(first.at, now)}</span>
    </div>
  )
}

interface HitRowProps {
  readonly hit: SearchHit
  readonly index: number
  readonly count: number
  readonly isOn: boolean
  readonly style: { readonly transform: string; readonly height: number }
}

const HitRow = memo(
  function HitRow({ hit, index, count, isOn, style }: HitRowProps) {
    const [before, match, after] = hitParts(hit)
    const isCode = hit.kind === 'change' || hit.kind === 'command' || hit.kind === 'path'
    return (
      <div
        id={`hit-${index}`}
        role="option"
        aria-selected={isOn}
        aria-setsize={count}
        aria-posinset={index + 1}
        aria-label={hitLabel(hit)}
        className={isOn ? 'hit-row on' : 'hit-row'}
        style={style}
        onClick={() => {
          chooseHit(index)
          void openHit(hit)
        }}
      >
        <span className="hit-kind" title={kindWords[hit.kind].one}><Icon name={kindWords[hit.kind].icon} size={14} /></span>
        <span className="t2 md num">{turnWords(hit.turn)}</span>
        <span className={isCode ? 'hit-text mono' : 'hit-text'}>{before}<mark>{match}</mark>{after}</span>
        {hit.kind === 'change' && hit.path !== null && <span className="hit-path t2 md ell" title={visibleText(hit.path)}>{visibleText(hit.path)}</span>}
      </div>
    )
  },
  (a, b) => a.hit === b.hit && a.isOn === b.isOn && a.count === b.count && a.style.transform === b.style.transform,
)
