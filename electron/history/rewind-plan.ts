import { createHash } from 'node:crypto'
import type { FileState, UnknownReason } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Resolution, RewindAction } from '../../shared/rewind.js'
import { displayLimitBytes, hardLimitBytes } from '../workspace/text-decoding.js'
import { sha256Of } from '../workspace/text-files.js'
import { mergeBytes, textInStyleOf, type BytesOfThree, type MergedBytes } from './three-texts.js'

/** The words for where a plan goes back to: "turn 4" twice for a rewind, "before the rewind" and "the undo" for its undo. */
export interface PlanWords {
  readonly to: string
  readonly by: string
  /** What a file is that needs no change, where "the same" would say too much: "as before turn 3 first touched it". */
  readonly same?: string
}

/** All that is known of one file when a plan is made. */
export interface FileFacts {
  readonly path: WorkspacePath
  readonly target: FileState
  /** What the agent, or our last operation, left. */
  readonly base: FileState
  readonly disk: FileState
  /** Why the path may not be touched at all, in one sentence; else `null`. */
  readonly blocked: string | null
  /** Name of the turn that first changed it after the target ("turn 6"), where the records tell. */
  readonly turn: string | null
  /** Needed where `needsBytes` says so. */
  readonly bytes: BytesOfThree | null
}

/** What will stand at the path. `from` says whose bytes a file gets; `null` for a link or nothing. */
export interface PlannedResult {
  readonly state: FileState
  readonly from: 'target' | 'disk' | Uint8Array | null
}

/** The plan for one file. `result` is `null` where nothing is written. */
export interface FilePlan {
  readonly facts: FileFacts
  readonly resolution: Resolution
  readonly action: RewindAction
  readonly reason: string
  readonly conflicts: number
  readonly result: PlannedResult | null
  /** The merge, where one was made. */
  readonly merge: MergedBytes | null
}

/** Whether the plan for a file depends on its three contents and not on their hashes alone. */
export function needsBytes(facts: FileFacts, resolution: Resolution): boolean {
  const decision = decide(facts)
  return decision.kind === 'merge' || (resolution.kind === 'text' && decision.kind !== 'cannot' && decision.kind !== 'unchanged' && decision.kind !== 'same')
}

/**
 * What a rewind does to one file. Nothing that was typed after the base is lost unseen: it is merged in, or the file is left
 * until somebody chooses.
 */
export function planFile(facts: FileFacts, resolution: Resolution, words: PlanWords): FilePlan {
  const plan = (action: RewindAction, reason: string, rest: Partial<FilePlan> = {}): FilePlan => {
    return { facts, resolution, action, reason, conflicts: 0, result: null, merge: null, ...rest }
  }
  const decision = decide(facts)
  if (decision.kind === 'cannot') return plan('cannot', decision.reason)
  if (decision.kind === 'same') return plan('unchanged', `Nothing to do, it is ${words.same ?? 'the same'}`)
  if (decision.kind === 'unchanged') return plan('unchanged', decision.reason)
  if (resolution.kind === 'text') return planText(facts, resolution.text, plan)

  const merge = decision.kind === 'merge' && facts.bytes ? mergeBytes(facts.bytes) : null
  const conflicts = merge?.kind === 'merged' ? merge.conflicts.length : decision.kind === 'write' || decision.kind === 'yours' ? 0 : 1
  if (resolution.kind === 'keep') return plan('unchanged', 'Stays as it is, as you chose', { conflicts, merge })
  if (resolution.kind === 'old') {
    const back = planBack(facts, words, modeIn(facts.target) ?? modeIn(facts.disk))
    const reason = decision.kind === 'write' ? back.reason : `Back to ${words.to}, over what you changed since`
    return plan(back.action, reason, { conflicts, merge, result: back.result })
  }
  if (decision.kind === 'write') {
    const back = planBack(facts, words, modeAfter(facts))
    return plan(back.action, back.reason, { result: back.result })
  }
  if (decision.kind === 'yours') return plan('unchanged', 'Only you changed it since, so it stays')
  if (decision.kind === 'conflict') return plan('conflict', `${decision.reason}. ${untilChosen}`, { conflicts: 1 })
  return planMerge(facts, merge, words, plan)
}

