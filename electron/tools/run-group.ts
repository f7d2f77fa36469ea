// Finds and ends every process that a command started.

import { execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process that belongs to a command. */
export interface RunProcess {
  readonly pid: number
  /** Its command line, or its short name where the system hides that. */
  readonly command: string
}

/** The processes of one command. */
export interface RunGroup {
  /** All that still run; those that only wait to be reaped do not count. */
  living(): Promise<readonly RunProcess[]>
  /** Asks all to end, waits 2 s at most, then kills what is left. Returns those that had to be ended. */
  end(): Promise<readonly RunProcess[]>
}

/** The environment variable by which processes of a command are known; its value is the command's own. */
export const runMark = 'OVERTURN_RUN'

const patienceMs = 2_000
const pollMs = 20
/** A command that forks faster than it is killed is given up on after so many rounds. */
const maxRounds = 50

/**
 * The processes that came from `pid`, the leader of a session of its own, started with `runMark` set to `mark`.
 *
 * Linux: all of the process group, of the session, all that carry the mark in their environment, and all that hold its output open
 * (`outputPath`), so that `setsid`, `nohup` and daemons are found too; only what starts a session of its own, clears its environment
 * *and* closes its output escapes. Elsewhere: the process group (on Windows the tree of children).
 */
export function trackRun(pid: number, mark: string, outputPath: string | null): RunGroup {
  const find = process.platform === 'linux' ? linuxProcesses(pid, mark, outputPath) : process.platform === 'win32' ? windowsTree(pid) : processGroup(pid)
  return {
    living: find.living,
    end: async () => {
      const ended = new Map<number, RunProcess>()
      const signalAll = async (signal: NodeJS.Signals): Promise<number> => {
        const living = await find.living()
        for (const each of living) ended.set(each.pid, each)
        find.signal(signal)
        return living.length
      }
      await signalAll('SIGTERM')
      const deadline = performance.now() + patienceMs
      while (performance.now() < deadline && (await find.living()).length > 0) await pause(pollMs)
      for (let round = 0; round < maxRounds && (await signalAll('SIGKILL')) > 0; round++) await pause(pollMs)
      return [...ended.values()]
    },
  }
}

/** Waits for the end of its input, which this process holds open while it lives; then ends the group, and on Linux what has its mark. */
const watcher = `read -r _
kill -TERM -- "-$1"
sleep 1
kill -KILL -- "-$1"
for each in /proc/[0-9]*; do
  if grep -qsF "$2" "$each/environ"; then kill -KILL "\${each#/proc/}"; fi
done`

/**
 * Ends the processes of a command when this process dies before `release` is called, in whatever way it dies. Best effort, and not on
 * Windows: a watcher that cannot be started watches nothing.
 */
export function endWithHost(pid: number, mark: string): { release(): void } {
  if (process.platform === 'win32') return { release: () => undefined }
  // Its environment has no mark, and it is in another group: it is no process of the command.
  const child = spawn('/bin/sh', ['-c', watcher, 'watcher', String(pid), `${runMark}=${mark}`], { cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  return {
    release: () => {
      // Killed first: the end of its input would be its signal.
      child.kill('SIGKILL')
      child.stdin.destroy()
    },
  }
}

interface Finder {
  readonly living: () => Promise<readonly RunProcess[]>
  readonly signal: (signal: NodeJS.Signals) => void
}

function linuxProcesses(leader: number, mark: string, outputPath: string | null): Finder {
  const startedAt = statOf(leader)?.startedAt ?? 0
  const living = (): readonly (RunProcess & { readonly isInGroup: boolean })[] =>
    processIds().flatMap((pid) => {
      const stat = statOf(pid)
      if (!stat || stat.startedAt < startedAt || stat.state === 'Z' || stat.state === 'X') return []
      if (stat.group !== leader && stat.session !== leader && !hasMark(pid, mark) && !holdsOpen(pid, outputPath)) return []
      return [{ pid, command: commandLineOf(pid) ?? stat.name, isInGroup: stat.group === leader }]
    })
  return {
    living: async () => living().map(({ pid, command }) => ({ pid, command })),
    signal: (signal) => {
      const processes = living()
      // The group at once: between two single kills a process could start another.
      if (processes.some(({ isInGroup }) => isInGroup)) send(-leader, signal)
      for (const { pid, isInGroup } of processes) if (!isInGroup) send(pid, signal)
    },
  }
}

function processIds(): readonly number[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && Number(name) !== process.pid ? [Number(name)] : []))
}

interface Stat {
  readonly name: string
  readonly state: string
  readonly group: number
  readonly session: number
  /** In clock ticks since the machine started. */
  readonly startedAt: number
}

function statOf(pid: number): Stat | null {
  const text = readText(`/proc/${pid}/stat`)
  if (text === null) return null
  // The name stands in brackets and may hold brackets and blanks itself.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  const [state = '', , group, session] = fields
  return { name: text.slice(text.indexOf('(') + 1, end), state, group: Number(group), session: Number(session), startedAt: Number(fields[19]) }
}

function hasMark(pid: number, mark: string): boolean {
  return readText(`/proc/${pid}/environ`)?.split('\0').includes(`${runMark}=${mark}`) === true
}

function holdsOpen(pid: number, path: string | null): boolean {
  if (path === null) return false
  try {
    return readdirSync(`/proc/${pid}/fd`).some((file) => readlinkSync(`/proc/${pid}/fd/${file}`).startsWith(`${path}/`))
  } catch {
    return false
  }
}

function commandLineOf(pid: number): string | null {
  const line = readText(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()
  return line ? line.slice(0, 200) : null
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

function processGroup(leader: number): Finder {
  return {
    living: async () => {
      const lines = (await outputOf('ps', ['-A', '-o', 'pid=,pgid=,stat=,command='])).split('\n')
      return lines.flatMap((line) => {
        const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
        return Number(group) === leader && !state?.startsWith('Z') ? [{ pid: Number(pid), command: (command ?? '').slice(0, 200) }] : []
      })
    },
    signal: (signal) => send(-leader, signal),
  }
}

/** Windows keeps no groups: children are found by their parent as long as it runs, and ended with it. */
function windowsTree(leader: number): Finder {
  return {
    living: async () => {
      const isThere = (await outputOf('tasklist', ['/fi', `PID eq ${leader}`, '/fo', 'csv', '/nh'])).includes(`"${leader}"`)
      return isThere ? [{ pid: leader, command: 'cmd' }] : []
    },
    signal: (signal) => execFile('taskkill', ['/pid', String(leader), '/t', ...(signal === 'SIGKILL' ? ['/f'] : [])], () => undefined),
  }
}

function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => execFile(program, args, { maxBuffer: 16 * 1024 * 1024, windowsHide: true }, (_, stdout) => resolve(stdout)))
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already, or not ours to end; whether it lives is looked at again.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
