import type { DiffStat } from '../../shared/changes.js'
import type { LogReader } from './log-reader.js'
import { recordKind } from './record-sniff.js'
import { shapeOf } from './session-shape.js'

/** Above this size the results of a log are not read for a list; the opened session shows its counts by turn. */
const largestLogBytes = 32 << 20

/**
 * Lines that the edits of the live branch brought in and took away, as their recorder counted them; `null` for a log too big
 * to read for a list.
 */
export async function recordedStat(reader: LogReader, signal?: AbortSignal): Promise<DiffStat | null> {
  const { countLines } = reader.sniffer
  if (reader.size > largestLogBytes || !countLines) return null
  const { rows } = reader.index
  const live = new Set(shapeOf(reader.index).branches.live.map(({ prompt }) => prompt))
  // By prompt and not along the chain, which has only one of several answers that came side by side.
  const results = Array.from({ length: rows.count }, (_, row) => row).filter((row) => rows.kindOf(row) === recordKind.result && live.has(rows.promptOf(row)))
  let [insertions, deletions] = [0, 0]
  await reader.readRows(
    results,
    (_row, bytes) => {
      const counted = countLines(bytes)
      insertions += counted.insertions
      deletions += counted.deletions
    },
    signal,
  )
  return { insertions, deletions }
}
