import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { DatabaseBusy, DatabaseDamaged, DatabasePages } from './sqlite-pages.js'
import { type SqlRecord, type SqlValue } from './sqlite-record.js'
import { readSchema, type IndexShape, type SchemaRow, type TableShape } from './sqlite-schema.js'
import { indexedRowIds, tableRow, tableRows, type TableRow } from './sqlite-tree.js'

const attempts = 8
const firstWaitMs = 5
const sliceMs = 8
/** A database that nobody reads is closed after so long. */
const idleMs = 300

/** One row; its columns are read when asked for. */
export class Row {
  constructor(
    private readonly shape: TableShape,
    private readonly rowId: number,
    private readonly record: SqlRecord,
  ) {}

  /** `null` for a column that is not there. */
  value(column: string): SqlValue {
    if (column === this.shape.rowIdColumn) return this.rowId
    const index = this.shape.columns.indexOf(column)
    return index < 0 ? null : this.record.value(index)
  }

  text(column: string): string | null {
    const value = this.value(column)
    return typeof value === 'string' ? value : null
  }

  number(column: string): number | null {
    const value = this.value(column)
    return typeof value === 'number' && Number.isFinite(value) ? value : null
  }

  /** Length of a value in bytes, without reading it. */
  sizeOf(column: string): number {
    return this.record.sizeOf(this.shape.columns.indexOf(column))
  }
}

/** A database of SQLite as it was at one moment, read only. What is damaged is passed over and counted. */
export interface Database {
  has(table: string): boolean
  /** All rows of a table; none for one that is not there. */
  rows(table: string): AsyncGenerator<Row>
  /** The rows whose columns have these values, in the order of the index that finds them. */
  where(table: string, values: Readonly<Record<string, SqlValue>>): AsyncGenerator<Row>
  /** How often something damaged was passed over. */
  readonly damage: number
}

/**
 * Reads from a database that another program may be writing to, without locking it or writing anything: `read` sees one consistent
 * moment; where a writer comes in between it is called again. Only pages that are asked for are read.
 *
 * Errors: SESSION_UNREADABLE for no database, a damaged head, or one that is never left alone; SESSION_NOT_FOUND; those of `read`.
 */
export async function readDatabase<Value>(file: string, read: (database: Database) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    throwIfAborted(signal)
    if (attempt > 0) await wait(firstWaitMs * 2 ** attempt)
    const outcome = await tryOnce(file, read, signal)
    if (outcome.kind === 'read') return outcome.value
  }
  throw new ReviewError('SESSION_UNREADABLE', 'The database is being written to all the time. Try again in a moment.')
}

type Outcome<Value> = { readonly kind: 'read'; readonly value: Value } | { readonly kind: 'disturbed' }

async function tryOnce<Value>(file: string, read: (database: Database) => Promise<Value>, signal: AbortSignal | undefined): Promise<Outcome<Value>> {
  let opened: Opened
  try {
    opened = acquire(file)
  } catch (thrown) {
    if (thrown instanceof DatabaseBusy) return { kind: 'disturbed' }
    throw unreadable(thrown)
  }
  const { pages } = opened
  try {
    const value = await read(new OpenDatabase(opened, signal))
    return pages.isStill() ? { kind: 'read', value } : { kind: 'disturbed' }
  } catch (thrown) {
    throwIfAborted(signal)
    // What a half-done write looks like is no fault of the database.
    if (!pages.isStill()) return { kind: 'disturbed' }
    throw isDamage(thrown) ? unreadable(thrown) : thrown
  } finally {
    release(file, opened)
  }
}

/** A database as it was at one moment, shared by all who read it while nobody has written. */
interface Opened {
  readonly pages: DatabasePages
  readonly tables: ReadonlyMap<string, TableShape>
  /** Damage in the list of tables. */
  readonly damage: number
  readers: number
  idle: NodeJS.Timeout | null
}

const openedFiles = new Map<string, Opened>()

function acquire(file: string): Opened {
  const known = openedFiles.get(file)
  if (known?.idle) clearTimeout(known.idle)
  if (known?.pages.isLatest()) {
    known.readers++
    return known
  }
  openedFiles.delete(file)
  if (known?.readers === 0) known.pages.close()
  const pages = DatabasePages.open(file)
  try {
    const opened = { pages, ...tablesOf(pages), readers: 1, idle: null }
    openedFiles.set(file, opened)
    return opened
  } catch (thrown) {
    pages.close()
    throw thrown
  }
}

