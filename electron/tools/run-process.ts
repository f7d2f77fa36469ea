import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { ReviewError } from '../../shared/errors.js'
import { systemCode } from '../base/disk-errors.js'
import { commandEnvironment } from './command-environment.js'
import { OutputKeeper, type KeptOutput, type OutputLimits } from './kept-output.js'
import { LiveOutput, type OutputMessage, type StreamName } from './live-output.js'
import { openOutputPipes } from './output-pipes.js'
import { endWithHost, runMark, trackRun, type RunGroup, type RunProcess } from './run-group.js'

export interface CommandRequest {
  /** For the shell, as approved. */
  readonly command: string
  /** Absolute. */
  readonly directory: string
  /** The person's environment; what of it the command sees, `commandEnvironment` says. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly timeLimitMs: number
  /** What is kept of each stream. */
  readonly maxOutput?: OutputLimits
}

export interface CommandWatch {
  readonly signal?: AbortSignal
  /** See `LiveOutput`: while it has not returned, the command is kept waiting. */
  readonly onOutput?: (message: OutputMessage) => Promise<void> | void
}

export interface CommandResult {
  readonly stdout: KeptOutput
  readonly stderr: KeptOutput
  /** `null` when a signal ended the shell. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Who ended it: the command itself, or we, because of its time limit or a cancel. */
  readonly endedBy: 'itself' | 'time-limit' | 'cancel'
  readonly durationMs: number
  /** Processes that still ran when the shell had ended; all were ended. */
  readonly background: readonly RunProcess[]
  /** Whether something that could not be found still holds the output open, so that its end may be missing. */
  readonly isOutputOpen: boolean
  /** What one must know besides the output: why it was ended, what was ended with it. Sentences. */
  readonly notes: readonly string[]
}

export const defaultOutputLimits: OutputLimits = { firstBytes: 64 * 1024, lastBytes: 192 * 1024 }
/** Processes that end by themselves this soon after the shell, as in `>(tee log)`, are no background processes. */
const graceMs = 200
/** How long the output may stay open after all processes that could be found have ended. */
const drainMs = 500
/** How long one who watches may take for the last message of a command that was ended. */
const lastMessageMs = 1_000
const pollMs = 10

/**
 * Runs a command to its end in a shell (`bash -c`, without start files; `cmd /d /s /c` on Windows) and
 * in a session of its own, without input and terminal. Nothing that it started outlives it: what is left is ended and named. Nor does
 * it outlive this process, except on Windows.
 *
 * Memory is bounded whatever it prints. The time limit and `signal` end all its processes, with TERM and 2 s later KILL; the result
 * then holds what was printed until then, since a cancel must not hide what a command did.
 * Errors: FOLDER_NOT_FOUND, INVALID_PARAMS (no command, a NUL in it), TOOL_FAILED (it cannot be started).
 */
export async function runCommand(request: CommandRequest, watch: CommandWatch = {}): Promise<CommandResult> {
  checkRequest(request)
  const startedAt = performance.now()
  const mark = randomUUID()
  const started = await start(request, mark)
  const { child } = started
  const output = new Output(started, request.maxOutput ?? defaultOutputLimits, watch.onOutput)
  const exited = new Promise<Pick<CommandResult, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  const group = trackRun(child.pid ?? 0, mark, started.outputPath)
  const watched = endWithHost(child.pid ?? 0, mark)
  const early = endEarly(group, request.timeLimitMs, watch.signal)
  const { exitCode, signal } = await exited
  const endedBy = early.finish()
  if (endedBy !== 'itself') await early.ended
  const left = endedBy === 'itself' && !(await endWithin(group, output, graceMs)) ? await group.end() : []
  watched.release()
  const isOutputOpen = !(await output.close(drainMs))
  await output.finish(endedBy === 'itself' ? watch.signal : AbortSignal.timeout(lastMessageMs))
  const durationMs = Math.round(performance.now() - startedAt)
  const notes = notesOf(endedBy, request.timeLimitMs, left, isOutputOpen)
  return { stdout: output.kept('stdout'), stderr: output.kept('stderr'), exitCode, signal, endedBy, durationMs, background: left, isOutputOpen, notes }
}

function checkRequest({ command, directory }: CommandRequest): void {
  if (command.trim() === '') throw new ReviewError('INVALID_PARAMS', 'The command is empty. Say what to run.', { details: { field: 'command' } })
  if (command.includes('\0')) throw new ReviewError('INVALID_PARAMS', 'The command has a NUL character. Leave it out.', { details: { field: 'command' } })
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return
  throw new ReviewError('FOLDER_NOT_FOUND', 'The folder to run the command in is not there. Name one that is.')
}

/** A started command with its output. */
interface Started {
  readonly child: ChildProcess
  readonly stdout: Readable
  readonly stderr: Readable
  readonly outputPath: string | null
}

