import { createHash } from 'node:crypto'
import { haveSameWords, readWords } from './json-bytes.js'

/** Bytes of an identity. Those of another length are kept by a hash of this length. */
export const idBytes = 36
export const idWords = idBytes / 4

const firstSlots = 64

/** The identities of rows, as bytes, and the row of each identity. No string is made. */
export class IdTable {
  private words: Int32Array = new Int32Array(0)
  /** Rows by identity, open addressing; a free slot has no tag. Some bits of the hash: most rows that are another's are not looked at. */
  private slots = new Int32Array(0)
  private tags = new Uint8Array(0)
  /** Rows that have their slots. Those that were restored get them once one is looked for. */
  private used = 0
  private expectedRows = 0

  static restore(words: Int32Array): IdTable {
    const table = new IdTable()
    table.words = words
    return table
  }

  reserve(rows: number): void {
    const words = new Int32Array(rows * idWords)
    words.set(this.words)
    this.words = words
    this.expectedRows = rows
  }

  /** The words of the first rows, for saving. */
  column(rows: number): Int32Array {
    return this.words.subarray(0, rows * idWords)
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

  /** The first row before `rows` that has an identity; -1 where none has. */
  find(id: Int32Array, rows: number): number {
    this.index(rows)
    const { slots, tags } = this
    const mask = slots.length - 1
    const hash = hashOf(id, 0)
    const tag = tagOf(hash)
    for (let slot = hash & mask; tags[slot] !== 0; slot = (slot + 1) & mask) {
      const row = slots[slot] ?? 0
      if (tags[slot] === tag && this.isOf(row, id)) return row
    }
    return -1
  }

  /** Gives the row after all others its identity. Returns the first row that has it: the row itself where it is new. */
  claim(row: number, id: Int32Array): number {
    this.index(row)
    // A loop: `set` costs several times as much for nine words.
    const at = row * idWords
    for (let i = 0; i < idWords; i++) this.words[at + i] = id[i] ?? 0
    this.used = row + 1
    return this.takeSlot(row)
  }

  /** Forgets the rows from `rows` on. */
  shorten(rows: number, before: number): void {
    this.words.fill(0, rows * idWords, before * idWords)
    this.used = 0
    this.slots = new Int32Array(0)
  }

  private index(rows: number): void {
    if (2 * (rows + 1) > this.slots.length) {
      const slots = slotsFor(Math.max(this.expectedRows, rows + 1))
      this.slots = new Int32Array(slots)
      this.tags = new Uint8Array(slots)
      this.used = 0
    }
    // In row order, so that the first row of an identity is found again.
    for (; this.used < rows; this.used++) if (this.has(this.used)) this.takeSlot(this.used)
  }

  private takeSlot(row: number): number {
    const { words, slots, tags } = this
    const at = row * idWords
    const mask = slots.length - 1
    const hash = hashOf(words, at)
    const tag = tagOf(hash)
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = tags[slot]
      if (found === 0) {
        tags[slot] = tag
        slots[slot] = row
        return row
      }
      const first = slots[slot] ?? 0
      if (found === tag && isSameRow(words, first * idWords, at)) return first
    }
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

const tagOf = (hash: number): number => (hash >>> 24) | 1

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
