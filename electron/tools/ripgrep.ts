import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { sep } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'

/** How a run of ripgrep ended. */
export interface RipgrepEnd {
  /** `null` when it was stopped. */
  readonly exitCode: number | null
  readonly errors: string
}

const maxErrorBytes = 64 * 1024
let found: { readonly program: string | null } | null = null

/**
 * The ripgrep that is shipped with the app, or `null` where its package for this platform is missing. In a packed app it lies
 * beside the archive, since a program inside one cannot be started.
 */
export function ripgrepProgram(): string | null {
  found ??= { program: findProgram() }
  return found.program
}

function findProgram(): string | null {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg'
  try {
    const file = createRequire(import.meta.url).resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${name}`)
    const program = file.replace(`${sep}app.asar${sep}`, `${sep}app.asar.unpacked${sep}`)
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}

/**
 * Runs ripgrep without a shell and hands its output to `read`, until that returns false or `signal` fires; then it is stopped at
 * once. Its configuration file is not read.
 * Errors: CANCELLED, those of starting a program.
 */
export async function runRipgrep(
  program: string,
  args: readonly string[],
  cwd: string,
  read: (chunk: Buffer) => boolean,
  signal?: AbortSignal,
): Promise<RipgrepEnd> {
  throwIfAborted(signal)
  const { RIPGREP_CONFIG_PATH: _, ...env } = process.env
  const child = spawn(program, ['--no-config', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const stop = (): void => {
    child.kill('SIGKILL')
    child.stdout.destroy()
  }
  signal?.addEventListener('abort', stop, { once: true })
  const errors: Buffer[] = []
  let errorBytes = 0
  child.stderr.on('data', (chunk: Buffer) => {
    if (errorBytes < maxErrorBytes) errors.push(chunk)
    errorBytes += chunk.length
  })
  let isStopped = false
  child.stdout.on('data', (chunk: Buffer) => {
    if (isStopped || read(chunk)) return
    isStopped = true
    stop()
  })
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(isStopped ? null : code))
    })
    throwIfAborted(signal)
    return { exitCode, errors: Buffer.concat(errors).toString('utf8') }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
