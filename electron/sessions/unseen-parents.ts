import { idWords } from './id-table.js'

const firstRows = 16
// Used within one call at a time.
const id = new Int32Array(idWords)

/** Rows that name a parent that was not seen, in file order, with its identity: flat, since a log may have thousands of them. */
export class UnseenParents {
  private constructor(
    private rows: Int32Array,
    private words: Int32Array,
    private count: number,
  ) {}

  static none(): UnseenParents {
    return new UnseenParents(new Int32Array(0), new Int32Array(0), 0)
  }

  /** Those of a saved index. */
  static restore(rows: Int32Array, words: Int32Array): UnseenParents {
    return new UnseenParents(rows, words, rows.length)
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  add(row: number, parent: Int32Array): void {
    if (this.count === this.rows.length) this.reserve(2 * this.count + firstRows)
    this.rows[this.count] = row
    for (let i = 0; i < idWords; i++) this.words[this.count * idWords + i] = parent[i] ?? 0
    this.count++
  }

  /** Keeps those that are wanted. `parent` is used again afterwards. */
  filter(isWanted: (row: number, parent: Int32Array) => boolean): void {
    let kept = 0
    for (let each = 0; each < this.count; each++) {
      const row = this.rows[each] ?? 0
      for (let i = 0; i < idWords; i++) id[i] = this.words[each * idWords + i] ?? 0
      if (!isWanted(row, id)) continue
      this.rows[kept] = row
      for (let i = 0; i < idWords; i++) this.words[kept * idWords + i] = id[i] ?? 0
      kept++
    }
    this.count = kept
  }

  /** Rows, and `idWords` words for each, for saving. */
  columns(): { readonly rows: Int32Array; readonly words: Int32Array } {
    return { rows: this.rows.subarray(0, this.count), words: this.words.subarray(0, this.count * idWords) }
  }

  private reserve(rows: number): void {
    const { rows: oldRows, words: oldWords } = this
    this.rows = new Int32Array(rows)
    this.words = new Int32Array(rows * idWords)
    this.rows.set(oldRows)
    this.words.set(oldWords)
  }
}
