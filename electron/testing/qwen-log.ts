/** One tracked file of a snapshot: a backup's name, `null` for a file that did not exist, or a raw entry. */
export type TrackedEntry = string | null | Readonly<Record<string, unknown>>

/**
 * Writes a log in qwen-code's shape, record by record, each hanging on the one before: a sample for tests, the same at every run.
 */
export class QwenLog {
  readonly lines: string[] = []
  /** Identity of the last record. */
  tip: string | null = null
  private count = 0

  constructor(
    readonly sessionId = '5e551011-0000-4000-8000-000000000001',
    readonly folder = '/home/dev/acme',
  ) {}

  promptId(n: number): string {
    return `${this.sessionId}########${n}`
  }

  /** Identity of the n-th record, counted from 1. */
  uuid(n: number): string {
    return `${String(n).padStart(8, '0')}-0000-4000-8000-${this.sessionId.slice(-12)}`
  }

  time(n = this.count): string {
    return new Date(Date.UTC(2026, 0, 5, 8, 0, n)).toISOString()
  }

  /** Adds a record; `fields` overwrite the usual ones, `undefined` leaves one out. Returns its identity. */
  record(type: string, fields: Readonly<Record<string, unknown>> = {}): string {
    const uuid = this.uuid(++this.count)
    const record = {
      uuid,
      parentUuid: this.tip,
      sessionId: this.sessionId,
      timestamp: this.time(),
      type,
      provenance: type === 'user' ? 'real_user' : type,
      cwd: this.folder,
      version: '0.24.4',
      gitBranch: 'main',
      ...fields,
    }
    this.lines.push(JSON.stringify(record))
    this.tip = typeof record.uuid === 'string' ? record.uuid : this.tip
    return uuid
  }

  user(text: string, fields: Readonly<Record<string, unknown>> = {}): string {
    return this.record('user', { message: { role: 'user', parts: [{ text }] }, ...fields })
  }

  system(subtype: string, systemPayload: unknown, fields: Readonly<Record<string, unknown>> = {}): string {
    return this.record('system', { subtype, systemPayload, ...fields })
  }

  /** A snapshot of one prompt, or of several. */
  snapshot(n: number, files: Readonly<Record<string, TrackedEntry>>, subtype = 'file_history_snapshot'): string {
    return this.snapshots([[this.promptId(n), files]], subtype)
  }

  snapshots(prompts: readonly (readonly [string, Readonly<Record<string, TrackedEntry>>])[], subtype = 'file_history_snapshot'): string {
    const snapshots = prompts.map(([promptId, files]) => ({ promptId, timestamp: this.time(), trackedFileBackups: this.tracked(files) }))
    return this.system(subtype, { snapshots })
  }

  reply(text: string, fields: Readonly<Record<string, unknown>> = {}): string {
    return this.record('assistant', { model: 'model-x', message: { role: 'model', parts: [{ text }] }, ...fields })
  }

  call(id: string, name: string, args: unknown, text?: string): string {
    const parts = [...(text === undefined ? [] : [{ text }]), { functionCall: { id, name, args } }]
    return this.record('assistant', { model: 'model-x', message: { role: 'model', parts } })
  }

  result(id: string, name: string, output: string, resultDisplay: unknown = '', fields: Readonly<Record<string, unknown>> = {}): string {
    return this.record('tool_result', {
      message: { role: 'user', parts: [{ functionResponse: { id, name, response: { output } } }] },
      toolCallResult: { callId: id, status: 'success', executionStatus: 'success', resultDisplay },
      ...fields,
    })
  }

  telemetry(event: Readonly<Record<string, unknown>>): string {
    return this.system('ui_telemetry', { uiEvent: event })
  }

  /** One whole turn: prompt, snapshot, an edit of one file, a closing reply. */
  turn(n: number, prompt: string, before: Readonly<Record<string, TrackedEntry>>, after = before): string {
    const first = this.user(prompt)
    this.snapshot(n, before)
    this.call(`call-${n}`, 'edit', { file_path: `${this.folder}/a.ts`, old_string: 'one', new_string: `turn ${n}` })
    if (after !== before) this.snapshot(n, after)
    this.result(`call-${n}`, 'edit', `The file: ${this.folder}/a.ts has been updated.`)
    this.reply(`Done with ${n}.`)
    return first
  }

  text(lineEnd = '\n'): string {
    return this.lines.map((line) => line + lineEnd).join('')
  }

  private tracked(files: Readonly<Record<string, TrackedEntry>>): Record<string, unknown> {
    const entry = (value: TrackedEntry): unknown =>
      typeof value === 'object' && value !== null
        ? value
        : { backupFileName: value, version: Number(value?.split('@v')[1] ?? 1), backupTime: this.time(1) }
    return Object.fromEntries(Object.entries(files).map(([path, value]) => [path, entry(value)]))
  }
}
