import { posix } from 'node:path'
import type { ChangeCause } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { shellEffects, type ShellEffect } from '../shell/shell-effects.js'
import { outputOf } from './codex-calls.js'
import { applyDiff, parseUnifiedDiff, unapplyDiff } from './codex-diff.js'
import { callStatus, kindOf, type CallDraft, type StartedAgent } from './codex-drafts.js'
import { askedPatch, editsOf, patchOutcome, type CodexEdit } from './codex-edits.js'
import { applyChunks, type PatchEnds } from './codex-patch.js'
import type { Bytes, FileEvent, Known } from './codex-states.js'
import type { DecodedTurn } from './codex-turn.js'
import { calledPath } from './tracked-paths.js'

/** One file of what a call did. */
export type StepFile = Pick<FileEvent, 'kind' | 'path' | 'movedTo' | 'before' | 'after' | 'apply' | 'unapply'>

/** What one call did to files that are known by name. Orders are within the turn. */
export interface FileStep {
  readonly order: number
  readonly callId: string
  readonly cause: ChangeCause
  readonly startedAt: number
  readonly endedAt: number
  readonly files: readonly StepFile[]
  readonly limits: readonly string[]
}

/** A moment from which on files may be others than before, `null` for all of them. */
export interface Doubt {
  readonly order: number
  /** The order until which what brought it about went on. */
  readonly until?: number
  readonly at: number
  readonly path: WorkspacePath | null
  readonly isTree: boolean
  /** By a tool that builds or checks, and makes no sources. */
  readonly isQuiet: boolean
}

/** A file that a command showed whole. */
export interface ShownFile {
  readonly order: number
  readonly path: WorkspacePath
  readonly text: string
}

/** What happened to files in a turn. */
export interface TurnSteps {
  readonly steps: readonly FileStep[]
  readonly doubts: readonly Doubt[]
  readonly shown: readonly ShownFile[]
  readonly commands: readonly { readonly order: number; readonly text: string }[]
  readonly ghosts: DecodedTurn['ghosts']
  /** Agents that were started, whose work stands in logs of their own. */
  readonly started: readonly (StartedAgent & { readonly order: number })[]
  /** Folder in which the agent stood at the end. */
  readonly endFolder: string
  readonly startedAt: number
  readonly endedAt: number
  /** How many orders the turn takes, and when each came. */
  readonly length: number
  readonly times: readonly number[]
}

export interface StepsContext {
  /** Folder of the session, as it is recorded. */
  readonly folder: string
  /** Folder in which the agent stood as the turn began. */
  readonly startFolder: string
  readonly version: string | null
  readonly isOpen: boolean
}

