import { decline } from '../decline.js'
import type { CharSet } from './char-set.js'
import type { Place, RegexTree } from './regex-tree.js'

/** A step of the automaton; targets are indexes of steps. */
export type Step =
  | { readonly kind: 'char'; readonly set: number; readonly next: number }
  | { readonly kind: 'place'; readonly place: Place; readonly next: number }
  | { readonly kind: 'fork'; readonly first: number; readonly second: number }
  | { readonly kind: 'open' | 'close'; readonly group: number; readonly next: number }
  | { readonly kind: 'accept' }

/** A pattern as a graph without back-references; where two ways lead on, a greedy walk tries `first` first. */
export interface Automaton {
  readonly steps: readonly Step[]
  readonly sets: readonly CharSet[]
  readonly start: number
  readonly groupCount: number
}

/** Index of the accepting step. */
export const accept = 0

const maxSteps = 4000

/** Declines patterns that need more than 4,000 steps. */
export function buildAutomaton(tree: RegexTree, groupCount: number): Automaton {
  const steps: Step[] = [{ kind: 'accept' }]
  const setIndexes = new Map<CharSet, number>()

  function add(step: Step): number {
    if (steps.length === maxSteps) decline('the pattern is very long')
    return steps.push(step) - 1
  }

  function indexOf(set: CharSet): number {
    const index = setIndexes.get(set) ?? setIndexes.size
    setIndexes.set(set, index)
    return index
  }

  /** Index of the first step of `part`, after which the walk goes on at `next`. */
  function build(part: RegexTree, next: number): number {
    switch (part.kind) {
      case 'empty':
        return next
      case 'char':
        return add({ kind: 'char', set: indexOf(part.set), next })
      case 'place':
        return add({ kind: 'place', place: part.place, next })
      case 'group': {
        const close = add({ kind: 'close', group: part.number, next })
        return add({ kind: 'open', group: part.number, next: build(part.body, close) })
      }
      case 'sequence':
        return part.parts.reduceRight((after, inner) => build(inner, after), next)
      case 'choice': {
        const first = build(part.first, next)
        const second = build(part.second, next)
        // GNU's matcher tries an empty first branch last.
        return part.first.kind === 'empty'
          ? add({ kind: 'fork', first: second, second: first })
          : add({ kind: 'fork', first, second })
      }
      case 'repeat': {
        const optional =
          part.max === null ? buildStar(part.body, next) : buildOptional(part.body, part.max - part.min, next)
        return Array.from({ length: part.min }).reduce<number>((after) => build(part.body, after), optional)
      }
    }
  }

  function buildStar(body: RegexTree, next: number): number {
    const fork = add({ kind: 'fork', first: next, second: next })
    steps[fork] = { kind: 'fork', first: build(body, fork), second: next }
    return fork
  }

  /** `x{0,3}` is ((x?x)?x)?: how many are taken is decided before what the first one takes. */
  function buildOptional(body: RegexTree, times: number, next: number): number {
    if (times === 0) return next
    return add({ kind: 'fork', first: buildOptional(body, times - 1, build(body, next)), second: next })
  }

  const start = build(tree, accept)
  return { steps, sets: [...setIndexes.keys()], start, groupCount }
}
