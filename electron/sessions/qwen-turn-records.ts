import { isObject, listAt, objectAt, parseObject, type JsonObject } from './json-values.js'
import type { LogReader } from './log-reader.js'
import { keptRaw, type ReadRecord } from './qwen-records.js'
import type { SessionShape, TurnPlace } from './qwen-turns.js'
import { treeless } from './record-index.js'
import { recordKind, type RecordKind } from './record-sniff.js'

/** Kinds that are shown in a turn although they have no place in the chain of parents. */
const shownWithoutParent: readonly RecordKind[] = [recordKind.bad, recordKind.unknown, recordKind.strange, recordKind.note]

/** The records of one turn in order, those of one identity as one. `onBroken` is called for a line that is no JSON after all. */
export async function readTurnRecords(
  reader: LogReader,
  shape: SessionShape,
  place: TurnPlace,
  onBroken: (row: number) => void,
  signal?: AbortSignal,
): Promise<readonly ReadRecord[]> {
  const { rows } = reader.index
  const wanted = rowsOf(reader, shape, place).flatMap((row) => [row, ...rows.fragmentsOf(row)])
  const records: ReadRecord[] = []
  const read = (row: number, bytes: Buffer): void => {
    const length = rows.lengthOf(row)
    const isOversized = length > bytes.length
    const record = isOversized ? null : parseObject(bytes.toString())
    if (!record && !isOversized) onBroken(row)
    const base = rows.isFragment(row) ? records[records.length - 1] : undefined
    if (base?.record && record) records[records.length - 1] = { ...base, record: merge(base.record, record) }
    else records.push({ record, raw: record ? Buffer.alloc(0) : Buffer.from(bytes.subarray(0, keptRaw)), length })
  }
  await reader.readRows(wanted, read, signal)
  return records
}

function rowsOf({ index }: LogReader, { branches }: SessionShape, { live, prompt }: TurnPlace): readonly number[] {
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

/** Two records of one identity as one: parts of both, the first result. */
function merge(first: JsonObject, later: JsonObject): JsonObject {
  const message = objectAt(first, 'message')
  const parts = [...listAt(message, 'parts'), ...listAt(objectAt(later, 'message'), 'parts')]
  const toolCallResult = isObject(first['toolCallResult']) ? first['toolCallResult'] : later['toolCallResult']
  return { ...first, message: { ...message, parts }, ...(toolCallResult === undefined ? {} : { toolCallResult }) }
}
