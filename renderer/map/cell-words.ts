import type { MapCell, SessionMap } from '../../shared/timeline.js'
import { countText } from '../ui/words.js'
import type { MapColumn } from './map-model.js'

/** Who or what made the change of a cell. */
export const causeWords: Readonly<Record<MapCell['cause'], string>> = {
  edit: 'Recorded edit',
  sed: 'By sed',
  command: 'Seen after shell',
  user: 'By you',
  subagent: 'By a subagent',
  rewind: 'By a rewind',
  unknown: 'Unknown',
}

/** What a screen reader says of a cell. */
export function cellLabel(
  path: string,
  column: Exclude<MapColumn, { kind: 'set-aside' }>,
  cell: MapCell | undefined,
  map: SessionMap,
): string {
  return `${path || './'}, ${columnName(column.turn, map)}, ${cell ? `${cellWords(cell)}, ${causeWords[cell.cause].toLowerCase()}` : 'not changed'}`
}

export function columnName(turn: number, map: SessionMap): string {
  const known = map.turns[turn]
  return known ? `turn ${known.index}` : 'by you'
}

function cellWords(cell: MapCell): string {
  const lines = cell.stat ? `, ${countText(cell.stat.insertions + cell.stat.deletions, 'line')}` : ''
  return `${cell.kind}${lines}`
}
