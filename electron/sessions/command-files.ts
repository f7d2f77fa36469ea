import type { ContentSource, UnknownReason } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { shellEffects, unforeseen, type ShellEffect, type ShellStep } from '../shell/shell-effects.js'
import type { DiskFile } from './read-inside.js'

/** The times of files and of log lines are not of one clock's reading. */
const clockMs = 100

/** The calls of a turn in the order in which they ended; `endedAt` is `null` where no record tells. */
export interface TurnCalls {
  readonly promptId: PromptId
  readonly startedAt: number
  readonly calls: readonly { readonly call: ToolCall; readonly endedAt: number | null }[]
}

export type CommandState =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly source: ContentSource }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/** What a command made of a file, or from where on that is not known any more. */
export interface CommandEntry {
  readonly path: WorkspacePath
  readonly turn: number
  readonly promptId: PromptId
  readonly isBeforeTurn: boolean
  readonly callId: string | null
  readonly at: number
  readonly before: CommandState
  readonly after: CommandState
}

export interface CommandFilesDeps {
  readonly turns: readonly TurnCalls[]
  /** Folder of the session, as it is recorded. */
  readonly folder: string
  /** Paths that records tell of, better than these. */
  readonly leftOut: ReadonlySet<WorkspacePath>
  /** Whether a call that is no command can change files without naming them. */
  readonly isWild: (call: ToolCall) => boolean
  readonly disk: (path: WorkspacePath) => Promise<DiskFile | null>
}

interface Touch {
  readonly turn: number
  readonly place: number
  readonly call: ToolCall
  readonly endedAt: number | null
  readonly effect: ShellEffect
  /** It has happened, all of it. */
  readonly isSure: boolean
}

const unknown: CommandState = { kind: 'unknown', reason: 'changed-by-command' }

/**
 * The files that commands alone have changed, by what the commands' own text says they leave, and by the disk: a file that was last
 * written before a command ended that wrote it, and in its turn, is what that command left, if nothing came later that could have
 * put an older file in its place. Of a file of which nothing is known nothing is said.
 */
export async function commandFiles(deps: CommandFilesDeps): Promise<readonly CommandEntry[]> {
  const { turns, folder, leftOut, isWild, disk } = deps
  const steps = turns.map(({ calls }) => calls.map(({ call }) => stepsOf(call, folder, isWild)))
  const touches = new Map<WorkspacePath, Touch[]>()
  for (const [turn, { calls }] of turns.entries()) {
    for (const [place, { call, endedAt }] of calls.entries()) {
      const isDone = call.status === 'done' && call.command?.exitCode === 0 && !isBackground(call)
      for (const effect of steps[turn]?.[place] ?? []) {
        if (effect.kind !== 'file' || !isOneFile(effect) || leftOut.has(effect.path)) continue
        const touch = { turn, place, call, endedAt, effect, isSure: isDone && effect.isCertain }
        const known = touches.get(effect.path)
        if (known) known.push(touch)
        else touches.set(effect.path, [touch])
      }
    }
  }
  const entries: CommandEntry[] = []
  for (const [path, own] of touches) {
    const found = entriesOf(path, own, await proved(path, own, deps, steps, disk), turns, steps)
    if (found.some(({ after }) => after.kind !== 'unknown')) entries.push(...found)
  }
  return entries
}

/**
 * Whether a call may have changed a file, by name or as one of any: of commands by their text, of other calls as `isWild` says. Made for
 * one session, whose calls it remembers.
 */
export function mayChangeBy(folder: string | null, isWild: (call: ToolCall) => boolean): (call: ToolCall, path: WorkspacePath) => boolean {
  const known = new WeakMap<ToolCall, readonly ShellStep[]>()
  return (call, path) => {
    if (folder === null) return isWild(call) || (call.command !== null && call.status !== 'refused')
    const steps = known.get(call) ?? stepsOf(call, folder, isWild)
    known.set(call, steps)
    return steps.some((step) => mayTouch(step, path) || (step.kind === 'file' && step.path === path && step.how !== 'mode'))
  }
}

type Steps = readonly (readonly (readonly ShellStep[])[])[]

