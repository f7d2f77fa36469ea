import type { WorkspacePath } from '../../shared/ids.js'
import type { Evidence } from './codex-evidence.js'
import { confirm, solve, touchesOf, type FileEvent, type Known, type Solved } from './codex-states.js'
import { clockMs, firstAfter, sightsOf, type Sight } from './codex-sights.js'
import type { Doubt, FileStep, ShownFile, StepFile, TurnSteps } from './codex-steps.js'

/** The turns of a session with what happened in each; a turn's number is its index. */
export interface Timeline {
  readonly turns: readonly TurnSteps[]
  /** Commit that was checked out as the session began. */
  readonly commit: string | null
}

/** A step with its place among all. */
export interface PlacedStep {
  readonly at: number
  readonly turn: number
  readonly step: FileStep
}

const noLook = { movedTo: null, apply: null, unapply: null, shown: null }

/** Works out the states of all files that a session changed, some at a time: those that moves connect. */
export class TimelineSolver {
  readonly steps: readonly PlacedStep[]
  readonly groups: readonly (readonly WorkspacePath[])[]
  private readonly starts: readonly number[]
  private readonly doubts: readonly (Doubt & { readonly turn: number })[]
  private readonly shown: ReadonlyMap<WorkspacePath, readonly ShownFile[]>
  /** What happened to each path, in order. */
  private readonly ofPath: ReadonlyMap<WorkspacePath, readonly { readonly placed: PlacedStep; readonly file: StepFile }[]>
  /** Doubts about everything, and the others. */
  private readonly broad: readonly (Doubt & { readonly turn: number })[]
  private readonly narrow: readonly (Doubt & { readonly turn: number })[]

  constructor(
    private readonly timeline: Timeline,
    private readonly evidence: Evidence,
  ) {
    let start = 0
    this.starts = timeline.turns.map(({ length }) => (start += length) - length)
    const place = <Item extends { readonly order: number }>(items: (turn: TurnSteps) => readonly Item[]): readonly (Item & { readonly turn: number })[] =>
      timeline.turns.flatMap((each, turn) => items(each).map((item) => ({ ...item, order: item.order + (this.starts[turn] ?? 0), turn })))
    this.steps = place((turn) => turn.steps)
      .map(({ turn, order, ...step }) => ({ at: order, turn, step: { ...step, order } }))
      .sort((one, two) => one.at - two.at)
    this.doubts = [...place((turn) => turn.doubts)].sort((one, two) => one.order - two.order)
    this.broad = this.doubts.filter(({ path }) => path === null)
    this.narrow = this.doubts.filter(({ path }) => path !== null)
    this.shown = byPath(place((turn) => turn.shown).map((each) => [each.path, each] as const))
    this.ofPath = byPath(
      this.steps.flatMap((placed) =>
        placed.step.files.flatMap((file) => [...new Set([file.path, file.movedTo ?? file.path])].map((path) => [path, { placed, file }] as const)),
      ),
    )
    this.groups = groupsOf(this.steps)
  }

  /** The first moment of each turn at which something ran that may have changed any file. */
  get unforeseen(): readonly { readonly at: number; readonly turn: number }[] {
    const first = new Map<number, number>()
    for (const { order, turn, isQuiet, path } of this.broad) if (path === null && !isQuiet && !first.has(turn)) first.set(turn, order)
    return [...first].map(([turn, at]) => ({ at, turn }))
  }

  /** The states of one group, and where its files are other ones than before without a step of their own. */
  async solve(paths: readonly WorkspacePath[], signal?: AbortSignal): Promise<Solved & { readonly sights: readonly Sight[] }> {
    const { solved, looks } = await this.states(paths, signal)
    const sights = paths.flatMap((path) => {
      const own = this.narrow.filter((doubt) => concerns(doubt, path))
      // Most paths share one list.
      const doubts = own.length === 0 ? this.broad : [...this.broad, ...own].sort((one, two) => one.order - two.order)
      const disk = looks.find(({ look, modifiedAt }) => modifiedAt !== null && look.path === path)
      const committed = looks.find(({ look }) => look.at === -1 && look.path === path)?.look.after ?? null
      const known = disk?.look.after ?? null
      const now = known && disk ? { known, modifiedAt: disk.modifiedAt ?? 0, isSure: disk.look.kind === 'look' } : null
      return sightsOf({ path, solved, doubts, committed, now, starts: this.starts, turns: this.timeline.turns })
    })
    return { ...solved, sights }
  }

