// How each agent writes down what happens in a session: its records, with their keys in the order in which it writes them.

import type { Random } from './generated-text.js'

export type GeneratedFormat = 'qwen' | 'claude' | 'codex' | 'gemini'

/** One line of a log. `size` is about its length. */
export interface GeneratedRecord {
  readonly record: object
  readonly size: number
  readonly kind: 'prompt' | 'snapshot' | 'other'
}

/** A command with what it printed, or an edit with the file before it and the texts that changed. */
export interface GeneratedCall {
  readonly path: string
  readonly output: string
  readonly edit: { readonly before: string; readonly after: string } | null
}

/** Each returns the records of one event, in file order. */
export interface RecordWriter {
  begin(): readonly GeneratedRecord[]
  prompt(text: string): readonly GeneratedRecord[]
  reply(text: string): readonly GeneratedRecord[]
  call(call: GeneratedCall): readonly GeneratedRecord[]
}

const folder = '/home/dev/app'
const usualSize = 400
const shownOfFile = 16_000

/** What all of them need: new identities, and a clock. */
interface Source {
  readonly id: () => string
  readonly now: () => string
}

export function recordWriter(format: GeneratedFormat, random: Random): RecordWriter {
  let time = Date.UTC(2026, 0, 5, 8)
  const source = { id: () => uuid(random), now: () => new Date((time += 400 + Math.floor(random() * 4000))).toISOString() }
  switch (format) {
    case 'qwen':
      return qwenWriter(source)
    case 'claude':
      return claudeWriter(source)
    case 'codex':
      return codexWriter(source)
    case 'gemini':
      return geminiWriter(source)
  }
}

const other = (record: object, size = 0): GeneratedRecord => ({ record, size: size + usualSize, kind: 'other' })

/** The backups of files that were edited, which each snapshot names. */
function trackedFiles({ id, now }: Source): { readonly files: Record<string, unknown>; readonly add: (path: string) => boolean } {
  const files: Record<string, unknown> = {}
  const add = (path: string): boolean => {
    if (files[path] !== undefined) return false
    files[path] = { backupFileName: `${id().replaceAll('-', '').slice(0, 16)}@v1`, version: 1, backupTime: now() }
    return true
  }
  return { files, add }
}

function qwenWriter(source: Source): RecordWriter {
  const { id, now } = source
  const sessionId = id()
  const tracked = trackedFiles(source)
  let parentUuid: string | null = null
  let turn = 0
  const record = (type: string, fields: object): object => {
    const made = { uuid: id(), parentUuid, sessionId, timestamp: now(), type, cwd: folder, version: '0.24.4', gitBranch: 'main', ...fields }
    parentUuid = made.uuid
    return made
  }
  const snapshot = (): GeneratedRecord => {
    const snapshots = [{ promptId: `${sessionId}########${turn}`, timestamp: now(), trackedFileBackups: tracked.files }]
    const made = record('system', { subtype: 'file_history_snapshot', systemPayload: { snapshots } })
    return { record: made, size: usualSize + 120 * Object.keys(tracked.files).length, kind: 'snapshot' }
  }
  const said = (role: string, part: object): object => ({ message: { role, parts: [part] } })
  return {
    begin: () => [],
    prompt: (text) => {
      turn++
      return [{ record: record('user', said('user', { text })), size: text.length + usualSize, kind: 'prompt' }, snapshot()]
    },
    reply: (text) => [other(record('assistant', { model: 'model-x', ...said('model', { text }) }), text.length)],
    call: ({ path, output, edit }) => {
      const callId = `call-${id()}`
      const name = edit ? 'edit' : 'run_shell_command'
      const args = edit ? { file_path: `${folder}/${path}`, old_string: edit.before, new_string: edit.after } : { command: `npm test -- ${path}` }
      const asked = other(record('assistant', { model: 'model-x', ...said('model', { functionCall: { id: callId, name, args } }) }), sizeOf(edit))
      const first = edit && tracked.add(path) ? [snapshot()] : []
      const toolCallResult = { callId, status: 'success', resultDisplay: edit ? output.slice(0, shownOfFile) : '' }
      return [asked, ...first, other(record('tool_result', { ...said('user', { functionResponse: { id: callId, name, response: { output } } }), toolCallResult }), output.length)]
    },
  }
}

