import type { DiffStat } from '../../shared/changes.js'
import type { MapCell, Outline, SessionMap } from '../../shared/timeline.js'

export type MapFile = SessionMap['files'][number]

/** One line of the map: a file, or a folder with the sum of what is in it. */
export type MapRow =
  | { readonly kind: 'file'; readonly path: string; readonly file: MapFile; readonly cells: ReadonlyMap<number, MapCell> }
  | {
      readonly kind: 'folder'
      readonly path: string
      readonly isOpen: boolean
      readonly files: number
      readonly stat: DiffStat
      readonly cells: ReadonlyMap<number, MapCell>
    }

/** One column. `turn` is an index into the map's turns; the user's column is the last one. */
export type MapColumn =
  | { readonly kind: 'turn'; readonly turn: number }
  | { readonly kind: 'set-aside'; readonly id: string; readonly turns: number }
  | { readonly kind: 'user'; readonly turn: number }

/** Id of a folder's fold, among the session's other folds. */
export function folderFold(path: string): string {
  return `folder ${path}`
}

/** The lines of the map in their order; grouped, a folder's files show only while it is open. */
export function mapRows(
  map: SessionMap,
  order: 'path' | 'first-change',
  isGrouped: boolean,
  openFolds: ReadonlySet<string>,
): readonly MapRow[] {
  const files = [...map.files].sort(order === 'path' ? byPath : (a, b) => firstTurn(a, map) - firstTurn(b, map) || byPath(a, b))
  if (!isGrouped) return files.map((file) => fileRow(file, map))
  const folders = new Map<string, MapFile[]>()
  for (const file of files) {
    const folder = file.path.slice(0, file.path.lastIndexOf('/') + 1)
    const group = folders.get(folder)
    if (group) group.push(file)
    else folders.set(folder, [file])
  }
  return [...folders].flatMap(([path, group]): readonly MapRow[] => {
    const isOpen = openFolds.has(folderFold(path))
    const folder: MapRow = {
      kind: 'folder',
      path,
      isOpen,
      files: group.length,
      stat: sumStats(group.map((file) => file.stat)),
      cells: sumCells(group, map),
    }
    return isOpen ? [folder, ...group.map((file) => fileRow(file, map))] : [folder]
  })
}

/** The columns: each live turn, a narrow one where turns were set aside, and the user's. */
export function mapColumns(map: SessionMap, outline: Outline): readonly MapColumn[] {
  const turnAt = new Map(map.turns.map((turn, at) => [turn.promptId, at] as const))
  const columns: MapColumn[] = []
  for (const row of outline.rows) {
    if (row.kind === 'set-aside') columns.push({ kind: 'set-aside', id: row.id, turns: row.turns.length })
    const turn = row.kind === 'turn' ? turnAt.get(row.promptId) : undefined
    if (turn !== undefined) columns.push({ kind: 'turn', turn })
  }
  return [...columns, { kind: 'user', turn: map.turns.length }]
}

/** Shade of a count of lines: 0 none, then the steps 1, 8, 20, 40, 60. */
export function shadeOf(stat: DiffStat | null): 0 | 1 | 2 | 3 | 4 | 5 {
  const lines = stat ? stat.insertions + stat.deletions : 0
  if (lines >= 60) return 5
  if (lines >= 40) return 4
  if (lines >= 20) return 3
  if (lines >= 8) return 2
  return lines >= 1 ? 1 : 0
}

/** Column widths that fit the turns into the width, between 44 and 81 px. */
export function columnWidth(available: number, turns: number): number {
  return Math.max(44, Math.min(81, Math.floor(available / Math.max(1, turns))))
}

function fileRow(file: MapFile, map: SessionMap): MapRow {
  const known = rowOf.get(file)
  if (known) return known
  const row: MapRow = {
    kind: 'file',
    path: file.path,
    file,
    cells: new Map(file.cells.map((cell) => [columnOf(cell, map), cell] as const)),
  }
  rowOf.set(file, row)
  return row
}

const rowOf = new WeakMap<MapFile, MapRow>()

/** Index of a cell's column: the user's comes after the last turn. */
function columnOf(cell: MapCell, map: SessionMap): number {
  return cell.turn < 0 ? map.turns.length : cell.turn
}

function firstTurn(file: MapFile, map: SessionMap): number {
  return file.cells.reduce((first, cell) => Math.min(first, columnOf(cell, map)), Infinity)
}

function byPath(a: MapFile, b: MapFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

/** A folder's cell: modified, with the sum of the lines that are known; binary or unknown only where nothing else is. */
function sumCells(files: readonly MapFile[], map: SessionMap): ReadonlyMap<number, MapCell> {
  const sums = new Map<number, MapCell>()
  for (const cell of files.flatMap((file) => file.cells)) {
    const at = columnOf(cell, map)
    const before = sums.get(at)
    const stats = [before?.stat ?? null, cell.stat].filter((stat) => stat !== null)
    sums.set(at, {
      turn: cell.turn,
      kind: joinedKind(before?.kind ?? cell.kind, cell.kind),
      cause: before && before.cause !== cell.cause ? 'edit' : cell.cause,
      stat: stats.length === 0 ? null : sumStats(stats),
    })
  }
  return sums
}

function joinedKind(a: MapCell['kind'], b: MapCell['kind']): MapCell['kind'] {
  return a === b && (a === 'binary' || a === 'unknown') ? a : 'modified'
}

function sumStats(stats: readonly DiffStat[]): DiffStat {
  return stats.reduce((sum, stat) => ({ insertions: sum.insertions + stat.insertions, deletions: sum.deletions + stat.deletions }), {
    insertions: 0,
    deletions: 0,
  })
}