  private async states(paths: readonly WorkspacePath[], signal?: AbortSignal): Promise<{ readonly solved: Solved; readonly looks: readonly Look[] }> {
    const placed = paths.flatMap((path) =>
      (this.ofPath.get(path) ?? []).flatMap(({ placed: { at, turn, step }, file }) =>
        file.path === path ? [{ step, event: { ...file, at, turn, shown: this.shownBefore(path, at) } }] : [],
      ),
    )
    const looks = [...(await this.commits(paths, signal)), ...(await this.now(paths, placed, signal))]
    const events: readonly FileEvent[] = [...placed.map(({ event }) => event), ...looks.map(({ look }) => look)]
    const touches = touchesOf(events, (path, from, to) => this.isDoubtful(path, from, to))
    for (const touch of touches) {
      if (touch.event.kind !== 'add' || touch.before) continue
      const created = looks.find(({ look, createdAs }) => createdAs === touch.event.at && look.path === touch.path)
      // A patch that "adds" a file also writes over one.
      const wasNotCommitted = touch.previous !== null && touch.previous.event.at < 0 && touch.previous.after?.bytes === null
      if (created || (wasNotCommitted && this.isNew(touch.path, touch.event.at))) touch.before = { bytes: null, source: 'record' }
    }
    const solved = solve(touches)
    if (solved.suggested.length === 0) return { solved, looks }
    const found = await this.evidence.everKept(solved.suggested.flatMap(({ known }) => known.bytes ?? []), signal)
    const proved = solved.suggested.filter(({ known }) => known.bytes !== null && found.has(known.bytes))
    if (proved.length === 0) return { solved, looks }
    for (const { touch, side, known, base } of proved) confirm(touch, side, { bytes: known.bytes, source: 'git' }, base)
    return { solved: solve(touches), looks }
  }

  /** Looks into the commit of the session, and into those that were made as turns began. */
  private async commits(paths: readonly WorkspacePath[], signal?: AbortSignal): Promise<readonly Look[]> {
    const looks: Look[] = []
    const inside = paths.filter((path) => !path.startsWith('/'))
    const add = (path: WorkspacePath, bytes: Buffer | null, at: number, turn: number, isSure: boolean): void => {
      const known: Known = { bytes, source: 'git' }
      looks.push({ look: { ...noLook, kind: isSure ? 'look' : 'unsure look', path, at, turn, before: known, after: known }, createdAs: null, modifiedAt: null })
    }
    const { commit, turns } = this.timeline
    if (commit !== null) for (const [path, bytes] of await this.evidence.committed(commit, inside, signal)) add(path, bytes, -1, -1, false)
    const exact = turns.some(({ ghosts }) => ghosts.length > 0) ? await this.evidence.keptAsTheyAre(inside, signal) : new Set()
    for (const [turn, { ghosts }] of turns.entries()) {
      for (const ghost of ghosts) {
        // It is of the turn's start, wherever its record stands. Files that git ignores are not in it.
        const at = (this.starts[turn] ?? 0) - 0.5
        for (const [path, bytes] of await this.evidence.committed(ghost.commit, inside, signal)) add(path, bytes, at, turn, bytes !== null && exact.has(path))
      }
    }
    return looks
  }

