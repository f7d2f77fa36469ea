import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { Moment } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { Turn } from '../../shared/session.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { contentAtEnd, type Disk, type Ended } from './end-of-turn.js'
import { Backups, unknown, type Held } from './held.js'
import { ledgerContents, type LedgerContents } from './ledger-contents.js'
import { beginning, startOf } from './path-events.js'
import { RecentAnswers, RecentBytes } from './recent.js'
import type { SedOutcome } from '../sessions/session-reader.js'
import { createSedOutcomes } from './sed-outcomes.js'
import { contentAtStart, type Entry, type Sources } from './start-of-turn.js'
import { StepsCache, TimelineSteps } from './timeline-steps.js'

/** The files of the attached folder as they are now. */
export interface DiskView {
  /** What lies at a path, without its text where nothing has to be read for it; never throws but for an abort. */
  look(path: WorkspacePath, signal?: AbortSignal): Promise<Held>
  /** The same with its text. */
  lookInto(path: WorkspacePath, signal?: AbortSignal): Promise<Held>
  /** Target of the link at a path, without reading anything; `null` where there is none. */
  linkAt(path: WorkspacePath): Promise<string | null>
  /** When the file at a path was last written, in milliseconds; `null` where there is no plain file. */
  writtenAt(path: WorkspacePath): number | null
}

export interface ContentsDeps {
  readonly session: RecordedSession
  /** `null` while no folder is attached. */
  readonly disk: () => DiskView | null
  /** Where the contents of a ledger lie; a session without one needs none. */
  readonly store?: BackupStore
  /** Computes what a recorded sed wrote; without it that stays unknown. */
  readonly sed?: SedRunner
}

/**
 * What the records of a session tell of every file at every moment. Nothing is guessed: what they do not prove is unknown,
 * with the reason. Answers are computed when asked for, and the latest are kept.
 */
export interface Contents {
  /** Takes in that the log has changed. */
  refresh(): void
  /** Errors: TURN_NOT_FOUND, TURN_SET_ASIDE. */
  contentAt(moment: Moment, path: WorkspacePath, signal?: AbortSignal): Promise<Held>
  /** The end of a turn, with how it is known. Errors as above. */
  endOf(promptId: PromptId, path: WorkspacePath, signal?: AbortSignal): Promise<Ended>
  /** Every path that the session's records name as changed, sorted. Reads the whole log once. */
  pathsTouched(signal?: AbortSignal, onProgress?: (done: number, total: number) => void): Promise<readonly WorkspacePath[]>
  /** What is known of the present revision; for the other files of this room. */
  now(): Revision
}

