import { memo, type MouseEvent } from 'react'
import type { PromptId } from '../../shared/ids.js'
import type { MapCell, SessionMap } from '../../shared/timeline.js'
import { peekChange } from '../state/actions.js'
import { Icon } from '../ui/icons.js'
import { Stat } from '../ui/parts.js'
import { countText, splitPath } from '../ui/words.js'
import { cellLabel } from './cell-words.js'
import { numberWidth, type MapLayout } from './layout.js'
import { chooseCell, openCell } from './map-commands.js'
import { shadeOf, type MapRow } from './map-model.js'
import { hoverCell } from './hover.js'

interface Props {
  readonly row: MapRow
  readonly index: number
  readonly top: number
  readonly layout: MapLayout
  readonly map: SessionMap
  readonly cursorTurn: number | null
  readonly isHot: boolean
}

/** One file of the map: its name, its cells under the turns, and the sum at the end. */
export const MapLine = memo(function MapLine({ row, index, top, layout, map, cursorTurn, isHot }: Props) {
  const { folder, name } = row.kind === 'file' ? splitPath(row.path) : { folder: '', name: row.path || './' }
  return (
    <div className={isHot ? 'map-line hot' : 'map-line'} role="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <div className="map-file" role="rowheader" title={row.path} onClick={() => chooseCell(row, cursorTurn ?? firstTurn(row))}>
        {row.kind === 'folder' && <Icon name={row.isOpen ? 'down' : 'right'} size={14} />}
        <span className="ell">
          <span className="t3">{folder}</span>
          {name}
        </span>
        {row.kind === 'folder' && <span className="sm t3">{countText(row.files, 'file')}</span>}
      </div>
      <div
        className="map-cells"
        role="presentation"
        style={{ width: layout.totalWidth }}
        onClick={(event) => chooseAt(event, row, layout)}
        onDoubleClick={openCell}
      >
        {layout.shown.map((item) => {
          const column = layout.columns[item.index]
          const cell = column && column.kind !== 'set-aside' ? row.cells.get(column.turn) : undefined
          const isCursor = column !== undefined && column.kind !== 'set-aside' && cursorTurn === column.turn
          // An empty cell is only a place; it becomes an element when the keyboard stands on it.
          if (!column || column.kind === 'set-aside' || (!cell && !isCursor)) return null
          return (
            <div
              key={item.key}
              id={isCursor ? 'map-cursor' : undefined}
              className="map-cell"
              role="gridcell"
              aria-colindex={item.index + 2}
              aria-selected={isCursor}
              aria-label={cellLabel(row.path, column, cell, map)}
              style={{ transform: `translateX(${item.start}px)`, width: item.size }}
              onPointerEnter={(event) =>
                cell && hoverCell(row.path, column.turn, event.currentTarget, () => peek(row, map.turns[column.turn]?.promptId))
              }
              onPointerLeave={() => hoverCell(null, -1, null)}
            >
              {cell ? <Cell cell={cell} isOn={isCursor} isNarrow={item.size < numberWidth} /> : <span className="none on" />}
            </div>
          )
        })}
      </div>
      <div className="map-total" role="gridcell">
        <Total row={row} />
      </div>
    </div>
  )
})

function Cell({ cell, isOn, isNarrow }: { readonly cell: MapCell; readonly isOn: boolean; readonly isNarrow: boolean }) {
  const lines = cell.stat ? cell.stat.insertions + cell.stat.deletions : 0
  const look =
    cell.kind === 'unknown'
      ? 'unknown'
      : cell.kind === 'binary'
        ? 'binary'
        : cell.kind === 'deleted'
          ? 'deleted'
          : `l${Math.max(1, shadeOf(cell.stat))}`
  const letter = cell.kind === 'added' ? 'A' : cell.kind === 'deleted' ? 'D' : ''
  const word = cell.kind === 'unknown' ? '?' : cell.kind === 'binary' ? (isNarrow ? '' : 'binary') : isNarrow ? '' : String(lines)
  const isSeen = cell.cause === 'command' && cell.kind !== 'unknown'
  return (
    <span className={`cell ${look}${isSeen ? ' seen' : ''}${isOn ? ' on' : ''}`}>
      {letter && <b>{letter}</b>}
      {word}
    </span>
  )
}

function Total({ row }: { readonly row: MapRow }) {
  const kinds = new Set([...row.cells.values()].map((cell) => cell.kind))
  const stat = row.kind === 'file' ? row.file.stat : row.stat
  if (stat.insertions + stat.deletions > 0) return <Stat stat={stat} />
  if (kinds.has('binary')) return <span className="t2">binary</span>
  return <span className="t2">{kinds.has('unknown') ? 'unknown' : ''}</span>
}

/** A click anywhere between the cells' edges means the cell that would be there. */
function chooseAt(event: MouseEvent<HTMLElement>, row: MapRow, layout: MapLayout): void {
  const x = event.clientX - event.currentTarget.getBoundingClientRect().left
  const item = layout.shown.find(({ start, end }) => x >= start && x < end)
  const column = item && layout.columns[item.index]
  if (column && column.kind !== 'set-aside') chooseCell(row, column.turn)
}

function peek(row: MapRow, promptId: PromptId | undefined): void {
  if (row.kind === 'file' && promptId) void peekChange(promptId, row.file.path)
}

function firstTurn(row: MapRow): number {
  return Math.min(...row.cells.keys())
}
