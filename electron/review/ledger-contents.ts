import { ReviewError } from '../../shared/errors.js'
import type { ChangeCause, FileState, Moment } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import { storedContent, type BackupStore } from '../history/backup-store.js'
import type { LedgerMark, LedgerPages } from '../sessions/recorded-session.js'
import { absent, isKnown, link, unknown, type Held } from './held.js'
import { typedAtLast, withoutAgent, type OthersChange, type WithoutAgent } from './without-agent.js'

/** What somebody other than the agent did to a file between two turns. */
export interface LedgerInterlude {
  readonly path: WorkspacePath
  readonly before: Held
  readonly after: Held
  readonly cause: ChangeCause
}

/** A moment of a turn; a number is right after that step, from 1. */
export type Edge = 'start' | 'end' | number

/** One call of the agent that changed something. */
export interface LedgerStep {
  readonly callId: string | null
  readonly cause: ChangeCause
  readonly paths: readonly WorkspacePath[]
}

/** The ledger of one revision as contents. Turns count from 0. */
export interface LedgerContents {
  readonly paths: ReadonlySet<WorkspacePath>
  /** What commands did is not all in it, nor what others did. */
  readonly isPartial: boolean
  names(path: WorkspacePath): boolean
  /** As the turn began; `null` where the ledger does not tell, so that the snapshots may. */
  start(turn: number, path: WorkspacePath): Promise<Held | null>
  /** As the agent left it at the end of the turn. */
  end(turn: number, path: WorkspacePath): Promise<Held | null>
  /** The changes that the agent made in a turn, in order; those of one call are one. Empty where the ledger does not tell them all. */
  steps(turn: number): readonly LedgerStep[]
  /** What a path was right after one of them, counted from 1; `null` where there is no such, or the ledger does not tell. */
  after(turn: number, step: number, path: WorkspacePath): Promise<Held | null>
  /** What others did after the turn's last change by the agent and before the next turn, our own operations left out. */
  between(turn: number): Promise<readonly LedgerInterlude[]>
  /** What others did in the middle of a turn, before the agent went on with the same files; without what the agent did meanwhile. */
  inside(turn: number): Promise<readonly LedgerInterlude[]>
  /** Whether somebody other than the agent changed a path between two moments. */
  hasTyping(path: WorkspacePath, from: Moment, to: Moment): boolean
  /** When the agent last changed a path; `null` where the ledger names no such change. */
  agentAt(path: WorkspacePath): number | null
  /** When anybody was last seen to have changed a path; `null` where the ledger does not name it. */
  seenAt(path: WorkspacePath): number | null
  /** As it was last seen; `null` where the ledger does not name it. */
  latest(path: WorkspacePath): Promise<Held | null>
  /** Whether every change of a path from one moment on was somebody else's, and none an operation of ours. */
  isOthersOnly(path: WorkspacePath, turn: number, edge: Edge): boolean
  /**
   * What a path would be had the agent left it alone from the start, the end or a step of one turn until the end of another. What others did
   * in that other turn after the agent's last change is left out. `null` where others, or the agent, changed nothing until then.
   * With `isOursUntold` an operation of ours changed it, of which the ledger has not told yet.
   */
  withoutAgent(path: WorkspacePath, turn: number, edge: Edge, last: number, isOursUntold?: boolean): Promise<WithoutAgent | null>
  /** What last changed a path after the start of one turn and until the end of another; `null` for nothing. */
  lastCause(path: WorkspacePath, first: number, last: number): ChangeCause | null
  /** What was not looked at in a turn, or not kept. */
  limits(turn: number): readonly string[]
}

export interface LedgerContentsDeps {
  readonly pages: LedgerPages
  readonly store: BackupStore
  /** `null` for a turn that is not live. */
  readonly turnOf: (promptId: PromptId) => number | null
  readonly turns: readonly { readonly promptId: PromptId }[]
  /** The content of the path in the snapshot of a turn, where that was taken as the turn began; `null` where there is none. */
  readonly snapshotAt: (turn: number, path: WorkspacePath) => Promise<Held | null>
}

