import { ReviewError } from '../../shared/errors.js'
import type { ChangeCause, ContentSource, Moment, Scope } from '../../shared/file-state.js'
import { operationId, type OperationId, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import { inParallel } from '../base/pool.js'
import type { KnownContent } from '../history/content.js'
import type { BaseTree } from './base-tree.js'
import { byPath, type Contents, type DiskView, type Revision } from './contents.js'
import { isKnown, unknown, withMode, type Held } from './held.js'
import { startOf, startOfNext } from './path-events.js'
import type { Refusal } from './recorded-steps.js'
import { causeOf, filesBetween, filesInside, isUnchanged, turnFiles, type TurnFile } from './turn-files.js'

/** One file of a scope with the two contents that are compared. */
export interface Pair {
  readonly path: WorkspacePath
  readonly before: { readonly content: KnownContent; readonly source: ContentSource }
  readonly after: { readonly content: KnownContent; readonly source: ContentSource }
  readonly cause: ChangeCause
  readonly refusal: Refusal | null
  readonly isModeOnly: boolean
  /** It holds what others than the agent changed as well. */
  readonly isWithTyping: boolean
  /** Turns whose calls show texts, for sides that are not known otherwise. */
  readonly recordedIn: { readonly before: PromptId; readonly after: PromptId } | null
}

/** What the reader has marked as reviewed, by path, in the content that the newest mark was put on. */
export interface MarkedContents {
  readonly byPath: ReadonlyMap<WorkspacePath, KnownContent>
  /** Time of the newest mark; `null` where there is none. */
  readonly newestAt: number | null
}

export interface PairSources {
  readonly contents: Contents
  readonly disk: () => DiskView | null
  /** Files that an operation of ours changed. Errors: NOTHING_TO_UNDO when there is no such operation. */
  readonly operationFiles: (operation: OperationId) => readonly { readonly path: WorkspacePath; readonly before: KnownContent; readonly after: KnownContent }[]
  readonly marked: () => MarkedContents
  /** The commit that the session's worktree left from; `null` where it works in none of ours. */
  readonly base: BaseTree | null
  /** What the agent, or our newest operation, left at a path; `null` where that is not known for sure. */
  readonly leftLast: (path: WorkspacePath, signal?: AbortSignal) => Promise<Pair['before'] | null>
}

export interface PairWatch {
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * The files that a scope compares, in path order, without those that are the same.
 * Errors: TURN_NOT_FOUND, and WORKSPACE_MISSING for a scope that needs the disk where no folder is attached.
 */
export async function pairsOf(from: PairSources, scope: Scope, watch: PairWatch = {}): Promise<readonly Pair[]> {
  switch (scope.kind) {
    case 'turn':
      return (await turnFiles(from.contents, scope.promptId, watch.signal)).map((file) => pairOfTurn(file, scope.promptId))
    case 'by-user': {
      const { steps } = from.contents.now()
      const turn = liveTurn(from, scope.after)
      if (turn < steps.turns.length - 1) return (await filesBetween(from.contents, scope.after, watch.signal)).map((file) => pairOfTurn(file, scope.after))
      return eachPath(await touchedPaths(from, watch), (path) => pairSinceEnd(from, path, watch.signal), watch)
    }
    case 'user-in-turn':
      return (await filesInside(from.contents, scope.promptId, watch.signal)).map((file) => pairOfTurn(file, scope.promptId))
    case 'operation':
      return from.operationFiles(operationId(scope.operationId)).map(({ path, before, after }) => plainPair(path, { content: before, source: 'backup' }, { content: after, source: 'backup' }, 'rewind'))
    case 'since-reviewed':
      return eachPath(await touchedPaths(from, watch), (path) => pairSinceReview(from, path, watch.signal), watch)
    case 'base': {
      const files = await baseOf(from).differing(watch.signal)
      return eachPath([...files.keys()].sort(byPath), (path) => pairSinceBase(from, path, files.get(path), watch.signal), watch)
    }
    default:
      return eachPath(await touchedPaths(from, watch), (path) => pairOf(from, scope, path, watch.signal), watch)
  }
}

/** One file of a scope; `null` where the scope does not show it. Errors as above. */
export async function pairOf(from: PairSources, scope: Scope, path: WorkspacePath, signal?: AbortSignal): Promise<Pair | null> {
  switch (scope.kind) {
    case 'turn':
    case 'user-in-turn':
    case 'operation':
      return (await pairsOf(from, scope, { signal })).find((pair) => pair.path === path) ?? null
    case 'by-user': {
      const turn = liveTurn(from, scope.after)
      if (turn === from.contents.now().steps.turns.length - 1) return pairSinceEnd(from, path, signal)
      return (await pairsOf(from, scope, { signal })).find((pair) => pair.path === path) ?? null
    }
    case 'session':
      return pairOfRange(from, 0, from.contents.now().steps.turns.length - 1, path, signal)
    case 'range': {
      const [one, two] = [liveTurn(from, scope.from), liveTurn(from, scope.to)]
      return pairOfRange(from, Math.min(one, two), Math.max(one, two), path, signal)
    }
    case 'to-disk':
      return pairToDisk(from, liveTurn(from, scope.promptId), path, signal)
    case 'since-reviewed':
      return pairSinceReview(from, path, signal)
    case 'base':
      return pairSinceBase(from, path, (await baseOf(from).differing(signal)).get(path), signal)
  }
}

function baseOf({ base }: PairSources): BaseTree {
  if (!base) throw new ReviewError('WORKSPACE_MISSING', 'This session works in no worktree that was made here. Compare with a turn instead.')
  return base
}

/** Whoever changed it: the worktree as a whole is compared. */
async function pairSinceBase(from: PairSources, path: WorkspacePath, before: Held | undefined, signal: AbortSignal | undefined): Promise<Pair | null> {
  const after = await from.disk()?.look(path, signal)
  if (!before || !after) return null
  // Git tells only whether a file can be run: which others may read it is no change.
  const [then, now] = [before.content.state, after.content.state]
  const runs = (mode: number | null): boolean => ((mode ?? 0) & 0o111) !== 0
  const comparable = then.kind === 'file' && now.kind === 'file' && runs(then.mode) === runs(now.mode) ? withMode(before, now.mode) : before
  return isUnchanged(comparable, after) ? null : plainPair(path, comparable, after, 'unknown')
}

function pairOfTurn(file: TurnFile, promptId: PromptId): Pair {
  const { path, before, after, cause, refusal, isModeOnly, isWithTyping } = file
  return { path, before, after, cause, refusal, isModeOnly, isWithTyping, recordedIn: file.isRecorded ? { before: promptId, after: promptId } : null }
}

function plainPair(path: WorkspacePath, before: Pair['before'], after: Pair['after'], cause: ChangeCause): Pair {
  return { path, before, after, cause, refusal: null, isModeOnly: false, isWithTyping: false, recordedIn: null }
}

/**
 * From the start of one turn to the end of another. Where one of these moments is not known, the file is compared from its
 * first change in the range, or up to its last one: between, no call and no command names it. What others changed in between is
 * none of the agent's doing: it is taken out where it can be told apart, and said to be in it where not.
 */
async function pairOfRange(from: PairSources, first: number, last: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Pair | null> {
  const revision = from.contents.now()
  if (last < 0) return null
  await revision.steps.load(startOf(first), startOfNext(last), signal)
  const touched = revision.steps.touches(path, first, last)
  const ledger = await revision.ledger(signal)
  const apart = await ledger?.withoutAgent(path, first, 'start', last)
  const before = apart?.held ?? (await firstKnown([first, ...(touched ? [touched.first] : [])], (turn) => revision.start(turn, path, signal)))
  const after = await firstKnown([last, ...(touched ? [touched.last] : [])], async (turn) => (await revision.end(turn, path, signal)).held)
  if (isUnchanged(before, after) || (!touched && !(isKnown(before) && isKnown(after)))) return null
  const ids = touched && { before: revision.steps.turns[touched.first]?.promptId, after: revision.steps.turns[touched.last]?.promptId }
  const recordedIn = ids?.before && ids.after ? { before: ids.before, after: ids.after } : null
  const cause = touched ? causeIn(from, touched.last, path) : (ledger?.lastCause(path, first, last) ?? 'unknown')
  const isWithTyping = apart ? apart.clash !== null : cause !== 'user' && (await hasTyping(revision, path, startMoment(revision, first), { ...startMoment(revision, last), kind: 'end' }, signal))
  return { ...plainPair(path, before, after, cause), recordedIn, isWithTyping }
}

async function pairToDisk(from: PairSources, turn: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Pair | null> {
  const revision = from.contents.now()
  const last = revision.steps.turns.length - 1
  await revision.steps.load(startOf(turn), startOfNext(last), signal)
  const touched = revision.steps.touches(path, turn, last)
  const before = await firstKnown([turn, ...(touched ? [touched.first] : [])], (at) => revision.start(at, path, signal))
  const after = await diskOf(from).look(path, signal)
  if (isUnchanged(before, after) || (!touched && !isKnown(before))) return null
  return touched ? withDisk(from, plainPair(path, before, after, causeIn(from, touched.last, path)), turn, signal) : plainPair(path, before, after, 'user')
}

async function pairSinceEnd(from: PairSources, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Pair | null> {
  const before = await from.leftLast(path, signal)
  if (!before || !isKnown(before)) return null
  const after = await diskOf(from).look(path, signal)
  return isUnchanged(before, after) ? null : plainPair(path, before, after, 'user')
}

/** From what the reader marked to the present; a file that was first changed after the newest mark is shown whole. */
async function pairSinceReview(from: PairSources, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Pair | null> {
  const revision = from.contents.now()
  const last = revision.steps.turns.length - 1
  const present = (await from.disk()?.look(path, signal)) ?? (last < 0 ? unknown('no-record') : (await revision.end(last, path, signal)).held)
  const { byPath: marks, newestAt } = from.marked()
  const mark = marks.get(path)
  const since = revision.steps.turns.findIndex((turn) => turn.startedAt > (newestAt ?? -Infinity))
  const touched = since < 0 ? null : revision.steps.touches(path, since, last)
  if (!mark && !touched) return null
  const before = mark ? { content: mark, source: 'backup' as const } : await revision.start(touched?.first ?? since, path, signal)
  if (isUnchanged(before, present)) return null
  return touched ? withDisk(from, plainPair(path, before, present, causeIn(from, touched.last, path)), touched.first, signal) : plainPair(path, before, present, 'user')
}

/** A pair that ends with the disk, with whether others had a part in it since the start of a turn. */
async function withDisk(from: PairSources, pair: Pair, first: number, signal: AbortSignal | undefined): Promise<Pair> {
  const revision = from.contents.now()
  const left = await from.leftLast(pair.path, signal)
  const isTypedSince = left !== null && isKnown(left) && isKnown(pair.after) && !isUnchanged(left, pair.after)
  return { ...pair, isWithTyping: isTypedSince || (await hasTyping(revision, pair.path, startMoment(revision, first), { kind: 'disk' }, signal)) }
}

function startMoment({ steps }: Revision, turn: number): Exclude<Moment, { readonly kind: 'disk' }> {
  const at = steps.turns[turn]
  if (!at) throw new ReviewError('TURN_NOT_FOUND', 'The session has no such turn on its live branch. Choose another one.')
  return { kind: 'start', promptId: at.promptId }
}

/** Whether others changed a path between two moments of the records, as far as is known. */
export async function hasTyping(revision: Revision, path: WorkspacePath, from: Moment, to: Moment, signal: AbortSignal | undefined): Promise<boolean> {
  const ledger = await revision.ledger(signal)
  if (ledger && !ledger.isPartial) return ledger.hasTyping(path, from, to)
  const turnOf = (moment: Moment): number => (moment.kind === 'disk' ? revision.steps.turns.length - 1 : (revision.steps.indexOf(moment.promptId) ?? 0))
  const [first = 0, last = 0] = [turnOf(from), turnOf(to)].sort((one, two) => one - two)
  for (let turn = first; turn < last; turn++) {
    if (!revision.steps.segmentOf(turn)?.changedPaths.has(path) || revision.steps.setAsideAfter(turn).length > 0) continue
    const [left, found] = [(await revision.end(turn, path, signal)).held, await revision.start(turn + 1, path, signal)]
    if (isKnown(left) && isKnown(found) && !isUnchanged(left, found)) return true
  }
  return false
}

async function firstKnown(turns: readonly number[], ask: (turn: number) => Promise<Held>): Promise<Held> {
  let first: Held | null = null
  for (const turn of new Set(turns)) {
    const held = await ask(turn)
    if (isKnown(held)) return held
    first ??= held
  }
  return first ?? unknown('no-record')
}

function causeIn(from: PairSources, turn: number, path: WorkspacePath): ChangeCause {
  const { steps } = from.contents.now()
  return causeOf([...steps.events(path, startOf(turn), startOfNext(turn))], path)
}

function touchedPaths(from: PairSources, watch: PairWatch): Promise<readonly WorkspacePath[]> {
  return from.contents.pathsTouched(watch.signal)
}

async function eachPath(paths: readonly WorkspacePath[], ask: (path: WorkspacePath) => Promise<Pair | null>, watch: PairWatch): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  let done = 0
  await inParallel(paths, async (path) => {
    const pair = await ask(path)
    if (pair) pairs.push(pair)
    watch.onProgress?.(++done, paths.length)
  })
  return pairs.sort((one, two) => byPath(one.path, two.path))
}

function liveTurn(from: PairSources, promptId: PromptId): number {
  const turn = from.contents.now().steps.indexOf(promptId)
  if (turn === null) throw new ReviewError('TURN_NOT_FOUND', 'The session has no such turn on its live branch. Choose another one.')
  return turn
}

function diskOf(from: PairSources): DiskView {
  const disk = from.disk()
  if (!disk) throw new ReviewError('WORKSPACE_MISSING', 'The folder of this session is not here. Attach it to compare with the disk.')
  return disk
}
