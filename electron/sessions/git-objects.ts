import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'

/** Larger objects are not read: they would not fit into memory beside the rest. */
const largestObject = 256 << 20
/** A git that says nothing for so long is stuck. */
const patienceMs = 30_000
/** One that is not asked for so long is ended. */
const idleMs = 3_000
const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

export interface GitObject {
  readonly type: string
  readonly bytes: Buffer
}

/** The objects of one repository, only ever read. Each is held against its name, so that what is returned is what was stored. */
export interface GitObjects {
  /** `null` for an object that is not there, is damaged or too large, and where git cannot be used. Errors: CANCELLED. */
  read(name: string, signal?: AbortSignal): Promise<GitObject | null>
  close(): void
}

export interface RepositoryPlace {
  readonly gitFolder: string
  /** Other folders with objects that this repository was made beside. */
  readonly alternates: readonly string[]
}

// Whose repository it is is not known: nothing that it configures may run, and nothing may be written or fetched.
const settings = ['core.fsmonitor=false', 'core.untrackedCache=false', 'core.hooksPath=/dev/null', 'protocol.allow=never']
const safely = ['--no-pager', '--no-replace-objects', '--no-optional-locks', ...settings.flatMap((setting) => ['-c', setting])]

/** Starts git when it is first asked, and ends it with `close`, or after a while without a question. */
export function openGitObjects({ gitFolder, alternates }: RepositoryPlace): GitObjects {
  let reader: BatchReader | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  const ask = async (name: string, signal: AbortSignal | undefined): Promise<GitObject | null> => {
    throwIfAborted(signal)
    for (let attempt = 0; attempt < 2 && !isClosed; attempt++) {
      if (!reader || reader.isEnded) reader = new BatchReader(startGit(gitFolder, alternates))
      const answer = await reader.read(name)
      // It may have ended for another reason than this object.
      if (answer !== 'ended') return answer
    }
    return null
  }
  return {
    read: (name, signal) => {
      if (!objectName.test(name)) return Promise.resolve(null)
      const answer = last.then(() => ask(name, signal))
      last = answer.catch(() => undefined)
      return answer
    },
    close: () => {
      isClosed = true
      reader?.end()
    },
  }
}

function startGit(gitFolder: string, alternates: readonly string[]): ChildProcessWithoutNullStreams {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = {
    ...Object.fromEntries(own),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    ...(alternates.length > 0 ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.map((folder) => JSON.stringify(folder)).join(process.platform === 'win32' ? ';' : ':') } : {}),
  }
  // Windows looks for programs in the working folder first, so that one must not be a folder of others.
  return spawn('git', [...safely, `--git-dir=${gitFolder}`, 'cat-file', '--batch'], { cwd: dirname(process.execPath), env, stdio: 'pipe', windowsHide: true })
}

/** `ended`: git went away before it answered. */
type Answer = GitObject | null | 'ended'

/** One git that answers question after question. */
class BatchReader {
  isEnded = false
  private parts: Buffer[] = []
  private waiting: { readonly name: string; readonly done: (answer: Answer) => void; readonly timer: NodeJS.Timeout } | null = null
  private head: { readonly type: string; readonly size: number } | null = null
  private have = 0
  private idle: NodeJS.Timeout | null = null

  constructor(private readonly git: ChildProcessWithoutNullStreams) {
    git.on('error', () => this.end())
    git.on('close', () => this.end())
    git.stdin.on('error', () => this.end())
    git.stderr.resume()
    git.stdout.on('data', (chunk: Buffer) => this.take(chunk))
    // A git that waits for a question must not keep the program alive; one that was asked does, by the timer.
    git.unref()
    for (const pipe of [git.stdin, git.stdout, git.stderr]) if (pipe instanceof Socket) pipe.unref()
  }

  read(name: string): Promise<Answer> {
    if (this.idle) clearTimeout(this.idle)
    return new Promise((done) => {
      if (this.isEnded) return done('ended')
      this.waiting = { name, done, timer: setTimeout(() => this.end(), patienceMs) }
      this.git.stdin.write(`${name}\n`)
    })
  }

  end(): void {
    if (!this.isEnded) this.git.kill()
    this.isEnded = true
    this.answer('ended')
    if (this.idle) clearTimeout(this.idle)
  }

  private take(chunk: Buffer): void {
    this.parts.push(chunk)
    this.have += chunk.length
    if (this.head && this.have < this.head.size + 1) {
      if (this.head.size > largestObject) this.end()
      return
    }
    const bytes = this.parts.length === 1 ? chunk : Buffer.concat(this.parts)
    if (!this.head) {
      const lineEnd = bytes.indexOf(10)
      if (lineEnd < 0) return void (this.parts = [bytes])
      const [, type = '', size = ''] = bytes.subarray(0, lineEnd).toString('latin1').split(' ')
      const rest = bytes.subarray(lineEnd + 1)
      this.parts = [rest]
      this.have = rest.length
      if (!/^\d+$/.test(size)) return this.answer(null)
      this.head = { type, size: Number(size) }
      if (this.have < this.head.size + 1) return
      return this.finish(rest)
    }
    this.finish(bytes)
  }

  private finish(bytes: Buffer): void {
    const { type, size } = this.head ?? { type: '', size: 0 }
    const body = Buffer.from(bytes.subarray(0, size))
    const isWhole = this.waiting !== null && nameOf(type, body, this.waiting.name) === this.waiting.name
    this.answer(isWhole ? { type, bytes: body } : null)
  }

  private answer(found: Answer): void {
    const { waiting } = this
    this.waiting = null
    this.head = null
    this.parts = []
    this.have = 0
    if (!waiting) return
    clearTimeout(waiting.timer)
    if (!this.isEnded) this.idle = setTimeout(() => this.end(), idleMs).unref()
    waiting.done(found)
  }
}

/** The name that git gives to an object, in the hash that `like` has. */
export function nameOf(type: string, bytes: Uint8Array, like: string): string {
  return createHash(like.length === 64 ? 'sha256' : 'sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
}
