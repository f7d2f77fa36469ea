import { decline } from '../decline.js'

/** Bounds the work on one file: a pattern that is slow on it is declined, never waited for. */
export class Budget {
  #left: number

  /** `units`: characters looked at, or as much work; some 300 million a second. */
  constructor(units: number) {
    this.#left = units
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) decline('the pattern takes too long on this file')
  }
}