function release(file: string, opened: Opened): void {
  opened.readers--
  if (opened.readers > 0) return
  const close = (): void => {
    if (openedFiles.get(file) === opened) openedFiles.delete(file)
    opened.pages.close()
  }
  if (openedFiles.get(file) !== opened) close()
  else opened.idle = setTimeout(close, idleMs).unref()
}

function tablesOf(pages: DatabasePages): Pick<Opened, 'tables' | 'damage'> {
  let damage = 0
  const found = [...tableRows(pages, 1, () => damage++)].map(({ record }): SchemaRow => {
    const [type, name, table, root, sql] = [0, 1, 2, 3, 4].map((column) => valueOr(null, () => record.value(column)))
    const names = { type: `${type ?? ''}`, name: `${name ?? ''}`, table: `${table ?? ''}` }
    return { ...names, root: typeof root === 'number' ? root : 0, sql: typeof sql === 'string' ? sql : null }
  })
  return { tables: readSchema(found), damage }
}

class OpenDatabase implements Database {
  damage: number
  private readonly pages: DatabasePages
  private readonly tables: ReadonlyMap<string, TableShape>
  private sliceStart = performance.now()

  constructor(
    { pages, tables, damage }: Opened,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.pages = pages
    this.tables = tables
    this.damage = damage
  }

  has(table: string): boolean {
    return this.tables.has(table)
  }

  async *rows(table: string): AsyncGenerator<Row> {
    const shape = this.tables.get(table)
    if (!shape) return
    for (const found of tableRows(this.pages, shape.root, () => this.damage++)) {
      await this.pause()
      yield this.rowOf(shape, found)
    }
  }

  async *where(table: string, values: Readonly<Record<string, SqlValue>>): AsyncGenerator<Row> {
    const shape = this.tables.get(table)
    if (!shape) return
    const names = Object.keys(values)
    const { index, columns } = bestIndex(shape, names)
    const isWanted = (row: Row): boolean => names.every((name) => row.value(name) === values[name])
    const given = new Set<number>()
    if (index) {
      try {
        const key = columns.map((column) => values[column] ?? null)
        for (const rowId of indexedRowIds(this.pages, index.root, key)) {
          await this.pause()
          const found = given.has(rowId) ? null : tableRow(this.pages, shape.root, rowId)
          if (!found) continue
          given.add(rowId)
          const row = this.rowOf(shape, found)
          if (isWanted(row)) yield row
        }
        return
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown
        this.damage++
      }
    }
    for await (const [rowId, row] of this.allOf(shape)) if (!given.has(rowId) && valueOr(false, () => isWanted(row))) yield row
  }

  private async *allOf(shape: TableShape): AsyncGenerator<readonly [number, Row]> {
    for (const found of tableRows(this.pages, shape.root, () => this.damage++)) {
      await this.pause()
      yield [found.rowId, this.rowOf(shape, found)]
    }
  }

  private rowOf(shape: TableShape, { rowId, record }: TableRow): Row {
    return new Row(shape, rowId, record)
  }

  /** Gives way to others after each 8 ms. */
  private async pause(): Promise<void> {
    if (performance.now() - this.sliceStart < sliceMs) return
    await setImmediate()
    throwIfAborted(this.signal)
    this.sliceStart = performance.now()
  }
}

/** The index that narrows a search by these columns the most, with the first of its columns that are among them. */
function bestIndex({ indexes }: TableShape, names: readonly string[]): { readonly index: IndexShape | null; readonly columns: readonly string[] } {
  let best: { readonly index: IndexShape | null; readonly columns: readonly string[] } = { index: null, columns: [] }
  for (const index of indexes) {
    const other = index.columns.findIndex((column) => !names.includes(column))
    const columns = index.columns.slice(0, other < 0 ? undefined : other)
    if (columns.length > best.columns.length || (columns.length === 1 && index.isUnique && best.columns.length <= 1)) best = { index, columns }
  }
  return best
}

/** A value of a record that may be damaged. */
export function valueOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read()
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
    return otherwise
  }
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof DatabaseDamaged || thrown instanceof RangeError
}

function unreadable(cause: unknown): ReviewError {
  const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
  if (isMissing) return new ReviewError('SESSION_NOT_FOUND', 'The database of this session is not there any more.', { cause })
  return new ReviewError('SESSION_UNREADABLE', 'The database of this session is damaged or may not be read. Check its permissions.', { cause })
}
