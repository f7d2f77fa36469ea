import type { Outline, SessionMap } from '../../shared/timeline.js'
import type { MapLayout } from './layout.js'
import { fileColumn, totalColumn } from './sizes.js'

/** Pixels from the map's left edge to where the disk stands, kept between the file column and the sums. */
export function playheadX(
  outline: Outline,
  map: SessionMap,
  layout: Pick<MapLayout, 'columns' | 'width' | 'totalWidth'>,
  view: { readonly left: number; readonly width: number },
): number {
  const later = outline.rows.slice(outline.playhead).find((row) => row.kind === 'turn')
  const turn = later?.kind === 'turn' ? map.turns.findIndex(({ promptId }) => promptId === later.promptId) : -1
  const column = turn < 0 ? -1 : layout.columns.findIndex((one) => one.kind === 'turn' && one.turn === turn)
  const before = column < 0 ? null : layout.columns.slice(0, column)
  const inside = before === null ? layout.totalWidth : before.reduce((sum, one) => sum + (one.kind === 'set-aside' ? 26 : layout.width), 0)
  const x = 16 + fileColumn + inside
  return view.width === 0 ? x : Math.max(view.left + 16 + fileColumn, Math.min(x, view.left + view.width - totalColumn - 16))
}