function claudeWriter(source: Source): RecordWriter {
  const { id, now } = source
  const sessionId = id()
  const tracked = trackedFiles(source)
  let parentUuid: string | null = null
  let promptId = ''
  let promptUuid = ''
  const place = { userType: 'external', entrypoint: 'cli', cwd: folder, sessionId, version: '2.1.197', gitBranch: 'main' }
  const record = (before: object, after: object = {}): { readonly uuid: string } & object => {
    const made = { parentUuid, isSidechain: false, ...before, uuid: id(), timestamp: now(), ...after, ...place }
    parentUuid = made.uuid
    return made
  }
  const reply = (block: object): object => {
    const usage = { input_tokens: 120, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 67, service_tier: 'standard', iterations: [], speed: 'standard' }
    const message = { id: `msg_${id()}`, type: 'message', role: 'assistant', model: 'model-x', content: [block], stop_reason: 'tool_use', stop_sequence: null, usage, stop_details: null }
    return record({ message, requestId: `req_${id()}`, type: 'assistant' })
  }
  const snapshot = (isSnapshotUpdate: boolean): GeneratedRecord => {
    const made = { type: 'file-history-snapshot', messageId: isSnapshotUpdate ? parentUuid : promptUuid, snapshot: { messageId: promptUuid, trackedFileBackups: tracked.files, timestamp: now() }, isSnapshotUpdate }
    return { record: made, size: usualSize + 120 * Object.keys(tracked.files).length, kind: 'snapshot' }
  }
  return {
    begin: () => [other({ type: 'mode', mode: 'normal', sessionId })],
    prompt: (text) => {
      promptId = id()
      const made = record({ promptId, type: 'user', message: { role: 'user', content: text } }, { permissionMode: 'acceptEdits', origin: { kind: 'human' }, promptSource: 'typed' })
      promptUuid = made.uuid
      return [{ record: made, size: text.length + usualSize, kind: 'prompt' }, snapshot(false)]
    },
    reply: (text) => [other(reply({ type: 'text', text }), text.length + usualSize)],
    call: ({ path, output, edit }) => {
      const callId = `toolu_${id()}`
      const filePath = `${folder}/${path}`
      const input = edit ? { file_path: filePath, old_string: edit.before, new_string: edit.after } : { command: `npm test -- ${path}` }
      const asked = other(reply({ type: 'tool_use', id: callId, name: edit ? 'Edit' : 'Bash', input }), sizeOf(edit) + usualSize)
      const assistant = parentUuid
      const first = edit && tracked.add(path) ? [snapshot(true)] : []
      const content = edit ? `The file ${filePath} has been updated.` : output
      const hunk = { oldStart: 10, oldLines: 8, newStart: 10, newLines: 9, lines: [...lines(edit?.before, '-'), ...lines(edit?.after, '+')] }
      const toolUseResult = edit
        ? { filePath, oldString: edit.before, newString: edit.after, originalFile: output, structuredPatch: [hunk], userModified: false, replaceAll: false }
        : { stdout: output, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }
      const message = { role: 'user', content: [{ tool_use_id: callId, type: 'tool_result', content, is_error: false }] }
      const result = record({ promptId, type: 'user', message }, { toolUseResult, sourceToolAssistantUUID: assistant })
      return [asked, ...first, other(result, content.length + output.length + 2 * sizeOf(edit) + usualSize)]
    },
  }
}

