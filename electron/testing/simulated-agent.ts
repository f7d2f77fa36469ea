import { createHash } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { QwenLog } from './qwen-log.js'

/** A file of the simulated folder. Times are steps of a clock that moves with each action. */
export interface SimFile {
  readonly bytes: Buffer
  readonly mode: number
  readonly mtime: number
}

/** What was true when a prompt was sent. */
export interface SimMoment {
  readonly promptId: string
  readonly files: ReadonlyMap<string, SimFile>
}

interface Entry {
  readonly name: string | null
  readonly version: number
  readonly at: number
}

interface Snapshot {
  readonly promptId: string
  readonly takenAt: number
  readonly parent: string | null
  readonly entries: Map<string, Entry>
}

export interface SimCall {
  /** `failed`: it ran and reported an error after it was tracked. `refused`: nothing ran. `unanswered`: done, but its result is not in the log. */
  readonly outcome?: 'done' | 'failed' | 'refused' | 'unanswered'
}

const cutLength = 16_000
/** When the first step of the clock is. */
const dayMs = Date.UTC(2026, 0, 5, 8)

/**
 * An agent that works on a folder in memory and records as qwen-code 0.24.4 does, faults included: mid-turn backups, the shortcut
 * by modification time, comparison as UTF-8, reused backup names, a limit on snapshots. What the folder held at each prompt is kept
 * beside it, so that a reader can be held against the truth.
 */
export class SimulatedAgent {
  readonly log: QwenLog
  files = new Map<string, SimFile>()
  /** The truth at the start of every live prompt, in order. */
  moments: SimMoment[] = []
  readonly backups = new Map<string, SimFile>()
  private snapshots: Snapshot[] = []
  private tracked = new Set<string>()
  private clock = 1000
  private prompts = 0
  private calls = 0

  constructor(
    files: Readonly<Record<string, string | Buffer>> = {},
    private readonly maxSnapshots = 100,
    readonly folder = '/home/dev/acme',
  ) {
    this.log = new QwenLog(undefined, folder)
    for (const [path, content] of Object.entries(files)) this.put(path, content)
  }

  /** Somebody, or a command, writes a file; `mtime` may lie in the past. */
  put(path: string, content: string | Buffer, options: { readonly mode?: number; readonly mtime?: number } = {}): void {
    const mode = options.mode ?? this.files.get(path)?.mode ?? 0o644
    this.files.set(path, { bytes: Buffer.from(content), mode, mtime: options.mtime ?? this.tick() })
  }

  remove(path: string): void {
    this.files.delete(path)
  }

  text(path: string): string | null {
    return this.files.get(path)?.bytes.toString() ?? null
  }

  /** The text as the agent sees it: decoded, with LF line ends. */
  shown(path: string): string | null {
    const file = this.files.get(path)
    return file ? decode(file.bytes).text.replaceAll('\r\n', '\n') : null
  }

  /** Sends a prompt. `hasSnapshot: false` is a slash command or a recorder that is switched off. */
  prompt(text: string, hasSnapshot = true): string {
    const parent = this.log.tip
    const promptId = this.log.promptId(++this.prompts)
    this.record(() => this.log.user(text, { timestamp: this.time() }))
    this.moments.push({ promptId, files: new Map(this.files) })
    if (!hasSnapshot) return promptId
    const last = this.snapshots.at(-1)
    const snapshot: Snapshot = { promptId, takenAt: this.tick(), parent, entries: new Map() }
    for (const path of this.tracked) snapshot.entries.set(path, this.entryNow(path, last?.entries.get(path)))
    this.snapshots.push(snapshot)
    this.evict()
    this.writeSnapshots([snapshot])
    return promptId
  }

  reply(text = 'Done.'): void {
    this.record(() => this.log.reply(text, { timestamp: this.time() }))
  }

