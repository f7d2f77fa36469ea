import { useEffect, useState, type RefObject } from 'react'
import type { PromptId } from '../../shared/ids.js'
import type { SessionMap } from '../../shared/timeline.js'
import { selectTurn } from '../state/actions.js'
import type { OpenSession } from '../state/shell-slice.js'
import type { MapLayout } from './layout.js'
import { AsideRail, TurnRail, UserRail } from './MapRails.js'
import { playheadX } from './playhead-x.js'

interface Props {
  readonly session: OpenSession
  readonly map: SessionMap
  readonly layout: MapLayout
  readonly selected: { readonly from: PromptId; readonly to: PromptId } | null
  readonly scroller: RefObject<HTMLDivElement | null>
}

/** The heads of the columns: number, prompt, and the rail laid on its side. */
export function MapHead({ session, map, layout, selected, scroller }: Props) {
  const first = map.turns.findIndex(({ promptId }) => promptId === selected?.from)
  const last = map.turns.findIndex(({ promptId }) => promptId === selected?.to)
  const isSelected = (turn: number): boolean => first >= 0 && turn >= first && turn <= last
  return (
    <div className="map-head" role="row" aria-rowindex={1}>
      <div className="map-corner" role="columnheader">
        <span className="vh">File</span>
      </div>
      <div className="map-cells" role="presentation" style={{ width: layout.totalWidth }}>
        {layout.shown.map((item) => {
          const column = layout.columns[item.index]
          if (!column) return null
          const place = { transform: `translateX(${item.start}px)`, width: item.size }
          if (column.kind === 'set-aside') {
            return (
              <div
                key={item.key}
                className="map-col aside"
                role="columnheader"
                aria-label={`${column.turns} turns set aside`}
                title={`${column.turns} turns set aside`}
                style={place}
              >
                <b>{column.turns}′</b>
                <AsideRail width={item.size} />
              </div>
            )
          }
          const turn = map.turns[column.turn]
          if (!turn)
            return (
              <div key={item.key} className="map-col" role="columnheader" style={place}>
                <b>You</b>
                <span className="tx">since the last turn</span>
                <UserRail width={item.size} />
              </div>
            )
          return (
            <div
              key={item.key}
              className={isSelected(column.turn) ? 'map-col on' : 'map-col'}
              role="columnheader"
              title={turn.prompt}
              style={place}
              onClick={() => selectTurn(turn.promptId)}
            >
              <b>{turn.index}</b>
              <span className="tx">{item.size > 56 ? turn.prompt : ''}</span>
              <TurnRail
                width={item.size}
                details={session.details.get(turn.promptId)}
                isFirst={item.index === 0}
                isOn={isSelected(column.turn)}
              />
              {isSelected(column.turn) && (
                <span className={`map-bracket${column.turn === first ? ' starts' : ''}${column.turn === last ? ' ends' : ''}`} />
              )}
            </div>
          )
        })}
      </div>
      <div className="map-total" role="columnheader">
        <span className="vh">All turns</span>
      </div>
      <PlayheadLine session={session} map={map} layout={layout} scroller={scroller} />
    </div>
  )
}

/** Where the disk stands; when it is off screen it stays at the nearer edge. */
function PlayheadLine({ session, map, layout, scroller }: Omit<Props, 'selected'>) {
  const [view, setView] = useState({ left: 0, width: 0 })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const read = (): void => setView({ left: element.scrollLeft, width: element.clientWidth })
    read()
    element.addEventListener('scroll', read, { passive: true })
    return () => element.removeEventListener('scroll', read)
  }, [scroller, layout.totalWidth])
  const x = playheadX(session.outline, map, layout, view)
  return (
    <div className="map-playhead" style={{ left: x }} aria-hidden="true">
      <svg width="18" height="18" viewBox="0 0 18 18" fill="none">
        <circle cx="9" cy="9" r="9" fill="var(--accent)" />
        <path d="M6.5 5.5v7M9 5.5v7M11.5 5.5v7" stroke="var(--accent-ink)" strokeWidth="1.3" />
      </svg>
    </div>
  )
}
