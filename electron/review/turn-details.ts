import type { DiffStat } from '../../shared/changes.js'
import type { FileChange } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedEdit, TranscriptEntry } from '../../shared/session.js'
import type { Usage } from '../../shared/usage.js'
import type { Tick, TurnDetails } from '../../shared/timeline.js'
import { countChanges } from '../../shared/changes.js'
import { covers } from './path-events.js'
import { placedCalls, type PlacedCall, type Step } from './recorded-steps.js'
import { fitTicks } from './ticks.js'

export interface TurnDetailsSources {
  readonly promptId: PromptId
  readonly entries: readonly TranscriptEntry[]
  readonly steps: readonly Step[]
  /** The changes of the turn. */
  readonly changes: readonly FileChange[]
  /** What others changed before the next turn. */
  readonly between: readonly FileChange[]
  /** What others changed in the middle of it. */
  readonly inside: readonly FileChange[]
  readonly usage: Usage | null
  /** What was not looked at, or not kept. */
  readonly limits: readonly string[]
}

/** What a row of the timeline tells of a turn. */
export function buildTurnDetails(sources: TurnDetailsSources): TurnDetails {
  const { promptId, changes } = sources
  const placed = placedCalls(sources.entries)
  const made = changes.filter((change) => change.kind !== 'refused')
  const count = (isCounted: (placed: PlacedCall) => boolean): number => placed.filter(isCounted).length
  return {
    promptId,
    files: made.length,
    stat: sumOfStats(made),
    usage: sources.usage,
    commands: count(({ call }) => call.command !== null && call.edit === null && call.status !== 'refused'),
    refused: count(({ call }) => call.status === 'refused'),
    failed: count(({ call }) => call.status === 'failed'),
    subagents: count(({ call }) => call.kind === 'subagent'),
    unknown: made.filter(isUnknown).length,
    ticks: fitTicks(ticksOf(sources, placed)),
    limits: sources.limits,
    byUser: countOf(sources.between),
    byUserInside: countOf(sources.inside),
  }
}

function countOf(changes: readonly FileChange[]): TurnDetails['byUser'] {
  return changes.length === 0 ? null : { files: changes.length, stat: sumOfStats(changes) }
}

export function sumOfStats(changes: readonly { readonly stat: DiffStat | null }[]): DiffStat {
  return changes.reduce<DiffStat>(
    (sum, { stat }) => ({ insertions: sum.insertions + (stat?.insertions ?? 0), deletions: sum.deletions + (stat?.deletions ?? 0) }),
    { insertions: 0, deletions: 0 },
  )
}

function isUnknown(change: FileChange): boolean {
  return change.badges.some((badge) => badge.kind === 'unknown')
}

/** One tick for each call that matters, and one for each file that a command changed. */
function ticksOf({ steps, changes }: TurnDetailsSources, placed: readonly PlacedCall[]): readonly Tick[] {
  const stats = placed.map(({ call }) => call.edit && statOfEdit(call.edit))
  const untold = untoldChanges(steps, changes, placed, stats)
  return placed.flatMap((each, at): readonly Tick[] => {
    const files = untold.get(at) ?? []
    const own = files.length > 0 && each.call.edit ? [] : ticksOfCall(each, stats[at] ?? null)
    return [...own, ...files.map(changeTick)]
  })
}

function ticksOfCall({ call, isSubagent }: PlacedCall, stat: DiffStat | null): readonly Tick[] {
  const label = labelOf(call.edit?.path ?? call.command?.text ?? call.name)
  if (call.status === 'refused') return [{ kind: 'refused', label }]
  if (call.status === 'failed') return [{ kind: 'failed', label }]
  if (call.edit) {
    const cause = isSubagent ? 'subagent' : call.edit.change.kind === 'sed' ? 'sed' : 'edit'
    return [stat ? { kind: 'change', cause, removed: stat.deletions, added: stat.insertions, label } : { kind: 'unknown', label }]
  }
  if (call.kind === 'subagent') return [{ kind: 'subagent', label: labelOf(call.subagent?.name ?? call.name) }]
  return call.command ? [{ kind: 'command', label }] : []
}

/** The files of whose lines no call tells, as those that commands changed, by the last call that can have done it. */
function untoldChanges(
  steps: readonly Step[],
  changes: readonly FileChange[],
  placed: readonly PlacedCall[],
  stats: readonly (DiffStat | null)[],
): ReadonlyMap<number, readonly FileChange[]> {
  const byCall = new Map<number, FileChange[]>()
  const editsOf = new Map<WorkspacePath, Step[]>()
  for (const step of steps) {
    if (step.kind !== 'edit' || placed[step.at] === undefined) continue
    const others = editsOf.get(step.path)
    if (others) others.push(step)
    else editsOf.set(step.path, [step])
  }
  for (const change of changes) {
    const edits = editsOf.get(change.path) ?? []
    const last = edits.at(-1)
    const isOfCommand = last !== undefined && placed[last.at]?.call.edit === null
    const isUntold = isOfCommand || (change.stat !== null && edits.every(({ at }) => stats[at] === null))
    const command = change.cause === 'command' || change.cause === 'sed' ? steps.findLast((step) => step.kind === 'command' && mayConcern(step, change.path)) : undefined
    const step = last ? (isUntold ? last : undefined) : command
    if (step) byCall.set(step.at, [...(byCall.get(step.at) ?? []), change])
  }
  return byCall
}

function mayConcern(step: Step & { readonly kind: 'command' }, path: WorkspacePath): boolean {
  return step.steps.some((shell) => shell.kind === 'unforeseen' || covers(shell, path))
}

function changeTick({ path, stat, cause }: FileChange): Tick {
  return stat ? { kind: 'change', cause, removed: stat.deletions, added: stat.insertions, label: path } : { kind: 'unknown', label: path }
}

/** Lines of one edit, by its recorded texts or else by what it says that it replaced. */
function statOfEdit(edit: RecordedEdit): DiffStat | null {
  const { before, after, change, isNewFile } = edit
  if ((before?.isWhole || isNewFile) && after?.isWhole) return countChanges(isNewFile ? '' : (before?.text ?? ''), after.text)
  if (change.kind === 'replace') return countChanges(change.oldText, change.newText)
  return isNewFile && change.kind === 'write' ? countChanges('', change.content) : null
}

function labelOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
