import { at } from './slots.js'

/** Bits of a word in use: few enough that two words and a carry sum up to a small integer. */
const wordBits = 30
const allOnes = 2 ** wordBits - 1

/**
 * Where each id stands in a part of a sequence, as words of a `BitRow`: a list of entries, each a word and the bits in
 * it that stand for the id. Words rise. A frequent id has an entry for every word of the row.
 */
export class Places {
  readonly #partOfId: Int32Array
  readonly #countOfId: Int32Array
  readonly #startOfId: Int32Array
  readonly #endOfId: Int32Array
  #part = 0
  items = 0
  words = 0
  word = new Int32Array(0)
  bits = new Int32Array(0)

  constructor(idCount: number) {
    this.#partOfId = new Int32Array(idCount)
    this.#countOfId = new Int32Array(idCount)
    this.#startOfId = new Int32Array(idCount)
    this.#endOfId = new Int32Array(idCount)
  }

  /** Turns to `count` items of a sequence from `first` on, one by one in the direction of `step`. */
  look(sequence: Int32Array, first: number, count: number, step: 1 | -1): void {
    this.items = count
    this.words = Math.ceil(count / wordBits)
    this.#countIds(sequence, first, count, step)
    // An id is frequent when it stands in half of the words or more, so twice as many entries as items do.
    this.word = new Int32Array(count * 2)
    this.bits = new Int32Array(count * 2)
    let used = 0
    for (let n = 0, word = 0, bit = 1; n < count; n++) {
      const id = at(sequence, first + n * step)
      const expected = at(this.#countOfId, id)
      if (expected > 0) {
        this.#countOfId[id] = 0
        this.#startOfId[id] = used
        this.#endOfId[id] = used
        if (expected * 2 >= this.words) {
          for (let w = 0; w < this.words; w++) this.word[used + w] = w
          used += this.words
          this.#endOfId[id] = used
        } else {
          used += expected
        }
      }
      const entry = this.#entry(id, word)
      this.bits[entry] = at(this.bits, entry) | bit
      bit <<= 1
      if (bit > allOnes) {
        bit = 1
        word++
      }
    }
  }

  /** The entries of an id reach from here up to `endOf`. */
  startOf(id: number): number {
    return this.#partOfId[id] === this.#part ? at(this.#startOfId, id) : 0
  }

  endOf(id: number): number {
    return this.#partOfId[id] === this.#part ? at(this.#endOfId, id) : 0
  }

  #countIds(sequence: Int32Array, first: number, count: number, step: 1 | -1): void {
    this.#part++
    for (let n = 0; n < count; n++) {
      const id = at(sequence, first + n * step)
      this.#countOfId[id] = this.#partOfId[id] === this.#part ? at(this.#countOfId, id) + 1 : 1
      this.#partOfId[id] = this.#part
    }
  }

  /** The entry of an id for the word looked at last; added where there is none. */
  #entry(id: number, word: number): number {
    const start = at(this.#startOfId, id)
    const end = at(this.#endOfId, id)
    if (end - start === this.words) return start + word
    if (end > start && this.word[end - 1] === word) return end - 1
    this.word[end] = word
    this.#endOfId[id] = end + 1
    return end
  }
}

/**
 * A row has one bit for each item of the part that its `places` look at. The zeros among its first n bits are as many
 * as the longest common subsequence of the items added so far and the first n of the part is long (Crochemore et al.
 * 2001, Hyyrö 2004). Adding an item costs a step for each entry of its id: rare items cost next to nothing, and of
 * frequent ones thirty are done at once.
 */
export class BitRow {
  readonly #places: Places
  readonly #row: Int32Array
  /** Words from here on are all ones. Of those an item changes the first one that it stands in, if no carry comes. */
  #filled = 0

  constructor(places: Places) {
    this.#places = places
    this.#row = new Int32Array(places.words).fill(allOnes)
  }

  add(id: number): void {
    const start = this.#places.startOf(id)
    const end = this.#places.endOf(id)
    if (end - start === this.#places.words) this.#addFrequent(start, end)
    else this.#addRare(start, end)
  }

  #addFrequent(start: number, end: number): void {
    const row = this.#row
    const bits = this.#places.bits
    const filled = this.#filled
    let carry = 0
    for (let w = 0; w < filled; w++) {
      const old = at(row, w)
      const here = at(bits, start + w)
      const sum = (old + (old & here) + carry) | 0
      row[w] = (sum & allOnes) | (old & ~here)
      carry = sum >> wordBits
    }
    let next = start + filled
    while (next < end && bits[next] === 0) next++
    if (carry === 0 && next < end) this.#open(next - start, at(bits, next))
  }

  #addRare(start: number, end: number): void {
    const row = this.#row
    const { word, bits } = this.#places
    const filled = this.#filled
    let carry = 0
    let w = 0
    for (let entry = start; ; entry++) {
      const next = entry < end ? at(word, entry) : row.length
      for (const stop = Math.min(next, filled); carry > 0 && w < stop; w++) {
        const sum = (at(row, w) + 1) | 0
        row[w] = (sum & allOnes) | at(row, w)
        carry = sum >> wordBits
      }
      if (next >= filled) {
        if (carry === 0 && entry < end) this.#open(next, at(bits, entry))
        return
      }
      const old = at(row, next)
      const here = at(bits, entry)
      const sum = (old + (old & here) + carry) | 0
      row[next] = (sum & allOnes) | (old & ~here)
      carry = sum >> wordBits
      w = next + 1
    }
  }

  /** Adds an item to a word that is all ones: its lowest bit becomes the first zero there. */
  #open(word: number, bits: number): void {
    this.#row[word] = allOnes & ~(bits & -bits)
    this.#filled = word + 1
  }

  /** For each n from 0 the zeros among the first n bits. */
  zerosUpTo(): Int32Array {
    const zeros = new Int32Array(this.#places.items + 1)
    let count = 0
    let item = 0
    for (const word of this.#row) {
      for (let rest = word, bit = 0; bit < wordBits && item < zeros.length - 1; bit++, rest >>= 1) {
        count += 1 - (rest & 1)
        zeros[++item] = count
      }
    }
    return zeros
  }
}
