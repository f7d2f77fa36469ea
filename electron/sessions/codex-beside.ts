import { clockMs } from './codex-sights.js'
import type { Doubt, FileStep, TurnSteps } from './codex-steps.js'

/** Work beside a turn, and which part of it belongs to the turn, by time. */
export interface BesideWork {
  readonly steps: TurnSteps
  readonly from: number
  readonly to: number
}

interface Moment {
  readonly source: number
  readonly order: number
  readonly time: number
}

/**
 * What happened in a turn together with what other agents did beside it, in one order by time. Two things of different agents that
 * came at nearly the same time, or while a command went on, may have come the other way around: what they left is in doubt.
 */
export function withWorkBeside(own: TurnSteps, beside: readonly BesideWork[]): TurnSteps {
  const sources = [{ steps: own, from: -Infinity, to: Infinity }, ...beside]
  const moments = sources.flatMap(({ steps, from, to }, source): readonly Moment[] => {
    let latest = -Infinity
    return steps.times.flatMap((each, order) => {
      latest = Math.max(latest, each)
      return latest >= from && latest < to ? [{ source, order, time: latest }] : []
    })
  })
  moments.sort((one, two) => one.time - two.time || one.source - two.source || one.order - two.order)
  const placeOf = sources.map(() => new Map<number, number>())
  moments.forEach(({ source, order }, place) => placeOf[source]?.set(order, place))
  const placed = sources.map(({ steps, from }, source) => {
    const places = placeOf[source] ?? new Map<number, number>()
    /** Before or behind all, for what lies outside. */
    const edge = (order: number): number => places.get(order) ?? ((steps.times[order] ?? Infinity) < from ? -0.5 : moments.length - 0.5)
    const take = <Item extends { readonly order: number }>(items: readonly Item[]): readonly Item[] =>
      items.flatMap((item) => {
        const order = places.get(item.order)
        return order === undefined ? [] : [{ ...item, order }]
      })
    return { source, steps: take(steps.steps), doubts: take(steps.doubts), shown: take(steps.shown), commands: take(steps.commands), started: take(steps.started), all: steps, edge, lasting: lasting(steps.doubts, edge) }
  })
  const all = placed.flatMap(({ steps, source }) => steps.map((step) => ({ step, source })))
  const steps = all.map(({ step, source }) => {
    const others = all.filter((other) => other.source !== source)
    return { ...step, ...(source > 0 ? { cause: 'subagent' as const } : {}), files: step.files.map((file) => (step.cause === 'command' && isOverlapped(step, file.path, others) ? { ...file, after: null } : file)) }
  })
  const doubts = [...placed.flatMap((each) => each.doubts), ...placed.flatMap(({ source, lasting: spans }) => during(spans, moments, source)), ...atOnce(all)]
  const latest = all.reduce((last, { step }) => Math.max(last, step.endedAt), own.endedAt)
  return {
    steps: steps.sort(byOrder),
    doubts: doubts.sort(byOrder),
    shown: placed.flatMap(({ shown }) => shown).sort(byOrder),
    commands: placed.flatMap(({ commands }) => commands).sort(byOrder),
    ghosts: own.ghosts.map((ghost) => ({ ...ghost, as: placeOf[0]?.get(ghost.as) ?? 0 })),
    started: placed.flatMap(({ started }) => started).sort(byOrder),
    endFolder: own.endFolder,
    startedAt: own.startedAt,
    endedAt: latest,
    length: moments.length + 1,
    times: moments.map(({ time }) => time),
  }
}

/** A turn in which, from an order on, an agent worked whose log is not here: everything is in doubt after each moment. */
export function withUnseenWork(own: TurnSteps, from: number): TurnSteps {
  const doubts = own.times.flatMap((at, order): readonly Doubt[] => (order < from ? [] : [{ order: order + 0.5, at, path: null, isTree: true, isQuiet: false }]))
  return { ...own, doubts: [...own.doubts, ...doubts].sort(byOrder), length: own.length + 1, times: [...own.times, own.endedAt] }
}

interface Lasting {
  readonly doubt: Doubt
  readonly from: number
  readonly to: number
}

function lasting(doubts: readonly Doubt[], edge: (order: number) => number): readonly Lasting[] {
  return doubts.flatMap((doubt) => (doubt.until === undefined ? [] : [{ doubt, from: edge(doubt.order), to: edge(doubt.until) }]))
}

/** What went on while others did something: a doubt after each of these moments. */
function during(spans: readonly Lasting[], moments: readonly Moment[], source: number): readonly Doubt[] {
  return spans.flatMap(({ doubt, from, to }) =>
    moments.flatMap((moment, place) => (moment.source !== source && place > from && place < to ? [{ ...doubt, order: place + 0.5 }] : [])),
  )
}

function isOverlapped(step: FileStep, path: string, others: readonly { readonly step: FileStep }[]): boolean {
  return others.some(({ step: other }) => other.endedAt >= step.startedAt - clockMs && other.endedAt <= step.endedAt + clockMs && touches(other, path))
}

/** Two steps of different agents on one file, too close to tell which came first. */
function atOnce(all: readonly { readonly step: FileStep; readonly source: number }[]): readonly Doubt[] {
  const ordered = [...all].sort((one, two) => one.step.order - two.step.order)
  return ordered.flatMap(({ step, source }, at): readonly Doubt[] => {
    const close = ordered.slice(at + 1).filter((later) => later.source !== source && later.step.endedAt - step.endedAt <= clockMs)
    const paths = step.files.map(({ path }) => path).filter((path) => close.some((later) => touches(later.step, path)))
    const last = close.at(-1)?.step ?? step
    return paths.map((path) => ({ order: last.order + 0.5, at: step.endedAt, path, isTree: false, isQuiet: false }))
  })
}

function touches(step: FileStep, path: string): boolean {
  return step.files.some((file) => file.path === path || file.movedTo === path)
}

function byOrder(one: { readonly order: number }, two: { readonly order: number }): number {
  return one.order - two.order
}
