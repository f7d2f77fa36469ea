import type { ChangeCause, FileState, UnknownReason } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { PromptId } from '../../shared/ids.js'
import type { ComputedChange, ComputedEntry } from './computed-ledger.js'
import type { SnapshotChain, SnapshotGap, StepCall } from './opencode-steps.js'
import type { SnapshotStates } from './opencode-states.js'

/** Calls that can change files without naming them. */
const isBroad = ({ kind }: StepCall): boolean => kind === 'command' || kind === 'subagent' || kind === 'other'

const cutShort = 'A step of the agent has no snapshot at its end, so what it left behind is known only by what followed.'

/**
 * What changed between one snapshot and the next, by the call that it can be laid to.
 *
 * Two snapshots with nothing but one gap between them tell both sides exactly. Where snapshots between are missing, nothing is known
 * of the moments there: the change is told as one that leads from a known state to an unknown one, and one that leads back.
 */
export async function ledgerEntries(
  { points, gaps }: SnapshotChain,
  states: SnapshotStates,
  afterRewinds: ReadonlySet<PromptId>,
  signal?: AbortSignal,
): Promise<readonly ComputedEntry[]> {
  const placed: { readonly gap: number; readonly entry: ComputedEntry }[] = []
  const add = (gap: number, changes: readonly ComputedChange[], limits: readonly string[] = [], isSeenAgain = false): void => {
    const at = gaps[gap]
    const entries = at ? gapEntries(at, changes, limits, afterRewinds) : []
    // Who did it is not known where the state before is not.
    for (const entry of entries) placed.push({ gap, entry: isSeenAgain && entry.isBeforeTurn ? { ...entry, cause: 'unknown', isFirstSight: true } : entry })
  }
  /** By gap, what may have changed there beyond what was found. */
  const unclear = new Map<number, (path: WorkspacePath) => boolean>()
  let known = -1
  for (let at = 0; at < points.length; at++) {
    const tree = points[at]?.tree ?? null
    if (tree === null || !(await states.has(tree))) continue
    const before = points[known]?.tree ?? null
    if (before === null) beforeFirst(gaps.slice(0, at), (path) => states.stateOf(tree, path)).forEach((changes, gap) => add(gap, changes))
    else {
      const { found, lost } = await states.differences(before, tree, signal)
      const listed = new Set(gaps.slice(known, at).flatMap(({ patched }) => patched))
      // Where one side cannot be read, the agent's own list says which of these files have changed.
      const changes = found.flatMap((each) => {
        const change = states.changeOf(each, before, tree)
        return each.before !== undefined && each.after !== undefined ? [change] : listed.size === 0 || listed.has(change.path) ? [change] : []
      })
      if (at === known + 1) add(known, changes)
      else {
        add(known, changes.map((change) => ({ ...change, after: unknownState('no-record') })), [cutShort])
        add(at - 1, changes.map((change) => ({ ...change, before: unknownState('no-record') })), [cutShort], true)
      }
      if (lost.length > 0) for (let gap = known; gap < at; gap++) unclear.set(gap, (path) => states.isIn(path, lost))
    }
    known = at
  }
  const paths = new Set(placed.flatMap(({ entry }) => entry.changes.map(({ path }) => path)))
  for (const [at, gap] of gaps.entries()) {
    const isLost = unclear.get(at)
    if (isLost) add(at, unknownIn(gap, [...paths, ...namedBy(gap)].filter(isLost)), [cutShort])
    else if (at >= Math.max(known, 0)) add(at, unknownIn(gap, [...namedBy(gap), ...(gap.calls.some(isBroad) ? paths : [])]), [cutShort])
  }
  return placed.sort((one, two) => one.gap - two.gap).map(({ entry }) => entry)
}

/** Up to the first snapshot that is there, the agent's own list of changed files is all that is known; by gap. */
function beforeFirst(gaps: readonly SnapshotGap[], stateOf: (path: WorkspacePath) => Promise<FileState>): readonly (readonly ComputedChange[])[] {
  const last = new Map<WorkspacePath, number>()
  gaps.forEach((gap, at) => namedBy(gap).forEach((path) => last.set(path, at)))
  return gaps.map((gap, at) =>
    namedBy(gap).map((path): ComputedChange => {
      const isLast = last.get(path) === at && !gaps.slice(at + 1).some((later) => later.calls.some(isBroad) && later.patched.length === 0)
      return { path, before: unknownState('backup-missing'), after: isLast ? () => stateOf(path) : unknownState('backup-missing') }
    }),
  )
}

function unknownIn(gap: SnapshotGap, paths: readonly WorkspacePath[]): readonly ComputedChange[] {
  const reason = gap.calls.some(isBroad) ? 'changed-by-command' : 'no-record'
  return [...new Set(paths)].map((path) => ({ path, before: unknownState(reason), after: unknownState(reason) }))
}

function namedBy({ patched, calls }: SnapshotGap): readonly WorkspacePath[] {
  return [...new Set([...patched, ...calls.flatMap(({ paths, kind }) => (kind === 'edit' ? paths : []))])].map(workspacePath)
}

/** The changes of a gap by the call that each can be laid to. */
function gapEntries(gap: SnapshotGap, changes: readonly ComputedChange[], limits: readonly string[], afterRewinds: ReadonlySet<PromptId>): readonly ComputedEntry[] {
  const groups = new Map<string, { readonly doer: Doer; readonly changes: ComputedChange[] }>()
  for (const change of changes) {
    const doer = doerOf(gap, change.path, afterRewinds)
    const key = `${doer.callId} ${doer.cause}`
    const group = groups.get(key)
    if (group) group.changes.push(change)
    else groups.set(key, { doer, changes: [change] })
  }
  const { promptId, isBeforeTurn, at } = gap
  return [...groups.values()].map(({ doer, changes: own }) => ({ promptId, isBeforeTurn, at, limits, ...doer, changes: own }))
}

interface Doer {
  readonly callId: string | null
  readonly cause: ChangeCause
}

function doerOf(gap: SnapshotGap, path: WorkspacePath, afterRewinds: ReadonlySet<PromptId>): Doer {
  const named = gap.calls.findLast((call) => call.kind === 'edit' && call.isDone && call.paths.includes(path))
  if (named && !gap.isBeforeTurn) return { callId: named.callId, cause: 'edit' }
  const broad = gap.calls.filter(isBroad)
  const [only, second] = broad
  if (!only || gap.isBeforeTurn) {
    const isOthers = gap.isBeforeTurn && broad.length === 0 && !afterRewinds.has(gap.promptId)
    return { callId: null, cause: isOthers ? 'user' : 'unknown' }
  }
  const causes = new Set(broad.map(({ kind }) => causeOf(kind)))
  const [cause = 'unknown'] = causes
  return { callId: second ? null : only.callId, cause: causes.size === 1 ? cause : 'unknown' }
}

function causeOf(kind: StepCall['kind']): ChangeCause {
  return kind === 'command' ? 'command' : kind === 'subagent' ? 'subagent' : 'unknown'
}

function unknownState(reason: UnknownReason): () => Promise<FileState> {
  return async () => ({ kind: 'unknown', reason })
}