/**
 * Binds a plan to all that it depends on: the states on the disk and at the target, the choices, and what would be written.
 * Returns 64 hex digits, whatever the order of the files.
 */
export function hashPlan(plans: readonly FilePlan[]): string {
  const lines = plans.map(({ facts, action, resolution, result }) =>
    JSON.stringify([facts.path, stateKey(facts.disk), stateKey(facts.target), action, resolution, result && stateKey(result.state)]),
  )
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}

type MakePlan = (action: RewindAction, reason: string, rest?: Partial<FilePlan>) => FilePlan

type Decision =
  | { readonly kind: 'cannot'; readonly reason: string }
  | { readonly kind: 'unchanged'; readonly reason: string }
  | { readonly kind: 'same' }
  /** The target's content, since nobody else changed the file. */
  | { readonly kind: 'write' }
  /** The agent left it as it was at the target; all changes since are somebody else's. */
  | { readonly kind: 'yours' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'conflict'; readonly reason: string }

const untilChosen = 'Stays as it is until you choose'

function decide({ target, base, disk, blocked, turn }: FileFacts): Decision {
  if (blocked !== null) return { kind: 'cannot', reason: blocked }
  if (target.kind === 'unknown') return { kind: 'cannot', reason: whyUnknown(target.reason, turn) }
  if (target.kind === 'folder') {
    if (disk.kind === 'folder') return { kind: 'unchanged', reason: 'Nothing to do, the folder is there' }
    return disk.kind === 'absent' ? { kind: 'write' } : { kind: 'cannot', reason: 'It was a folder' }
  }
  if (disk.kind === 'unknown') return { kind: 'cannot', reason: 'The file on the disk cannot be read' }
  if (disk.kind === 'folder') {
    if (target.kind === 'absent' && base.kind === 'folder') return { kind: 'write' }
    if (target.kind === 'absent') return { kind: 'unchanged', reason: 'A folder stands there now, its files are listed by themselves' }
    return { kind: 'cannot', reason: 'It is a folder now. Move it away first' }
  }
  if (isSameContent(disk, target)) {
    const [mode, wanted] = [modeIn(disk), modeIn(target)]
    if (wanted === null || wanted === mode) return { kind: 'same' }
    return modeAfter({ target, base, disk }) === mode ? { kind: 'yours' } : { kind: 'write' }
  }
  if (Math.max(sizeOf(disk), sizeOf(target)) > hardLimitBytes) return { kind: 'cannot', reason: 'It is larger than 64 MiB, too large to be kept in history' }
  // Deleted by whomever: bringing it back takes nothing from anyone.
  if (disk.kind === 'absent') return { kind: 'write' }
  if (isSameContent(disk, base)) return { kind: 'write' }
  if (base.kind === 'unknown') return { kind: 'conflict', reason: "Cannot tell your typing from the agent's" }
  if (isSameContent(base, target)) return { kind: 'yours' }
  if (target.kind === 'absent') {
    return { kind: 'conflict', reason: turn ? `Created in ${turn}, and you changed it since` : 'It did not exist then, and you changed it since' }
  }
  if (disk.kind === 'link' || target.kind === 'link' || base.kind === 'link') {
    return { kind: 'conflict', reason: 'You changed it since, and a link cannot be merged' }
  }
  if (Math.max(sizeOf(disk), sizeOf(base), sizeOf(target)) > displayLimitBytes) {
    return { kind: 'conflict', reason: 'You changed it since, and it is too large to merge' }
  }
  return { kind: 'merge' }
}

function planBack({ target, disk, turn }: FileFacts, words: PlanWords, mode: number | null): { action: RewindAction; reason: string; result: PlannedResult } {
  if (target.kind === 'absent') {
    return { action: 'delete', reason: turn ? `Created in ${turn}` : 'Created since', result: { state: target, from: null } }
  }
  const action = disk.kind === 'absent' ? 'recreate' : 'restore'
  const isYours = mode !== null && mode === modeIn(disk) && mode !== (modeIn(target) ?? mode)
  const to = isYours ? `Back to ${words.to}, your mode ${mode.toString(8)} stays` : `Back to ${words.to}`
  const back = disk.kind === 'absent' ? `Deleted ${turn ? `in ${turn}` : 'since'}, comes back as it was` : to
  if (target.kind !== 'file') return { action, reason: back, result: { state: target, from: null } }
  const state: FileState = { ...target, mode }
  if (!isSameContent(disk, target)) return { action, reason: back, result: { state, from: 'target' } }
  return { action, reason: `Mode back to ${(mode ?? 0).toString(8)}`, result: { state, from: 'disk' } }
}