async function start(request: CommandRequest, mark: string): Promise<Started> {
  const { command, directory } = request
  const env = { ...commandEnvironment(request.environment, directory), PWD: directory, [runMark]: mark }
  const pipes = await openOutputPipes()
  const [stdout, stderr]: readonly ('pipe' | number)[] = pipes?.forChild ?? ['pipe', 'pipe']
  const options: SpawnOptions = { cwd: directory, env, stdio: ['ignore', stdout, stderr], detached: process.platform !== 'win32', windowsHide: true }
  try {
    const child =
      process.platform === 'win32'
        ? spawn('cmd.exe', ['/d', '/s', '/c', `"${command}"`], { ...options, windowsVerbatimArguments: true })
        : spawn(shell(), ['--noprofile', '--norc', '-c', command], options)
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    const streams = pipes ?? child
    if (!streams.stdout || !streams.stderr) throw new Error('A command needs both streams.')
    return { child, stdout: streams.stdout, stderr: streams.stderr, outputPath: pipes?.path ?? null }
  } catch (thrown) {
    pipes?.stdout.destroy()
    pipes?.stderr.destroy()
    if (thrown instanceof ReviewError) throw thrown
    const code = systemCode(thrown)
    const why = code === 'E2BIG' ? 'it is too long. Write it into a script and run that' : `the system refused it (${code ?? 'unknown reason'}). Try again later`
    throw new ReviewError('TOOL_FAILED', `The command could not be started: ${why}.`, { cause: thrown })
  } finally {
    pipes?.release()
  }
}

/** The policy judges what bash makes of a line; another shell may read the same line in another way. */
function shell(): string {
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash'].find((file) => existsSync(file))
  if (bash === undefined) throw new ReviewError('TOOL_FAILED', 'There is no bash on this computer, and commands are judged as bash reads them. Install bash, or edit files with the other tools.')
  return bash
}

/** Ends the group when the time is up or the signal fires; `finish` says whether that happened. */
function endEarly(group: RunGroup, timeLimitMs: number, signal: AbortSignal | undefined): { finish(): CommandResult['endedBy']; readonly ended: Promise<unknown> } {
  let endedBy: CommandResult['endedBy'] = 'itself'
  let markEnded: (value: unknown) => void = () => undefined
  const ended = new Promise((resolve) => (markEnded = resolve))
  const end = (by: 'time-limit' | 'cancel'): void => {
    if (endedBy !== 'itself') return
    endedBy = by
    group.end().then(markEnded, markEnded)
  }
  const onAbort = (): void => end('cancel')
  const timer = setTimeout(() => end('time-limit'), timeLimitMs)
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  return {
    ended,
    finish: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      return endedBy
    },
  }
}

/** Whether all processes end by themselves in that time. Nothing is looked for while the output is still being read. */
async function endWithin(group: RunGroup, output: Output, ms: number): Promise<boolean> {
  await Promise.race([output.closed, pause(ms)])
  const deadline = performance.now() + ms
  while ((await group.living()).length > 0) {
    if (performance.now() > deadline) return false
    await pause(pollMs)
  }
  return true
}

/** Both streams of a command: read, kept in part, and shown live. */
class Output {
  readonly closed: Promise<void>
  private readonly streams: readonly Readable[]
  private readonly keepers: Readonly<Record<StreamName, OutputKeeper>>
  private readonly live: LiveOutput | null

  constructor({ stdout, stderr }: Started, limits: OutputLimits, onOutput: CommandWatch['onOutput']) {
    this.streams = [stdout, stderr]
    this.keepers = { stdout: new OutputKeeper(limits), stderr: new OutputKeeper(limits) }
    const all = (what: 'pause' | 'resume') => (): void => this.streams.forEach((stream) => stream[what]())
    this.live = onOutput ? new LiveOutput(onOutput, all('pause'), all('resume')) : null
    this.closed = Promise.all([this.read('stdout', stdout), this.read('stderr', stderr)]).then(() => undefined)
  }

  private read(name: StreamName, stream: Readable): Promise<void> {
    stream.on('data', (chunk: Buffer) => {
      this.keepers[name].add(chunk)
      this.live?.add(name, chunk)
    })
    return new Promise((resolve) => {
      stream.on('error', () => resolve())
      stream.on('close', () => resolve())
    })
  }

  /** Reads what is left, no longer waiting for one who watches; `false` when the streams did not end in that time. */
  async close(ms: number): Promise<boolean> {
    this.live?.stopPausing()
    const isClosed = await Promise.race([this.closed.then(() => true), pause(ms).then(() => false)])
    for (const stream of this.streams) stream.destroy()
    return isClosed
  }

  async finish(signal: AbortSignal | undefined): Promise<void> {
    await this.live?.finish(signal)
  }

  kept(name: StreamName): KeptOutput {
    return this.keepers[name].result()
  }
}

function notesOf(endedBy: CommandResult['endedBy'], timeLimitMs: number, left: readonly RunProcess[], isOutputOpen: boolean): readonly string[] {
  const notes: string[] = []
  if (endedBy === 'time-limit') notes.push(`The command was ended after its time limit of ${timeLimitMs / 1000} seconds, with all that it had started.`)
  if (endedBy === 'cancel') notes.push('The command was cancelled and ended, with all that it had started. What it had done until then stays.')
  const names = left.slice(0, 5).map(({ pid, command }) => `${command} (${pid})`)
  const more = left.length > names.length ? ` and ${left.length - names.length} more` : ''
  if (left.length === 1) notes.push(`1 background process was still running when the command ended, and was ended: ${names.join(', ')}.`)
  if (left.length > 1) notes.push(`${left.length} background processes were still running when the command ended, and were ended: ${names.join(', ')}${more}.`)
  if (isOutputOpen) notes.push('A process that could not be found still holds the output open; what it prints from now on is not shown.')
  return notes
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
