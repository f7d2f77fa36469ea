import { closeSync, openSync } from 'node:fs'
import { throwIfAborted } from '../../shared/errors.js'
import type { Usage } from '../../shared/usage.js'
import { scanLines } from './jsonl.js'
import type { LogReader } from './log-reader.js'
import { plainSize } from './plain-log.js'
import type { UsageRecords } from './record-sniff.js'
import { UsageSum } from './usage-sum.js'

/** A log beside a session's own is read up to this size. */
const largestLogBytes = 64 << 20

/** Adds what logs beside a session's log tell: those of its subagents. With `isWhole` of all of them, else of those that the sum names. */
export type UsageBeside = (sum: UsageSum, isWhole: boolean, signal?: AbortSignal) => Promise<void>

/** Tokens and cost of a turn, by the rows that belong to it; `null` where nothing of them was recorded. */
export async function usageOfTurn(reader: LogReader, turn: readonly number[], beside: UsageBeside, signal?: AbortSignal): Promise<Usage | null> {
  const { usage } = reader.sniffer
  if (!usage) return null
  const { rows } = reader.index
  const sum = new UsageSum(false)
  const wanted = turn.filter((row) => usage.kinds.has(rows.kindOf(row)))
  const before = usage.isRunning ? rowBefore(reader, wanted[0] ?? -1, usage) : -1
  if (before >= 0) {
    usage.take(await reader.readRow(before), rows.kindOf(before), sum)
    sum.beginHere()
  }
  await reader.passRows(wanted, (row, bytes) => void (bytes.length === rows.lengthOf(row) && usage.take(bytes, rows.kindOf(row), sum)), signal)
  await beside(sum, false, signal)
  return sum.total()
}

/** Adds what the lines of a plain file tell; nothing for one that is not there. */
export async function takeLines(file: string, records: UsageRecords, sum: UsageSum, signal?: AbortSignal): Promise<void> {
  const sizeBytes = plainSize(file)
  if (sizeBytes === null) return
  if (sizeBytes > largestLogBytes) return sum.lose()
  const handle = openSync(file, 'r')
  try {
    await scanLines(handle, { from: 0, to: sizeBytes, signal }, (bytes, start, end, _offset, length) => {
      if (end - start === length) records.take(bytes.subarray(start, end), null, sum)
    })
    throwIfAborted(signal)
  } finally {
    closeSync(handle)
  }
}

/** The nearest row before one that may tell of tokens; -1 where there is none. */
function rowBefore({ index: { rows } }: LogReader, row: number, { kinds }: UsageRecords): number {
  for (let at = row - 1; at >= 0; at--) if (kinds.has(rows.kindOf(at))) return at
  return -1
}
