import { errorCodes } from '../../shared/errors.js'
import type { ChangeCause, UnknownReason } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedText, ToolCall, TranscriptEntry } from '../../shared/session.js'
import { parseObject } from '../sessions/json-values.js'
import { patchedPaths } from '../sessions/own-tools.js'
import type { LedgerMark } from '../sessions/recorded-session.js'
import { calledPath } from '../sessions/tracked-paths.js'
import { observeShown, observeText, type Observation } from './held.js'
import { isAgents } from './ledger-contents.js'
import { shellEffects, unforeseen, type ShellStep } from '../shell/shell-effects.js'

/** One thing that happened to files in a turn, in order; texts are kept as hashes, the call `at` has them. */
export type Step =
  /** A read showed the agent the whole file. */
  | { readonly kind: 'seen'; readonly at: number; readonly path: WorkspacePath; readonly what: Observation }
  | {
      readonly kind: 'edit'
      readonly at: number
      readonly path: WorkspacePath
      readonly cause: ChangeCause
      readonly before: Observation | null
      readonly after: Observation | null
      /** False where the log does not say whether it was done. */
      readonly isSure: boolean
    }
  /** A command, or a tool of which nobody knows what it does. */
  | {
      readonly kind: 'command'
      readonly at: number
      readonly label: string
      readonly steps: readonly ShellStep[]
      /** It ended well, so its certain effects have happened. */
      readonly isDone: boolean
      /** It may be about line ends, blanks or encodings only: a recorded text, which loses these, cannot show that a file was left alone. */
      readonly mayTouchBlanks: boolean
    }

/** A recorded edit that wrote nothing. */
export interface Refusal {
  readonly path: WorkspacePath
  readonly status: 'refused' | 'failed'
  readonly reason: string
}

/** What a turn did to files, without its texts. */
export interface TurnSteps {
  readonly promptId: PromptId
  readonly steps: readonly Step[]
  readonly refusals: readonly Refusal[]
  /** Its shell commands, each cut to 500 characters. */
  readonly commands: readonly string[]
  /** Time of its last entry. */
  readonly endedAt: number
}

/** A call with the place that its effects have among the others. */
export interface PlacedCall {
  readonly call: ToolCall
  readonly isSubagent: boolean
  /** Ran beside another subagent, so that its place is not certain. */
  readonly isUnordered: boolean
}

/** The calls of a turn in order, a subagent's in the place of the call that started it. */
export function placedCalls(entries: readonly TranscriptEntry[]): readonly PlacedCall[] {
  const calls = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
  const placed: PlacedCall[] = []
  const add = (call: ToolCall, isSubagent: boolean, isUnordered: boolean): void => {
    placed.push({ call, isSubagent, isUnordered })
    for (const inner of call.subagent?.calls ?? []) add(inner, true, isUnordered)
  }
  calls.forEach((call, at) => {
    const hasNeighbour = calls[at - 1]?.kind === 'subagent' || calls[at + 1]?.kind === 'subagent'
    add(call, false, call.kind === 'subagent' && hasNeighbour)
  })
  return placed
}

/** Digests a turn. `folder` is the workspace that the log names. */
export function stepsOf(promptId: PromptId, entries: readonly TranscriptEntry[], folder: string): TurnSteps {
  const steps: Step[] = []
  const refusals: Refusal[] = []
  const placed = placedCalls(entries)
  // A line of the turn that cannot be read may have held any call, before or after all others.
  const lost = entries.some((entry) => entry.kind === 'other' && lostLines.has(entry.label)) ? [lostStep] : []
  steps.push(...lost)
  placed.forEach(({ call, isSubagent, isUnordered }, at) => {
    // Subagents that ran side by side: what one of them did can have come before what an earlier listed one did.
    const startsGroup = isUnordered && !isSubagent && !placed[at - 1]?.isUnordered
    if (startsGroup) steps.push(...unorderedCommands(placed, at, folder))
    if (call.edit && wroteNothing(call)) {
      refusals.push({ path: call.edit.path, status: call.status === 'refused' ? 'refused' : 'failed', reason: firstLine(call.output) })
      return
    }
    if (!call.edit && wroteNothing(call)) refusals.push(...patchRefusals(call, folder))
    const step = stepOf(call, at, isSubagent, folder)
    if (step) steps.push(step.kind === 'command' && isUnordered ? { ...step, isDone: false } : step)
  })
  steps.push(...lost)
  const commands = placed.flatMap(({ call }) => (call.command ? [call.command.text.slice(0, 500)] : []))
  return { promptId, steps, refusals, commands, endedAt: entries.reduce((latest, entry) => Math.max(latest, entry.at), 0) }
}

/**
 * The steps of a turn by the ledger, which saw what each call did. An edit that it does not know, since its record was lost, and a
 * line that cannot be read stay as the calls tell. One that still waits for its answer wrote nothing yet: what was cut off while it
 * was written is in the ledger from the next start on.
 */
export function withLedger(turn: TurnSteps, calls: readonly PlacedCall[], marks: readonly LedgerMark[]): TurnSteps {
  const placeOf = new Map(calls.map(({ call }, at) => [call.callId, at]))
  const known = new Set(marks.map(({ callId }) => callId))
  const seen = marks.filter((mark) => isAgents(mark) && !mark.isFirstSight).flatMap((mark): readonly Step[] => {
    const at = placeOf.get(mark.callId ?? '') ?? -1
    return mark.paths.map((path) => ({ kind: 'edit', at, path, cause: mark.cause, before: null, after: null, isSure: true }))
  })
  const isLost = (call: ToolCall | undefined): boolean => !known.has(call?.callId ?? '') && call?.status !== 'running'
  const told = turn.steps.filter((step) => step.at === lostStep.at || (step.kind === 'edit' && isLost(calls[step.at]?.call)))
  return { ...turn, steps: [...told, ...seen] }
}

