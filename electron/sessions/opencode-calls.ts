import type { RecordedEdit, ToolCall, ToolKind, ToolStatus } from '../../shared/session.js'
import { cutText, numberAt, objectAt, objectsAt, textAt, type JsonObject } from './json-values.js'
import { calledPath } from './tracked-paths.js'

const keptOutput = 65_536

/** What opencode's tools do, by their names. */
const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['read', 'read'],
  ['edit', 'edit'],
  ['multiedit', 'edit'],
  ['write', 'edit'],
  ['patch', 'edit'],
  ['apply_patch', 'edit'],
  ['bash', 'command'],
  ['shell', 'command'],
  ['grep', 'search'],
  ['glob', 'search'],
  ['list', 'search'],
  ['ls', 'search'],
  ['codesearch', 'search'],
  ['task', 'subagent'],
  ['subagent', 'subagent'],
])

const refused = /rejected permission|user (has )?rejected|specified a rule which prevents|permission denied by/i

export function kindOf(tool: string): ToolKind {
  return kinds.get(tool) ?? 'other'
}

export interface CallContext {
  /** Folder of the session. */
  readonly folder: string | null
  /** It belongs to a turn that may still grow. */
  readonly isOpen: boolean
  readonly subagentCalls: readonly ToolCall[]
}

/** The call that a `tool` part tells of. Source: opencode 1.18.33. */
export function callOf(part: JsonObject, { folder, isOpen, subagentCalls }: CallContext): ToolCall {
  const name = textAt(part, 'tool') ?? ''
  const state = objectAt(part, 'state')
  const input = objectAt(state, 'input') ?? {}
  const metadata = objectAt(state, 'metadata')
  const time = objectAt(state, 'time')
  const kind = kindOf(name)
  const output = outputOf(part)
  const [startedAt, endedAt] = [numberAt(time, 'start'), numberAt(time, 'end')]
  return {
    callId: textAt(part, 'callID') ?? textAt(part, 'id') ?? '',
    name,
    kind,
    status: statusOf(state, output, isOpen),
    startedAt,
    durationMs: startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt),
    args: JSON.stringify(input, null, 2),
    output: cutText(output, keptOutput),
    isOutputCut: output.length > keptOutput,
    edit: kind === 'edit' ? editOf(name, input, metadata, folder) : null,
    command: kind === 'command' ? { text: textAt(input, 'command') ?? '', exitCode: numberAt(metadata, 'exit'), directory: textAt(input, 'workdir') } : null,
    // What a read shows has lost the last line end.
    seen: null,
    subagent: kind === 'subagent' ? { name: textAt(input, 'subagent_type') ?? textAt(input, 'agent') ?? textAt(metadata, 'agent') ?? 'agent', calls: subagentCalls } : null,
  }
}

/** The whole output that was given to the model. */
export function outputOf(part: JsonObject): string {
  const state = objectAt(part, 'state')
  return textAt(state, 'output') ?? textAt(state, 'error') ?? ''
}

/** The session in which the subagent of a call worked. */
export function subagentSessionOf(part: JsonObject): string | null {
  const metadata = objectAt(objectAt(part, 'state'), 'metadata')
  return kindOf(textAt(part, 'tool') ?? '') === 'subagent' ? (textAt(metadata, 'sessionId') ?? textAt(metadata, 'sessionID')) : null
}

/** The files that a call names as those that it changes; safe paths only. */
export function pathsOfCall(part: JsonObject, folder: string | null): readonly string[] {
  const state = objectAt(part, 'state')
  const input = objectAt(state, 'input')
  const named = [textAt(input, 'filePath'), ...objectsAt(objectAt(state, 'metadata'), 'files').flatMap((file) => [textAt(file, 'filePath'), textAt(file, 'movePath')])]
  return named.flatMap((path) => (path === null ? [] : (calledPath(path, folder) ?? [])))
}

function statusOf(state: JsonObject | null, output: string, isOpen: boolean): ToolStatus {
  switch (textAt(state, 'status')) {
    case 'completed':
      return 'done'
    case 'error':
      return refused.test(output) ? 'refused' : 'failed'
    default:
      return isOpen ? 'running' : 'failed'
  }
}

function editOf(tool: string, input: JsonObject, metadata: JsonObject | null, folder: string | null): RecordedEdit | null {
  const files = objectsAt(metadata, 'files')
  const file = files[0] ?? objectAt(metadata, 'filediff')
  // A patch of several files is no edit of one: what it did to each is in the snapshots.
  if (files.length > 1) return null
  const named = textAt(input, 'filePath') ?? textAt(file, 'filePath') ?? textAt(file, 'file')
  const path = named === null ? null : calledPath(named, folder)
  if (path === null) return null
  const [before, after] = [textAt(file, 'before'), textAt(file, 'after')]
  const isNewFile = tool === 'write' ? metadata?.['exists'] === false : textAt(file, 'type') === 'add'
  const content = tool === 'write' ? textAt(input, 'content') : after
  return {
    path,
    change: changeOf(tool, input, file, content),
    before: isNewFile || before === null ? null : { text: before, isWhole: true },
    after: content === null ? null : { text: content, isWhole: true },
    isNewFile,
    diff: textAt(metadata, 'diff') ?? textAt(file, 'patch') ?? textAt(file, 'diff'),
  }
}

function changeOf(tool: string, input: JsonObject, file: JsonObject | null, content: string | null): RecordedEdit['change'] {
  const [oldText, newText] = [textAt(input, 'oldString'), textAt(input, 'newString')]
  if (tool === 'edit' && oldText && newText !== null) return { kind: 'replace', oldText, newText, all: input['replaceAll'] === true }
  if (textAt(file, 'type') === 'delete') return { kind: 'delete' }
  if (content !== null) return { kind: 'write', content }
  return tool === 'edit' && newText !== null ? { kind: 'write', content: newText } : { kind: 'sed', command: '' }
}
