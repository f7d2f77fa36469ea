import type { Tick } from '../../shared/timeline.js'

/** As many as the rail can draw for one turn. */
const maxTicks = 9
const longestLabel = 400

/**
 * At most nine ticks: neighbours of the same kind are summed until they fit, the smallest first; where no neighbours
 * are left, the nearest of a kind.
 */
export function fitTicks(ticks: readonly Tick[]): readonly Tick[] {
  let fitted = ticks
  for (const isAlike of [isSameKindAndCause, isSameKind]) {
    while (fitted.length > maxTicks) {
      const pair = nearestPair(fitted, isAlike)
      if (!pair) break
      const [one, two] = pair
      const sum = sumOf(fitted[one], fitted[two])
      if (!sum) break
      fitted = fitted.flatMap((tick, at) => (at === one ? [sum] : at === two ? [] : [tick]))
    }
  }
  return fitted
}

function nearestPair(ticks: readonly Tick[], isAlike: (one: Tick, two: Tick) => boolean): readonly [number, number] | null {
  let best: readonly [number, number] | null = null
  let bestCost = Infinity
  for (const [at, one] of ticks.entries()) {
    const next = ticks.findIndex((two, other) => other > at && isAlike(one, two))
    const two = ticks[next]
    const cost = two ? (next - at - 1) * farAway + weightOf(one) + weightOf(two) : Infinity
    if (cost >= bestCost) continue
    best = [at, next]
    bestCost = cost
  }
  return best
}

/** A place between counts more than any number of lines. */
const farAway = 1e9

function weightOf(tick: Tick): number {
  return tick.kind === 'change' ? tick.removed + tick.added : 1
}

function sumOf(one: Tick | undefined, two: Tick | undefined): Tick | null {
  if (!one || !two || one.kind !== two.kind) return null
  const label = one.label === two.label || one.label.length > longestLabel ? one.label : `${one.label}, ${two.label}`
  if (one.kind !== 'change' || two.kind !== 'change') return { ...one, label }
  return { ...one, removed: one.removed + two.removed, added: one.added + two.added, label }
}

function isSameKind(one: Tick, two: Tick): boolean {
  return one.kind === two.kind
}

function isSameKindAndCause(one: Tick, two: Tick): boolean {
  return one.kind === two.kind && (one.kind !== 'change' || two.kind !== 'change' || one.cause === two.cause)
}
