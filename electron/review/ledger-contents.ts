import { ReviewError } from '../../shared/errors.js'
import type { ChangeCause, FileState, Moment } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import { storedContent, type BackupStore } from '../history/backup-store.js'
import type { LedgerMark, LedgerPages } from '../sessions/recorded-session.js'
import { absent, isKnown, link, unknown, type Held } from './held.js'
import { withoutAgent, type OthersChange, type WithoutAgent } from './without-agent.js'

/** What somebody other than the agent did to a file between two turns. */
export interface LedgerInterlude {
  readonly path: WorkspacePath
  readonly before: Held
  readonly after: Held
  readonly cause: ChangeCause
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
  /** What others did after the turn's last change by the agent and before the next turn, our own operations left out. */
  between(turn: number): Promise<readonly LedgerInterlude[]>
  /** What others did in the middle of a turn, before the agent went on with the same files; without what the agent did meanwhile. */
  inside(turn: number): Promise<readonly LedgerInterlude[]>
  /** Whether somebody other than the agent changed a path between two moments. */
  hasTyping(path: WorkspacePath, from: Moment, to: Moment): boolean
  /** As it was last seen; `null` where the ledger does not name it. */
  latest(path: WorkspacePath): Promise<Held | null>
  /** Whether every change of a path from one moment on was somebody else's, and none an operation of ours. */
  isOthersOnly(path: WorkspacePath, turn: number, edge: 'start' | 'end'): boolean
  /**
   * What a path would be had the agent left it alone from the start or the end of one turn until the end of another. What others did
   * in that other turn after the agent's last change is left out. `null` where others, or the agent, changed nothing until then.
   */
  withoutAgent(path: WorkspacePath, turn: number, edge: 'start' | 'end', last: number): Promise<WithoutAgent | null>
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

  const changeOf = async (mark: LedgerMark, path: WorkspacePath): Promise<OthersChange> => {
    const { before, after } = await pages.changeOf(mark, path)
    return { before: await heldOf(store, before, pages), after: await heldOf(store, after, pages) }
  }

  return {
    paths: pages.paths,
    isPartial: pages.isPartial === true,
    names: (path) => pages.paths.has(path),
    start,
    end,
    between: async (turn) => {
      const [here, next] = [turns[turn], turns[turn + 1]]
      const marks = [...(here ? pages.ofTurn(here.promptId).filter((mark) => !mark.isBeforeTurn && !isAgents(mark)) : []), ...(next ? pages.ofTurn(next.promptId).filter((mark) => mark.isBeforeTurn) : [])]
      const changes = new Map<WorkspacePath, { first: LedgerChange; last: LedgerChange; cause: ChangeCause }>()
      for (const mark of marks.filter(({ cause, isFirstSight }) => cause !== 'rewind' && !isFirstSight)) {
        for (const path of new Set(mark.paths)) {
          if (isFollowedInTurn(pages, mark, path)) continue
          const last = await pages.changeOf(mark, path)
          changes.set(path, { first: changes.get(path)?.first ?? last, last, cause: mark.cause })
        }
      }
      const found = await Promise.all(
        [...changes].map(async ([path, { first, last, cause }]) => ({ path, before: await heldOf(store, first.before, pages), after: await heldOf(store, last.after, pages), cause })),
      )
      return found
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
      const momentPlace = (moment: Moment): number => (moment.kind === 'disk' ? Infinity : 2 * (turnOf(moment.promptId) ?? -1) + (moment.kind === 'end' ? 1 : 0))
      const [first = 0, last = 0] = [momentPlace(from), momentPlace(to)].sort((one, two) => one - two)
      // The end of a turn is what the agent left: what was typed after that comes later.
      const markPlace = (mark: LedgerMark): number => placeOf(mark) + (mark.isBeforeTurn || isFollowedInTurn(pages, mark, path) ? 0 : 0.5)
      return pages.ofPath(path).some((mark) => isTyping(mark) && markPlace(mark) > first && markPlace(mark) <= last)
    },
    latest: async (path) => {
      const last = pages.ofPath(path).at(-1)
      return last ? heldOf(store, (await pages.changeOf(last, path)).after, pages) : null
    },
    isOthersOnly: (path, turn, edge) => {
      const since = pages.ofPath(path).filter((mark) => !mark.isFirstSight && placeOf(mark) > startPlace(turn) + (edge === 'end' ? 1 : 0))
      return since.length > 0 && since.every((mark) => !isAgents(mark) && !mark.isSetAside && mark.cause !== 'rewind')
    },
    withoutAgent: async (path, turn, edge, last) => {
      if (pages.isPartial) return null
      const within = pages.ofPath(path).filter((mark) => placeOf(mark) > startPlace(turn) && placeOf(mark) <= startPlace(last) + 1)
      const left = edge === 'end' ? lastOfAgent(turn, path) : undefined
      const marks = left ? within.slice(within.indexOf(left) + 1) : within
      const lastOfAll = marks.findLastIndex(isAgents)
      if (lastOfAll < 0) return null
      const since = marks.filter((mark, at) => at < lastOfAll || placeOf(mark) <= startPlace(last))
      // What stood there after an operation of ours is what a person chose.
      const typed = since.slice(since.findLastIndex(({ cause }) => cause === 'rewind') + 1).filter(isTyping)
      const first = typed.length > 0 ? await (edge === 'start' ? start : end)(turn, path) : null
      if (!first || !isKnown(first)) return null
      return withoutAgent(first, await Promise.all(typed.map((mark) => changeOf(mark, path))))
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
