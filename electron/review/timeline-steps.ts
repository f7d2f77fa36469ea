import { throwIfAborted } from '../../shared/errors.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { Turn } from '../../shared/session.js'
import { breathe } from '../base/pool.js'
import type { RecordedSession, SetAsideBranch } from '../sessions/recorded-session.js'
import { covers, endOf, Segment, startOf, type LinkSign, type PathEvent, type Place } from './path-events.js'
import { asUncertain, placedCalls, stepsOf, withLedger, type PlacedCall, type TurnSteps } from './recorded-steps.js'

/** Digests of turns, kept over changes of the log; only a turn that may still grow is read again. */
export class StepsCache {
  private readonly digests = new Map<PromptId, Promise<TurnSteps>>()
  private readonly calls = new Map<PromptId, Promise<readonly PlacedCall[]>>()

  constructor(private readonly session: RecordedSession) {}

  stepsOf(promptId: PromptId): Promise<TurnSteps> {
    return remember(this.digests, promptId, Infinity, async () => {
      const entries = await this.session.readTurn(promptId)
      const told = stepsOf(promptId, entries, this.session.folder ?? '/')
      const isLive = this.session.turns.some((turn) => turn.promptId === promptId)
      const pages = isLive ? await this.session.ledger?.pages() : undefined
      return pages && !pages.isPartial ? withLedger(told, placedCalls(entries), pages.ofTurn(promptId)) : told
    })
  }

  /** The calls with their texts; only those of the last few turns are kept. */
  callsOf(promptId: PromptId): Promise<readonly PlacedCall[]> {
    return remember(this.calls, promptId, 4, async () => placedCalls(await this.session.readTurn(promptId)))
  }

  forget(promptId: PromptId): void {
    this.digests.delete(promptId)
    this.calls.delete(promptId)
  }
}

function remember<Value>(cache: Map<PromptId, Promise<Value>>, key: PromptId, limit: number, make: () => Promise<Value>): Promise<Value> {
  const known = cache.get(key)
  if (known) return known
  const made = make()
  cache.set(key, made)
  made.catch(() => cache.delete(key))
  const oldest = cache.size > limit ? cache.keys().next() : null
  if (oldest && !oldest.done) cache.delete(oldest.value)
  return made
}

/**
 * All that happened along the live branch, turn by turn and between turns, found by path. Segments are read when they
 * are first needed; `load` must have been awaited for the range that is asked.
 */
export class TimelineSteps {
  readonly turns: readonly Turn[]
  private readonly indexes: ReadonlyMap<PromptId, number>
  private readonly aside: ReadonlyMap<number, readonly SetAsideBranch[]>
  private readonly segments: (Segment | undefined)[] = []
  private readonly broad: number[] = []
  private readonly links: LinkSign[] = []
  private readonly named = new Map<WorkspacePath, number[]>()
  /** Segments from the first on without a missing one. */
  private whole = 0

  constructor(
    session: RecordedSession,
    private readonly cache: StepsCache,
  ) {
    this.turns = session.turns
    this.indexes = new Map(this.turns.map((turn, at) => [turn.promptId, at]))
    const aside = new Map<number, SetAsideBranch[]>()
    for (const branch of session.setAside) {
      const after = branch.after === null ? -1 : (this.indexes.get(branch.after) ?? -1)
      aside.set(after, [...(aside.get(after) ?? []), branch])
    }
    this.aside = aside
  }

  indexOf(promptId: PromptId): number | null {
    return this.indexes.get(promptId) ?? null
  }

  /** Branches that were set aside between a turn and the next one; -1 is before the first turn. */
  setAsideAfter(turn: number): readonly SetAsideBranch[] {
    return this.aside.get(turn) ?? []
  }

  /** Branches that left the live one before a turn began. */
  setAsideBefore(turn: number): readonly SetAsideBranch[] {
    return [...this.aside].flatMap(([after, branches]) => (after < turn ? branches : []))
  }

  digest(turn: Turn): Promise<TurnSteps> {
    return this.cache.stepsOf(turn.promptId)
  }

  async call(place: Place, at: number): Promise<PlacedCall | null> {
    const turn = this.turns[(place.segment - 1) / 2]
    return turn ? ((await this.cache.callsOf(turn.promptId))[at] ?? null) : null
  }

  /** Reads what is still missing between two places. */
  async load(from: Place, to: Place, signal: AbortSignal | undefined): Promise<void> {
    if (this.isWhole) return
    const last = Math.min(to.segment - (to.step === 0 ? 1 : 0), 2 * this.turns.length)
    for (let number = Math.max(0, from.segment); number <= last; number++) {
      if (this.segments[number]) continue
      throwIfAborted(signal)
      this.add(await this.read(number))
      if (number % 16 === 0) await breathe()
    }
  }

