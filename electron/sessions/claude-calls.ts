import type { ToolCall, ToolKind, ToolStatus } from '../../shared/session.js'
import { claudeEdit } from './claude-edits.js'
import { resultText } from './claude-messages.js'
import { cutText, isObject, numberAt, objectAt, textAt, type JsonObject } from './json-values.js'
import { ownToolKinds } from './own-tools.js'
import { calledPath } from './tracked-paths.js'

/** What of a call's output goes into the transcript. */
const keptOutput = 65_536

const kinds: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['Read', 'read'],
  ['NotebookRead', 'read'],
  ['BashOutput', 'read'],
  ['TaskOutput', 'read'],
  ['AgentOutputTool', 'read'],
  ['ReadMcpResourceTool', 'read'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['Write', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Bash', 'command'],
  ['PowerShell', 'command'],
  ['Glob', 'search'],
  ['Grep', 'search'],
  ['LS', 'search'],
  ['LSP', 'search'],
  ['ToolSearch', 'search'],
  ['ListMcpResourcesTool', 'search'],
  ['Task', 'subagent'],
  ['Agent', 'subagent'],
  ...ownToolKinds,
])

/** Whether a call started a subagent. */
export function startsAgent({ name }: Pick<ClaudeCall, 'name'>): boolean {
  return name === 'Task' || name === 'Agent'
}

/** A call as its records come: what was asked, and the result. */
export interface ClaudeCall {
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly askedAt: number
  /** Folder that the agent's shell stood in. */
  readonly directory: string | null
  readonly version: string | null
  /** Block of the result; `null` while there is none. */
  block: JsonObject | null
  /** `toolUseResult`: an object where the call went well, a sentence where it did not. */
  result: unknown
  answeredAt: number | null
}

/** The call that the records amount to. `inner` are the calls of the subagent that it started. */
export function finishClaudeCall(call: ClaudeCall, folder: string | null, isOpen: boolean, inner: readonly ToolCall[]): ToolCall {
  const { callId, name, args, block, result, askedAt, answeredAt } = call
  // Servers of MCP name their tools mcp__server__tool.
  const kind = kinds.get(name) ?? kinds.get(/^mcp__overturn__(.+)$/.exec(name)?.[1] ?? '') ?? 'other'
  const output = block ? resultText(block) : ''
  const status = statusOf(call, output, isOpen)
  return {
    callId,
    name,
    kind,
    status,
    startedAt: askedAt,
    durationMs: numberAt(isObject(result) ? result : null, 'durationMs') ?? (answeredAt !== null && answeredAt >= askedAt ? answeredAt - askedAt : null),
    args: JSON.stringify(args, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput || storedOutput(call) !== null,
    edit: kind === 'edit' ? claudeEdit(name, args, result, { folder, version: call.version }) : null,
    command: kind === 'command' ? { text: textAt(args, 'command') ?? '', exitCode: exitCodeOf(call, output, status), directory: call.directory } : null,
    seen: name === 'Read' && status === 'done' ? seenBy(result, folder) : null,
    subagent: kind === 'subagent' ? { name: textAt(args, 'subagent_type') ?? 'agent', calls: inner } : null,
  }
}

/** Name of the file that holds the whole of a long output; it lies beside the log. `null` where all of it is in the record. */
export function storedOutput({ result }: ClaudeCall): string | null {
  const path = textAt(isObject(result) ? result : null, 'persistedOutputPath')
  return path?.split(/[/\\]/).pop() ?? null
}

const rejected = /^(The user doesn't want to proceed|User rejected|\[Request interrupted by user|Claude requested permissions? to |Permission to use |Hook PreToolUse|.{0,80}hook error|.{0,200}but you haven't granted it yet)/

function statusOf({ block, result }: ClaudeCall, output: string, isOpen: boolean): ToolStatus {
  if (block === null) return isOpen ? 'running' : 'failed'
  if (block['is_error'] !== true) return 'done'
  const said = typeof result === 'string' ? result.replace(/^Error: /, '') : output
  return rejected.test(said) || rejected.test(output) ? 'refused' : 'failed'
}

/** The record holds no exit code: a command that ended badly is an error that begins with it, any other went well. */
function exitCodeOf({ result }: ClaudeCall, output: string, status: ToolStatus): number | null {
  const said = /^(?:Error: )?Exit code (\d+)/.exec(output)?.[1]
  if (said !== undefined) return Number(said)
  const told = isObject(result) ? result : null
  const isOpenEnded = told === null || told['interrupted'] === true || textAt(told, 'backgroundTaskId') !== null || textAt(told, 'returnCodeInterpretation') !== null
  return status === 'done' && !isOpenEnded ? 0 : null
}

/** The content that a read showed, only where all of it was shown. */
function seenBy(result: unknown, folder: string | null): ToolCall['seen'] {
  const file = isObject(result) && result['type'] === 'text' ? objectAt(result, 'file') : null
  const [named, text] = [textAt(file, 'filePath'), textAt(file, 'content')]
  const path = named === null ? null : calledPath(named, folder)
  const isWhole = numberAt(file, 'startLine') === 1 && numberAt(file, 'numLines') === numberAt(file, 'totalLines') && file?.['totalLines'] !== undefined
  return path === null || text === null || !isWhole ? null : { path, text }
}