function stepsOf(call: ToolCall, folder: string, isWild: (call: ToolCall) => boolean): readonly ShellStep[] {
  if (call.status === 'refused') return []
  if (!call.command) return isWild(call) ? unforeseen('The call can change any file.') : []
  const effects = shellEffects(call.command.text, folder, call.command.directory ?? folder)
  if (effects.kind === 'reads') return []
  return isBackground(call) ? [...effects.steps, ...unforeseen('The command went on in the background.')] : effects.steps
}

function isOneFile({ isNamed, isTree, path, how }: ShellEffect): boolean {
  return isNamed && !isTree && how !== 'mode' && path !== '' && !path.startsWith('/')
}

function isBackground({ args }: ToolCall): boolean {
  return /"(is_background|run_in_background)"\s*:\s*true/.test(args)
}

/** Whether a step may concern a path, without naming it. */
function mayTouch(step: ShellStep, path: WorkspacePath): boolean {
  return step.kind === 'unforeseen' || (!isOneFile(step) && step.how !== 'mode' && (step.path === '' || step.path === path || path.startsWith(`${step.path}/`)))
}

/** What the disk proves of the last touch; `null` for nothing. */
async function proved(path: WorkspacePath, touches: readonly Touch[], { turns }: CommandFilesDeps, steps: Steps, disk: CommandFilesDeps['disk']): Promise<CommandState | null> {
  const last = touches.at(-1)
  if (!last?.isSure || last.endedAt === null || last.effect.how === 'deleted' || last.effect.how === 'link') return null
  const isHidden = steps.slice(last.turn).some((ofTurn, later) =>
    ofTurn.some((ofCall, place) => (later > 0 || place > last.place) && ofCall.some((step) => step.keepsMtime && mayTouch(step, path))),
  )
  const found = isHidden ? null : await disk(path)
  const isWithin = found && found.modifiedAtMs >= (turns[last.turn]?.startedAt ?? Infinity) && found.modifiedAtMs <= last.endedAt + clockMs
  return isWithin ? { kind: 'bytes', bytes: Buffer.from(found.bytes), source: 'disk' } : null
}

function entriesOf(path: WorkspacePath, touches: readonly Touch[], onDisk: CommandState | null, turns: readonly TurnCalls[], steps: Steps): readonly CommandEntry[] {
  const entries: CommandEntry[] = []
  const add = (turn: number, facts: Partial<CommandEntry> & Pick<CommandEntry, 'before' | 'after'>): void => {
    const promptId = turns[turn]?.promptId
    if (promptId !== undefined) entries.push({ path, turn, promptId, isBeforeTurn: false, callId: null, at: 0, ...facts })
  }
  let now: CommandState = { kind: 'unknown', reason: 'no-record' }
  touches.forEach((touch, at) => {
    const { turn, place, call } = touch
    const next = touches[at + 1]
    const isProved = onDisk !== null && next === undefined
    const after = isProved ? onDisk : leftBy(touch, now)
    add(turn, { callId: call.callId, at: call.startedAt ?? 0, before: now, after })
    now = after
    const until = next?.turn === turn ? next.place : Infinity
    const isFollowed = (steps[turn] ?? []).some((ofCall, other) => other >= place && other < until && ofCall.some((step) => mayTouch(step, path)))
    if (isProved) return
    if (isFollowed && after.kind !== 'unknown') add(turn, { before: after, after: unknown })
    if (isFollowed) now = unknown
    if (next?.turn === turn) return
    // Nobody saw it again: anybody may have changed it since.
    now = { kind: 'unknown', reason: 'no-record' }
    add(turn + 1, { isBeforeTurn: true, before: now, after: now })
  })
  return entries
}

function leftBy({ effect, isSure }: Touch, before: CommandState): CommandState {
  if (!isSure) return unknown
  const added = effect.content === null ? null : Buffer.from(effect.content)
  if (effect.how === 'deleted') return { kind: 'absent' }
  if (effect.how === 'written' && added) return { kind: 'bytes', bytes: added, source: 'command' }
  if (effect.how === 'appended' && added && before.kind !== 'unknown') return { kind: 'bytes', bytes: before.kind === 'bytes' ? Buffer.concat([before.bytes, added]) : added, source: 'command' }
  return unknown
}
