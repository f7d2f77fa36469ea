import { addStat, type DiffStat } from '../../shared/changes.js'
import { isObject, listAt, numberAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import type { ToolStatus } from '../../shared/session.js'

/** What a record says that a patch did to one file; paths as recorded, mostly absolute. */
export type FileEdit =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string; readonly content: string | null }
  | { readonly kind: 'update'; readonly path: string; readonly diff: string; readonly moveTo: string | null }
  /** In a form that is not known. */
  | { readonly kind: 'other'; readonly path: string }

/**
 * The changes of a FileChange item or of a `patch_apply_*` event, by path.
 * Source: Codex 0.171 has `{type, …}`; older versions `{add: {…}}`.
 */
export function fileEdits(changes: unknown): readonly FileEdit[] {
  if (!isObject(changes)) return []
  return Object.entries(changes).map(([path, change]) => fileEdit(path, isObject(change) ? change : {}))
}

function fileEdit(path: string, change: JsonObject): FileEdit {
  const named = textAt(change, 'type')
  const kind = named ?? Object.keys(change)[0] ?? ''
  const inside = named === null ? objectAt(change, kind) : change
  const content = textAt(inside, 'content')
  const diff = textAt(inside, 'unified_diff')
  if (kind === 'add' && content !== null) return { kind, path, content }
  if (kind === 'delete') return { kind, path, content }
  const moved = inside?.['move_path']
  const isKnownMove = moved === undefined || moved === null || typeof moved === 'string'
  if (kind === 'update' && diff !== null && isKnownMove) return { kind, path, diff, moveTo: moved ?? null }
  return { kind: 'other', path }
}

/** Lines that these edits brought in and took away, as far as they are recorded. */
export function statOfEdits(edits: readonly FileEdit[]): DiffStat | null {
  let stat: DiffStat | null = null
  for (const edit of edits) {
    const lines = (edit.kind === 'update' ? edit.diff : edit.kind === 'other' ? '' : (edit.content ?? '')).replace(/\n$/, '').split('\n')
    const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
    const whole = lines[0] === '' && lines.length === 1 ? 0 : lines.length
    if (edit.kind === 'update') stat = addStat(stat, { insertions: count('+'), deletions: count('-') })
    else if (edit.kind === 'add') stat = addStat(stat, { insertions: whole, deletions: 0 })
    else if (edit.kind === 'delete' && edit.content !== null) stat = addStat(stat, { insertions: 0, deletions: whole })
  }
  return stat
}

export interface CommandFields {
  readonly text: string
  readonly directory: string | null
}

/** The command that a shell call asks for: a text, or words of which the last is the script of a shell. */
export function commandOf(args: JsonObject): CommandFields | null {
  const asked = args['command'] ?? args['cmd'] ?? objectAt(args, 'action')?.['command']
  const named = textAt(args, 'workdir') ?? textAt(args, 'working_directory') ?? textAt(objectAt(args, 'action'), 'working_directory')
  const directory = named ?? folderOf(textAt(args, 'cwd'))
  const text = typeof asked === 'string' ? asked : Array.isArray(asked) ? scriptOf(asked) : null
  return text === null ? null : { text, directory }
}