/** The answers to one revision of the log. */
export interface Revision {
  readonly sources: Sources
  readonly steps: TimelineSteps
  start(turn: number, path: WorkspacePath, signal?: AbortSignal): Promise<Held>
  end(turn: number, path: WorkspacePath, signal?: AbortSignal): Promise<Ended>
  history(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly Entry[]>>
  /** `null` for a session that another program recorded. */
  ledger(signal?: AbortSignal): Promise<LedgerContents | null>
}

const recentAnswers = 4_000
const recentSnapshots = 16
/** So much earlier than the prompt's own record a snapshot of it may have been begun. */
const longestLeadMs = 2_000
const recentBytes = 64 * 1024 * 1024

export function createContents({ session, disk, store, sed }: ContentsDeps): Contents {
  const cache = new StepsCache(session)
  const backups = new Backups(session.backups)
  const bytes = new RecentBytes(recentBytes)
  const sedOutcome = createSedOutcomes(sed ?? null)
  let current: Revision | null = null

  const now = (): Revision => (current ??= createRevision(session, cache, backups, bytes, sedOutcome, disk, store ?? null))

  const turnOf = (promptId: PromptId): number => {
    const turn = now().steps.indexOf(promptId)
    if (turn !== null) return turn
    const isAside = session.setAside.some((branch) => branch.turns.some((each) => each.promptId === promptId))
    if (isAside) throw new ReviewError('TURN_SET_ASIDE', 'This turn was taken back by the agent. Its files are known only as far as its calls show them.')
    throw new ReviewError('TURN_NOT_FOUND', 'The session has no such turn. Look at the list of turns again.')
  }

  return {
    now,
    refresh: () => {
      // Only the last turn of a branch can have grown.
      const ends = [current?.steps.turns.at(-1), session.turns.at(-1), ...session.setAside.map((branch) => branch.turns.at(-1))]
      for (const turn of ends) if (turn) cache.forget(turn.promptId)
      current = null
    },
    contentAt: async (moment, path, signal) => {
      if (moment.kind === 'disk') return (await disk()?.look(path, signal)) ?? unknown('no-record')
      const turn = turnOf(moment.promptId)
      // Any command may show that the path is a link, and any snapshot that a backup's name was used again; for a list of what a
      // turn changed that is not looked for.
      await now().steps.load(beginning, startOf(now().steps.turns.length), signal)
      if (!(await now().ledger(signal))?.names(path)) await now().history(signal)
      if (moment.kind === 'step') return afterStep(now(), turn, moment.step, path, signal)
      return moment.kind === 'start' ? now().start(turn, path, signal) : (await now().end(turn, path, signal)).held
    },
    endOf: async (promptId, path, signal) => now().end(turnOf(promptId), path, signal),
    pathsTouched: (signal, onProgress) => pathsTouched(now(), signal, onProgress),
  }
}

/** Errors: TURN_NOT_FOUND where the turn has no such step. */
async function afterStep(revision: Revision, turn: number, step: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Held> {
  const ledger = await revision.ledger(signal)
  const steps = ledger?.steps(turn).length ?? 0
  if (!ledger || ledger.isPartial) throw new ReviewError('TURN_NOT_FOUND', 'Only a session that ran under Overturn tells its files in the middle of a turn. Name a whole turn.')
  if (step > steps) throw new ReviewError('TURN_NOT_FOUND', steps === 0 ? 'The agent changed nothing in this turn. Name the whole turn.' : `The agent made ${steps === 1 ? '1 change' : `${steps} changes`} in this turn. There is no change ${step}.`)
  return (await ledger.after(turn, step, path)) ?? revision.start(turn, path, signal)
}

function createRevision(session: RecordedSession, cache: StepsCache, backups: Backups, bytes: RecentBytes, sedOutcome: SedOutcome, disk: () => DiskView | null, store: BackupStore | null): Revision {
  const steps = new TimelineSteps(session, cache)
  const starts = new RecentAnswers<Held>(recentAnswers)
  const ends = new RecentAnswers<Ended>(recentAnswers)
  let entries: Promise<ReadonlyMap<WorkspacePath, readonly Entry[]>> | null = null
  let entriesAtHand: ReadonlyMap<WorkspacePath, readonly Entry[]> | null = null

  const history = (): Promise<ReadonlyMap<WorkspacePath, readonly Entry[]>> => (entries ??= readHistory(session, steps).then((read) => (entriesAtHand = read)))
  const lookAtDisk: Disk = async (path, isTextNeeded, signal) => {
    const view = disk()
    return view && (isTextNeeded ? view.lookInto(path, signal) : view.look(path, signal))
  }
  const snapshots = new RecentAnswers<PromptSnapshot | null>(recentSnapshots)
  const sources: Sources = {
    session,
    steps,
    sedOutcome,
    snapshotOf: (turn) => snapshots.get(`${turn}`, () => ownSnapshot(session, steps.turns, turn)),
    backups,
    hasSnapshots: session.turns.some((turn) => turn.hasSnapshot),
    provenFrom: session.problems.some(({ kind }) => kind === 'missing-parent' || kind === 'parent-cycle') ? session.turns.findIndex((turn) => turn.hasSnapshot) : 0,
    entriesOf: async (path) => (await history()).get(path) ?? [],
    entriesAtHand: (path) => entriesAtHand?.get(path) ?? [],
    linkNow: async (path) => (await disk()?.linkAt(path)) ?? null,
    writtenAt: (path) => disk()?.writtenAt(path) ?? null,
  }
  let ledger: Promise<LedgerContents | null> | null = null
  const readLedger = async (): Promise<LedgerContents | null> => {
    const pages = store ? await session.ledger?.pages() : undefined
    const snapshotAt = async (turn: number, path: WorkspacePath): Promise<Held | null> => {
      const snapshot = await sources.snapshotOf(turn)
      const backup = snapshot?.addedDuring.has(path) ? undefined : snapshot?.backups.get(path)
      return backup && backup.kind !== 'failed' ? backups.held(backup, undefined) : null
    }
    return store && pages ? ledgerContents({ pages, store, turns: steps.turns, turnOf: (promptId) => steps.indexOf(promptId), snapshotAt }) : null
  }
  const askLedger = (): Promise<LedgerContents | null> => (ledger ??= readLedger())
  // More may be known against an answer once all of the log was read.
  const keyOf = (turn: number, path: WorkspacePath): string => `${turn} ${steps.isWhole && entriesAtHand !== null} ${path}`
  // An answer that several callers wait for must not end with the first one that gives up, so no signal goes in.
  return {
    sources,
    steps,
    history,
    ledger: async (signal) => {
      throwIfAborted(signal)
      return askLedger()
    },
    start: async (turn, path, signal) => {
      throwIfAborted(signal)
      return starts.get(keyOf(turn, path), async () => (await (await askLedger())?.start(turn, path)) ?? contentAtStart(sources, turn, path))
    },
    end: async (turn, path, signal) => {
      throwIfAborted(signal)
      const seen = await (await askLedger())?.end(turn, path)
      if (seen) return { held: seen, by: 'ledger', lastKnown: seen, isContradicted: false }
      const ask = (): Promise<Ended> => contentAtEnd(sources, turn, path, lookAtDisk, bytes)
      // What the disk had a say in is asked again each time.
      if (turn === steps.turns.length - 1) return ask()
      const known = await ends.get(keyOf(turn, path), ask)
      return known.by === 'disk' ? ask() : known
    },
  }
}

async function ownSnapshot(session: RecordedSession, turns: readonly Turn[], turn: number): Promise<PromptSnapshot | null> {
  const prompt = turns[turn]
  const snapshot = prompt?.hasSnapshot ? await session.snapshotOf(prompt.promptId) : null
  if (!snapshot || !prompt) return null
  const sincePrevious = prompt.startedAt - (turns[turn - 1]?.startedAt ?? -Infinity)
  return snapshot.takenAt >= prompt.startedAt - Math.min(longestLeadMs, sincePrevious / 2) ? snapshot : null
}

async function readHistory(session: RecordedSession, steps: TimelineSteps): Promise<ReadonlyMap<WorkspacePath, readonly Entry[]>> {
  const history = new Map<WorkspacePath, readonly Entry[]>()
  for (const [path, entries] of await session.backupHistory()) {
    const placed = entries.flatMap(({ promptId, backup, isAddedDuring }) => {
      const turn = steps.indexOf(promptId)
      return turn === null ? [] : [{ turn, backup, isAddedDuring }]
    })
    if (placed.length > 0) history.set(path, placed)
  }
  return history
}

async function pathsTouched(revision: Revision, signal: AbortSignal | undefined, onProgress: ((done: number, total: number) => void) | undefined): Promise<readonly WorkspacePath[]> {
  const { steps } = revision
  const own = await revision.ledger(signal)
  const paths = new Set<WorkspacePath>(own ? own.paths : (await revision.history(signal)).keys())
  await steps.load(beginning, startOf(0), signal)
  for (let turn = 0; turn < steps.turns.length; turn++) {
    await steps.load(startOf(turn), startOf(turn + 1), signal)
    for (const path of steps.segmentOf(turn)?.changedPaths ?? []) paths.add(path)
    onProgress?.(turn + 1, steps.turns.length)
  }
  return [...paths].sort(byPath)
}

/** One order of paths everywhere. */
export function byPath(one: WorkspacePath, two: WorkspacePath): number {
  return one < two ? -1 : one > two ? 1 : 0
}