  /** Whether all of the log was read. */
  get isWhole(): boolean {
    while (this.segments[this.whole]) this.whole++
    return this.whole > 2 * this.turns.length
  }

  /** Everything that concerns a path from one place to another, in order. */
  *events(path: WorkspacePath, from: Place, to: Place): Generator<PathEvent> {
    for (const number of this.concerned(path, from.segment)) {
      if (number > to.segment) return
      for (const event of this.segments[number]?.eventsOn(path) ?? []) {
        if (number === from.segment && event.place.step < from.step) continue
        if (number === to.segment && event.place.step >= to.step) return
        yield event
      }
    }
  }

  /** The same from a place backwards. */
  *eventsBefore(path: WorkspacePath, place: Place): Generator<PathEvent> {
    for (const number of this.concernedBefore(path, place.segment)) {
      for (const event of [...(this.segments[number]?.eventsOn(path) ?? [])].reverse()) {
        if (number < place.segment || event.place.step < place.step) yield event
      }
    }
  }

  /** Signs that the path is no plain file, among the commands that were read so far. */
  linkSigns(path: WorkspacePath): readonly LinkSign[] {
    return this.links.filter(({ effect }) => covers(effect, path))
  }

  /** The first and the last turn, from `from` to `to`, whose calls or commands name the path as changed; must have been loaded. */
  touches(path: WorkspacePath, from: number, to: number): { readonly first: number; readonly last: number; readonly count: number } | null {
    const isTouching = (number: number): boolean => number % 2 === 1 && this.segments[number]?.changedPaths.has(path) === true
    const numbers = this.named.get(path) ?? []
    const inRange = numbers.slice(lowerBound(numbers, startOf(from).segment), lowerBound(numbers, startOf(to).segment + 1)).filter(isTouching)
    const [first, last] = [inRange[0], inRange.at(-1)]
    return first === undefined || last === undefined ? null : { first: (first - 1) / 2, last: (last - 1) / 2, count: inRange.length }
  }

  /** The segment of a turn; must have been loaded. */
  segmentOf(turn: number): Segment | null {
    return this.segments[startOf(turn).segment] ?? null
  }

  gapAfter(turn: number): Segment | null {
    return this.segments[endOf(turn).segment] ?? null
  }

  /** Segments from `from` on in which something may concern the path, in order. Lazy: most callers stop at the first. */
  private *concerned(path: WorkspacePath, from: number): Generator<number> {
    const named = this.named.get(path) ?? []
    let i = lowerBound(this.broad, from)
    let k = lowerBound(named, from)
    for (;;) {
      const next = Math.min(this.broad[i] ?? Infinity, named[k] ?? Infinity)
      if (next === Infinity) return
      if (this.broad[i] === next) i++
      if (named[k] === next) k++
      yield next
    }
  }

  private *concernedBefore(path: WorkspacePath, to: number): Generator<number> {
    const named = this.named.get(path) ?? []
    let i = lowerBound(this.broad, to + 1) - 1
    let k = lowerBound(named, to + 1) - 1
    for (;;) {
      const next = Math.max(this.broad[i] ?? -1, named[k] ?? -1)
      if (next < 0) return
      if (this.broad[i] === next) i--
      if (named[k] === next) k--
      yield next
    }
  }

  private async read(number: number): Promise<Segment> {
    const turn = this.turns[(number - 1) / 2]
    if (turn) return new Segment(number, (await this.digest(turn)).steps)
    const dead = this.setAsideAfter(number / 2 - 1).flatMap((branch) => branch.turns)
    const digests = await Promise.all(dead.map((one) => this.digest(one)))
    return new Segment(number, digests.flatMap(asUncertain))
  }

  private add(segment: Segment): void {
    if (this.segments[segment.number]) return
    this.segments[segment.number] = segment
    if (segment.isBroad) insert(this.broad, segment.number)
    this.links.push(...segment.linkSigns)
    for (const path of segment.paths) {
      const numbers = this.named.get(path)
      if (numbers) insert(numbers, segment.number)
      else this.named.set(path, [segment.number])
    }
  }
}

function lowerBound(numbers: readonly number[], value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? Infinity) < value) low = middle + 1
    else high = middle
  }
  return low
}

function insert(numbers: number[], value: number): void {
  numbers.splice(lowerBound(numbers, value), 0, value)
}
