import type { DiffStat } from '../../shared/changes.js'
import type { LogReader } from './log-reader.js'
import { shapeOf } from './qwen-turns.js'
import { recordKind } from './record-sniff.js'

/** Above this size the results of a log are not read for a list; the opened session shows its counts by turn. */
const largestLogBytes = 32 << 20
const addedKey = Buffer.from('"model_added_lines":')
const removedKey = Buffer.from('"model_removed_lines":')

/**
 * Lines that the edits of the live branch brought in and took away, as their recorder counted them; `null` for a log too big
 * to read for a list. In the text of a tool's output these keys stand with escaped quotes, so only the recorder's own match.
 */
export async function recordedStat(reader: LogReader, signal?: AbortSignal): Promise<DiffStat | null> {
  if (reader.size > largestLogBytes || !reader.sniffer.hasIds) return null
  const { rows } = reader.index
  const results = [...shapeOf(reader.index).branches.chain].filter((row) => rows.kindOf(row) === recordKind.result)
  let [insertions, deletions] = [0, 0]
  await reader.readRows(
    results,
    (_row, bytes) => {
      insertions += numberAfter(bytes, addedKey)
      deletions += numberAfter(bytes, removedKey)
    },
    signal,
  )
  return { insertions, deletions }
}

function numberAfter(bytes: Buffer, key: Buffer): number {
  const at = bytes.indexOf(key)
  if (at === -1) return 0
  const digits = /^\d{1,9}/.exec(bytes.toString('latin1', at + key.length, at + key.length + 9))
  return digits ? Number(digits[0]) : 0
}
