import type { ToolCall, ToolKind, ToolStatus } from '../../shared/session.js'
import { cutText, numberAt, objectAt, textAt, type JsonObject } from './json-values.js'
import { ownToolKinds } from './own-tools.js'
import { recordedEdit, simulatedSed } from './qwen-edits.js'
import { calledPath } from './tracked-paths.js'

/** What of a call's output goes into the transcript. */
const keptOutput = 65_536

const kinds: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['edit', 'edit'],
  ['replace', 'edit'],
  ['write_file', 'edit'],
  ['notebook_edit', 'edit'],
  ['run_shell_command', 'command'],
  ['grep_search', 'search'],
  ['search_file_content', 'search'],
  ['glob', 'search'],
  ['list_directory', 'search'],
  ['agent', 'subagent'],
  ['task', 'subagent'],
  ...ownToolKinds,
])

/** Whether a call started a subagent. */
export function startsAgent({ name }: Pick<CallDraft, 'name'>): boolean {
  return name === 'agent' || name === 'task'
}

/** A call as its records come: the request, the telemetry, the result. */
export interface CallDraft {
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly askedAt: number
  startedAt: number | null
  durationMs: number | null
  /** The response to the model; `null` while there is none. */
  response: JsonObject | null
  /** `toolCallResult` of the record. */
  result: JsonObject | null
}

export function newDraft(callId: string, name: string, args: JsonObject, askedAt: number): CallDraft {
  return { callId, name, args, askedAt, startedAt: null, durationMs: null, response: null, result: null }
}

export interface CallContext {
  /** The session's folder. */
  readonly folder: string | null
  /** The turn may still be going on: a call without result is running. */
  readonly isOpen: boolean
  /** Whether results say what was kept of a read; a subagent's log does not. */
  readonly hasDisplays: boolean
}

/** The call that a draft has become. `subagent.calls` are left to the caller, who knows where their log is. */
export function finishCall(draft: CallDraft, context: CallContext, subagentCalls: readonly ToolCall[]): ToolCall {
  const { callId, name, args } = draft
  const { folder } = context
  const kind = kinds.get(name) ?? 'other'
  const output = outputOf(draft)
  const display = objectAt(draft.result, 'resultDisplay')
  const status = statusOf(draft, context.isOpen)
  return {
    callId,
    name,
    kind,
    status,
    startedAt: draft.startedAt ?? draft.askedAt,
    durationMs: draft.durationMs ?? numberAt(draft.result, 'durationMs'),
    args: JSON.stringify(args, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput,
    edit: kind === 'edit' ? recordedEdit(name, args, display, output, folder) : kind === 'command' ? simulatedSed(args, display, folder) : null,
    command: kind === 'command' ? commandOf(args, display, output) : null,
    seen: name === 'read_file' && status === 'done' && context.hasDisplays ? seenBy(draft, output, folder) : null,
    subagent: kind === 'subagent' ? { name: agentName(args, display), calls: subagentCalls } : null,
  }
}

/** The whole output that was given to the model. */
export function outputOf({ response, result }: CallDraft): string {
  const text = textAt(response, 'output') ?? textAt(response, 'error') ?? textAt(response, 'content')
  if (text !== null) return text
  const display = result?.['resultDisplay']
  if (response === null || Object.keys(response).length === 0) return typeof display === 'string' ? display : ''
  return JSON.stringify(response, null, 2)
}

function statusOf({ response, result }: CallDraft, isOpen: boolean): ToolStatus {
  if (response === null && result === null) return isOpen ? 'running' : 'failed'
  const execution = textAt(result, 'executionStatus')
  switch (textAt(result, 'status')) {
    case 'success':
      return 'done'
    case 'cancelled':
      return execution === null || execution === 'not_started' ? 'refused' : 'failed'
    case 'error':
      return textAt(result, 'errorType') === 'execution_denied' ? 'refused' : 'failed'
    default:
      return response !== null && response['error'] !== undefined && response['error'] !== null ? 'failed' : 'done'
  }
}

function commandOf(args: JsonObject, display: JsonObject | null, output: string): NonNullable<ToolCall['command']> {
  const recorded = numberAt(display, 'exitCode')
  const said = /^Exit Code: (-?\d+)$/m.exec(output)?.[1]
  return {
    text: textAt(args, 'command') ?? textAt(display, 'command') ?? '',
    exitCode: recorded ?? (said === undefined ? null : Number(said)),
    directory: textAt(display, 'directory') ?? textAt(args, 'directory'),
  }
}

function agentName(args: JsonObject, display: JsonObject | null): string {
  return textAt(display, 'subagentName') ?? textAt(args, 'subagent_type') ?? textAt(args, 'name') ?? 'agent'
}

/**
 * The content that a read showed, only where all of it was shown.
 *
 * Source: qwen-code 0.24.4 leaves `resultDisplay` empty for a text that it gave whole, and takes blanks off the ends of lines; a
 * hook may add text after it. So this can contradict bytes that are known from elsewhere, but cannot stand for them.
 */
function seenBy({ args, result }: CallDraft, output: string, folder: string | null): ToolCall['seen'] {
  const isPart = ['offset', 'limit', 'pages'].some((name) => args[name] !== undefined && args[name] !== null)
  if (isPart || result?.['resultDisplay'] !== '') return null
  const isReplaced = /^(Showing lines \d|\[File .* unchanged since|<system-reminder>|Tool execution succeeded\.$)/.test(output)
  if (isReplaced || output.endsWith('... [truncated]') || output.includes('</system-reminder>')) return null
  const named = textAt(args, 'file_path')
  const path = named === null ? null : calledPath(named, folder)
  if (path === null || /\.(ipynb|pdf|svg)$/i.test(path)) return null
  return { path, text: output }
}
