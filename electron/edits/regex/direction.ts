import { edgeSide, wordSide, type Alphabet, type Side } from './alphabet.js'
import { accept, type Automaton, type Step } from './automaton.js'
import type { Place } from './regex-tree.js'

/** How a set of steps moves over text, forwards from a start or backwards from an end. */
export interface Direction {
  /** The set before any character. */
  readonly first: readonly number[]
  /** The step that tells of a match. */
  readonly last: number
  readonly hasPlaces: boolean
  /** Whether an empty set can come to life again. */
  readonly isEndless: boolean
  /** 1 for each step that is reached from `steps` without passing a character. */
  close(steps: readonly number[], passed: Side, coming: Side): Uint8Array
  /** The set after a character, in rising order. */
  pass(closure: Uint8Array, symbol: number): readonly number[]
}

/** From a start, all that can be reached: `last` tells that a match ends here. */
export function forwards({ steps, start }: Automaton, alphabet: Alphabet): Direction {
  const chars = charSteps(steps)
  return {
    first: [start],
    last: accept,
    hasPlaces: steps.some((step) => step.kind === 'place'),
    isEndless: false,
    close: (from, passed, coming) =>
      spread(steps.length, from, (index) => {
        const step = steps[index]
        if (step === undefined || step.kind === 'accept' || step.kind === 'char') return []
        if (step.kind === 'fork') return [step.first, step.second]
        return step.kind === 'place' && !holds(step.place, passed, coming) ? [] : [step.next]
      }),
    pass: (closure, symbol) => {
      const after = new Set<number>()
      for (const { index, set, next } of chars) if (closure[index] === 1 && alphabet.isIn(symbol, set)) after.add(next)
      return [...after].sort((a, b) => a - b)
    },
  }
}

/**
 * From an end, all that lead to it: `last` tells that a match begins here. With `fromAnyEnd` each place passed is an end
 * as well, so that one run over the text finds every start of a match.
 */
export function backwards({ steps, start }: Automaton, alphabet: Alphabet, fromAnyEnd: boolean): Direction {
  const chars = charSteps(steps)
  const leadingTo: { readonly index: number; readonly place: Place | null }[][] = steps.map(() => [])
  steps.forEach((step, index) => {
    if (step.kind === 'fork') {
      leadingTo[step.first]?.push({ index, place: null })
      leadingTo[step.second]?.push({ index, place: null })
    } else if (step.kind !== 'char' && step.kind !== 'accept') {
      leadingTo[step.next]?.push({ index, place: step.kind === 'place' ? step.place : null })
    }
  })
  return {
    first: [accept],
    last: start,
    hasPlaces: steps.some((step) => step.kind === 'place'),
    isEndless: fromAnyEnd,
    close: (from, passed, coming) =>
      spread(steps.length, fromAnyEnd ? [accept, ...from] : from, (index) =>
        (leadingTo[index] ?? []).flatMap((edge) =>
          edge.place === null || holds(edge.place, coming, passed) ? [edge.index] : [],
        ),
      ),
    pass: (closure, symbol) =>
      chars.flatMap(({ index, set, next }) => (closure[next] === 1 && alphabet.isIn(symbol, set) ? [index] : [])),
  }
}

interface CharStep {
  readonly index: number
  readonly set: number
  readonly next: number
}

function charSteps(steps: readonly Step[]): readonly CharStep[] {
  return steps.flatMap((step, index) => (step.kind === 'char' ? [{ index, set: step.set, next: step.next }] : []))
}

function spread(count: number, from: readonly number[], onward: (index: number) => readonly number[]): Uint8Array {
  const reached = new Uint8Array(count)
  const waiting = [...from]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (reached[index] === 1) continue
    reached[index] = 1
    waiting.push(...onward(index))
  }
  return reached
}

function holds(place: Place, left: Side, right: Side): boolean {
  switch (place) {
    case 'spaceStart':
      return left === edgeSide
    case 'spaceEnd':
      return right === edgeSide
    case 'wordStart':
      return left !== wordSide && right === wordSide
    case 'wordEnd':
      return left === wordSide && right !== wordSide
    case 'wordEdge':
      return (left === wordSide) !== (right === wordSide)
  }
}
