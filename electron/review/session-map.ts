import type { FileChange } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Turn } from '../../shared/session.js'
import type { MapCell, SessionMap } from '../../shared/timeline.js'
import { byPath } from './contents.js'
import { sumOfStats } from './turn-details.js'

/** The changes of one turn, for its column. */
export interface TurnColumn {
  readonly turn: Turn
  readonly changes: readonly FileChange[]
}

/** The column of the user, after the last turn. */
const userColumn = -1
const shownPromptLength = 200

/** Files by turns: one row for each file that was changed, one cell for each turn that touched it. */
export function buildSessionMap(columns: readonly TurnColumn[], byUser: readonly FileChange[]): SessionMap {
  const cells = new Map<WorkspacePath, MapCell[]>()
  const add = (change: FileChange, turn: number): void => {
    const cell = cellOf(change, turn)
    if (!cell) return
    const row = cells.get(change.path)
    if (row) row.push(cell)
    else cells.set(change.path, [cell])
  }
  columns.forEach(({ changes }, at) => changes.forEach((change) => add(change, at)))
  byUser.forEach((change) => add(change, userColumn))
  return {
    turns: columns.map(({ turn, changes }, at) => {
      const made = changes.filter((change) => change.kind !== 'refused')
      return { promptId: turn.promptId, index: turn.index ?? at + 1, prompt: turn.prompt.slice(0, shownPromptLength), files: made.length, stat: sumOfStats(made) }
    }),
    files: [...cells].sort(([one], [two]) => byPath(one, two)).map(([path, row]) => ({ path, cells: row, stat: sumOfStats(row) })),
  }
}

function cellOf({ kind, cause, stat, badges }: FileChange, turn: number): MapCell | null {
  if (kind === 'refused') return null
  const isBinary = badges.some((badge) => badge.kind === 'binary')
  const shown = isBinary && kind === 'modified' ? 'binary' : kind === 'mode' ? 'modified' : kind
  return { turn, kind: shown, cause, stat }
}
