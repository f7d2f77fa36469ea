import type { RecordedEdit, ToolCall, ToolKind, ToolStatus, TranscriptEntry } from '../../shared/session.js'
import { cutText, isObject, listAt, numberAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import { promptOf, textOf } from './gemini-operations.js'
import { keptRaw } from './lost-record.js'
import { recordedEdit } from './qwen-edits.js'
import { calledPath } from './tracked-paths.js'

const keptOutput = 65_536

/** What Gemini CLI's tools do, by their names. */
const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['read_file', 'read'],
  ['read_many_files', 'read'],
  ['write_file', 'edit'],
  ['replace', 'edit'],
  ['edit', 'edit'],
  ['smart_edit', 'edit'],
  ['run_shell_command', 'command'],
  ['glob', 'search'],
  ['list_directory', 'search'],
  ['search_file_content', 'search'],
  ['grep_search', 'search'],
  ['codebase_investigator', 'subagent'],
  ['delegate_to_agent', 'subagent'],
  ['invoke_agent', 'subagent'],
  ['task', 'subagent'],
  ['google_web_search', 'search'],
  ['web_fetch', 'search'],
])

/** Tools that tell, ask or plan, and change no file. */
export const harmlessTools: ReadonlySet<string> = new Set(['complete_task', 'update_topic', 'write_todos', 'ask_user', 'enter_plan_mode', 'exit_plan_mode', 'list_background_processes', 'read_background_output', 'get_internal_docs'])

export interface GeminiContext {
  readonly folder: string | null
  /** It belongs to a turn that may still grow. */
  readonly isOpen: boolean
}

/** What a message adds to the transcript of its turn. Source: Gemini CLI 0.61. */
export function entriesOf(message: JsonObject, at: number, context: GeminiContext): readonly TranscriptEntry[] {
  const type = textAt(message, 'type')
  const text = textOf(message['content'])
  if (type === 'user') {
    const prompt = promptOf(message)
    return prompt === null ? [] : [{ kind: 'prompt', text: prompt, at }]
  }
  if (type !== 'gemini') return [{ kind: 'other', label: type ?? 'message', raw: cutText(text === '' ? JSON.stringify(message) : text, keptRaw), at }]
  const thoughts = listAt(message, 'thoughts').flatMap((thought): readonly TranscriptEntry[] => {
    if (!isObject(thought)) return []
    const said = [textAt(thought, 'subject'), textAt(thought, 'description')].filter((part) => part !== null && part !== '').join(': ')
    return [{ kind: 'thought', text: said, at: timeAt(thought, 'timestamp') ?? at }]
  })
  const reply: readonly TranscriptEntry[] = text === '' ? [] : [{ kind: 'reply', text, at, model: textAt(message, 'model') }]
  const calls = callsIn(message).map((call): TranscriptEntry => ({ kind: 'call', call: callOf(call, context), at: timeAt(call, 'timestamp') ?? at }))
  return [...thoughts, ...reply, ...calls]
}

export function callsIn(message: JsonObject): readonly JsonObject[] {
  return listAt(message, 'toolCalls').filter(isObject)
}

function callOf(record: JsonObject, { folder, isOpen }: GeminiContext): ToolCall {
  const name = textAt(record, 'name') ?? ''
  const args = objectAt(record, 'args') ?? {}
  const display = objectAt(record, 'resultDisplay')
  const kind = kinds.get(name) ?? 'other'
  const output = outputOf(record)
  const status = statusOf(record, isOpen)
  return {
    callId: textAt(record, 'id') ?? '',
    name,
    kind,
    status,
    startedAt: timeAt(record, 'timestamp'),
    durationMs: numberAt(record, 'durationMs'),
    args: JSON.stringify(args, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput,
    edit: kind === 'edit' ? editOf(name, args, display, output, folder) : null,
    command: kind === 'command' ? commandOf(args, output, status) : null,
    seen: name === 'read_file' && status === 'done' ? seenBy(args, output, folder) : null,
    subagent: kind === 'subagent' ? { name: textAt(args, 'agent_name') ?? textAt(args, 'agent') ?? name, calls: [] } : null,
  }
}

/** A file is new only where the record says so; that a text from before is lacking does not. */
function editOf(name: string, args: JsonObject, display: JsonObject | null, output: string, folder: string | null): RecordedEdit | null {
  const edit = recordedEdit(name, args, display, output, folder)
  const isNewFile = display?.['isNewFile'] === true || output.startsWith('Successfully created and wrote to new file')
  return edit && { ...edit, isNewFile: edit.isNewFile && isNewFile }
}

function commandOf(args: JsonObject, output: string, status: ToolStatus): NonNullable<ToolCall['command']> {
  const directory = textAt(args, 'dir_path') ?? textAt(args, 'directory')
  return { text: textAt(args, 'command') ?? '', exitCode: exitCodeOf(output, status), directory }
}

/** The whole output that was given to the model. */
export function outputOf(record: JsonObject): string {
  const texts = listAt(record, 'result').flatMap((part) => {
    const response = objectAt(objectAt(isObject(part) ? part : null, 'functionResponse'), 'response')
    return textAt(response, 'output') ?? textAt(response, 'error') ?? (isObject(part) ? (textAt(part, 'text') ?? []) : [])
  })
  if (texts.length > 0) return texts.join('\n')
  return textAt(record, 'resultDisplay') ?? ''
}

function statusOf(record: JsonObject, isOpen: boolean): ToolStatus {
  switch (textAt(record, 'status')) {
    case 'success':
      return 'done'
    case 'error':
      return 'failed'
    case 'cancelled':
      return 'refused'
    default:
      return isOpen ? 'running' : 'failed'
  }
}

/** A command that failed counts as a success; its code stands in the text, and none stands there for 0. */
function exitCodeOf(output: string, status: ToolStatus): number | null {
  const said = /^Exit Code: (-?\d+)$/m.exec(output)?.[1]
  if (said !== undefined) return Number(said)
  const isEnded = status === 'done' && /^Process Group PGID: /m.test(output) && !/^(Error|Signal|Background PIDs): /m.test(output)
  return isEnded ? 0 : null
}

/** The content that a read showed, only where all of it was shown. */
function seenBy(args: JsonObject, output: string, folder: string | null): ToolCall['seen'] {
  const isPart = ['offset', 'limit', 'start_line', 'end_line'].some((name) => args[name] !== undefined && args[name] !== null)
  const named = textAt(args, 'file_path') ?? textAt(args, 'absolute_path')
  const path = named === null || isPart ? null : calledPath(named, folder)
  const isReplaced = /^\s*(IMPORTANT: The file content has been truncated|\[File content truncated|Cannot display content|File not found|Skipped )/.test(output)
  return path === null || isReplaced || output.includes('... [truncated]') || /\.(ipynb|pdf|svg|png|jpe?g|gif|webp)$/i.test(path) ? null : { path, text: output }
}