/** The steps of a turn that a rewind took back: nothing of what they did is certain any more. */
export function asUncertain(turn: TurnSteps): readonly Step[] {
  return turn.steps.flatMap((step): readonly Step[] => {
    if (step.kind === 'seen') return []
    return step.kind === 'edit' ? [{ ...step, after: null, isSure: false }] : [{ ...step, isDone: false }]
  })
}

/** Labels under which a transcript holds lines that could not be read. */
const lostLines: ReadonlySet<string> = new Set(['unreadable line', 'oversized record'])
const lostStep: Step = { kind: 'command', at: -1, label: 'a line that cannot be read', steps: unforeseen('A line of the log cannot be read.'), isDone: false, mayTouchBlanks: true }

/** Why a content is not known behind a step that may have written it. */
export function reasonBehind(step: Extract<Step, { readonly kind: 'command' }>): UnknownReason {
  return step.at === lostStep.at ? 'log-broken' : 'changed-by-command'
}

/** Whether the record says that the edit did not take place; one without any result may have. */
function wroteNothing({ status, output }: ToolCall): boolean {
  return status === 'refused' || (status === 'failed' && output !== '')
}

/** A patch of several files that was not applied, file by file. */
function patchRefusals(call: ToolCall, folder: string): readonly Refusal[] {
  const status = call.status === 'refused' ? 'refused' : 'failed'
  return patchedPaths(call.name, parseObject(call.args) ?? {}).flatMap((named) => {
    const path = calledPath(named, folder)
    return path === null ? [] : [{ path, status, reason: firstLine(call.output) }]
  })
}

function stepOf(call: ToolCall, at: number, isSubagent: boolean, folder: string): Step | null {
  if (call.seen) return { kind: 'seen', at, path: call.seen.path, what: observeShown(call.seen.text) }
  if (call.status === 'refused') return null
  if (call.edit) {
    const { edit } = call
    const cause = isSubagent ? 'subagent' : edit.change.kind === 'sed' && edit.change.command !== '' ? 'sed' : 'edit'
    const before = edit.isNewFile ? ({ kind: 'absent' } as const) : observed(edit.before)
    return { kind: 'edit', at, path: edit.path, cause, before, after: observed(edit.after), isSure: call.status === 'done' }
  }
  if (call.command) return commandStep(call, call.command, at, folder)
  if (isHarmless(call)) return null
  return { kind: 'command', at, label: call.name, steps: unforeseen(`${call.name} can change any file.`), isDone: false, mayTouchBlanks: true }
}

function commandStep(call: ToolCall, command: NonNullable<ToolCall['command']>, at: number, folder: string): Step | null {
  const effects = shellEffects(command.text, folder, command.directory ?? folder)
  if (effects.kind === 'reads') return null
  const goesOn = isBackground(call) ? unforeseen('The command went on in the background.') : []
  return {
    kind: 'command',
    at,
    label: command.text,
    steps: [...effects.steps, ...goesOn],
    isDone: call.status === 'done' && command.exitCode === 0 && goesOn.length === 0,
    mayTouchBlanks: blankWords.test(command.text),
  }
}

const blankWords = /\\r|\\x0d|\\015|\\u000d|\\s|dos2unix|unix2dos|crlf|\beol\b|end-of-line|line.?end|\bbom\b|feff|utf-?8-sig|iconv|recode|encod|white.?space|blank|trim|strip|trailing|format|fmt|prettier|black|ruff|biome|lint|fix|style|commit|expand|\btr\b/i

/** Tools without an effect on files, by the names that the agents give them. */
const harmlessTools = /^(todo_?write|todo_?read|web_?fetch|(google_)?web_?search|ask_?user(_?question)?|task_?(create|update|get|list|stop)|kill_?shell|exit_?plan_?mode|enter_?plan_?mode|skill|think|complete_task|update_topic|write_todos|list_.*|get_.*|tool_search|update_plan|wait|sleep)$/i

function isHarmless(call: ToolCall): boolean {
  switch (call.kind) {
    case 'read':
    case 'search':
      return true
    case 'subagent':
      // Its own calls stand behind it; without any of them nobody knows what it did.
      return (call.subagent?.calls.length ?? 0) > 0
    case 'edit':
      return wroteNothing(call)
    case 'command':
      return false
    case 'other':
      return harmlessTools.test(call.name)
  }
}

function unorderedCommands(placed: readonly PlacedCall[], from: number, folder: string): readonly Step[] {
  const end = placed.findIndex((other, at) => at > from && !other.isUnordered)
  const group = placed.slice(from, end < 0 ? undefined : end)
  return group.flatMap(({ call, isSubagent }, offset) => {
    const step = call.edit || call.seen ? null : stepOf(call, from + offset, isSubagent, folder)
    return step?.kind === 'command' ? [{ ...step, isDone: false }] : []
  })
}

function isBackground(call: ToolCall): boolean {
  return /"(is_background|run_in_background)"\s*:\s*true/.test(call.args)
}

function observed(text: RecordedText | null): Observation | null {
  return text?.isWhole ? observeText(text.text) : null
}

const codeAhead = new RegExp(`^(${errorCodes.join('|')}): `)

/** What a refusal says first; a code of ours before it is for models. */
function firstLine(text: string): string {
  const line = (text.trim().split('\n', 1)[0] ?? '').replace(codeAhead, '')
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
