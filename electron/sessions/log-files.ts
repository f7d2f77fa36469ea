import { readdirSync, realpathSync, statSync, type Dirent, type Stats } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { throwIfAborted } from '../../shared/errors.js'

const deepest = 8
const sliceMs = 8
/** A folder that a person named may hold anything: no more entries than these are looked at. */
const mostEntries = 400_000
/** Folders of the recorders that hold other things than sessions, and folders that are never theirs. */
const skipped: ReadonlySet<string> = new Set(['subagents', 'file-history', 'node_modules', '.git', 'tmp', 'debug', 'trees', 'snapshot', 'session_diff', 'message', 'part'])

/** A log on the disk. `file` is its real path. */
export interface LogFile {
  readonly file: string
  readonly sizeBytes: number
  readonly modifiedAtMs: number
}

/** Whether a file of this name may be a log. */
export type IsLog = (name: string) => boolean

export interface FoundLogs {
  readonly logs: readonly LogFile[]
  /** Folders that were looked into, for watching. */
  readonly folders: readonly string[]
  /** Nothing is there. */
  readonly isMissing: boolean
  /** Folders that could not be looked into. */
  readonly unreadable: number
}

/** The logs of several places as those of one. */
export async function findAllLogs(locations: readonly string[], isLog: IsLog, signal?: AbortSignal): Promise<FoundLogs> {
  const found: FoundLogs[] = []
  for (const location of locations) found.push(await findLogs(location, isLog, signal))
  return {
    logs: [...new Map(found.flatMap(({ logs }) => logs).map((log) => [log.file, log])).values()],
    folders: found.flatMap(({ folders }) => folders),
    isMissing: found.every(({ isMissing }) => isMissing),
    unreadable: found.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

/**
 * Finds the logs of a place: a folder at any depth up to 8, or one file. Links to folders are not followed; a log that is a link
 * counts under its real path. Works in slices of 8 ms, since asking for each file in turn is five times as dear.
 */
async function findLogs(location: string, isLog: IsLog, signal?: AbortSignal): Promise<FoundLogs> {
  const logs: LogFile[] = []
  const folders: string[] = []
  let unreadable = 0
  let looked = 0
  let sliceStart = performance.now()
  const top = statOf(location)
  if (!top) return { logs, folders, isMissing: true, unreadable }
  if (top.isFile()) {
    return { logs: [{ file: realpathSync.native(location), sizeBytes: top.size, modifiedAtMs: top.mtimeMs }], folders, isMissing: false, unreadable }
  }

  const waiting: { readonly folder: string; readonly depth: number }[] = [{ folder: realpathSync.native(location), depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    folders.push(next.folder)
    let entries: Dirent[] = []
    try {
      entries = readdirSync(next.folder, { withFileTypes: true })
    } catch {
      unreadable++
    }
    looked += entries.length
    // A real path and plain names: nothing to make straight. A root ends with its separator.
    const prefix = next.folder.endsWith(sep) ? next.folder : next.folder + sep
    for (const entry of entries) {
      const path = prefix + entry.name
      if (entry.isDirectory()) {
        if (next.depth < deepest && looked < mostEntries && !isSkipped(entry.name, next.folder)) waiting.push({ folder: path, depth: next.depth + 1 })
      } else if (isLog(entry.name)) {
        const log = lookAt(path, entry.isSymbolicLink())
        if (log) logs.push(log)
        if (performance.now() - sliceStart > sliceMs) {
          await setImmediate()
          throwIfAborted(signal)
          sliceStart = performance.now()
        }
      }
    }
  }
  return { logs, folders, isMissing: false, unreadable }
}

/** Gemini CLI keeps its logs in a folder that is called as others call what is of no worth. */
function isSkipped(name: string, above: string): boolean {
  return skipped.has(name) && !(name === 'tmp' && basename(above) === '.gemini')
}

/** What a log is now; `null` where it is gone or no file. */
export function lookAt(path: string, isLink = false): LogFile | null {
  try {
    const stats = statOf(path)
    if (!stats?.isFile()) return null
    return { file: isLink ? realpathSync.native(path) : path, sizeBytes: stats.size, modifiedAtMs: stats.mtimeMs }
  } catch {
    return null
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** The real path of a log, or of where it would be. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return join(dirname(path), basename(path))
  }
}