  /** Looks at the files as they are now: certain where nobody wrote them after the last step. */
  private async now(paths: readonly WorkspacePath[], placed: readonly PlacedEvent[], signal?: AbortSignal): Promise<readonly Look[]> {
    const looks: Look[] = []
    for (const path of paths) {
      const found = await this.evidence.disk(path, signal)
      const own = placed.filter(({ event }) => event.path === path || event.movedTo === path).sort((one, two) => one.event.at - two.event.at)
      const last = own.at(-1)
      if (!found || !last) continue
      const isIn = (time: number, { step, event }: PlacedEvent): boolean =>
        time >= step.startedAt - clockMs && time <= Math.min(step.endedAt + clockMs, this.nextDoubt(path, event.at))
      const isSure = found.bytes !== null && isIn(found.modifiedAtMs, last)
      const known: Known = { bytes: found.bytes, source: 'disk' }
      const createdBy = own.find((each) => each.event.kind === 'add' && isIn(found.createdAtMs, each))
      const turn = isSure ? last.event.turn : this.timeline.turns.length
      // Certain: the very bytes that the last step left, so nothing can have come between.
      const at = isSure ? last.event.at + 0.25 : Infinity
      const look: FileEvent = { ...noLook, kind: isSure ? 'look' : 'unsure look', path, at, turn, before: known, after: known }
      looks.push({ look, createdAs: createdBy?.event.at ?? null, modifiedAt: found.modifiedAtMs })
    }
    return looks
  }

  private isDoubtful(path: WorkspacePath, from: number, to: number): boolean {
    const next = this.broad[firstAfter(this.broad, from)]
    return (next !== undefined && next.order < to) || this.narrow.some((doubt) => doubt.order > from && doubt.order < to && concerns(doubt, path))
  }

  /** Time of the next moment after a step from which on the file may be another one. */
  private nextDoubt(path: WorkspacePath, after: number): number {
    return this.doubts.find((doubt) => doubt.order > after && concerns(doubt, path))?.at ?? Infinity
  }

  private shownBefore(path: WorkspacePath, at: number): Known | null {
    const last = this.shown.get(path)?.findLast((each) => each.order < at)
    if (!last || this.isDoubtful(path, last.order, at)) return null
    const isLatest = !(this.ofPath.get(path) ?? []).some(({ placed }) => placed.at > last.order && placed.at < at)
    return isLatest ? { bytes: Buffer.from(last.text), source: 'command' } : null
  }

  /** Whether a file that a patch added can have been there before: nothing names it, and nothing that could have made it ran. */
  private isNew(path: WorkspacePath, at: number): boolean {
    const name = path.split('/').at(-1) ?? path
    const isNamed = this.timeline.turns.some(({ commands }, turn) => commands.some(({ order, text }) => order + (this.starts[turn] ?? 0) < at && text.includes(name)))
    return !isNamed && !this.doubts.some((doubt) => doubt.order < at && !doubt.isQuiet && concerns(doubt, path))
  }
}

interface PlacedEvent {
  readonly step: FileStep
  readonly event: FileEvent
}

interface Look {
  readonly look: FileEvent
  /** The step that created the file, by the time that the disk has. */
  readonly createdAs: number | null
  /** Of a look at the disk. */
  readonly modifiedAt: number | null
}

function byPath<Item>(pairs: readonly (readonly [WorkspacePath, Item])[]): ReadonlyMap<WorkspacePath, readonly Item[]> {
  const found = new Map<WorkspacePath, Item[]>()
  for (const [path, item] of pairs) {
    const list = found.get(path)
    if (list) list.push(item)
    else found.set(path, [item])
  }
  return found
}

function concerns({ path, isTree }: Doubt, file: WorkspacePath): boolean {
  return path === null || path === file || (isTree && (path === '' || file.startsWith(`${path}/`)))
}

/** The paths of all steps, those that moves connect together. */
function groupsOf(steps: readonly PlacedStep[]): readonly (readonly WorkspacePath[])[] {
  const groupOf = new Map<WorkspacePath, WorkspacePath[]>()
  const groupAt = (path: WorkspacePath): WorkspacePath[] => {
    const group = groupOf.get(path) ?? [path]
    groupOf.set(path, group)
    return group
  }
  for (const { step } of steps) {
    for (const { path, movedTo } of step.files) {
      const group = groupAt(path)
      const other = movedTo === null ? group : groupAt(movedTo)
      if (other === group) continue
      group.push(...other)
      for (const each of other) groupOf.set(each, group)
    }
  }
  return [...new Set(groupOf.values())]
}
