import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { OutputMessage } from './live-output.js'
import { runCommand, type CommandRequest, type CommandResult, type CommandWatch } from './run-process.js'

const isLinux = process.platform === 'linux'
let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'run-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function run(command: string, more: Partial<CommandRequest> = {}, watch: CommandWatch = {}): Promise<CommandResult> {
  return runCommand({ command, directory: root, environment: process.env, timeLimitMs: 15_000, ...more }, watch)
}
const text = async (command: string, more: Partial<CommandRequest> = {}): Promise<string> => (await run(command, more)).stdout.text

/** Processes of this machine whose command line holds a text. */
function running(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(mark)
    } catch {
      return false
    }
  })
}

/** A sleep that no other process of the machine has on its command line. */
function uniqueSleep(): string {
  return `sleep 3${process.pid}.${Math.trunc(performance.now() * 1000)}`
}

describe('runCommand', () => {
  it.skipIf(!isLinux)('does not outlive the process that runs it, however that ends', async () => {
    const runner = join(root, 'runner.cjs')
    const [inGroup, outside] = [uniqueSleep(), uniqueSleep()]
    const request: CommandRequest = { command: `setsid ${outside} & ${inGroup}; touch later`, directory: root, environment: { PATH: process.env['PATH'] }, timeLimitMs: 60_000 }
    const contents = `import { runCommand } from './run-process.js'\nvoid runCommand(${JSON.stringify(request)})`
    await build({ stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' }, outfile: runner, bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' })
    const host = spawn(process.execPath, [runner], { stdio: 'ignore' })
    onTestFinished(() => void host.kill('SIGKILL'))
    await expect.poll(() => [running(inGroup).length > 0, running(outside).length > 0], { timeout: 10_000 }).toEqual([true, true])
    host.kill('SIGKILL')
    await expect.poll(() => [...running(inGroup), ...running(outside)], { timeout: 10_000 }).toEqual([])
    expect(readdirSync(root)).toEqual(['runner.cjs'])
  })

  it.skipIf(!isLinux)('leaves nothing that watches behind', async () => {
    const { stdout } = await run(`echo $$`)
    await expect.poll(() => running(`watcher ${stdout.text.trim()} `)).toEqual([])
  })

  it('keeps output, error output and exit code apart', async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      stdout: { text: 'out\n', sizeBytes: 4, cutBytes: 0, cutLines: 0, isLossy: false },
      stderr: { text: 'err\n', sizeBytes: 4, cutBytes: 0, cutLines: 0, isLossy: false },
      exitCode: 3,
      signal: null,
      endedBy: 'itself',
      durationMs: expect.any(Number),
      background: [],
      isOutputOpen: false,
      notes: [],
    })
  })

  it('tells a signal from an exit code', async () => {
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', endedBy: 'itself' })
  })

  it('runs in its directory, without input and in a session of its own', async () => {
    expect(await text('pwd; cat; [ -t 0 ] || echo no terminal; read x || echo no input')).toBe(`${root}\nno terminal\nno input\n`)
  })

  it.skipIf(!isLinux)('lets its outputs be opened by name', async () => {
    expect(await run('echo a > /dev/stdout; echo b | tee /dev/stderr')).toMatchObject({ stdout: { text: 'a\nb\n' }, stderr: { text: 'b\n' } })
  })

  it('shows in the order of arrival what was printed', async () => {
    const parts: string[] = []
    await run('echo 1; sleep 0.1; echo 2 >&2; sleep 0.1; echo 3', {}, { onOutput: (message) => void parts.push(...message.parts.map(({ stream, text: part }) => `${stream} ${part}`)) })
    expect(parts).toEqual(['stdout 1\n', 'stderr 2\n', 'stdout 3\n'])
  })

  it('gives the environment without what is ours or changes what a command means', async () => {
    writeFileSync(join(root, 'start'), 'echo started')
    const environment = { PATH: process.env['PATH'], HOME: '/home/ann', OVERTURN_TOKEN: 'secret', ELECTRON_RUN_AS_NODE: '1', BASH_ENV: join(root, 'start'), 'BASH_FUNC_ls%%': '() { echo fake\n}', GIT_PAGER: 'less', npm_lifecycle_event: 'start' }
    const lines = (await text('env; ls', { environment })).split('\n')
    expect(lines.filter((line) => /^(HOME|OVERTURN_TOKEN|ELECTRON|BASH_ENV|GIT_PAGER|npm|started|fake|TERM|start)/.test(line)).sort()).toEqual(['GIT_PAGER=cat', 'HOME=/home/ann', 'TERM=dumb', 'start'])
  })

  it('finds no program in the folder that it runs in, by whatever way the PATH leads there', async () => {
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin/uname'), '#!/bin/sh\necho planted\n', { mode: 0o755 })
    const elsewhere = mkdtempSync(join(tmpdir(), 'path-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true }))
    const link = join(elsewhere, 'link')
    symlinkSync(join(root, 'bin'), link)
    const places = [join(root, 'bin'), `${root}/x/../bin`, link, '.', 'bin', '', root]
    const found = await text('uname', { environment: { PATH: [...places, process.env['PATH']].join(delimiter) } })
    expect([found.includes('planted'), found.trim() !== '']).toEqual([false, true])
  })

  it('refuses what cannot be run, with the reason', async () => {
    const refusals = await Promise.all(
      [run(' '), run('a\0b'), run('ls', { directory: join(root, 'gone') }), run(`echo ${'x'.repeat(3_000_000)}`)].map((each) =>
        each.then(() => 'ran', ({ code, message }: { code: string; message: string }) => `${code} ${message}`),
      ),
    )
    expect(refusals).toEqual([
      'INVALID_PARAMS The command is empty. Say what to run.',
      'INVALID_PARAMS The command has a NUL character. Leave it out.',
      'FOLDER_NOT_FOUND The folder to run the command in is not there. Name one that is.',
      isLinux ? 'TOOL_FAILED The command could not be started: it is too long. Write it into a script and run that.' : expect.any(String),
    ])
  })

  it('leaves no file or folder of its own behind', async () => {
    const ours = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('overturn-run-'))
    const before = ours()
    await run('true')
    expect(ours().filter((name) => !before.includes(name))).toEqual([])
  })
})

