import { readWords } from './json-bytes.js'
import { IdTable, idWords } from './id-table.js'
import { recordKind, type RecordKind } from './record-sniff.js'
import { UnseenParents } from './unseen-parents.js'

/** No parent: a first record. */
export const rootParent = -1
/** Names a parent that was not (yet) seen. */
export const unseenParent = -2
/** Not on the chain of parents: no identity, a part of an earlier record, or of another session. */
export const treeless = -3

const noPrompt = -1
/** The record hangs on a parent that was not seen, so its prompt is not known yet. */
const openPrompt = -2
const beingResolved = -3
const stuckPrompt = -4

/** Columns of the index as they lie in its saved form. */
export interface IndexColumns {
  readonly offsets: Float64Array
  readonly lengths: Uint32Array
  readonly kinds: Uint8Array
  readonly parents: Int32Array
  readonly promptRows: Int32Array
  readonly idWords: Int32Array
  /** Rows whose parent was not seen, and `idWords` words for each. */
  readonly unseenRows: Int32Array
  readonly unseenWords: Int32Array
}

/** Rows that are parts of others, by the first of each. */
export type RowFragments = readonly (readonly [number, readonly number[]])[]

// Used within one call at a time.
const ownId = new Int32Array(idWords)
const parentId = new Int32Array(idWords)

const firstRows = 32
/** A bigger index grows by half. */
const doubledRows = 50_000
/** Before the first records tell, a row is expected for so many bytes of the log. */
const usualLineBytes = 8192
/** Rows expected beyond what the log so far tells. */
const spareRows = 1.05

/**
 * The compact index of one log: a row for each record, in file order, with its place, kind, parent and prompt.
 *
 * The usual record, whose parent is the one before it, costs one comparison. About 75 bytes a record, 21 without identities.
 */
export class RecordIndex {
  count = 0
  private offsets: Float64Array = new Float64Array(0)
  private lengths: Uint32Array = new Uint32Array(0)
  private kinds: Uint8Array = new Uint8Array(0)
  private parents: Int32Array = new Int32Array(0)
  private promptRows: Int32Array = new Int32Array(0)
  private ids: IdTable | null
  private unseen = UnseenParents.none()
  private readonly fragments = new Map<number, number[]>()
  private prompts = 0
  /** Rows that were there when parents were last looked for. */
  private settled = 0

  /** The size of the log spares growing; more may come. */
  constructor(
    hasIds: boolean,
    private readonly logBytes = 0,
  ) {
    this.ids = hasIds ? new IdTable() : null
  }

  kindOf(row: number): RecordKind {
    return (this.kinds[row] ?? recordKind.blank) as RecordKind
  }

  /** For a kind that shows only once the record has its place. */
  setKind(row: number, kind: RecordKind): void {
    this.kinds[row] = kind
  }

  offsetOf(row: number): number {
    return this.offsets[row] ?? 0
  }

  lengthOf(row: number): number {
    return this.lengths[row] ?? 0
  }

  /** Row of the parent, or `rootParent`, `unseenParent`, `treeless`. */
  parentOf(row: number): number {
    return this.parents[row] ?? treeless
  }

  /** Ordinal of the prompt whose turn the record is in; -1 where there is none. Records without identity go with the one before. */
  promptOf(row: number): number {
    return Math.max(this.promptRows[row] ?? noPrompt, noPrompt)
  }

  idOf(row: number): string {
    return this.ids?.textOf(row) ?? ''
  }

  /** Later records of the same identity, which belong to this row. */
  fragmentsOf(row: number): readonly number[] {
    return this.fragments.get(row) ?? []
  }

  /** Whether the row continues an earlier record of the same identity. */
  isFragment(row: number): boolean {
    return this.parentOf(row) === treeless && this.ids?.has(row) === true
  }

  /** Adds a record without identity. */
  addPlain(kind: RecordKind, offset: number, length: number): number {
    const row = this.grow(kind, offset, length)
    this.parents[row] = treeless
    this.promptRows[row] = kind === recordKind.prompt ? this.prompts++ : row > 0 ? (this.promptRows[row - 1] ?? noPrompt) : noPrompt
    return row
  }

  /** Adds a record without identity that hangs on another one, whose identity stands at `parentStart` of `bytes`. */
  addAttached(kind: RecordKind, offset: number, length: number, bytes: Uint8Array, parentStart: number): number {
    const { ids } = this
    if (!ids) return this.addPlain(kind, offset, length)
    const row = this.grow(kind, offset, length)
    const parent = this.findParent(ids, row, bytes, parentStart)
    this.parents[row] = parent
    this.promptRows[row] = parent >= 0 ? (this.promptRows[parent] ?? noPrompt) : openPrompt
    return row
  }

  /**
   * Adds a record whose identity stands at `idStart` and its parent's at `parentStart` (-1: none) of `bytes`.
   * A record whose identity was seen becomes a fragment of that one.
   */
  add(kind: RecordKind, offset: number, length: number, bytes: Uint8Array, idStart: number, parentStart: number): number {
    const { ids } = this
    if (!ids) return this.addPlain(kind, offset, length)
    const row = this.grow(kind, offset, length)
    readWords(bytes, idStart, ownId)
    const first = ids.claim(row, ownId)
    if (first !== row) {
      this.parents[row] = treeless
      this.promptRows[row] = this.promptRows[first] ?? noPrompt
      const others = this.fragments.get(first)
      if (others) others.push(row)
      else this.fragments.set(first, [row])
      return row
    }
    const parent = parentStart < 0 ? rootParent : this.findParent(ids, row, bytes, parentStart)
    this.parents[row] = parent
    if (kind === recordKind.prompt) this.promptRows[row] = this.prompts++
    else if (parent === unseenParent) this.promptRows[row] = openPrompt
    else this.promptRows[row] = parent >= 0 && parent !== row ? (this.promptRows[parent] ?? noPrompt) : noPrompt
    return row
  }