  /** Reads a whole file, as the model is shown it. */
  read(path: string): void {
    const id = this.nextCall()
    const file = this.files.get(path)
    this.record(() => this.log.call(id, 'read_file', { file_path: this.absolute(path) }))
    const shown = file ? decode(file.bytes).text.split('\n').map((line) => line.trimEnd()).join('\n') : 'File not found'
    this.record(() => this.log.result(id, 'read_file', shown, file ? '' : 'File not found', { timestamp: this.time() }))
  }

  edit(path: string, oldText: string, newText: string, { outcome = 'done' }: SimCall = {}): void {
    const file = this.files.get(path)
    const before = file ? decode(file.bytes) : null
    const text = (before?.text ?? '').replaceAll('\r\n', '\n')
    const at = text.indexOf(oldText)
    if (before && at < 0) throw new Error(`The text is not in ${path}.`)
    const after = before ? text.slice(0, at) + newText + text.slice(at + oldText.length) : newText
    const args = { file_path: this.absolute(path), old_string: oldText, new_string: newText }
    this.change('edit', path, args, outcome, before ? text : null, after)
  }

  write(path: string, content: string, { outcome = 'done' }: SimCall = {}): void {
    const file = this.files.get(path)
    this.change('write_file', path, { file_path: this.absolute(path), content }, outcome, file ? decode(file.bytes).text : null, content)
  }

  /** A sed that the agent carries out in memory, on every line. */
  sed(path: string, from: string, to: string): void {
    const file = this.files.get(path)
    if (!file) throw new Error(`${path} is not there.`)
    const before = decode(file.bytes).text
    const after = before.split('\n').map((line) => line.replace(from, to)).join('\n')
    this.change('run_shell_command', path, { command: `sed -i 's/${from}/${to}/' ${path}` }, 'done', before, after)
  }

  /** Runs a command whose true effects are those of `effect`. */
  shell(command: string, effect: (agent: SimulatedAgent) => void, { exitCode = 0, isRefused = false, isBackground = false } = {}): void {
    const id = this.nextCall()
    this.record(() => this.log.call(id, 'run_shell_command', { command, is_background: isBackground }))
    if (!isRefused) effect(this)
    const display = { type: 'shell_result', version: 1, directory: this.folder, exitCode, outcome: 'completed', output: '', text: '' }
    const cancelled = { toolCallResult: { callId: id, status: 'cancelled', executionStatus: 'not_started', resultDisplay: '' } }
    this.record(() => this.log.result(id, 'run_shell_command', isRefused ? 'The user said no.' : `Exit Code: ${exitCode}`, display, { timestamp: this.time(), ...(isRefused ? cancelled : {}) }))
  }

  /** Any other tool. */
  tool(name: string, args: unknown, effect: (agent: SimulatedAgent) => void = () => undefined): void {
    const id = this.nextCall()
    this.record(() => this.log.call(id, name, args))
    effect(this)
    this.record(() => this.log.result(id, name, 'ok', 'ok', { timestamp: this.time() }))
  }

  /** Takes the prompts from this one on back, with or without their changes to files. */
  rewind(promptId: string, withFiles = true): void {
    const at = this.snapshots.findLastIndex((snapshot) => snapshot.promptId === promptId)
    const target = this.snapshots[at]
    if (!target) throw new Error('There is no such snapshot.')
    if (withFiles) for (const path of this.tracked) this.restore(path, target)
    const dropped = this.snapshots.splice(withFiles ? at + 1 : at)
    this.forget(dropped)
    this.tracked = new Set(this.snapshots.flatMap((snapshot) => [...snapshot.entries.keys()]))
    this.moments = this.moments.slice(0, this.moments.findIndex((moment) => moment.promptId === promptId))
    this.log.tip = target.parent
    this.record(() => this.log.system('rewind', { truncatedCount: dropped.length + 1 }, { timestamp: this.time() }))
    if (this.snapshots.length > 0) this.writeSnapshots(this.snapshots)
  }

  trackedPaths(): readonly string[] {
    return [...this.tracked]
  }

