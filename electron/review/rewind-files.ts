import type { ContentSource, FileState } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { RewindTarget } from '../../shared/rewind.js'
import { inParallel } from '../base/pool.js'
import type { KnownContent } from '../history/content.js'
import type { Journal } from '../history/journal.js'
import type { RewindInput } from '../history/rewind.js'
import { byPath, type Contents } from './contents.js'
import { isKnown, unknown, type Held } from './held.js'
import type { Edge } from './ledger-contents.js'
import { isOutside } from './path-events.js'
import type { PairWatch } from './scoped-pairs.js'
import { isUnchanged } from './turn-files.js'
import { carriedOver } from './without-agent.js'

/** What our own operations left, and their bytes. */
export interface OurOperations {
  readonly journal: Journal
  readonly contentOf: (state: FileState) => KnownContent
}

/**
 * Every file that a rewind to this moment is about: its content then, and what the agent (or our newest operation) left last,
 * against which later typing is told apart. Where the content then is not proven, a file goes back to what it was before the agent
 * first touched it. Files that no call and no command names after the target, and whose content is not known, are no part of it.
 * With `chosen` only those of these paths that are part of it are looked at.
 *
 * Errors: TURN_NOT_FOUND, TURN_SET_ASIDE.
 */
export async function filesForRewind(contents: Contents, ours: OurOperations | null, target: RewindTarget, chosen: readonly WorkspacePath[] | null, watch: PairWatch = {}): Promise<readonly RewindInput[]> {
  const { signal, onProgress } = watch
  const paths = chosen ?? (await contents.pathsTouched(signal))
  const files: RewindInput[] = []
  let done = 0
  await inParallel(paths, async (path) => {
    const file = await fileForRewind(contents, ours, target, path, signal)
    if (file) files.push(file)
    onProgress?.(++done, paths.length)
  })
  return files.sort((one, two) => byPath(one.path, two.path))
}

async function fileForRewind(contents: Contents, ours: OurOperations | null, target: RewindTarget, path: WorkspacePath, signal: AbortSignal | undefined): Promise<RewindInput | null> {
  const { steps } = contents.now()
  const proven = await contents.contentAt(target, path, signal)
  const turn = steps.indexOf(target.promptId) ?? 0
  const last = steps.turns.length - 1
  const touched = steps.touches(path, target.kind === 'end' ? turn + 1 : turn, last)
  const isAsFirstTouched = !isKnown(proven) && touched !== null
  const held = isAsFirstTouched ? await contents.now().start(touched.first, path, signal) : proven
  if (!isKnown(held) && !touched) return null
  const left = await leftLast(contents, ours, path, signal)
  const ledger = await contents.now().ledger(signal)
  // What only somebody else changed since is not the agent's to take back: held against itself it stays, unless a person chooses.
  const isOthers = await isOthersOnly(contents, ours, target, path, signal)
  // What others changed before the agent changed the file stays, or is asked about where it does not fit.
  const apart = isAsFirstTouched || isOthers ? null : await ledger?.withoutAgent(path, turn, edgeOf(target), last, left.isOurs)
  const goal = apart?.held ?? held
  const base = apart?.clash && !left.isOurs ? apart.clash : left
  return {
    path,
    // A file outside the workspace may be known, but is never written.
    target: isOutside(path) ? unknown('outside-workspace').content : goal.content,
    // Where a later command may have changed it, what was known before is the best to tell typing by: at worst more counts as typed.
    base: isOthers ? held.content : base.content,
    turn: touched ? `turn ${touched.first + 1}` : null,
    isAsFirstTouched: isAsFirstTouched && isKnown(held),
    isWithTyping: goal !== held,
  }
}

const edgeOf = (target: RewindTarget): Edge => (target.kind === 'step' ? target.step : target.kind)

async function isOthersOnly(contents: Contents, ours: OurOperations | null, target: RewindTarget, path: WorkspacePath, signal: AbortSignal | undefined): Promise<boolean> {
  const ledger = await contents.now().ledger(signal)
  const { steps } = contents.now()
  const turn = steps.indexOf(target.promptId) ?? 0
  if (!ledger?.isOthersOnly(path, turn, edgeOf(target))) return false
  const ourLast = ours?.journal.lastLeft(path)
  // Of an operation before that moment, or before its last change, the ledger has told.
  if (ourLast && ourLast.at <= Math.max(steps.turns[turn]?.startedAt ?? -Infinity, ledger.seenAt(path) ?? -Infinity)) return true
  const seen = ourLast && (await ledger.latest(path))
  // An operation of ours that still stands has the last word; one that was undone has none.
  return !ourLast || (seen !== null && seen !== undefined && isUnchanged({ content: { ...seen.content, state: ourLast.state } }, seen))
}

/** What stood at a path before anybody else typed. */
export interface Left {
  readonly content: KnownContent
  readonly source: ContentSource
  /** False where a later command may have changed it. */
  readonly isCertain: boolean
  /** Our newest operation left it. */
  readonly isOurs?: boolean
}

/**
 * What stood at a path before anybody typed since the agent's last change, or since the last turn began: what the agent left, and
 * after that what our operations made of it but for the typing that they merged in.
 */
export async function leftLast(contents: Contents, ours: OurOperations | null, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Left> {
  const { steps } = contents.now()
  const last = steps.turns.length - 1
  const since = await leftSince(contents, path, signal)
  const operations = (ours?.journal.ofPath(path) ?? []).filter(({ at, untyped }) => untyped !== undefined && at > since)
  const byAgent = async (): Promise<Left> => {
    if (last < 0) return { ...unknown('no-record'), isCertain: false }
    const { held, lastKnown } = await contents.now().end(last, path, signal)
    return isKnown(held) ? { ...held, isCertain: true } : { ...lastKnown, isCertain: false }
  }
  if (!ours || operations.length === 0) return byAgent()
  // A rewind tells it by itself; how it was before matters only to an undo.
  const from = operations.findLastIndex(({ kind }) => kind === 'rewind')
  let left: Held | null = from >= 0 ? null : await certain(byAgent())
  for (const { kind, untyped } of operations.slice(Math.max(from, 0))) {
    const [before, after] = [untyped?.before, untyped?.after].map((state) => (state ? heldBy(ours, state) : null))
    left = kind === 'rewind' ? (after ?? null) : left && before && after ? await carriedOver(left, before, after) : null
  }
  return left ? { ...left, isCertain: true, isOurs: true } : { ...unknown('no-record'), isCertain: false, isOurs: true }
}

async function leftSince(contents: Contents, path: WorkspacePath, signal: AbortSignal | undefined): Promise<number> {
  const { steps } = contents.now()
  const last = steps.turns.length - 1
  const startOf = (turn: number | undefined): number => steps.turns[turn ?? -1]?.startedAt ?? -Infinity
  const ledger = await contents.now().ledger(signal)
  // A ledger tells what our operations left as well, up to the start of the last turn.
  if (ledger?.names(path) && !ledger.isPartial) return Math.max(startOf(last), ledger.agentAt(path) ?? -Infinity)
  return startOf(steps.touches(path, 0, last)?.last)
}

async function certain(left: Promise<Left>): Promise<Held | null> {
  const { isCertain, content, source } = await left
  return isCertain ? { ...unknown('no-record'), content, source } : null
}

function heldBy({ contentOf }: OurOperations, state: FileState): Held {
  return { ...unknown('no-record'), content: contentOf(state), source: 'backup' }
}
