import type { Tick } from '../../shared/timeline.js'

/** So many marks fit beside a turn of usual height. */
export const maxTicks = 9

/** Pixels from one tick to the next, and from the node to the first one. */
export const tickPitch = 7
export const firstTick = 14.5

/** Length of the mark of so many lines: their logarithm, at most 22 px; 0 for none. */
export function tickLength(lines: number): number {
  return lines <= 0 ? 0 : Math.min(22, Math.round((4 + 2.1 * Math.log2(lines + 1)) * 10) / 10)
}

/**
 * At most `max` ticks: neighbours of the same kind are summed, the smallest first; where that does not reach,
 * neighbours of any kind, and the graver kind stays.
 */
export function fitTicks(ticks: readonly Tick[], max = maxTicks): readonly Tick[] {
  const fitted = [...inBuckets(ticks)]
  while (fitted.length > max) {
    const at = cheapestPair(fitted, isSameKind) ?? cheapestPair(fitted, () => true) ?? 0
    const [a, b] = [fitted[at], fitted[at + 1]]
    if (!a || !b) return fitted
    fitted.splice(at, 2, joined(a, b))
  }
  return fitted
}

/** One tick for each kind and cause: what many turns did together. */
export function sumTicks(ticks: readonly Tick[]): readonly Tick[] {
  const sums = new Map<string, Tick>()
  for (const tick of ticks) {
    const name = tick.kind === 'change' ? `change ${tick.cause}` : tick.kind
    const sum = sums.get(name)
    sums.set(name, sum ? joined(sum, tick) : { ...tick, label: name })
  }
  return [...sums.values()]
}

/** Finding the cheapest pair is quadratic, so a very long turn is first cut into so many pieces. */
const bucketsAtMost = 120

function inBuckets(ticks: readonly Tick[]): readonly Tick[] {
  if (ticks.length <= bucketsAtMost) return ticks
  const size = Math.ceil(ticks.length / bucketsAtMost)
  return Array.from({ length: Math.ceil(ticks.length / size) }, (_, at) => ticks.slice(at * size, (at + 1) * size).reduce(joined))
}

const graveness: Readonly<Record<Tick['kind'], number>> = { command: 0, subagent: 1, change: 2, failed: 3, refused: 4, unknown: 5 }

function cheapestPair(ticks: readonly Tick[], fits: (a: Tick, b: Tick) => boolean): number | null {
  let best: number | null = null
  let bestWeight = Infinity
  for (let at = 0; at + 1 < ticks.length; at++) {
    const [a, b] = [ticks[at], ticks[at + 1]]
    if (!a || !b || !fits(a, b)) continue
    const weight = weightOf(a) + weightOf(b)
    if (weight < bestWeight) [best, bestWeight] = [at, weight]
  }
  return best
}

function isSameKind(a: Tick, b: Tick): boolean {
  return a.kind === b.kind && (a.kind !== 'change' || (b.kind === 'change' && a.cause === b.cause))
}

function weightOf(tick: Tick): number {
  return tick.kind === 'change' ? tick.added + tick.removed : graveness[tick.kind]
}

function joined(a: Tick, b: Tick): Tick {
  const label = a.label.length > 400 ? a.label : `${a.label}\n${b.label}`
  if (a.kind === 'change' && b.kind === 'change') {
    const cause = weightOf(a) >= weightOf(b) ? a.cause : b.cause
    return { kind: 'change', cause, added: a.added + b.added, removed: a.removed + b.removed, label }
  }
  return { ...(graveness[a.kind] >= graveness[b.kind] ? a : b), label }
}
