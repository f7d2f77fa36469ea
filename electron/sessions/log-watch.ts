import type { FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { watchQuietly } from './log-follower.js'

const logSettleMs = 150
const folderSettleMs = 400
const pollMs = 30_000
/** The system gives only so many watchers; what goes without is looked at every 30 s. */
const mostWatchers = 1000

export interface LogHints {
  /** A log of the place may have changed, come or gone. */
  readonly onLog: (location: string, file: string) => void
  /** Folders of the place may have come or gone. */
  readonly onPlace: (location: string) => void
}

/** Hints that something changed in the folders of a place; several within a moment count once. Keeps no process alive. */
export class LogWatch {
  private readonly watched = new Map<string, ReadonlyMap<string, FSWatcher | null>>()
  private readonly waiting = new Map<string, NodeJS.Timeout>()
  private readonly poll: NodeJS.Timeout
  private count = 0

  constructor(private readonly hints: LogHints) {
    this.poll = setInterval(() => this.pollUnwatched(), pollMs).unref()
  }

  /** Watches exactly these folders for a place. */
  follow(location: string, folders: readonly string[]): void {
    const before = this.watched.get(location) ?? new Map<string, FSWatcher | null>()
    const now = new Map<string, FSWatcher | null>()
    for (const folder of folders) now.set(folder, before.get(folder) ?? this.watch(location, folder))
    // What came into a new folder before it was watched has given no hint.
    if (this.watched.has(location) && folders.some((folder) => !before.has(folder))) this.after(folderSettleMs, location, this.hints.onPlace)
    for (const [folder, watcher] of before) if (!now.has(folder)) this.end(watcher)
    this.watched.set(location, now)
  }

  close(): void {
    clearInterval(this.poll)
    for (const timer of this.waiting.values()) clearTimeout(timer)
    for (const folders of this.watched.values()) for (const watcher of folders.values()) this.end(watcher)
    this.watched.clear()
  }

  private watch(location: string, folder: string): FSWatcher | null {
    if (this.count >= mostWatchers) return null
    const watcher = watchQuietly(folder, (name) => {
      if (name?.endsWith('.jsonl')) this.after(logSettleMs, join(folder, name), (file) => this.hints.onLog(location, file))
      else this.after(folderSettleMs, location, this.hints.onPlace)
    })
    if (watcher) this.count++
    return watcher
  }

  private end(watcher: FSWatcher | null): void {
    if (!watcher) return
    this.count--
    watcher.close()
  }

  private after(ms: number, what: string, tell: (what: string) => void): void {
    if (this.waiting.has(what)) return
    const timer = setTimeout(() => {
      this.waiting.delete(what)
      tell(what)
    }, ms).unref()
    this.waiting.set(what, timer)
  }

  private pollUnwatched(): void {
    for (const [location, folders] of this.watched) {
      if (folders.size === 0 || [...folders.values()].includes(null)) this.hints.onPlace(location)
    }
  }
}