function codexWriter({ id, now }: Source): RecordWriter {
  const threadId = id()
  let turnId = ''
  let ordinal = 0
  const line = (type: string, payload: object): object => ({ timestamp: now(), ordinal: ordinal++, type, payload })
  const passthrough = (): object => ({ internal_chat_message_metadata_passthrough: { turn_id: turnId } })
  const done = (item: object): object => {
    const at = Date.parse(now())
    return line('event_msg', { type: 'item_completed', thread_id: threadId, turn_id: turnId, item, started_at_ms: at, completed_at_ms: at })
  }
  const item = (type: string, fields: object): object => line('response_item', { type, id: `x_${id()}`, ...fields, ...passthrough() })
  const tokens = (): GeneratedRecord => {
    const usage = { input_tokens: 120, cached_input_tokens: 0, cache_write_input_tokens: 0, output_tokens: 40, reasoning_output_tokens: 0, total_tokens: 160 }
    return other(line('event_msg', { type: 'token_count', info: { total_token_usage: usage, last_token_usage: usage, model_context_window: 258400 }, rate_limits: { primary: null } }), usualSize)
  }
  return {
    begin: () => [other(line('session_meta', { id: threadId, timestamp: now(), cwd: folder, originator: 'codex_cli', cli_version: '0.171.0', source: 'cli', git: { branch: 'main' } }))],
    prompt: (text) => {
      turnId = id()
      return [
        other(line('event_msg', { type: 'task_started', turn_id: turnId, model_context_window: 258400 })),
        other(line('turn_context', { turn_id: turnId, cwd: folder, approval_policy: 'never', model: 'model-x' })),
        other(item('message', { role: 'user', content: [{ type: 'input_text', text }] }), text.length),
        { record: done({ type: 'UserMessage', id: id(), content: [{ type: 'text', text, text_elements: [] }] }), size: text.length + usualSize, kind: 'prompt' },
      ]
    },
    reply: (text) => [
      other(done({ type: 'AgentMessage', id: id(), content: [{ type: 'Text', text }] }), text.length),
      other(item('message', { role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }), text.length),
    ],
    call: ({ path, output, edit }) => {
      const callId = `call_${id()}`
      const diff = edit ? [...lines(edit.before, '-'), ...lines(edit.after, '+')].join('\n') : ''
      const asked = edit
        ? item('custom_tool_call', { status: 'completed', call_id: callId, name: 'apply_patch', input: `*** Begin Patch\n*** Update File: ${path}\n@@\n${diff}\n*** End Patch` })
        : item('function_call', { status: 'completed', name: 'exec_command', arguments: JSON.stringify({ cmd: `npm test -- ${path}` }), call_id: callId })
      const shown = edit
        ? done({ type: 'FileChange', id: callId, changes: { [`${folder}/${path}`]: { type: 'update', unified_diff: `@@ -1,8 +1,9 @@\n${diff}`, move_path: null } }, status: 'completed', stdout: '', stderr: '' })
        : done({ type: 'CommandExecution', id: callId, command: ['/bin/bash', '-lc', `npm test -- ${path}`], cwd: `file://${folder}`, status: 'completed', aggregated_output: output, exit_code: 0 })
      const answer = edit ? 'Exit code: 0\nOutput:\nSuccess.' : output
      return [other(asked, diff.length), other(shown, diff.length + (edit ? 0 : output.length)), other(item('function_call_output', { call_id: callId, output: answer }), answer.length), tokens()]
    },
  }
}

function geminiWriter({ id, now }: Source): RecordWriter {
  const message = (type: string, fields: object): object => ({ id: id(), timestamp: now(), type, ...fields })
  const updated = (): GeneratedRecord => ({ record: { $set: { lastUpdated: now() } }, size: 60, kind: 'other' })
  const said = (content: string, toolCalls: object): object =>
    message('gemini', { content, thoughts: [{ subject: 'Next', description: 'The next step.', timestamp: now() }], tokens: { input: 120, output: 40, cached: 0, thoughts: 10, tool: 0, total: 160 }, model: 'model-x', ...toolCalls })
  return {
    begin: () => [other({ sessionId: id(), projectHash: id().replaceAll('-', ''), startTime: now(), lastUpdated: now(), kind: 'main' })],
    prompt: (text) => [{ record: message('user', { content: [{ text }] }), size: text.length + 120, kind: 'prompt' }, updated()],
    reply: (text) => [other(said(text, {}), text.length), updated()],
    call: ({ path, output, edit }) => {
      const callId = `call__${id()}`
      const name = edit ? 'replace' : 'run_shell_command'
      const filePath = `${folder}/${path}`
      const args = edit ? { file_path: filePath, old_string: edit.before, new_string: edit.after } : { command: `npm test -- ${path}` }
      const answer = { functionResponse: { id: callId, name, response: { output: edit ? `Successfully modified file: ${filePath}` : output } } }
      const fileDiff = edit ? [...lines(edit.before, '-'), ...lines(edit.after, '+')].join('\n') : ''
      const resultDisplay = edit ? { fileDiff, fileName: path, filePath, originalContent: output, newContent: output, diffStat: { model_added_lines: 9, model_removed_lines: 4 }, isNewFile: false } : output
      const first = said('', {})
      const whole = { ...first, toolCalls: [{ id: callId, name, args, result: [answer], status: 'success', timestamp: now(), resultDisplay, displayName: name, description: path }] }
      return [
        other(first),
        updated(),
        other(whole, 2 * output.length + 2 * sizeOf(edit)),
        other(message('user', { content: [answer] }), edit ? 0 : output.length),
        updated(),
      ]
    },
  }
}

function lines(text: string | undefined, sign: string): readonly string[] {
  return text === undefined ? [] : text.split('\n').map((line) => sign + line)
}

function sizeOf(edit: GeneratedCall['edit']): number {
  return edit ? edit.before.length + edit.after.length : 0
}

export function uuid(random: Random): string {
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}
