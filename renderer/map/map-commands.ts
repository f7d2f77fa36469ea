import { extendRange, selectRow, selectTurn, setMapCursor, setPrefs, setView, toggleFold } from '../state/actions.js'
import { openFile, setScopeKind } from '../state/changes-actions.js'
import type { Command } from '../state/command.js'
import { valueOf } from '../state/loadable.js'
import { getState, type AppStore } from '../state/store.js'
import { workspacePath } from '../../shared/ids.js'
import { folderFold, mapRows, type MapRow } from './map-model.js'

/** Moves the focused cell; at the edges it stays. The turn of the cell becomes the selected one. */
function moveCursor(columns: number, rows: number): void {
  const { session, prefs, mapCursor } = getState()
  const map = session && valueOf(session.map)
  if (!session || !map) return
  const lines = mapRows(map, prefs.mapOrder, prefs.mapFolders, session.openFolds)
  const row = mapCursor ? lines.findIndex((line) => line.path === mapCursor.path) : -1
  const next = lines[clamp((row < 0 ? -1 : row) + rows, lines.length)] ?? lines[0]
  if (!next) return
  const turn = clamp((mapCursor?.turn ?? selectedTurn()) + columns, map.turns.length + 1)
  chooseCell(next, turn)
}

/** Puts the focus on a cell and selects its turn. */
export function chooseCell(row: MapRow, turn: number): void {
  const { session } = getState()
  const map = session && valueOf(session.map)
  if (!session || !map) return
  setMapCursor({ path: workspacePath(row.path), turn })
  const promptId = map.turns[turn]?.promptId
  if (promptId) selectTurn(promptId)
  else if ((session.header.byUser?.files ?? 0) > 0) selectRow(session.outline.rows.findIndex((line) => line.kind === 'end'))
}

/** The diff of the focused cell, or the inside of a folder. */
export function openCell(): void {
  const { mapCursor } = getState()
  const row = cursorRow()
  if (!row || !mapCursor) return
  if (row.kind === 'folder') return toggleFold(folderFold(row.path))
  setScopeKind('turn')
  setView('review')
  openFile(row.file.path)
}

function setFolder(isOpen: boolean): boolean {
  const row = cursorRow()
  if (row?.kind !== 'folder' || row.isOpen === isOpen) return false
  toggleFold(folderFold(row.path))
  return true
}

function cursorRow(): MapRow | null {
  const { session, prefs, mapCursor } = getState()
  const map = session && valueOf(session.map)
  if (!session || !map || !mapCursor) return null
  return mapRows(map, prefs.mapOrder, prefs.mapFolders, session.openFolds).find((line) => line.path === mapCursor.path) ?? null
}

function selectedTurn(): number {
  const { session } = getState()
  const map = session && valueOf(session.map)
  return map?.turns.findIndex(({ promptId }) => promptId === session?.selection.turn) ?? 0
}

function clamp(at: number, length: number): number {
  return Math.max(0, Math.min(length - 1, at))
}

const inMap = (state: AppStore): boolean => state.view === 'map' && state.focusedPane !== 'sessions'
const cell = { group: 'Map', when: inMap } as const

export const mapCommands: readonly Command[] = [
  { ...cell, id: 'map.left', label: 'Go to the cell at the left, or fold a folder', hint: 'cell', keys: ['ArrowLeft'], run: () => void (setFolder(false) || moveCursor(-1, 0)) },
  { ...cell, id: 'map.right', label: 'Go to the cell at the right, or open a folder', hint: 'cell', keys: ['ArrowRight'], run: () => void (setFolder(true) || moveCursor(1, 0)) },
  { ...cell, id: 'map.up', label: 'Go to the cell above', hint: 'cell', keys: ['ArrowUp', 'K'], run: () => moveCursor(0, -1) },
  { ...cell, id: 'map.down', label: 'Go to the cell below', hint: 'cell', keys: ['ArrowDown', 'J'], run: () => moveCursor(0, 1) },
  { ...cell, id: 'map.page-up', label: 'Go up by twenty files', hint: null, keys: ['PageUp'], run: () => moveCursor(0, -20) },
  { ...cell, id: 'map.page-down', label: 'Go down by twenty files', hint: null, keys: ['PageDown'], run: () => moveCursor(0, 20) },
  { ...cell, id: 'map.first', label: 'Go to the first turn', hint: null, keys: ['Home'], run: () => moveCursor(-Infinity, 0) },
  { ...cell, id: 'map.last', label: 'Go to the last column', hint: null, keys: ['End'], run: () => moveCursor(Infinity, 0) },
  { ...cell, id: 'map.open', label: 'Open the diff of the cell', hint: 'open diff', keys: ['Enter'], run: openCell },
  { ...cell, id: 'map.extend-left', label: 'Extend the range to an earlier turn', hint: null, keys: ['Shift+ArrowLeft'], run: () => extendRange(-1) },
  { ...cell, id: 'map.extend-right', label: 'Extend the range to a later turn', hint: 'range of turns', keys: ['Shift+ArrowRight'], run: () => extendRange(1) },
  { ...cell, id: 'map.folders', label: 'Group the files by folder, or show each file', hint: 'group by folder', keys: ['G'], run: () => setPrefs({ mapFolders: !getState().prefs.mapFolders }) },
  { ...cell, id: 'map.back', label: 'Go back to the review', hint: null, keys: ['Escape'], run: () => setView('review') },
]