  /** Finds the parents, and with them the prompts, of records that came before their parents in the file. */
  settle(): void {
    if (this.unseen.isEmpty || this.settled === this.count) return
    this.settled = this.count
    this.unseen.filter((row, id) => {
      const parent = this.ids?.find(id, this.count) ?? -1
      if (parent >= 0) this.parents[row] = parent
      return parent < 0
    })
    for (let row = 0; row < this.count; row++) if (this.promptRows[row] === openPrompt) this.resolvePrompt(row)
    for (let row = 0; row < this.count; row++) if (this.promptRows[row] === stuckPrompt) this.promptRows[row] = openPrompt
  }

  /** Takes the rows from `count` on away again, for a last line that was not whole yet. `prompts` are those that stay. */
  shorten(count: number, prompts: number): void {
    this.unseen.filter((row) => row < count)
    for (const [first, rows] of this.fragments) {
      const kept = rows.filter((row) => row < count)
      if (kept.length === 0) this.fragments.delete(first)
      else this.fragments.set(first, kept)
    }
    this.ids?.shorten(count, this.count)
    this.count = count
    this.settled = Math.min(this.settled, count)
    this.prompts = prompts
  }

  columns(): IndexColumns {
    const { count } = this
    const unseen = this.unseen.columns()
    return {
      offsets: this.offsets.subarray(0, count),
      lengths: this.lengths.subarray(0, count),
      kinds: this.kinds.subarray(0, count),
      parents: this.parents.subarray(0, count),
      promptRows: this.promptRows.subarray(0, count),
      idWords: this.ids?.column(count) ?? new Int32Array(0),
      unseenRows: unseen.rows,
      unseenWords: unseen.words,
    }
  }

  allFragments(): RowFragments {
    return [...this.fragments]
  }

  static restore(hasIds: boolean, columns: IndexColumns, fragments: RowFragments, prompts: number): RecordIndex {
    const index = new RecordIndex(false)
    index.count = columns.offsets.length
    index.settled = index.count
    index.offsets = columns.offsets
    index.lengths = columns.lengths
    index.kinds = columns.kinds
    index.parents = columns.parents
    index.promptRows = columns.promptRows
    index.ids = hasIds ? IdTable.restore(columns.idWords) : null
    index.prompts = prompts
    index.unseen = UnseenParents.restore(columns.unseenRows, columns.unseenWords)
    for (const [row, rows] of fragments) index.fragments.set(row, [...rows])
    return index
  }

  private grow(kind: RecordKind, offset: number, length: number): number {
    const row = this.count
    if (row === this.offsets.length) this.reserve(this.rowsFor(row, offset))
    this.count++
    this.offsets[row] = offset
    this.lengths[row] = Math.min(length, 0xffffffff)
    this.kinds[row] = kind
    return row
  }

  /** How many rows to make room for: what the rest of the log will need, so that a big one is not copied again and again. */
  private rowsFor(row: number, offset: number): number {
    if (row === 0) return Math.max(firstRows, Math.ceil(this.logBytes / usualLineBytes))
    const usual = row < doubledRows ? 2 * row + firstRows : row + (row >> 1)
    const expected = offset > 0 && offset < this.logBytes ? Math.ceil((row / offset) * this.logBytes * spareRows) : 0
    return expected > row * spareRows ? expected : usual
  }

  private reserve(rows: number): void {
    this.offsets = enlarge(this.offsets, new Float64Array(rows))
    this.lengths = enlarge(this.lengths, new Uint32Array(rows))
    this.kinds = enlarge(this.kinds, new Uint8Array(rows))
    this.parents = enlarge(this.parents, new Int32Array(rows))
    this.promptRows = enlarge(this.promptRows, new Int32Array(rows))
    this.ids?.reserve(rows)
  }

  private findParent(ids: IdTable, row: number, bytes: Uint8Array, at: number): number {
    readWords(bytes, at, parentId)
    if (row > 0 && this.parents[row - 1] !== treeless && ids.isOf(row - 1, parentId)) return row - 1
    const found = ids.find(parentId, row)
    if (found >= 0) return found
    this.unseen.add(row, parentId)
    return unseenParent
  }

  private resolvePrompt(row: number): void {
    const open: number[] = []
    let at = row
    while (at >= 0 && this.promptRows[at] === openPrompt) {
      this.promptRows[at] = beingResolved
      open.push(at)
      at = this.parents[at] ?? treeless
    }
    const found = at >= 0 ? (this.promptRows[at] ?? noPrompt) : at === rootParent ? noPrompt : stuckPrompt
    const prompt = found >= noPrompt ? found : stuckPrompt
    for (const each of open) this.promptRows[each] = prompt
  }
}

function enlarge<Column extends Float64Array | Uint32Array | Uint8Array | Int32Array>(old: Column, next: Column): Column {
  next.set(old)
  return next
}
