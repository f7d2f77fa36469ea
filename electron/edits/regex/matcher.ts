import { edge, type Alphabet, type Side } from './alphabet.js'
import { accept, type Automaton } from './automaton.js'
import type { Budget } from './budget.js'
import { backwards, forwards } from './direction.js'
import { dead, LazyStates } from './lazy-states.js'

/** Where each match of a pattern must lie. */
export interface Ties {
  readonly toStart: boolean
  readonly toEnd: boolean
}

/**
 * Finds the matches of one pattern in one pattern space after another, as GNU sed does: of the leftmost ones the longest,
 * and in it each group as the greedy walk finds it among the ways that reach exactly that end. Linear in the text.
 *
 * Shape: the space is a part of a buffer of valid text, positions are byte offsets in the buffer and lie on characters.
 */
export class Matcher {
  /** The match that `next` found last. */
  start = 0
  end = 0
  readonly #automaton: Automaton
  readonly #alphabet: Alphabet
  readonly #budget: Budget
  readonly #ties: Ties
  readonly #ends: LazyStates
  readonly #starts: LazyStates
  readonly #exact: LazyStates
  #text: Uint8Array = new Uint8Array()
  #from = 0
  #to = 0
  /** Starts of matches that are still ahead, the nearest last. */
  #ahead = new Int32Array(256)
  #aheadCount = 0
  #states = new Int32Array(256)

  constructor(automaton: Automaton, alphabet: Alphabet, ties: Ties, budget: Budget) {
    this.#automaton = automaton
    this.#alphabet = alphabet
    this.#ties = ties
    this.#budget = budget
    this.#ends = new LazyStates(forwards(automaton, alphabet), alphabet, budget)
    this.#exact = new LazyStates(backwards(automaton, alphabet, false), alphabet, budget)
    this.#starts = ties.toEnd ? this.#exact : new LazyStates(backwards(automaton, alphabet, true), alphabet, budget)
  }

  /** Takes up another pattern space, `text[from..to)`. */
  open(text: Uint8Array, from: number, to: number): void {
    this.#text = text
    this.#from = from
    this.#to = to
    this.#aheadCount = 0
    if (this.#ties.toStart) this.#pushAhead(from)
    else this.#findStarts()
  }

  /** Finds the first match that starts at `at` or later; `at` must not go back. */
  next(at: number): boolean {
    while (this.#aheadCount > 0) {
      const start = this.#ahead[--this.#aheadCount] ?? 0
      if (start < at) continue
      const end = this.#findEnd(start)
      if (end < 0) continue
      this.start = start
      this.end = end
      return true
    }
    return false
  }

  /** Start and end of each group of the found match: group n at 2n and 2n+1, both -1 where it took no part. */
  groups(): Int32Array {
    const states = this.#findStates()
    const found = new Int32Array((this.#automaton.groupCount + 1) * 2).fill(-1)
    let at = this.start
    let passed = this.#sideBefore(at)
    for (let index = this.#automaton.start; index !== accept;) {
      const step = this.#automaton.steps[index]
      if (step === undefined || step.kind === 'accept') break
      if (step.kind === 'char') {
        passed = this.#sideAfter(at)
        at = this.#after(at)
        index = step.next
      } else if (step.kind === 'fork') {
        const leads = this.#exact.closure(states[at - this.start] ?? dead, passed)
        index = leads[step.first] === 1 ? step.first : step.second
      } else {
        if (step.kind !== 'place') found[step.group * 2 + (step.kind === 'open' ? 0 : 1)] = at
        index = step.next
      }
    }
    return found
  }

  #pushAhead(start: number): void {
    if (this.#aheadCount === this.#ahead.length) this.#ahead = grown(this.#ahead)
    this.#ahead[this.#aheadCount++] = start
  }

  /** One run from the end of the space to its start; keeps every start of a match. */
  #findStarts(): void {
    const text = this.#text
    const from = this.#from
    const symbols = this.#alphabet.symbolOfByte
    const states = this.#starts
    let table = states.table
    let state = states.start(0)
    let at = this.#to
    while (state !== dead) {
      const byte = at === from ? -1 : (text[at - 1] ?? 0)
      let before = at - 1
      let symbol = edge
      if (byte >= symbols.length) {
        before = this.#before(at)
        symbol = this.#alphabet.symbolOf(codePointAt(text, before))
      } else if (byte >= 0) {
        symbol = symbols[byte] ?? 0
      }
      let entry = table[state + symbol] ?? -1
      if (entry < 0) {
        entry = states.fill(state, symbol)
        table = states.table
      }
      if ((entry & 1) === 1) this.#pushAhead(at)
      if (byte < 0) break
      state = entry >> 1
      at = before
    }
    this.#budget.spend(this.#to - at + 1)
  }

  /** End of the longest match that starts at `start`, or -1. */
  #findEnd(start: number): number {
    const text = this.#text
    const to = this.#to
    const symbols = this.#alphabet.symbolOfByte
    const states = this.#ends
    let state = states.start(this.#sideBefore(start))
    let table = states.table
    let at = start
    let end = -1
    while (state !== dead) {
      const byte = at === to ? -1 : (text[at] ?? 0)
      let after = at + 1
      let symbol = edge
      if (byte >= symbols.length) {
        after = this.#after(at)
        symbol = this.#alphabet.symbolOf(codePointAt(text, at))
      } else if (byte >= 0) {
        symbol = symbols[byte] ?? 0
      }
      let entry = table[state + symbol] ?? -1
      if (entry < 0) {
        entry = states.fill(state, symbol)
        table = states.table
      }
      if ((entry & 1) === 1) end = at
      if (byte < 0) break
      state = entry >> 1
      at = after
    }
    this.#budget.spend(at - start + 1)
    return end
  }

  /** For each place of the match, at its distance from the start, which steps lead on to exactly its end. */
  #findStates(): Int32Array {
    while (this.#states.length <= this.end - this.start) this.#states = grown(this.#states)
    const states = this.#exact
    let state = states.start(this.#sideAfter(this.end))
    let at = this.end
    this.#states[at - this.start] = state
    while (at > this.start) {
      const before = this.#before(at)
      const symbol = this.#symbolAt(before)
      const entry = states.table[state + symbol] ?? -1
      state = (entry < 0 ? states.fill(state, symbol) : entry) >> 1
      at = before
      this.#states[at - this.start] = state
    }
    this.#budget.spend((this.end - this.start + 1) * 4)
    return this.#states
  }

  #sideBefore(at: number): Side {
    return this.#alphabet.sideOf(at === this.#from ? edge : this.#symbolAt(this.#before(at)))
  }

  #sideAfter(at: number): Side {
    return this.#alphabet.sideOf(at === this.#to ? edge : this.#symbolAt(at))
  }

  #symbolAt(at: number): number {
    return this.#alphabet.symbolOfByte[this.#text[at] ?? 0] ?? this.#alphabet.symbolOf(codePointAt(this.#text, at))
  }

  /** The place before the character that ends at `at`. */
  #before(at: number): number {
    let before = at - 1
    if (this.#alphabet.isWide) while (((this.#text[before] ?? 0) & 0xc0) === 0x80) before--
    return before
  }

  #after(at: number): number {
    const byte = this.#text[at] ?? 0
    if (!this.#alphabet.isWide || byte < 0x80) return at + 1
    return at + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** The character of a UTF-8 sequence of two to four bytes. */
function codePointAt(text: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = text.subarray(at, at + 4)
  if (first < 0xe0) return ((first & 0x1f) << 6) | (second & 0x3f)
  if (first < 0xf0) return ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f)
  return ((first & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f)
}