  /** Prompts that a rewind can go back to. */
  rewindTargets(): readonly string[] {
    const live = new Set(this.moments.map((moment) => moment.promptId))
    return this.snapshots.map((snapshot) => snapshot.promptId).filter((promptId) => live.has(promptId))
  }

  /** Goes on in a new process, which knows only what the log holds, or less: it no longer tracks the `lost` paths. */
  resume(lost: readonly string[] = []): void {
    for (const { entries } of this.snapshots) for (const path of lost) entries.delete(path)
    this.tracked = new Set(this.snapshots.flatMap((snapshot) => [...snapshot.entries.keys()]))
  }

  /** Writes log and backups below a home. Returns the log's path. */
  async save(home: string): Promise<{ readonly file: string; readonly backupHome: string }> {
    const chats = join(home, 'projects', this.folder.replace(/[^A-Za-z0-9]/g, '-'), 'chats')
    const backupHome = join(home, 'file-history')
    const folder = join(backupHome, this.log.sessionId)
    for (const each of [chats, folder]) await mkdir(each, { recursive: true })
    const file = join(chats, `${this.log.sessionId}.jsonl`)
    await writeFile(file, this.log.text())
    for (const [name, { bytes, mode }] of this.backups) {
      await writeFile(join(folder, name), bytes)
      await chmod(join(folder, name), mode)
    }
    return { file, backupHome }
  }

  private change(tool: string, path: string, args: unknown, outcome: NonNullable<SimCall['outcome']>, before: string | null, after: string): void {
    const id = this.nextCall()
    this.record(() => this.log.call(id, tool, args))
    const refused = { toolCallResult: { callId: id, status: 'cancelled', executionStatus: 'not_started', resultDisplay: '' } }
    if (outcome === 'refused') {
      this.record(() => this.log.result(id, tool, 'The user said no.', '', { timestamp: this.time(), ...refused }))
      return
    }
    this.track(path)
    if (outcome === 'failed') {
      const failed = { toolCallResult: { callId: id, status: 'error', executionStatus: 'error', resultDisplay: '' } }
      this.record(() => this.log.result(id, tool, 'The file was changed since it was read.', '', { timestamp: this.time(), ...failed }))
      return
    }
    const file = this.files.get(path)
    this.files.set(path, { bytes: encodeLike(file?.bytes ?? null, after), mode: file?.mode ?? 0o644, mtime: this.tick() })
    if (outcome === 'unanswered') return
    const created = before === null ? `Successfully created and wrote to new file: ${path}.` : `The file: ${path} has been updated.`
    this.record(() => this.log.result(id, tool, created, this.display(path, tool, before, after), { timestamp: this.time() }))
  }

  /** What the recorder keeps of a change: cut in the middle above 16,000 characters, and for an edit without CRLF and BOM. */
  private display(path: string, tool: string, before: string | null, after: string): unknown {
    const isCut = (before?.length ?? 0) > cutLength || after.length > cutLength
    const lf = (text: string): string => (tool === 'edit' ? text.replaceAll('\r\n', '\n') : text)
    const kept = (text: string): string => (text.length > cutLength ? `${text.slice(0, 7_990)}\n[CONTENT TRUNCATED]\n${text.slice(-7_990)}` : text)
    return {
      fileDiff: 'Index: x\n',
      fileName: path.split('/').at(-1),
      filePath: this.absolute(path),
      originalContent: before === null ? null : kept(lf(before)),
      newContent: kept(lf(after)),
      diffStat: { model_added_lines: 1, model_removed_lines: 1, user_added_lines: 0, user_removed_lines: 0 },
      ...(isCut
        ? { truncatedForSession: true, originalContentTruncated: (before?.length ?? 0) > cutLength, newContentTruncated: after.length > cutLength, fileDiffTruncated: false }
        : {}),
    }
  }

  private track(path: string): void {
    const newest = this.snapshots.at(-1)
    if (!newest || newest.entries.has(path)) return
    this.tracked.add(path)
    newest.entries.set(path, this.copy(path))
    this.writeSnapshots([newest])
  }