/** What agents that were started do stands in their own logs. */
const harmless = /^(spawn_agent|wait_agent|send_input|send_message|close_agent|resume_agent|list_agents|collab_\w+|CollabAgentToolCall|update_plan|view_image|request_user_input|list_\w+|get_\w+|read_\w+|wait|sleep|think|WebSearch|ImageView|ImageGeneration|Sleep|web_search)$/
const toolsOfCodeMode = /exec_command|apply_patch|write_stdin|shell|spawn|mcp|tools\s*[.[]/
/** Above this a recorder may have left out something of an output. */
const longestShown = 8_000
const mostShownLines = 200
const keptCommand = 4_000

/** What the calls of a turn did to files, as far as their records tell. */
export function stepsOf(turn: DecodedTurn, context: StepsContext): TurnSteps {
  const steps: FileStep[] = []
  const doubts: Doubt[] = []
  const shown: ShownFile[] = []
  const commands: { order: number; text: string }[] = []
  const orders = [...turn.lost, ...turn.ghosts.map((ghost) => ghost.as), ...turn.calls.flatMap(({ startedAs, endedAs }) => [startedAs, endedAs ?? 0])]
  const last = orders.reduce((latest, order) => Math.max(latest, order), 0)
  for (const order of turn.lost) doubts.push({ order, at: 0, path: null, isTree: true, isQuiet: false })
  const turnFolder = turn.folder ?? context.startFolder
  for (const draft of turn.calls) {
    const folder = draft.command?.directory ?? turnFolder
    const place = { draft, context, folder: posix.isAbsolute(folder) ? folder : posix.join(turnFolder, folder), endedAs: draft.endedAs ?? last + 1 }
    const edits = editsOf(draft)
    if (edits) {
      const step = editStep(place, edits)
      if (step) steps.push(step)
    } else if (draft.command) {
      commands.push({ order: place.endedAs, text: draft.command.text.slice(0, keptCommand) })
      const seen = shownBy(place)
      if (seen) shown.push(seen)
      else steps.push(...commandSteps(place, doubts))
    } else if (mayChangeFiles(draft, turn)) {
      doubts.push(...around(place, null))
    }
  }
  const { ghosts, startedAt, endedAt } = turn
  const started = turn.calls.flatMap((draft) => startedBy(draft, context.isOpen))
  const times = Array.from({ length: last + 2 }, (_, order) => turn.times[order] ?? endedAt)
  return { steps, doubts, shown, commands, ghosts, started, endFolder: turn.nextFolder ?? turnFolder, startedAt, endedAt, length: last + 2, times }
}

/** An agent that was started, or may have been. */
function startedBy(draft: CallDraft, isOpen: boolean): TurnSteps['started'] {
  if (kindOf(draft) !== 'subagent') return []
  const { thread = null, path = null } = draft.agent ?? {}
  const status = callStatus(draft, isOpen)
  const isNone = status === 'refused' || (status === 'failed' && draft.endedAs !== null && thread === null && path === null)
  return isNone ? [] : [{ thread, path, order: draft.startedAs }]
}

interface Place {
  readonly draft: CallDraft
  readonly context: StepsContext
  /** Where the call ran. */
  readonly folder: string
  readonly endedAs: number
}

function around({ draft, endedAs }: Place, path: WorkspacePath | null, isTree = true, isQuiet = false): readonly Doubt[] {
  return [
    { order: draft.startedAs, until: endedAs, at: draft.askedAt, path, isTree, isQuiet },
    { order: endedAs, at: draft.askedAt, path, isTree, isQuiet },
  ]
}

function editStep(place: Place, edits: readonly CodexEdit[]): FileStep | null {
  const { draft, context, endedAs } = place
  const outcome = patchOutcome(draft, context.isOpen)
  if (outcome === 'none') return null
  const files = edits.flatMap((edit): readonly StepFile[] => {
    const path = pathOf(edit.path, place)
    const movedTo = (edit.kind === 'update' || edit.kind === 'patch') && edit.moveTo !== null ? pathOf(edit.moveTo, place) : null
    if (path === null) return []
    if (outcome === 'done') return [fileOf(edit, path, movedTo, context)]
    return [path, ...(movedTo === null ? [] : [movedTo])].map((each) => unknownAfter(each))
  })
  const limits = outcome === 'partly' ? ['A patch may have been carried out in part: what it left is not known.'] : []
  const { callId, askedAt, endedAt } = draft
  return files.length === 0 ? null : { order: endedAs, callId, cause: 'edit', startedAt: askedAt, endedAt: endedAt ?? askedAt, files, limits }
}

function fileOf(edit: CodexEdit, path: WorkspacePath, movedTo: WorkspacePath | null, context: StepsContext): StepFile {
  const none = { path, movedTo, before: null, after: null, apply: null, unapply: null }
  switch (edit.kind) {
    case 'add':
      return { ...none, kind: 'add', after: recorded(Buffer.from(edit.content)) }
    case 'delete':
      return { ...none, kind: 'delete', before: edit.content === null ? null : recorded(Buffer.from(edit.content)), after: recorded(null) }
    case 'update': {
      // A move alone has an empty diff.
      const diff = edit.diff === '' ? [] : parseUnifiedDiff(edit.diff)
      if (!diff) return { ...none, kind: 'written' }
      return { ...none, kind: 'update', apply: (text) => applyDiff(diff, text), unapply: (text) => unapplyDiff(diff, text) }
    }
    case 'patch':
      return { ...none, kind: 'update', apply: (text) => patched(edit.chunks, text, context) }
    case 'other':
      return { ...none, kind: 'written' }
  }
}

/** What a patch's own text makes of a file; `null` where versions differ in it. */
function patched(chunks: Parameters<typeof applyChunks>[0], text: string, { version, folder }: StepsContext): string | null {
  const as = (ends: PatchEnds): string | null => applyChunks(chunks, text, ends)
  const bare = as('bare')
  // Recorded sessions of 0.80 show that it does so.
  const isBare = folder.startsWith('/') && /^0\.([1-7]?\d|80)\./.test(version ?? '')
  return bare !== null && (isBare || bare === as('kept')) ? bare : null
}

function unknownAfter(path: WorkspacePath): StepFile {
  return { kind: 'written', path, movedTo: null, before: null, after: null, apply: null, unapply: null }
}

function commandSteps(place: Place, doubts: Doubt[]): readonly FileStep[] {
  const { draft, context, endedAs, folder } = place
  const status = callStatus(draft, context.isOpen)
  if (status === 'refused' || draft.command === null) return []
  const effects = shellEffects(draft.command.text, context.folder, folder)
  const goesOn = draft.given?.isRunning === true || status === 'running'
  if (goesOn && effects.kind !== 'reads') doubts.push(...around(place, null))
  if (effects.kind === 'reads') return []
  const named = new Map<WorkspacePath, StepFile>()
  for (const step of effects.steps) {
    if (step.kind === 'unforeseen') doubts.push(...around(place, null, true, !step.deletes))
    else if (step.isTree || !step.isNamed || step.path === '' || posix.isAbsolute(step.path)) {
      doubts.push(...around(place, step.path, true))
      // It may be a folder; as a file it was changed.
      if (step.isNamed && step.how !== 'mode' && step.path !== '' && !posix.isAbsolute(step.path) && !named.has(step.path)) named.set(step.path, unknownAfter(step.path))
    }
    else if (step.how !== 'mode') {
      doubts.push({ order: draft.startedAs, until: endedAs, at: draft.askedAt, path: step.path, isTree: false, isQuiet: false })
      const isSure = step.isCertain && draft.exitCode === 0 && effects.kind === 'writes' && !named.has(step.path)
      named.set(step.path, { ...unknownAfter(step.path), after: isSure ? leftBy(step) : null })
    }
  }
  const { callId, askedAt, endedAt } = draft
  return named.size === 0 ? [] : [{ order: endedAs, callId, cause: 'command', startedAt: askedAt, endedAt: endedAt ?? askedAt, files: [...named.values()], limits: [] }]
}

/** What a command's own text says of the file that it leaves. */
function leftBy({ how, content }: ShellEffect): Known | null {
  if (how === 'deleted') return { bytes: null, source: 'command' }
  return how === 'written' && content !== null ? { bytes: Buffer.from(content), source: 'command' } : null
}

/** The whole file that `cat <file>` showed; `null` where anything may be missing of it, or have been added. */
function shownBy(place: Place): ShownFile | null {
  const { draft, context, endedAs } = place
  const named = /^cat\s+(?:--\s+)?("[^"$`\\]+"|'[^']+'|[\w./@+,:=-]+)$/.exec(draft.command?.text.trim() ?? '')?.[1]
  if (named === undefined || named.startsWith('-') || draft.exitCode !== 0 || callStatus(draft, context.isOpen) !== 'done') return null
  const text = outputOf(draft)
  const isCut = text.length > longestShown || text.split('\n').length > mostShownLines || !text.endsWith('\n') || /truncated|omitted/.test(text)
  const path = pathOf(named.replace(/^(['"])(.*)\1$/, '$2'), place)
  // A terminal makes other line ends; what was no UTF-8 was read as something else.
  return isCut || /[\r\ufffd]/.test(text) || path === null ? null : { order: endedAs, path, text }
}

function mayChangeFiles(draft: CallDraft, turn: DecodedTurn): boolean {
  // A patch that cannot be read, or a call that was refused.
  if (callStatus(draft, true) === 'refused' || (kindOf(draft) === 'edit' && askedPatch(draft) !== null && patchOutcome(draft, true) === 'none')) return false
  if (harmless.test(draft.name) || kindOf(draft) === 'search' || kindOf(draft) === 'read') return false
  if (draft.name !== 'exec') return true
  // Code of the agent's own does nothing but by tools, each of which has a record of its own.
  const ends = draft.endedAs ?? Infinity
  const inside = turn.calls.some((other) => other !== draft && other.startedAs > draft.startedAs && other.startedAs < ends)
  return !inside && toolsOfCodeMode.test(JSON.stringify(draft.args))
}

function pathOf(named: string, { folder, context }: Place): WorkspacePath | null {
  const isAbsolute = named.startsWith('/') || /^[A-Za-z]:[\\/]/.test(named)
  return calledPath(isAbsolute || folder === context.folder ? named : `${folder}/${named}`, context.folder)
}

function recorded(bytes: Bytes): Known {
  return { bytes, source: 'record' }
}
