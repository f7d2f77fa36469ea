import type { FileEdit } from '../sessions/codex-fields.js'

/** Writes a log in the shape of Codex 0.171, record by record, with a clock of its own. */
export class CodexLog {
  private readonly lines: string[] = []
  private turnId = ''
  private calls = 0

  constructor(
    readonly folder: string,
    private now: number,
    meta: Readonly<Record<string, unknown>> = {},
  ) {
    this.add('session_meta', { id: 'thread', timestamp: new Date(now).toISOString(), cwd: folder, cli_version: '0.171.0', ...meta })
  }

  get time(): number {
    return this.now
  }

  get sizeBytes(): number {
    return Buffer.byteLength(this.text())
  }

  wait(ms: number): void {
    this.now += ms
  }

  prompt(turnId: string, text = turnId): void {
    this.turnId = turnId
    this.add('event_msg', { type: 'task_started', turn_id: turnId })
    this.add('turn_context', { turn_id: turnId, cwd: this.folder, model: 'm' })
    this.item({ type: 'UserMessage', id: `u-${turnId}`, content: [{ type: 'text', text }] })
  }

  say(text: string): void {
    this.item({ type: 'AgentMessage', id: `a-${this.lines.length}`, content: [{ type: 'Text', text }] })
  }

  patch(edits: readonly FileEdit[], status = 'completed', callId = `call-${++this.calls}`): void {
    this.add('response_item', { type: 'custom_tool_call', call_id: callId, name: 'apply_patch', input: '*** Begin Patch\n*** End Patch' })
    const changes = Object.fromEntries(edits.map((edit) => [`${this.folder}/${edit.path}`, changeOf(edit, this.folder)]))
    this.item({ type: 'FileChange', id: callId, changes, status, stdout: 'Success. Updated the following files:\n', stderr: '' })
    this.add('response_item', { type: 'custom_tool_call_output', call_id: callId, output: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n' })
  }

  command(text: string, output = '', exitCode = 0, callId = `call-${++this.calls}`): void {
    this.add('response_item', { type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd: text }), call_id: callId })
    this.now += 20
    this.item({ type: 'CommandExecution', id: callId, command: ['/bin/bash', '-lc', text], cwd: `file://${this.folder}`, aggregated_output: output, exit_code: exitCode, status: exitCode === 0 ? 'completed' : 'failed' })
    this.add('response_item', { type: 'function_call_output', call_id: callId, output: `Process exited with code ${exitCode}\nOutput:\n${output}` })
  }

  item(item: Readonly<Record<string, unknown>>): void {
    this.add('event_msg', { type: 'item_completed', thread_id: 'thread', turn_id: this.turnId, item })
  }

  add(type: string, payload: Readonly<Record<string, unknown>>): void {
    this.now += 5
    this.lines.push(JSON.stringify({ timestamp: new Date(this.now).toISOString(), type, payload }))
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('')
  }
}

function changeOf(edit: FileEdit, folder: string): unknown {
  switch (edit.kind) {
    case 'add':
      return { type: 'add', content: edit.content }
    case 'delete':
      return { type: 'delete', content: edit.content }
    case 'update':
      return { type: 'update', unified_diff: edit.diff, move_path: edit.moveTo === null ? null : `${folder}/${edit.moveTo}` }
    case 'other':
      return { type: 'unheard-of' }
  }
}