function scriptOf(words: readonly unknown[]): string | null {
  if (!words.every((word) => typeof word === 'string') || words.length === 0) return null
  const [shell = '', flag = '', script] = words
  const isShell = /(^|[/\\])(ba|z|da|k)?sh(\.exe)?$/.test(shell) && /^-[lic]*c$/.test(flag)
  return isShell && words.length === 3 && script !== undefined ? script : words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** A folder that is named as it is, or by a `file://` address. */
export function folderOf(named: string | null): string | null {
  if (named === null || !named.startsWith('file://')) return named
  try {
    const { pathname, host } = new URL(named)
    const path = decodeURIComponent(pathname)
    return host !== '' ? null : /^\/[A-Za-z]:\//.test(path) ? path.slice(1) : path
  } catch {
    return null
  }
}

/** What came out of a call, as the model was given it. */
export interface GivenOutput {
  readonly text: string
  /** `null` where it does not say. */
  readonly exitCode: number | null
  /** The program goes on. */
  readonly isRunning: boolean
}

/** Source: Codex 0.80 gives JSON with `output` and `metadata`; others lines of which `Output:` is the last; images are left out. */
export function givenOutput(output: unknown): GivenOutput {
  const raw = typeof output === 'string' ? output : Array.isArray(output) ? wordsOf(output) : (textAt(isObject(output) ? output : null, 'content') ?? '')
  const wrapped = raw.startsWith('{') ? parseObject(raw) : null
  const inside = textAt(wrapped, 'output')
  if (inside !== null) return { text: inside, exitCode: numberAt(objectAt(wrapped, 'metadata'), 'exit_code'), isRunning: false }
  const at = raw.startsWith('Output:\n') ? 0 : raw.indexOf('\nOutput:\n')
  if (at < 0 || at > 400) return { text: raw, exitCode: null, isRunning: false }
  const head = raw.slice(0, at)
  const said = /^(?:Exit code: |Process exited with code )(-?\d+)$/m.exec(head)?.[1]
  const text = raw.slice(raw.indexOf('Output:\n', at) + 8)
  return { text, exitCode: said === undefined ? null : Number(said), isRunning: /^Process running with session ID/m.test(head) }
}

/** How a call ended by what an item or an event says of it; `null` where it says nothing. */
export function statusOf(said: JsonObject): ToolStatus | null {
  switch (said['status']) {
    case 'completed':
      return 'done'
    case 'failed':
      return 'failed'
    case 'declined':
      return 'refused'
    case 'in_progress':
    case 'inProgress':
      return 'running'
    default:
      return typeof said['success'] === 'boolean' ? (said['success'] ? 'done' : 'failed') : null
  }
}

const refusals = /^(?:patch|exec command|command|tool call) (?:rejected|denied|declined) by (?:the )?user|^rejected by user|user rejected MCP tool call/im
const misfits =
  /^(?:apply_patch (?:verification failed|handler received)|invalid patch|failed to (?:apply|parse)|exec_command failed|execution error|unsupported call|aborted)/i

/** The same by the text that the model was given. */
export function statusInText({ text, exitCode, isRunning }: GivenOutput): ToolStatus {
  if (refusals.test(text.slice(0, 400))) return 'refused'
  if (misfits.test(text.slice(0, 400)) || (exitCode !== null && exitCode !== 0)) return 'failed'
  return isRunning ? 'running' : 'done'
}

/** The texts of a message or an item. */
export function wordsOf(content: unknown): string {
  return (Array.isArray(content) ? content : []).map((part) => (typeof part === 'string' ? part : isObject(part) ? (textAt(part, 'text') ?? '') : '')).join('')
}

/** A call that was asked for, with its arguments as an object. */
export function argumentsOf(call: JsonObject): JsonObject {
  const given = call['arguments']
  if (isObject(given)) return given
  if (typeof given === 'string') return parseObject(given) ?? { arguments: given }
  const input = textAt(call, 'input')
  if (input !== null) return { input }
  const action = objectAt(call, 'action')
  return action ?? {}
}

/** The commit in which the state before a turn was kept. */
export function ghostCommit(item: JsonObject): { readonly commit: string; readonly untracked: readonly string[] } | null {
  const ghost = objectAt(item, 'ghost_commit')
  const commit = textAt(ghost, 'id')
  if (commit === null || !/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit)) return null
  return { commit, untracked: listAt(ghost, 'preexisting_untracked_files').filter((name) => typeof name === 'string') }
}

/** The agent that an event or an item says was started; `null` for any other. */
export function agentStartedBy(said: JsonObject): { readonly callId: string | null; readonly thread: string | null; readonly path: string | null } | null {
  const either = (snake: string, camel: string): string | null => textAt(said, snake) ?? textAt(said, camel)
  switch (said['type']) {
    case 'collab_agent_spawn_begin':
    case 'collab_agent_spawn_end':
      return { callId: textAt(said, 'call_id'), thread: textAt(said, 'new_thread_id'), path: null }
    case 'CollabAgentToolCall': {
      if (said['tool'] !== 'spawnAgent' && said['tool'] !== 'spawn_agent') return null
      const [thread] = [...listAt(said, 'receiver_thread_ids'), ...listAt(said, 'receiverThreadIds')]
      return { callId: textAt(said, 'id'), thread: typeof thread === 'string' ? thread : null, path: null }
    }
    case 'SubAgentActivity':
    case 'sub_agent_activity':
      return said['kind'] === 'started' ? { callId: textAt(said, 'event_id') ?? textAt(said, 'id'), thread: either('agent_thread_id', 'agentThreadId'), path: either('agent_path', 'agentPath') } : null
    default:
      return null
  }
}

/** The same by what the model was given for `spawn_agent`: JSON with `agent_id`, or in newer versions with the path as `task_name`. */
export function agentInOutput(text: string): { readonly thread: string | null; readonly path: string | null } {
  const given = text.length > 65_536 ? null : parseObject(text)
  const name = textAt(given, 'task_name') ?? textAt(given, 'agent_path')
  return { thread: textAt(given, 'agent_id'), path: name?.startsWith('/') ? name : null }
}
