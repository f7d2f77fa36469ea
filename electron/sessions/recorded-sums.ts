import { addStat, type DiffStat } from '../../shared/changes.js'
import type { Usage } from '../../shared/usage.js'
import { promptsBefore } from './log-branches.js'
import type { LogReader } from './log-reader.js'
import type { UsageBeside } from './recorded-usage.js'
import { shapeOf } from './session-shape.js'
import { UsageSum } from './usage-sum.js'

/** Above this size the records of a log are not read for a list; the opened session shows its counts by turn. */
const largestLogBytes = 32 << 20

export interface RecordedSums {
  /** Lines that the edits of the live branch brought in and took away, as their recorder counted them. */
  readonly stat: DiffStat | null
  /** Files that those edits changed. */
  readonly files: number | null
  /** Tokens and cost, also of turns that were set aside: they were spent. */
  readonly usage: Usage | null
}

/** What of a log is summed up, and how. */
export interface SumOptions {
  readonly signal?: AbortSignal | undefined
  /** What its running sum begins with is a part of it. */
  readonly isWhole?: boolean
  /** Only what stands before this offset counts, since another log goes on from there. */
  readonly before?: number
  /** Gathers the files, of several logs too. */
  readonly files?: Set<string>
}

/** What a list shows of a whole log; each is `null` where the log tells nothing of it, or is too big to be read for a list. */
export async function recordedSums(reader: LogReader, beside: UsageBeside, options: SumOptions = {}): Promise<RecordedSums> {
  return isSummed(reader) ? sumsOf(reader, beside, options) : { stat: null, files: null, usage: null }
}

/** Whether a log is small enough to be read for a list. */
export function isSummed({ size }: LogReader): boolean {
  return size <= largestLogBytes
}

/** The same, whatever it takes. */
export async function sumsOf(reader: LogReader, beside: UsageBeside, { signal, isWhole = true, before = Infinity, files = new Set() }: SumOptions = {}): Promise<RecordedSums> {
  const { edits, usage } = reader.sniffer
  const { rows } = reader.index
  const live = new Set(before === Infinity ? shapeOf(reader.index).branches.live.map(({ prompt }) => prompt) : promptsBefore(reader.index, before))
  // By prompt and not along the chain, which has only one of several answers that came side by side.
  const tellsEdits = (row: number): boolean => edits?.kinds.has(rows.kindOf(row)) === true && live.has(rows.promptOf(row))
  const tellsUsage = (row: number): boolean => usage?.kinds.has(rows.kindOf(row)) ?? false
  const wanted = Array.from({ length: rows.count }, (_, row) => row).filter((row) => rows.offsetOf(row) < before && (tellsEdits(row) || tellsUsage(row)))
  const sum = new UsageSum(isWhole)
  let stat: DiffStat | null = null
  /** An edit counts once, however many records tell of it. */
  const seen = new Set<string>()
  await reader.passRows(
    wanted,
    (row, bytes) => {
      const counted = edits && tellsEdits(row) ? edits.take(bytes, rows.kindOf(row)) : null
      const isEdit = counted !== null && (counted.paths.length > 0 || counted.insertions + counted.deletions > 0)
      const id = !isEdit ? null : reader.sniffer.hasIds ? rows.idOf(row) : (counted.callId ?? null)
      const isRepeated = id !== null && seen.has(id)
      if (id !== null) seen.add(id)
      if (counted && !isRepeated) stat = addStat(stat, counted)
      for (const path of counted?.paths ?? []) files.add(path)
      // One above the bound comes with its beginning only.
      if (!usage || !tellsUsage(row) || bytes.length < rows.lengthOf(row)) return
      sum.enter(rows.promptOf(row))
      usage.take(bytes, rows.kindOf(row), sum)
    },
    signal,
  )
  sum.enter(-1)
  await beside(sum, true, signal)
  return { stat, files: stat && files.size, usage: sum.total() }
}