function planMerge(facts: FileFacts, merge: MergedBytes | null, words: PlanWords, plan: MakePlan): FilePlan {
  if (!merge || merge.kind === 'impossible') {
    const why = merge?.why ?? 'one of its texts is not at hand'
    return plan('conflict', `You changed it since, and ${why}. ${untilChosen}`, { conflicts: 1, merge })
  }
  const first = merge.conflicts[0]
  if (first) {
    const more = merge.conflicts.length > 1 ? `${merge.conflicts.length} places, the first at line` : 'line'
    const reason = `You and ${words.by} both changed ${more} ${first.targetLine}. ${untilChosen}`
    return plan('conflict', reason, { conflicts: merge.conflicts.length, merge })
  }
  const state = fileOf(merge.bytes, modeAfter(facts))
  if (isSameContent(state, facts.disk) && state.mode === modeIn(facts.disk)) {
    return plan('unchanged', 'Nothing to do, you changed it in the same way', { merge })
  }
  const { added } = merge
  const yours = added === 0 ? 'your changes stay' : `your ${added === 1 ? 'line stays' : `${added} lines stay`}`
  return plan('merge', `Back to ${words.to}, ${yours}`, { merge, result: { state, from: merge.bytes } })
}

function planText(facts: FileFacts, text: string, plan: MakePlan): FilePlan {
  const bytes = textInStyleOf(text, facts.bytes)
  if (!bytes) return plan('conflict', `Your text has characters that the file's encoding lacks. ${untilChosen}`, { conflicts: 1 })
  const state = fileOf(bytes, modeAfter(facts))
  if (isSameContent(state, facts.disk) && state.mode === modeIn(facts.disk)) return plan('unchanged', 'Your text is what the file holds')
  return plan('merge', 'Your text from the result pane', { result: { state, from: bytes } })
}

/** The target's mode; the present one where that is not known, or where only somebody else changed it. `null`: the system's usual one. */
function modeAfter({ target, base, disk }: Pick<FileFacts, 'target' | 'base' | 'disk'>): number | null {
  const [then, left, now] = [modeIn(target), modeIn(base), modeIn(disk)]
  return then === null || (now !== null && left === then) ? now : then
}

function modeIn(state: FileState): number | null {
  return state.kind === 'file' ? state.mode : null
}

function sizeOf(state: FileState): number {
  return state.kind === 'file' ? state.sizeBytes : 0
}

function isSameContent(one: FileState, two: FileState): boolean {
  if (one.kind === 'file' && two.kind === 'file') return one.sha256 === two.sha256
  if (one.kind === 'link' && two.kind === 'link') return one.target === two.target
  return one.kind === 'absent' && two.kind === 'absent'
}

function fileOf(bytes: Uint8Array, mode: number | null): FileState & { readonly kind: 'file' } {
  return { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode }
}

function stateKey(state: FileState): readonly unknown[] {
  if (state.kind === 'file') return [state.kind, state.sha256, state.mode]
  return [state.kind, state.kind === 'link' ? state.target : null]
}

const unknownSentences: Readonly<Record<UnknownReason, string>> = {
  'no-record': 'Nothing recorded tells what it was',
  'backup-missing': 'Its backup is gone',
  'backup-failed': 'Its backup failed when it was made',
  'changed-by-command': 'A shell command changed it before we had a copy',
  'records-disagree': 'The records about it contradict each other',
  'log-broken': 'The log is damaged there',
  'outside-workspace': 'It lies outside the workspace',
  unreadable: 'It could not be read then',
}

function whyUnknown(reason: UnknownReason, turn: string | null): string {
  if (reason === 'changed-by-command' && turn) return `A shell command changed it in ${turn} before we had a copy`
  return unknownSentences[reason]
}
