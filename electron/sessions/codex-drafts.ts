import type { ToolKind, ToolStatus } from '../../shared/session.js'
import { statusInText, type CommandFields, type FileEdit, type GivenOutput } from './codex-fields.js'
import type { JsonObject } from './json-values.js'

/** The agent that a call started: its thread, and the path by which newer versions name it. */
export interface StartedAgent {
  readonly thread: string | null
  readonly path: string | null
}

/** A call as the records of its turn have it, asked for in one and answered in others. */
export interface CallDraft {
  readonly callId: string
  name: string
  args: JsonObject
  /** Order among all calls' beginnings and ends. */
  readonly startedAs: number
  endedAs: number | null
  readonly askedAt: number
  endedAt: number | null
  durationMs: number | null
  /** What the model was given. */
  given: GivenOutput | null
  /** What the user was shown, whole. */
  shown: string | null
  exitCode: number | null
  status: ToolStatus | null
  command: CommandFields | null
  /** `null` where no record tells the changes. */
  edits: readonly FileEdit[] | null
  /** The changes are from a record of what was done, not of what was asked for. */
  isSureOfEdits: boolean
  /** `null` for a call that started none. */
  agent: StartedAgent | null
}

const kinds: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ...['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec', 'unified_exec', 'user_shell'].map((name) => [name, 'command'] as const),
  ['apply_patch', 'edit'],
  ...['view_image', 'read_file', 'list_dir', 'read_mcp_resource'].map((name) => [name, 'read'] as const),
  ...['grep_files', 'web_search', 'tool_search', 'file_search'].map((name) => [name, 'search'] as const),
  ['spawn_agent', 'subagent'],
])

/** What kind of tool a call is of, by its name or else by what it did. */
export function kindOf(draft: CallDraft): ToolKind {
  return kinds.get(draft.name) ?? (draft.edits ? 'edit' : draft.command ? 'command' : 'other')
}

/** A call that was just asked for. */
export function newDraft(callId: string, name: string, startedAs: number, askedAt: number): CallDraft {
  return {
    callId,
    name,
    args: {},
    startedAs,
    endedAs: null,
    askedAt,
    endedAt: null,
    durationMs: null,
    given: null,
    shown: null,
    exitCode: null,
    status: null,
    command: null,
    edits: null,
    isSureOfEdits: false,
    agent: null,
  }
}

/** The status of a call, by the record that is surest of it. */
export function callStatus(draft: CallDraft, isOpen: boolean): ToolStatus {
  const isEnded = draft.endedAs !== null
  const told = draft.status ?? (draft.given ? statusInText(draft.given) : isEnded ? 'done' : null)
  if (told === null) return isOpen ? 'running' : 'failed'
  // The command itself may have failed where running it did not.
  return told === 'done' && draft.exitCode !== null && draft.exitCode !== 0 ? 'failed' : told === 'running' && !isOpen ? 'failed' : told
}