describe.skipIf(!isLinux)('processes of a command', () => {
  it('are ended and named when they outlive the shell, however they hide', async () => {
    const sleep = uniqueSleep()
    const hiding = [`${sleep} &`, `nohup ${sleep} >/dev/null 2>&1 &`, `setsid ${sleep} &`, `(setsid ${sleep} </dev/null >/dev/null 2>&1 &)`, `setsid -f ${sleep} >/dev/null 2>&1`, `(trap '' TERM HUP; ${sleep}; true) &`]
    const result = await run(`${hiding.join('\n')}\necho done`)
    expect([result.stdout.text, result.exitCode, result.endedBy, result.background.filter(({ command }) => command === sleep).length, running(sleep)]).toEqual(['done\n', 0, 'itself', 6, []])
    expect(result.notes[0]).toContain('background processes were still running when the command ended, and were ended: ')
  })

  it('may take a moment to end by themselves', async () => {
    const result = await run('echo late > >(sleep 0.05; cat)')
    expect([result.stdout.text, result.background]).toEqual(['late\n', []])
  })

  it('end with the time limit, those that ignore TERM too', async () => {
    const sleep = uniqueSleep()
    const result = await run(`echo begun; trap '' TERM; setsid ${sleep} & ${sleep}`, { timeLimitMs: 300 })
    expect(result).toMatchObject({ stdout: { text: 'begun\n' }, exitCode: null, signal: 'SIGKILL', endedBy: 'time-limit', isOutputOpen: false })
    expect([running(sleep), result.notes]).toEqual([[], ['The command was ended after its time limit of 0.3 seconds, with all that it had started.']])
  })

  it('may clean up when the time is up', async () => {
    expect(await run(`trap 'echo bye; exit 4' TERM; sleep 60 & wait`, { timeLimitMs: 200 })).toMatchObject({ stdout: { text: 'bye\n' }, exitCode: 4, endedBy: 'time-limit' })
  })

  it('end with a cancel, and what was printed is kept', async () => {
    const stop = new AbortController()
    const sleep = uniqueSleep()
    const result = await run(`echo begun; ${sleep}; echo never`, {}, { signal: stop.signal, onOutput: () => stop.abort() })
    expect([result.stdout.text, result.endedBy, running(sleep)]).toEqual(['begun\n', 'cancel', []])
  })

  it('end at once when it was cancelled before', async () => {
    expect(await run('sleep 60', {}, { signal: AbortSignal.abort() })).toMatchObject({ endedBy: 'cancel', exitCode: null })
  })

  it('end although nobody takes their output', async () => {
    const result = await run('yes', { timeLimitMs: 300 }, { onOutput: () => new Promise(() => undefined) })
    expect([result.endedBy, result.stdout.cutBytes > 0 || result.stdout.sizeBytes > 0]).toEqual(['time-limit', true])
  })

  it('are found by the output that they hold, without group, session and mark', async () => {
    const sleep = uniqueSleep()
    const result = await run(`env -i setsid ${sleep} & echo done`)
    expect([result.stdout.text, result.background.map(({ command }) => command), result.isOutputOpen, running(sleep)]).toEqual(['done\n', [sleep], false, []])
  })
})

