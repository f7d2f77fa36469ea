import { decline } from '../decline.js'
import { edge, edgeSide, type Alphabet, type Side } from './alphabet.js'
import type { Budget } from './budget.js'
import type { Direction } from './direction.js'

/** No match can come any more. */
export const dead = 0

const maxStates = 10_000

/**
 * A deterministic automaton that is built while it runs. A state is a set of steps together with the side of the character
 * passed last, because places look at both sides.
 *
 * Shape: `table[state + symbol]` is `next state * 2 + matched`, -1 where `fill` must be called first; `matched` speaks of
 * the place before the symbol. States are multiples of the alphabet's capacity. `table` is another one after it has grown.
 */
export class LazyStates {
  table: Int32Array
  readonly #direction: Direction
  readonly #alphabet: Alphabet
  readonly #budget: Budget
  readonly #steps: (readonly number[])[] = []
  readonly #sides: Side[] = []
  readonly #states = new Map<string, number>()
  readonly #closures = new Map<number, Uint8Array>()
  readonly #starts: number[] = []

  constructor(direction: Direction, alphabet: Alphabet, budget: Budget) {
    this.#direction = direction
    this.#alphabet = alphabet
    this.#budget = budget
    this.table = new Int32Array(alphabet.capacity * 16).fill(-1)
    this.#steps.push([])
    this.#sides.push(edgeSide)
    this.table.fill(dead, 0, alphabet.capacity)
  }

  /** The state at a place whose passed side is `side`, before any symbol. */
  start(side: Side): number {
    return (this.#starts[side] ??= this.#stateOf(this.#direction.first, side))
  }

  /** Computes and keeps one transition. */
  fill(state: number, symbol: number): number {
    const side = this.#alphabet.sideOf(symbol)
    const closure = this.closure(state, side)
    const next = symbol === edge ? dead : this.#stateOf(this.#direction.pass(closure, symbol), side)
    const entry = next * 2 + (closure[this.#direction.last] ?? 0)
    this.table[state + symbol] = entry
    return entry
  }

  /** 1 for each step that can be reached in `state` without passing a character when `coming` is on the other side. */
  closure(state: number, coming: Side): Uint8Array {
    const key = state * 3 + coming
    const known = this.#closures.get(key)
    if (known !== undefined) return known
    const index = state / this.#alphabet.capacity
    const closure = this.#direction.close(this.#steps[index] ?? [], this.#sides[index] ?? edgeSide, coming)
    this.#budget.spend(closure.length * 4)
    this.#closures.set(key, closure)
    return closure
  }

  #stateOf(steps: readonly number[], passed: Side): number {
    if (steps.length === 0 && !this.#direction.isEndless) return dead
    const side = this.#direction.hasPlaces ? passed : edgeSide
    const key = `${side}:${steps.join()}`
    const known = this.#states.get(key)
    if (known !== undefined) return known
    this.#budget.spend(steps.length * 20 + this.#alphabet.capacity)
    const state = this.#steps.length * this.#alphabet.capacity
    if (this.#steps.length === maxStates) decline('the pattern takes too much memory')
    this.#states.set(key, state)
    this.#steps.push(steps)
    this.#sides.push(side)
    if (state === this.table.length) {
      const grown = new Int32Array(this.table.length * 2).fill(-1)
      grown.set(this.table)
      this.table = grown
    }
    return state
  }
}
