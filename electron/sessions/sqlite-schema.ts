/** An index by whose first columns rows are found. */
export interface IndexShape {
  readonly root: number
  readonly columns: readonly string[]
  /** It is that of the primary key. */
  readonly isUnique: boolean
}

export interface TableShape {
  readonly root: number
  readonly columns: readonly string[]
  /** The column that stands for the row id; `null` where none does. */
  readonly rowIdColumn: string | null
  readonly indexes: readonly IndexShape[]
}

/** One row of the schema. */
export interface SchemaRow {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly root: number
  readonly sql: string | null
}

/** The tables of a database by name; those that are kept in another way than by row id are left out. */
export function readSchema(rows: readonly SchemaRow[]): ReadonlyMap<string, TableShape> {
  const tables = new Map<string, TableShape>()
  for (const { type, name, root, sql } of rows) {
    if (type !== 'table' || sql === null || root < 1 || /\)\s*[^)]*\bwithout\s+rowid\b[^)]*$/i.test(sql)) continue
    const body = bodyOf(sql)
    const columns = partsOf(body).flatMap((part) => columnOf(part) ?? [])
    const rowIdColumn = columns.find(({ isRowId }) => isRowId)?.name ?? null
    const indexes = rows.flatMap((row) => indexOf(row, name, body) ?? [])
    tables.set(name, { root, columns: columns.map((column) => column.name), rowIdColumn, indexes })
  }
  return tables
}

function indexOf({ type, table, root, sql, name }: SchemaRow, of: string, tableBody: string): IndexShape | null {
  if (type !== 'index' || table !== of || root < 1) return null
  // The one that a primary key of texts makes by itself; it is the first, and has no text of its own.
  if (sql === null) return name.endsWith('_1') ? ownIndex(root, tableBody) : null
  const body = bodyOf(sql)
  const isPartial = /\bwhere\b/i.test(sql.slice(sql.indexOf(body) + body.length))
  const columns = partsOf(body).map(plainColumn)
  const first = columns.indexOf(null)
  const usable = columns.slice(0, first < 0 ? undefined : first).flatMap((column) => column ?? [])
  return isPartial || usable.length === 0 ? null : { root, columns: usable, isUnique: false }
}

function ownIndex(root: number, tableBody: string): IndexShape | null {
  const parts = partsOf(tableBody)
  const isOther = parts.some((part) => /\bunique\b/i.test(part))
  const keyed = parts.find((part) => columnOf(part) !== null && /\bprimary\s+key\b/i.test(part))
  const column = keyed === undefined || isOther ? null : columnOf(keyed)
  return column && !column.isRowId && !/\bcollate\b|\bdesc\b/i.test(keyed ?? '') ? { root, columns: [column.name], isUnique: true } : null
}

/** A column of an index in its usual order; `null` for an expression or another order. */
function plainColumn(part: string): string | null {
  const found = /^\s*(?:[`"[]?)([\w$]+)(?:[`"\]]?)\s*(?:asc)?\s*$/i.exec(part)
  return found?.[1] ?? null
}

const constraint = /^\s*(constraint|primary\s+key|unique|check|foreign\s+key)\b/i

function columnOf(part: string): { readonly name: string; readonly isRowId: boolean } | null {
  if (constraint.test(part)) return null
  const found = /^\s*(?:`([^`]+)`|"([^"]+)"|\[([^\]]+)\]|([\w$]+))/.exec(part)
  const name = found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4]
  if (name === undefined) return null
  return { name, isRowId: /^\s*\S+\s+integer\s+(not\s+null\s+)?primary\s+key\b(?!\s+desc)/i.test(part) }
}

/** What stands in the first parentheses. */
function bodyOf(sql: string): string {
  const start = sql.indexOf('(')
  let depth = 0
  let quote = ''
  for (let at = start; at >= 0 && at < sql.length; at++) {
    const character = sql.charAt(at)
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === "'" || character === '"' || character === '`') quote = character
    else if (character === '(') depth++
    else if (character === ')' && --depth === 0) return sql.slice(start + 1, at)
  }
  return ''
}

/** The parts between commas that stand in no parentheses and no quotes. */
function partsOf(body: string): readonly string[] {
  const parts: string[] = []
  let [depth, start, quote] = [0, 0, '']
  for (let at = 0; at < body.length; at++) {
    const character = body.charAt(at)
    if (quote !== '') quote = character === quote ? '' : quote
    else if (character === "'" || character === '"' || character === '`') quote = character
    else if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === ',' && depth === 0) {
      parts.push(body.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, body.slice(start)].filter((part) => part.trim() !== '')
}
