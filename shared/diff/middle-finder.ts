import { at } from './slots.js'

/** A point on a path: what stands before `left` goes with what stands before `right`. */
export interface Middle {
  readonly left: number
  readonly right: number
}

/** Right of every point. */
const beyond = 0x7fff_ffff

/**
 * Finds the middle of the shortest edit path between parts of two sequences, searching from both ends in linear
 * space (Myers, "An O(ND) difference algorithm and its variations", 1986, section 4b).
 *
 * Diagonal k holds the points with left - right = k. `forward` has the largest `left` that the search from the start
 * reached on each diagonal, `backward` the smallest that the search from the end reached.
 */
export class MiddleFinder {
  readonly #left: Int32Array
  readonly #right: Int32Array
  readonly #forward: Int32Array
  readonly #backward: Int32Array

  constructor(left: Int32Array, right: Int32Array) {
    this.#left = left
    this.#right = right
    this.#forward = new Int32Array(left.length + right.length + 3)
    this.#backward = new Int32Array(left.length + right.length + 3)
  }

  /**
   * The middle of the shortest path through `left[l, lEnd)` and `right[r, rEnd)`, or `null` when the path has more than
   * `2 * cap` items to add and remove. Both parts must hold items and differ in their first and in their last one. The
   * point is never a corner, so that cutting there leaves less to do. Takes at most 2 * cap * cap steps of about 6 ns.
   */
  find(l: number, lEnd: number, r: number, rEnd: number, cap: number): Middle | null {
    const left = this.#left
    const right = this.#right
    const forward = this.#forward
    const backward = this.#backward
    const first = l - r
    const last = lEnd - rEnd
    const lowest = l - rEnd
    const highest = lEnd - r
    // Diagonal k has slot k + zero; one spare slot lies at each end.
    const zero = 1 - lowest
    const meetGoingForward = ((first - last) & 1) !== 0
    let fMin = first
    let fMax = first
    let bMin = last
    let bMax = last
    forward[first + zero] = l
    backward[last + zero] = lEnd

    for (let step = 1; step <= cap; step++) {
      // Both ranges widen by one diagonal at each end; at the edge of the part they narrow, to keep the parity.
      if (fMin > lowest) forward[--fMin - 1 + zero] = -1
      else fMin++
      if (fMax < highest) forward[++fMax + 1 + zero] = -1
      else fMax--
      for (let k = fMax; k >= fMin; k -= 2) {
        const below = at(forward, k - 1 + zero)
        const above = at(forward, k + 1 + zero)
        let x = below >= above ? below + 1 : above
        while (x < lEnd && x - k < rEnd && left[x] === right[x - k]) x++
        forward[k + zero] = x
        if (meetGoingForward && k >= bMin && k <= bMax && at(backward, k + zero) <= x) return { left: x, right: x - k }
      }

      if (bMin > lowest) backward[--bMin - 1 + zero] = beyond
      else bMin++
      if (bMax < highest) backward[++bMax + 1 + zero] = beyond
      else bMax--
      for (let k = bMax; k >= bMin; k -= 2) {
        const below = at(backward, k - 1 + zero)
        const above = at(backward, k + 1 + zero)
        let x = below < above ? below : above - 1
        while (x > l && x - k > r && left[x - 1] === right[x - k - 1]) x--
        backward[k + zero] = x
        if (!meetGoingForward && k >= fMin && k <= fMax && x <= at(forward, k + zero)) return { left: x, right: x - k }
      }
    }
    return null
  }
}
