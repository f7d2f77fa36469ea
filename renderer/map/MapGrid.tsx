import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import type { SessionMap } from '../../shared/timeline.js'
import { loadDetails } from '../state/actions.js'
import { rangeOf } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { columnWidth, mapColumns, mapRows } from './map-model.js'
import { MapCard } from './MapCard.js'
import { MapHead } from './MapHead.js'
import { MapLine } from './MapLine.js'
import { MapStripes } from './MapStripes.js'
import { MapSums } from './MapSums.js'
import { fileColumn, rowHeight, setAsideColumn, totalColumn } from './sizes.js'
import { useWidth } from './use-width.js'

/** The cells on screen, with the file column, the turn heads and the sums held at the edges. */
export function MapGrid({ session, map }: { readonly session: OpenSession; readonly map: SessionMap }) {
  const scroller = useRef<HTMLDivElement>(null)
  const available = useWidth(scroller)
  const order = useStore((state) => state.prefs.mapOrder)
  const isGrouped = useStore((state) => state.prefs.mapFolders)
  const cursor = useStore((state) => state.mapCursor)
  const rows = useMemo(() => mapRows(map, order, isGrouped, session.openFolds), [map, order, isGrouped, session.openFolds])
  const columns = useMemo(() => mapColumns(map, session.outline), [map, session.outline])
  const asides = columns.filter((column) => column.kind === 'set-aside').length
  const width = columnWidth(available - fileColumn - totalColumn - 32 - asides * setAsideColumn, map.turns.length + 1)
  const down = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: 132,
    scrollPaddingEnd: 40,
  })
  const across = useVirtualizer({
    count: columns.length,
    horizontal: true,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (columns[at]?.kind === 'set-aside' ? setAsideColumn : width),
    overscan: 3,
    scrollPaddingStart: fileColumn + 16,
    scrollPaddingEnd: totalColumn + 16,
  })
  useEffect(() => across.measure(), [width, columns, across])
  const shown = across.getVirtualItems()
  const shownTurns = shown.flatMap((item) => {
    const column = columns[item.index]
    const turn = column?.kind === 'turn' ? map.turns[column.turn] : undefined
    return turn ? [turn.promptId] : []
  })
  const loadShown = useEffectEvent(() => void loadDetails(shownTurns))
  const shownNames = shownTurns.join(' ')
  useEffect(() => loadShown(), [shownNames, session.outline.revision])

  // Where the arrows move, so that what they reach is read out.
  useEffect(() => scroller.current?.focus({ preventScroll: true }), [])

  const cursorRow = cursor ? rows.findIndex((row) => row.path === cursor.path) : -1
  const cursorColumn = cursor ? columns.findIndex((column) => column.kind !== 'set-aside' && column.turn === cursor.turn) : -1
  useEffect(() => {
    if (cursorRow >= 0) down.scrollToIndex(cursorRow)
    if (cursorColumn >= 0) across.scrollToIndex(cursorColumn)
  }, [cursorRow, cursorColumn, down, across])

  const range = rangeOf(session)
  const selected = range ?? (session.selection.turn ? { from: session.selection.turn, to: session.selection.turn } : null)
  const layout = { columns, shown, width, totalWidth: across.getTotalSize() }
  const hasUser = (session.header.byUser?.files ?? 0) > 0
  return (
    <>
      <div
        className="map-scroll"
        ref={scroller}
        role="grid"
        aria-label="Files and turns"
        aria-rowcount={rows.length + 2}
        aria-colcount={columns.length + 2}
        tabIndex={0}
        aria-activedescendant={cursorRow >= 0 ? 'map-cursor' : undefined}
      >
        <div style={{ width: fileColumn + layout.totalWidth + totalColumn + 32, position: 'relative' }}>
          <MapHead session={session} map={map} layout={layout} selected={selected} scroller={scroller} />
          <div style={{ height: down.getTotalSize(), position: 'relative' }} role="presentation">
            <MapStripes layout={layout} />
            {down.getVirtualItems().map((item) => {
              const row = rows[item.index]
              return (
                row && (
                  <MapLine
                    key={row.path}
                    row={row}
                    index={item.index}
                    top={item.start}
                    layout={layout}
                    map={map}
                    cursorTurn={item.index === cursorRow ? (cursor?.turn ?? null) : null}
                    isHot={item.index === cursorRow}
                  />
                )
              )
            })}
          </div>
          <MapSums map={map} layout={layout} byUser={hasUser ? session.header.byUser : null} />
        </div>
      </div>
      <MapCard session={session} map={map} rows={rows} />
    </>
  )
}
