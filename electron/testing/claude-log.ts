const bases = { sessionId: '62f29d23-6879-4637-99c4-000000000001', folder: '/home/dev/acme', version: '2.1.197' }

export interface ClaudeLogOptions {
  readonly sessionId?: string
  readonly folder?: string
  readonly version?: string
}

/** Writes a log of Claude Code, record by record; the latest one of the talk is the parent of the next. */
export class ClaudeLog {
  readonly lines: string[] = []
  readonly sessionId: string
  readonly folder: string
  private readonly version: string
  private last: string | null = null
  private count = 0

  constructor(options: ClaudeLogOptions = {}) {
    const { sessionId, folder, version } = { ...bases, ...options }
    this.sessionId = sessionId
    this.folder = folder
    this.version = version
  }

  text(): string {
    return this.lines.map((line) => `${line}\n`).join('')
  }

  /** Identity of the record that was written last; where the next one hangs. */
  get leaf(): string | null {
    return this.last
  }

  /** What is written next hangs there, as after a rewind. */
  goTo(leaf: string | null): void {
    this.last = leaf
  }

  raw(record: object): void {
    this.lines.push(JSON.stringify(record))
  }

  /** A record of the talk; returns its identity. */
  talk(type: string, own: object): string {
    const uuid = this.nextId()
    const place = { parentUuid: this.last, isSidechain: false }
    const around = { uuid, timestamp: this.time(), userType: 'external', entrypoint: 'cli', cwd: this.folder, sessionId: this.sessionId, version: this.version, gitBranch: 'main' }
    // As the agent lays them out: the type of an answer stands behind its message, what a call came to behind the identity.
    const { promptId, message, ...others } = own as { readonly promptId?: unknown; readonly message?: unknown }
    if (type !== 'user') this.raw({ ...place, ...own, type, ...around })
    else this.raw({ ...place, ...(promptId === undefined ? {} : { promptId }), type, message, ...around, ...others })
    this.last = uuid
    return uuid
  }

  prompt(text: string, files: Readonly<Record<string, string | null>> | null = {}): string {
    const id = this.talk('user', { promptId: `prompt-${this.count + 1}`, message: { role: 'user', content: text }, origin: { kind: 'human' } })
    if (files) this.snapshot(id, files)
    return id
  }

  /** Paths to names of backups; `null` where the file did not exist. */
  snapshot(of: string, files: Readonly<Record<string, string | null>>, isUpdate = false): void {
    const tracked = Object.entries(files).map(([path, backupFileName]) => [path, { backupFileName, version: 1, backupTime: this.timeOf(1) }])
    this.raw({ type: 'file-history-snapshot', messageId: of, snapshot: { messageId: of, trackedFileBackups: Object.fromEntries(tracked) as object, timestamp: this.timeOf(this.count) }, isSnapshotUpdate: isUpdate })
  }

  reply(text: string): string {
    return this.talk('assistant', { message: { id: `msg_${this.count}`, role: 'assistant', model: 'opus', content: [{ type: 'text', text }] } })
  }

  call(callId: string, name: string, input: object): string {
    return this.talk('assistant', { message: { id: `msg_${this.count}`, role: 'assistant', model: 'opus', content: [{ type: 'tool_use', id: callId, name, input }] } })
  }

  result(callId: string, content: unknown, toolUseResult: unknown, isError = false): string {
    return this.talk('user', { promptId: 'p', message: { role: 'user', content: [{ tool_use_id: callId, type: 'tool_result', content, ...(isError ? { is_error: true } : {}) }] }, toolUseResult })
  }

  /** A whole edit of a file: the call and its result. */
  edit(path: string, before: string, oldText: string, newText: string, more: object = {}): void {
    const callId = `toolu_${this.count}`
    const filePath = `${this.folder}/${path}`
    this.call(callId, 'Edit', { file_path: filePath, old_string: oldText, new_string: newText })
    const after = before.replace(oldText, () => newText)
    this.result(callId, 'updated', { filePath, oldString: oldText, newString: newText, originalFile: before, structuredPatch: wholePatch(before, after), userModified: false, replaceAll: false, ...more })
  }

  write(path: string, before: string | null, content: string): void {
    const callId = `toolu_${this.count}`
    const filePath = `${this.folder}/${path}`
    this.call(callId, 'Write', { file_path: filePath, content })
    this.result(callId, 'written', { type: before === null ? 'create' : 'update', filePath, content, originalFile: before, structuredPatch: before === null ? [] : wholePatch(before, content), userModified: false })
  }

  read(path: string, content: string): void {
    const callId = `toolu_${this.count}`
    const lines = content.split('\n').length
    this.call(callId, 'Read', { file_path: `${this.folder}/${path}` })
    this.result(callId, content, { type: 'text', file: { filePath: `${this.folder}/${path}`, content, numLines: lines, startLine: 1, totalLines: lines } })
  }

  bash(command: string, error: string | null = null): void {
    const callId = `toolu_${this.count}`
    this.call(callId, 'Bash', { command })
    if (error === null) this.result(callId, '', { stdout: '', stderr: '', interrupted: false, isImage: false })
    else this.result(callId, error, `Error: ${error}`, true)
  }

  private nextId(): string {
    return `00000000-0000-4000-8000-${String(++this.count).padStart(12, '0')}`
  }

  private time(): string {
    return this.timeOf(this.count)
  }

  private timeOf(count: number): string {
    return new Date(Date.UTC(2026, 0, 5, 8, 0, count)).toISOString()
  }
}

/** A patch that takes all lines out and puts the new ones in. */
export function wholePatch(before: string, after: string): readonly object[] {
  const side = (text: string, sign: string): readonly string[] => {
    const lines = text.split('\n')
    const hasEnd = lines.at(-1) === ''
    return [...(hasEnd ? lines.slice(0, -1) : lines).map((line) => sign + line), ...(hasEnd || text === '' ? [] : ['\\ No newline at end of file'])]
  }
  const [removed, added] = [before === '' ? [] : side(before, '-'), after === '' ? [] : side(after, '+')]
  return [{ oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines: [...removed, ...added] }]
}
