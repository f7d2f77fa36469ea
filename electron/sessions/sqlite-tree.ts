import { DatabaseDamaged, type DatabasePages } from './sqlite-pages.js'
import { readVarint, SqlRecord, type SqlValue } from './sqlite-record.js'

const deepest = 30
const indexInner = 2
const tableInner = 5
const indexLeaf = 10
const tableLeaf = 13

export interface TableRow {
  readonly rowId: number
  readonly record: SqlRecord
}

/** A walk that met a damaged part went on with the next; `onDamage` counts. */
export type OnDamage = () => void

interface Node {
  readonly page: Buffer
  readonly type: number
  readonly cells: readonly number[]
  readonly rightmost: number
}

function readNode(pages: DatabasePages, number: number): Node {
  const page = pages.page(number)
  const head = number === 1 ? 100 : 0
  const type = page[head] ?? 0
  if (type !== indexInner && type !== tableInner && type !== indexLeaf && type !== tableLeaf) throw new DatabaseDamaged(`page ${number} is no part of a tree`)
  const isInner = type === indexInner || type === tableInner
  const first = head + (isInner ? 12 : 8)
  const count = page.readUInt16BE(head + 3)
  if (first + 2 * count > page.length) throw new DatabaseDamaged(`page ${number} has too many cells`)
  const cells = Array.from({ length: count }, (_, index) => page.readUInt16BE(first + 2 * index))
  return { page, type, cells, rightmost: isInner ? page.readUInt32BE(head + 8) : 0 }
}

/** All rows of a table in the order of their row ids. Errors: none but those of the system; damage is passed over. */
export function* tableRows(pages: DatabasePages, root: number, onDamage: OnDamage): Generator<TableRow> {
  const seen = new Set<number>()
  yield* walk(root, 0)

  function* walk(number: number, depth: number): Generator<TableRow> {
    const node = tried(onDamage, () => {
      if (depth > deepest || seen.has(number)) throw new DatabaseDamaged('a tree that runs in a circle')
      seen.add(number)
      return readNode(pages, number)
    })
    if (!node) return
    for (const cell of node.cells) {
      if (node.type === tableInner) {
        const child = tried(onDamage, () => uint32(node.page, cell))
        if (child !== null) yield* walk(child, depth + 1)
      } else {
        const row = tried(onDamage, () => leafRow(pages, node, cell))
        if (row) yield row
      }
    }
    if (node.type === tableInner) yield* walk(node.rightmost, depth + 1)
  }
}

/** The row with this id; `null` where there is none. Errors: DatabaseDamaged. */
export function tableRow(pages: DatabasePages, root: number, rowId: number): TableRow | null {
  let number = root
  for (let depth = 0; depth <= deepest; depth++) {
    const node = readNode(pages, number)
    if (node.type === tableLeaf) {
      // Ids ascend, so the one that is sought is found by halves.
      const at = firstWhere(node.cells.length, (index) => rowIdOf(node, node.cells[index] ?? 0) >= rowId)
      const cell = node.cells[at]
      return cell !== undefined && rowIdOf(node, cell) === rowId ? leafRow(pages, node, cell) : null
    }
    if (node.type !== tableInner) throw new DatabaseDamaged('an index in the place of a table')
    const at = firstWhere(node.cells.length, (index) => readVarint(node.page, (node.cells[index] ?? 0) + 4).value >= rowId)
    const cell = node.cells[at]
    number = cell === undefined ? node.rightmost : uint32(node.page, cell)
  }
  throw new DatabaseDamaged('a tree without end')
}

/** The row ids of an index whose first columns hold these values, in the order of the index. Errors: DatabaseDamaged. */
export function* indexedRowIds(pages: DatabasePages, root: number, key: readonly SqlValue[]): Generator<number> {
  const seen = new Set<number>()
  yield* walk(root, 0)

  function* walk(number: number, depth: number): Generator<number> {
    if (depth > deepest || seen.has(number)) throw new DatabaseDamaged('a tree that runs in a circle')
    seen.add(number)
    const node = readNode(pages, number)
    if (node.type !== indexInner && node.type !== indexLeaf) throw new DatabaseDamaged('a table in the place of an index')
    const isInner = node.type === indexInner
    const entry = (cell: number): SqlRecord => {
      const { value, next } = readVarint(node.page, cell + (isInner ? 4 : 0))
      return new SqlRecord(pages, { page: node.page, start: next, size: value, kind: 'index' })
    }
    const first = firstWhere(node.cells.length, (index) => compareKey(entry(node.cells[index] ?? 0), key) >= 0)
    for (let index = first; index < node.cells.length; index++) {
      const cell = node.cells[index] ?? 0
      if (isInner) yield* walk(uint32(node.page, cell), depth + 1)
      const record = entry(cell)
      if (compareKey(record, key) !== 0) return
      const rowId = record.value(record.columns - 1)
      if (typeof rowId === 'number') yield rowId
    }
    if (isInner) yield* walk(node.rightmost, depth + 1)
  }
}

function leafRow(pages: DatabasePages, node: Node, cell: number): TableRow {
  if (node.type !== tableLeaf) throw new DatabaseDamaged('an index in the place of a table')
  const size = readVarint(node.page, cell)
  const rowId = readVarint(node.page, size.next)
  return { rowId: rowId.value, record: new SqlRecord(pages, { page: node.page, start: rowId.next, size: size.value, kind: 'table' }) }
}

function rowIdOf(node: Node, cell: number): number {
  return readVarint(node.page, readVarint(node.page, cell).next).value
}

function uint32(page: Buffer, at: number): number {
  if (at + 4 > page.length) throw new DatabaseDamaged('a cell runs over its page')
  return page.readUInt32BE(at)
}

/** How the first columns of a record stand to a key: NULL before numbers before texts before bytes, texts by their bytes. */
function compareKey(record: SqlRecord, key: readonly SqlValue[]): number {
  for (const [column, wanted] of key.entries()) {
    const order = compareValues(record.value(column), wanted)
    if (order !== 0) return order
  }
  return 0
}

function compareValues(one: SqlValue, two: SqlValue): number {
  const rank = rankOf(one) - rankOf(two)
  if (rank !== 0) return rank
  if (typeof one === 'number' && typeof two === 'number') return one - two
  if (typeof one === 'string' && typeof two === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(two))
  return Buffer.isBuffer(one) && Buffer.isBuffer(two) ? Buffer.compare(one, two) : 0
}

function rankOf(value: SqlValue): number {
  return value === null ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3
}

/** The first index of ascending things that fulfils a condition; `count` where none does. */
function firstWhere(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

function tried<Value>(onDamage: OnDamage, work: () => Value): Value | null {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof DatabaseDamaged) && !(thrown instanceof RangeError)) throw thrown
    onDamage()
    return null
  }
}