  private entryNow(path: string, last: Entry | undefined): Entry {
    const file = this.files.get(path)
    if (!file) return { name: null, version: (last?.version ?? 0) + 1, at: this.tick() }
    const backup = last?.name ? this.backups.get(last.name) : undefined
    return last && backup && isTakenForUnchanged(file, backup) ? last : this.copy(path)
  }

  private copy(path: string): Entry {
    const version = Math.max(0, ...this.snapshots.map((snapshot) => snapshot.entries.get(path)?.version ?? 0)) + 1
    const file = this.files.get(path)
    const at = this.tick()
    if (!file) return { name: null, version, at }
    const name = `${createHash('sha256').update(path).digest('hex').slice(0, 16)}@v${version}`
    this.backups.set(name, { ...file, mtime: at })
    return { name, version, at }
  }

  private restore(path: string, target: Snapshot): void {
    const first = this.snapshots.find((snapshot) => snapshot.entries.has(path))
    const entry = target.entries.get(path) ?? first?.entries.get(path)
    if (!entry) return
    const backup = entry.name === null ? undefined : this.backups.get(entry.name)
    const file = this.files.get(path)
    if (entry.name === null) this.files.delete(path)
    else if (backup && !(file && isTakenForUnchanged(file, backup))) this.files.set(path, { ...backup, mtime: this.tick() })
  }

  private evict(): void {
    if (this.snapshots.length > this.maxSnapshots) this.forget(this.snapshots.splice(0, this.snapshots.length - this.maxSnapshots))
  }

  private forget(gone: readonly Snapshot[]): void {
    const kept = new Set(this.snapshots.flatMap((snapshot) => [...snapshot.entries.values()].map(({ name }) => name)))
    for (const { name } of gone.flatMap((snapshot) => [...snapshot.entries.values()])) if (name !== null && !kept.has(name)) this.backups.delete(name)
  }

  private writeSnapshots(snapshots: readonly Snapshot[]): void {
    const written = snapshots.map(({ promptId, takenAt, entries }) => ({
      promptId,
      timestamp: timeAt(takenAt),
      trackedFileBackups: Object.fromEntries([...entries].map(([path, { name, version, at }]) => [path, { backupFileName: name, version, backupTime: timeAt(at) }])),
    }))
    this.record(() => this.log.system('file_history_snapshot', { snapshots: written }, { timestamp: this.time() }))
  }

  private record(write: () => void): void {
    this.tick()
    write()
  }

  private nextCall(): string {
    return `call-${++this.calls}`
  }

  private absolute(path: string): string {
    return path.startsWith('/') ? path : `${this.folder}/${path}`
  }

  private tick(): number {
    return ++this.clock
  }

  private time(): string {
    return timeAt(this.clock)
  }
}

function timeAt(step: number): string {
  return new Date(dayMs + step * 10).toISOString()
}

/** Source: qwen-code's check; an older time is believed without reading. */
function isTakenForUnchanged(file: SimFile, backup: SimFile): boolean {
  if (file.mode !== backup.mode || file.bytes.length !== backup.bytes.length) return false
  return file.mtime < backup.mtime || file.bytes.toString('utf8') === backup.bytes.toString('utf8')
}

interface Decoded {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1'
}

function decode(bytes: Buffer): Decoded {
  const text = bytes.toString('utf8')
  if (Buffer.compare(Buffer.from(text, 'utf8'), bytes) !== 0) return { text: bytes.toString('latin1'), encoding: 'latin1' }
  return { text: text.replace(/^\ufeff/, ''), encoding: 'utf8' }
}

/** Writes a text in the manner of the file that it replaces. */
function encodeLike(old: Buffer | null, text: string): Buffer {
  if (!old) return Buffer.from(text)
  const { text: oldText, encoding } = decode(old)
  const ended = oldText.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text
  const hasBom = old.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))
  return Buffer.from(hasBom ? `\ufeff${ended}` : ended, encoding)
}