export function ledgerContents({ pages, store, turnOf, turns, snapshotAt }: LedgerContentsDeps): LedgerContents {
  /** Twice the turn: even before it, odd in it. */
  const placeOf = (mark: LedgerMark): number => 2 * (turnOf(mark.promptId) ?? -1) + (mark.isBeforeTurn ? 0 : 1)
  const startPlace = (turn: number): number => 2 * turn

  /** The marks of each step of a turn. */
  const marksOfSteps = (turn: number): readonly (readonly LedgerMark[])[] => {
    const here = turns[turn]
    if (!here || pages.isPartial) return []
    const steps: LedgerMark[][] = []
    for (const mark of pages.ofTurn(here.promptId)) {
      if (!isAgents(mark) || mark.paths.length === 0) continue
      const last = steps.at(-1)
      if (last && mark.callId !== null && last[0]?.callId === mark.callId) last.push(mark)
      else steps.push([mark])
    }
    return steps
  }

  /** Where a mark stands among all, finer than `placeOf`: those of one turn in their order. */
  const positions = new Map<PromptId, ReadonlyMap<LedgerMark, number>>()
  const positionOf = (mark: LedgerMark): number => {
    if (mark.isBeforeTurn) return placeOf(mark)
    let places = positions.get(mark.promptId)
    if (!places) {
      const marks = pages.ofTurn(mark.promptId)
      places = new Map(marks.map((each, at) => [each, (at + 1) / (marks.length + 2) - 0.5]))
      positions.set(mark.promptId, places)
    }
    return placeOf(mark) + (places.get(mark) ?? 0)
  }

  /** Marks beyond this position come after the moment. The end of a turn is found by the agent's last change instead. */
  const edgePosition = (turn: number, edge: Edge): number => {
    if (edge === 'start') return startPlace(turn)
    const last = edge === 'end' ? undefined : marksOfSteps(turn)[edge - 1]?.at(-1)
    return last ? positionOf(last) : startPlace(turn) + 1
  }

  const start = async (turn: number, path: WorkspacePath): Promise<Held | null> => {
    const marks = pages.ofPath(path)
    const next = marks.find((mark) => placeOf(mark) > startPlace(turn))
    const last = marks.findLast((mark) => placeOf(mark) <= startPlace(turn))
    const after = last && (await pages.changeOf(last, path)).after
    const before = next && (await pages.changeOf(next, path)).before
    if (after && before && !isSame(after, before)) {
      // Something changed it unseen between the two, before the turn began or after.
      return (await snapshotAt(turn, path)) ?? unknown('records-disagree')
    }
    const state = after ?? before
    return state ? heldOf(store, state, pages) : null
  }

  /** The last change that the agent made to a path in a turn. */
  const lastOfAgent = (turn: number, path: WorkspacePath): LedgerMark | undefined =>
    pages.ofPath(path).findLast((mark) => placeOf(mark) === startPlace(turn) + 1 && isAgents(mark))

  const end = async (turn: number, path: WorkspacePath): Promise<Held | null> => {
    const last = lastOfAgent(turn, path)
    return last ? heldOf(store, (await pages.changeOf(last, path)).after, pages) : start(turn, path)
  }

  const after = async (turn: number, step: number, path: WorkspacePath): Promise<Held | null> => {
    if (!marksOfSteps(turn)[step - 1]) return null
    const until = edgePosition(turn, step)
    const last = pages.ofPath(path).findLast((mark) => placeOf(mark) === startPlace(turn) + 1 && positionOf(mark) <= until)
    return last ? heldOf(store, (await pages.changeOf(last, path)).after, pages) : start(turn, path)
  }

  const changeOf = async (mark: LedgerMark, path: WorkspacePath): Promise<OthersChange> => {
    const { before, after } = await pages.changeOf(mark, path)
    return { before: await heldOf(store, before, pages), after: await heldOf(store, after, pages) }
  }

  /** What was typed at a path and has stayed; of marks in their order. */
  const typedOf = async (marks: readonly LedgerMark[], path: WorkspacePath): Promise<readonly OthersChange[]> => {
    const isOurs = ({ cause }: LedgerMark): boolean => cause === 'rewind'
    if (!marks.some(isTyping)) return []
    return typedAtLast(await Promise.all(marks.filter((mark) => isTyping(mark) || isOurs(mark)).map(async (mark) => ({ ...(await changeOf(mark, path)), isOurs: isOurs(mark) }))))
  }

  return {
    paths: pages.paths,
    isPartial: pages.isPartial === true,
    names: (path) => pages.paths.has(path),
    start,
    end,
    steps: (turn) => marksOfSteps(turn).map((marks) => ({ callId: marks[0]?.callId ?? null, cause: marks[0]?.cause ?? 'unknown', paths: [...new Set(marks.flatMap(({ paths }) => paths))] })),
    after,
    between: async (turn) => {
      const [here, next] = [turns[turn], turns[turn + 1]]
      const marks = [...(here ? pages.ofTurn(here.promptId).filter((mark) => !mark.isBeforeTurn && !isAgents(mark)) : []), ...(next ? pages.ofTurn(next.promptId).filter((mark) => mark.isBeforeTurn) : [])]
      const byPath = new Map<WorkspacePath, LedgerMark[]>()
      for (const mark of marks.filter(({ isFirstSight }) => !isFirstSight)) {
        for (const path of new Set(mark.paths)) if (!isFollowedInTurn(pages, mark, path)) byPath.set(path, [...(byPath.get(path) ?? []), mark])
      }
      const found = await Promise.all(
        [...byPath].map(async ([path, those]): Promise<readonly LedgerInterlude[]> => {
          const others = those.filter(({ cause }) => cause !== 'rewind')
          const [first, last] = [others[0], others.at(-1)]
          if (!first || !last) return []
          const { before } = await changeOf(first, path)
          if (others.length === those.length) return [{ path, before, after: (await changeOf(last, path)).after, cause: last.cause }]
          // What our operations did in between is not theirs.
          const typed = await typedOf(those, path)
          return typed.length === 0 ? [] : [{ path, before, after: (await withoutAgent(before, typed)).held, cause: last.cause }]
        }),
      )
      return found.flat()
    },
    inside: async (turn) => {
      const here = turns[turn]
      const marks = (here ? pages.ofTurn(here.promptId) : []).filter((mark) => !mark.isBeforeTurn && isTyping(mark))
      const paths = new Set(marks.flatMap((mark) => mark.paths.filter((path) => isFollowedInTurn(pages, mark, path))))
      return Promise.all(
        [...paths].map(async (path) => {
          const typed = await Promise.all(marks.filter((mark) => mark.paths.includes(path) && isFollowedInTurn(pages, mark, path)).map((mark) => changeOf(mark, path)))
          const before = typed[0]?.before ?? unknown('no-record')
          return { path, before, after: (await withoutAgent(before, typed)).held, cause: 'user' as const }
        }),
      )
    },
    hasTyping: (path, from, to) => {
      const isBy = (mark: LedgerMark, moment: Moment): boolean => {
        if (moment.kind === 'disk') return true
        const turn = turnOf(moment.promptId) ?? -1
        // The end of a turn is what the agent left: what was typed after that comes later.
        if (moment.kind === 'end' && placeOf(mark) === startPlace(turn) + 1) return isFollowedInTurn(pages, mark, path)
        return positionOf(mark) <= edgePosition(turn, moment.kind === 'step' ? moment.step : moment.kind)
      }
      return pages.ofPath(path).some((mark) => isTyping(mark) && isBy(mark, from) !== isBy(mark, to))
    },
    agentAt: (path) => pages.ofPath(path).findLast(isAgents)?.at ?? null,
    seenAt: (path) => pages.ofPath(path).at(-1)?.at ?? null,
    latest: async (path) => {
      const last = pages.ofPath(path).at(-1)
      return last ? heldOf(store, (await pages.changeOf(last, path)).after, pages) : null
    },
    isOthersOnly: (path, turn, edge) => {
      const from = edgePosition(turn, edge)
      const since = pages.ofPath(path).filter((mark) => !mark.isFirstSight && positionOf(mark) > from)
      return since.length > 0 && since.every((mark) => !isAgents(mark) && !mark.isSetAside && mark.cause !== 'rewind')
    },
    withoutAgent: async (path, turn, edge, last, isOursUntold = false) => {
      if (pages.isPartial) return null
      const from = edge === 'end' ? startPlace(turn) : edgePosition(turn, edge)
      const within = pages.ofPath(path).filter((mark) => positionOf(mark) > from && placeOf(mark) <= startPlace(last) + 1)
      const left = edge === 'end' ? lastOfAgent(turn, path) : undefined
      const marks = left ? within.slice(within.indexOf(left) + 1) : within
      if (!isOursUntold && !marks.some((mark) => isAgents(mark) || mark.cause === 'rewind')) return null
      const lastOfAll = marks.findLastIndex(isAgents)
      const since = marks.filter((mark, at) => at < lastOfAll || placeOf(mark) <= startPlace(last))
      const typed = await typedOf(since, path)
      const first = typed.length > 0 ? await (typeof edge === 'number' ? after(turn, edge, path) : (edge === 'start' ? start : end)(turn, path)) : null
      if (!first || !isKnown(first)) return null
      return withoutAgent(first, typed)
    },
    lastCause: (path, first, last) => pages.ofPath(path).findLast((mark) => !mark.isFirstSight && placeOf(mark) > startPlace(first) && placeOf(mark) <= startPlace(last) + 1)?.cause ?? null,
    limits: (turn) => {
      const here = turns[turn]
      return here ? [...new Set(pages.ofTurn(here.promptId).flatMap((mark) => mark.limits))] : []
    },
  }
}

