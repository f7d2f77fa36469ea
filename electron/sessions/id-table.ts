import { createHash } from 'node:crypto'
import { haveSameWords, readWords } from './json-bytes.js'

/** Bytes of an identity. Those of another length are kept by a hash of this length. */
export const idBytes = 36
export const idWords = idBytes / 4

const firstSlots = 64

/** The identities of rows, as bytes, and the row of each identity. No string is made. */
export class IdTable {
  private words: Int32Array
  /** Open addressing: row + 1, or 0. */
  private slots: Int32Array
  private used = 0

  constructor(rows: number) {
    this.words = new Int32Array(rows * idWords)
    this.slots = new Int32Array(slotsFor(rows))
  }

  static restore(words: Int32Array, slots: Int32Array): IdTable {
    const table = new IdTable(0)
    table.words = words
    table.slots = slots
    table.used = words.length / idWords
    return table
  }

  reserve(rows: number): void {
    const words = new Int32Array(rows * idWords)
    words.set(this.words)
    this.words = words
  }

  /** Columns for saving: the words of the first rows, and the slots. */
  columns(rows: number): { readonly words: Int32Array; readonly slots: Int32Array } {
    return { words: this.words.subarray(0, rows * idWords), slots: this.slots }
  }

  has(row: number): boolean {
    const first = this.words[row * idWords]
    return first !== undefined && first !== 0
  }

  isOf(row: number, id: Int32Array): boolean {
    return haveSameWords(this.words, row * idWords, id)
  }

  textOf(row: number): string {
    return idText(this.words.subarray(row * idWords, (row + 1) * idWords))
  }

  find(id: Int32Array): number {
    const mask = this.slots.length - 1
    for (let slot = hashOf(id, 0) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.slots[slot] ?? 0) - 1
      if (row < 0 || this.isOf(row, id)) return row
    }
  }

  /** Gives a row its identity. Returns the first row that has it: the row itself where it is new. */
  claim(row: number, id: Int32Array): number {
    if (2 * ++this.used > this.slots.length) this.rebuild(row, 2 * this.slots.length)
    // A loop: `set` costs several times as much for nine words.
    const at = row * idWords
    for (let i = 0; i < idWords; i++) this.words[at + i] = id[i] ?? 0
    return this.takeSlot(row)
  }

  /** Forgets the rows from `rows` on. */
  shorten(rows: number, before: number): void {
    this.words.fill(0, rows * idWords, before * idWords)
    this.rebuild(rows, this.slots.length)
  }

  private takeSlot(row: number): number {
    const { words, slots } = this
    const at = row * idWords
    const mask = slots.length - 1
    for (let slot = hashOf(words, at) & mask; ; slot = (slot + 1) & mask) {
      const first = (slots[slot] ?? 0) - 1
      if (first < 0) {
        slots[slot] = row + 1
        return row
      }
      if (isSameRow(words, first * idWords, at)) return first
    }
  }

  private rebuild(rows: number, slots: number): void {
    this.slots = new Int32Array(slots)
    this.used = rows
    // In row order, so that the first row of an identity is found again.
    for (let row = 0; row < rows; row++) if (this.has(row)) this.takeSlot(row)
  }
}

function slotsFor(rows: number): number {
  let slots = firstSlots
  while (slots < 2 * rows) slots *= 2
  return slots
}

function isSameRow(words: Int32Array, at: number, other: number): boolean {
  for (let i = 0; i < idWords; i++) if (words[at + i] !== words[other + i]) return false
  return true
}

function hashOf(words: Int32Array, at: number): number {
  let hash = 0
  for (let i = at; i < at + idWords; i++) hash = Math.imul(hash ^ (words[i] ?? 0), 0x9e3779b1) ^ (hash >>> 15)
  return hash ^ (hash >>> 15)
}

/** An identity of the table as text. */
export function idText(words: Int32Array): string {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('latin1')
}

/** The identity that stands at a place, as the table holds it. */
export function wordsAt(bytes: Uint8Array, at: number): Int32Array {
  const words = new Int32Array(idWords)
  readWords(bytes, at, words)
  return words
}

/** An identity as the table holds it. Writes `idBytes` bytes at `at`. */
export function writeId(id: string, into: Buffer, at: number): void {
  const isPlain = id.length === idBytes && Buffer.byteLength(id) === idBytes && id.charCodeAt(0) !== 0
  const text = isPlain ? id : `#${createHash('sha256').update(id).digest('hex')}`.slice(0, idBytes)
  into.write(text, at, idBytes, 'latin1')
}
