import { HalfwayFinder } from './halfway-finder.js'
import { MiddleFinder } from './middle-finder.js'
import type { Middle } from './middle-finder.js'
import { findSingleItems } from './single-items.js'
import { at } from './slots.js'

/**
 * One place where two sequences differ: `before[beforeStart, beforeEnd)` became `after[afterStart, afterEnd)`.
 * 0-based, half-open; one of the two may be empty, never both.
 */
export interface SequenceChange {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
}

/** Steps for a cut on the best path; up to `cheap` they are taken at once, above `affordable` only for small parts. */
const cheap = 8_000_000
const affordable = 24_000_000
/** Items that occur once on each side may cut a part when at least one in so many items agrees. */
const itemsPerAnchor = 64
/** Items a side that are looked at together where the best path of the whole cannot be afforded. */
const windowSize = 4096

/**
 * The differences of two sequences of ids, in order; what lies between them is equal on both sides.
 *
 * Shape: ids are integers from 0 up to, not including, `idCount`.
 *
 * There always is an answer, and no shorter one, save where thousands of items changed in a large input (some 15,000
 * items a side that repeat themselves much, 50,000 like those of source code): there it comes close.
 */
export function diffSequences(before: Int32Array, after: Int32Array, idCount: number): SequenceChange[] {
  return changesOf(matchSequences(before, after, idCount), after.length)
}

/**
 * For each item of `before` the index of the equal item of `after` that it is kept as, or -1. The indexes rise.
 *
 * Equal ends, and items that one side lacks, are taken off, which loses nothing; what remains is cut in two, and so on.
 */
function matchSequences(before: Int32Array, after: Int32Array, idCount: number): Int32Array {
  const partners = new Int32Array(before.length).fill(-1)
  const left = new Side(before, idCount)
  const right = new Side(after, idCount)
  const middles = new MiddleFinder(left.ids, right.ids)
  const halfways = new HalfwayFinder(left.ids, right.ids, idCount)

  // The part looked at is left[l, lEnd) against right[r, rEnd). Those that wait stand four numbers each.
  const waiting: number[] = []
  let l = 0
  let lEnd = before.length
  let r = 0
  let rEnd = after.length
  let partNumber = 0

  for (;;) {
    matchEnds()
    if (!isMatched()) dropUnshared()
    matchEnds()
    if (!isMatched()) cut()
    if (waiting.length === 0) return partners
    rEnd = waiting.pop() ?? 0
    r = waiting.pop() ?? 0
    lEnd = waiting.pop() ?? 0
    l = waiting.pop() ?? 0
  }

  function isMatched(): boolean {
    return l === lEnd || r === rEnd
  }

  function match(i: number, j: number): void {
    partners[left.homeOf(i)] = right.homeOf(j)
  }

  function matchEnds(): void {
    while (l < lEnd && r < rEnd && left.ids[l] === right.ids[r]) match(l++, r++)
    while (l < lEnd && r < rEnd && left.ids[lEnd - 1] === right.ids[rEnd - 1]) match(--lEnd, --rEnd)
  }

  function dropUnshared(): void {
    partNumber++
    left.mark(l, lEnd, partNumber)
    right.mark(r, rEnd, partNumber)
    lEnd = left.keepMarked(l, lEnd, right, partNumber)
    rEnd = right.keepMarked(r, rEnd, left, partNumber)
  }

  function cut(): void {
    const near = middles.find(l, lEnd, r, rEnd, Math.ceil(Math.sqrt(lEnd - l + rEnd - r)))
    if (near !== null) return cutAt(near)
    const cost = halfways.cost(l, lEnd, r, rEnd)
    if (cost > cheap && cutAtSingles()) return
    if (cost > affordable && lEnd - l > windowSize && rEnd - r > windowSize) return cutInWindows()
    // A search for a short path may take a fraction of what the sure way takes.
    cutAt(middles.find(l, lEnd, r, rEnd, Math.ceil(Math.sqrt(cost) / 4)) ?? halfways.find(l, lEnd, r, rEnd))
  }

  function cutAt(middle: Middle): void {
    wait(l, middle.left, r, middle.right)
    wait(middle.left, lEnd, middle.right, rEnd)
  }

  function wait(fromL: number, toL: number, fromR: number, toR: number): void {
    if (fromL < toL && fromR < toR) waiting.push(fromL, toL, fromR, toR)
  }

  /** Cuts at the items that occur once on each side, matched by themselves; false where too few of them agree. */
  function cutAtSingles(): boolean {
    const leftPart = left.ids.subarray(l, lEnd)
    const rightPart = right.ids.subarray(r, rEnd)
    const singles = findSingleItems(leftPart, rightPart, idCount)
    if (singles.left.length === leftPart.length) return false
    const idsAt = (part: Int32Array, places: Int32Array): Int32Array => places.map((place) => at(part, place))
    const kept = matchSequences(idsAt(leftPart, singles.left), idsAt(rightPart, singles.right), idCount)
    if (kept.filter((single) => single >= 0).length * itemsPerAnchor < leftPart.length + rightPart.length) return false

    const [leftBase, rightBase] = [l, r]
    for (const [n, single] of kept.entries()) {
      if (single < 0) continue
      const i = leftBase + at(singles.left, n)
      const j = rightBase + at(singles.right, single)
      wait(l, i, r, j)
      match(i, j)
      l = i + 1
      r = j + 1
    }
    wait(l, lEnd, r, rEnd)
    return true
  }

  /** Cuts on the best path through the next items of each side, halfway, and goes on from there. */
  function cutInWindows(): void {
    while (lEnd - l > windowSize && rEnd - r > windowSize) {
      const middle = halfways.find(l, l + windowSize, r, r + windowSize)
      wait(l, middle.left, r, middle.right)
      l = middle.left
      r = middle.right
    }
    wait(l, lEnd, r, rEnd)
  }
}

/** One sequence while it is matched. Items are moved together as others drop out; each remembers its home. */
class Side {
  readonly ids: Int32Array
  readonly #homes: Int32Array
  readonly #markOfId: Int32Array

  constructor(sequence: Int32Array, idCount: number) {
    this.ids = sequence.slice()
    this.#homes = sequence.map((_, index) => index)
    this.#markOfId = new Int32Array(idCount)
  }

  homeOf(index: number): number {
    return at(this.#homes, index)
  }

  mark(from: number, to: number, mark: number): void {
    for (let i = from; i < to; i++) this.#markOfId[at(this.ids, i)] = mark
  }

  /** Moves the items whose id the other side has marked to the front of the part; returns where they end. */
  keepMarked(from: number, to: number, other: Side, mark: number): number {
    let end = from
    for (let i = from; i < to; i++) {
      const id = at(this.ids, i)
      if (other.#markOfId[id] !== mark) continue
      this.ids[end] = id
      this.#homes[end++] = at(this.#homes, i)
    }
    return end
  }
}

function changesOf(partners: Int32Array, afterLength: number): SequenceChange[] {
  const changes: SequenceChange[] = []
  let i = 0
  let j = 0
  while (i < partners.length || j < afterLength) {
    if (i < partners.length && partners[i] === j) {
      i++
      j++
      continue
    }
    const beforeStart = i
    const afterStart = j
    while (i < partners.length && at(partners, i) < 0) i++
    j = i < partners.length ? at(partners, i) : afterLength
    changes.push({ beforeStart, beforeEnd: i, afterStart, afterEnd: j })
  }
  return changes
}
