import { parseObject, type JsonObject } from './json-values.js'
import { keptRaw } from './lost-record.js'
import type { LogReader } from './log-reader.js'
import type { SessionShape, TurnPlace } from './session-shape.js'
import { treeless } from './record-index.js'
import { recordKind, type RecordKind } from './record-sniff.js'

/** Kinds that are shown in a turn although they have no place in the chain of parents. */
const shownWithoutParent: readonly RecordKind[] = [recordKind.bad, recordKind.unknown, recordKind.strange, recordKind.note]

/** One record of a turn as it was read. `record` is `null` for a line that is broken or oversized. */
export interface ReadRecord {
  readonly record: JsonObject | null
  readonly raw: Buffer
  /** Whole length of the line; `raw` holds its beginning. */
  readonly length: number
}

export interface ReadingOfRecords {
  /** Called for a line that is no JSON after all. */
  readonly onBroken: (row: number) => void
  /** Makes one of two records that have the same identity. */
  readonly join: (first: JsonObject, later: JsonObject) => JsonObject
  readonly signal?: AbortSignal | undefined
}

/** Records in the given order of their rows, those of one identity as one. */
export async function readRecords(reader: LogReader, from: readonly number[], { onBroken, join, signal }: ReadingOfRecords): Promise<readonly ReadRecord[]> {
  const { rows } = reader.index
  const wanted = from.flatMap((row) => [row, ...rows.fragmentsOf(row)])
  const records: ReadRecord[] = []
  const read = (row: number, bytes: Buffer): void => {
    const length = rows.lengthOf(row)
    const isOversized = length > bytes.length
    const record = isOversized ? null : parseObject(bytes.toString())
    if (!record && !isOversized) onBroken(row)
    const base = rows.isFragment(row) ? records[records.length - 1] : undefined
    if (base?.record && record) records[records.length - 1] = { ...base, record: join(base.record, record) }
    else records.push({ record, raw: record ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, keptRaw)), length })
  }
  await reader.readRows(wanted, read, signal)
  return records
}

/** The rows of a turn along the chain of parents, and what stands among them without a place in it. */
export function chainRows({ index }: LogReader, { branches }: SessionShape, { live, prompt }: TurnPlace): readonly number[] {
  const { rows, prompts } = index
  const own: number[] = []
  if (live) {
    for (const row of branches.chain.subarray(live.from, live.to)) own.push(row)
  } else {
    for (let row = prompts[prompt]?.row ?? 0; row < rows.count; row++) {
      if (rows.promptOf(row) === prompt && rows.parentOf(row) !== treeless) own.push(row)
    }
  }
  return own.flatMap((row) => {
    const found = [row]
    for (let next = row + 1; next < rows.count && rows.parentOf(next) === treeless; next++) {
      if (shownWithoutParent.includes(rows.kindOf(next)) && !rows.isFragment(next)) found.push(next)
    }
    return found
  })
}
