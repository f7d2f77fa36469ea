/** A random generator that gives the same numbers for the same seed on every machine (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to `limit`, exclusive. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  /** True in `percent` of the cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** `make` called `least` to `most` times, joined. */
  repeat(least: number, most: number, make: () => string): string {
    return Array.from({ length: least + this.below(most - least + 1) }, make).join('')
  }
}
