import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { removeUnfinished } from './data-files.js'
import { dataFolderError, isMissing, systemCode } from './disk-errors.js'

/** Who holds a lock. `startedAt` tells a process from a later one with the same number; `null` where the system hides it. */
interface Holder {
  readonly pid: number
  readonly startedAt: string | null
  readonly token: string
  readonly note: string
}

/** A held lock. `note` is what the last holder left if it died holding the lock, else `null`. */
export interface ProcessLock {
  readonly leftBehind: string | null
  release(): void
}

const youngMs = 10_000

/**
 * Takes the lock `file` for this process, or returns `null` when a living process (this one included) holds it.
 *
 * A lock whose holder is dead is taken over; its `note` comes back as `leftBehind`. The file is replaced, never removed first,
 * under a second lock of the same kind, so that two processes cannot both take over.
 * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE, where all locks lie.
 */
export function takeLock(file: string, note: string): ProcessLock | null {
  try {
    return take(file, note)
  } catch (thrown) {
    throw dataFolderError(thrown, 'a lock in it')
  }
}

function take(file: string, note: string): ProcessLock | null {
  const mine: Holder = { pid: process.pid, startedAt: startOf(process.pid), token: randomBytes(8).toString('hex'), note }
  if (create(file, mine)) return held(file, mine, null)

  const found = read(file)
  if (found === 'gone') return take(file, note)
  if (found === 'young' || (found !== 'broken' && isAlive(found))) return null

  const guard = `${file}.takeover`
  if (!create(guard, mine)) {
    const other = read(guard)
    if (other === 'gone' || other === 'young' || (other !== 'broken' && isAlive(other))) return null
    rmSync(guard, { force: true })
    return take(file, note)
  }
  try {
    const again = read(file)
    if (tokenOf(again) !== tokenOf(found)) return null
    const aside = `${file}.${mine.token}`
    create(aside, mine)
    renameSync(aside, file)
    return held(file, mine, found === 'broken' ? '' : found.note)
  } finally {
    rmSync(guard, { force: true })
  }
}

/** The note of a lock whose holder died; `null` where there is no lock or its holder lives. Errors: those of the system. */
export function abandonedNote(file: string): string | null {
  const found = read(file)
  return typeof found === 'string' || isAlive(found) ? null : found.note
}

function held(file: string, mine: Holder, leftBehind: string | null): ProcessLock {
  return {
    leftBehind,
    release: () => {
      if (tokenOf(read(file)) === mine.token) rmSync(file, { force: true })
    },
  }
}

/** Makes the file with its content in one step, so that a crash never leaves it empty; `false` when it is there already. */
function create(file: string, holder: Holder): boolean {
  const aside = `${file}.${randomBytes(8).toString('hex')}`
  try {
    writeFileSync(aside, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    linkSync(aside, file)
    return true
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'EEXIST') return false
    // A file system without hard links.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'EOPNOTSUPP' || code === 'ENOSYS') return createInTwoSteps(file, holder)
    throw thrown
  } finally {
    removeUnfinished(aside)
  }
}

function createInTwoSteps(file: string, holder: Holder): boolean {
  try {
    writeFileSync(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 })
    return true
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/** `young`: a file without content yet, which its maker is about to fill in its second step; `broken`: the same, but left so. */
function read(file: string): Holder | 'gone' | 'young' | 'broken' {
  try {
    const holder = parse(readFileSync(file, 'utf8'))
    if (holder) return holder
    return Date.now() - statSync(file).mtimeMs < youngMs ? 'young' : 'broken'
  } catch (thrown) {
    if (isMissing(thrown)) return 'gone'
    throw thrown
  }
}

function parse(text: string): Holder | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    if (!('pid' in value && 'token' in value && 'note' in value && 'startedAt' in value)) return null
    const { pid, token, note, startedAt } = value
    if (typeof pid !== 'number' || typeof token !== 'string' || typeof note !== 'string') return null
    return { pid, token, note, startedAt: typeof startedAt === 'string' ? startedAt : null }
  } catch {
    return null
  }
}

function tokenOf(found: Holder | string): string {
  return typeof found === 'string' ? found : found.token
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0)
  } catch (thrown) {
    // EPERM: it lives and belongs to somebody else.
    if (systemCode(thrown) !== 'EPERM') return false
  }
  return holder.startedAt === null || startOf(holder.pid) === holder.startedAt
}

/** Start of a process in the kernel's ticks; only Linux tells it in a file. The name before it may hold blanks and brackets. */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return null
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}