/** Whether the agent did it in the turn; what a command, or an unknown hand, did during a call counts as the agent's. */
export function isAgents({ cause, isBeforeTurn, isSetAside }: Pick<LedgerMark, 'cause' | 'isBeforeTurn' | 'isSetAside'>): boolean {
  return !isBeforeTurn && !isSetAside && cause !== 'user' && cause !== 'rewind'
}

function isTyping({ cause, isFirstSight }: LedgerMark): boolean {
  return cause === 'user' && isFirstSight !== true
}

/** Somebody typed in the middle of a turn, and the agent changed the file after that: it is part of what the turn began with. */
function isFollowedInTurn(pages: LedgerPages, mark: LedgerMark, path: WorkspacePath): boolean {
  if (mark.isBeforeTurn) return false
  const marks = pages.ofPath(path)
  return marks.slice(marks.indexOf(mark) + 1).some((later) => later.promptId === mark.promptId && isAgents(later))
}

/** What a ledger's state is, with its bytes from where the ledger has them, else from our store. */
async function heldOf(store: BackupStore, state: FileState, pages: LedgerPages): Promise<Held> {
  switch (state.kind) {
    case 'absent':
      return absent('backup')
    case 'link':
      return link(state.target, 'backup')
    case 'unknown':
      return unknown(state.reason)
    case 'folder':
      return { ...absent('backup'), content: { ...absent('backup').content, state } }
    case 'file':
      if (pages.read) return ofLedger(pages, state)
      if (!(await store.has(state.sha256))) return unknown('backup-missing')
      return { ...absent('backup'), content: storedContent(store, state) }
  }
}

function ofLedger(pages: LedgerPages, state: Extract<FileState, { readonly kind: 'file' }>): Held {
  const read = (signal?: AbortSignal): Promise<Uint8Array> => {
    const bytes = pages.read?.(state.sha256, signal)
    return bytes ?? Promise.reject(new ReviewError('CONTENT_UNKNOWN', 'The bytes of this file are not known any more.'))
  }
  return { ...absent(pages.sourceOf?.(state.sha256) ?? 'backup'), content: { state, read } }
}

/** Whether two looks saw the same; what one of them could not see is no difference. */
function isSame(one: FileState, two: FileState): boolean {
  if (one.kind === 'unknown' || two.kind === 'unknown') return true
  if (one.kind === 'file' && two.kind === 'file') return one.sha256 === two.sha256 && (one.mode === null || two.mode === null || one.mode === two.mode)
  if (one.kind === 'link' && two.kind === 'link') return one.target === two.target
  return one.kind === two.kind
}