describe('output of a command', () => {
  it('is cut in the middle and says what is missing', async () => {
    const { stdout } = await run('seq 1 100000', { maxOutput: { firstBytes: 10, lastBytes: 12 } })
    expect(stdout).toEqual({ text: '1\n2\n3\n4\n5\n[… 588,873 bytes with 99,993 line ends were cut here …]\n99999\n100000\n'.replace('99999\n', '9999\n'), sizeBytes: 588_895, cutBytes: 588_873, cutLines: expect.any(Number), isLossy: false })
  })

  it('is decoded across the borders of what is read, and bad bytes are marked', async () => {
    const parts: string[] = []
    const { stdout } = await run(`printf '\\xc3'; sleep 0.1; printf '\\xa9'; sleep 0.1; printf '\\xff'`, {}, { onOutput: (message) => void parts.push(...message.parts.map((part) => part.text)) })
    expect([stdout.text, stdout.isLossy, parts.join('')]).toEqual(['é\ufffd', true, 'é\ufffd'])
  })

  // How long it holds others up, the bench of commands measures.
  it('keeps memory free at 100 MB, in messages that are few and small', async () => {
    const sizes: number[] = []
    const onOutput = ({ parts }: OutputMessage): void => void sizes.push(parts.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0))
    const before = process.memoryUsage().rss
    const { stdout, exitCode, durationMs } = await run('yes 0123456789012345678901234567890123456789 | head -c 100000000', {}, { onOutput })
    expect([exitCode, stdout.sizeBytes, Buffer.byteLength(stdout.text) < 300_000]).toEqual([0, 100_000_000, true])
    expect([sizes.length <= durationMs / 16 + 2, Math.max(...sizes) <= 256 * 1024, process.memoryUsage().rss - before < 100e6]).toEqual([true, true, true])
  })

  it('makes the command wait while it is not taken', async () => {
    let isTaking = true
    let most = 0
    const release: (() => void)[] = []
    const onOutput = (message: OutputMessage): Promise<void> => {
      most = Math.max(most, message.skippedBytes)
      if (!isTaking) return Promise.resolve()
      isTaking = false
      return new Promise((resolve) => {
        release.push(resolve)
        setTimeout(resolve, 300)
      })
    }
    const { stdout } = await run('head -c 400000 /dev/zero | tr "\\0" a; sleep 0.1; head -c 3000000 /dev/zero | tr "\\0" b', {}, { onOutput })
    expect([stdout.sizeBytes, release.length]).toEqual([3_400_000, 1])
  })
})
