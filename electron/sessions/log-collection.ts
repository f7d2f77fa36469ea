import { throwIfAborted } from '../../shared/errors.js'
import type { SessionKey } from '../../shared/ids.js'
import type { Log } from '../base/log.js'
import type { CatalogEntry, LogCatalog } from './log-catalog.js'
import { findAllLogs, lookAt, type FoundLogs, type LogFile } from './log-files.js'
import type { LogLookers } from './log-lookers.js'
import { LogWatch } from './log-watch.js'
import { isLogName, otherReaderOf, readerOf, sessionsInFiles } from './readers.js'
import type { SessionPlace } from './session-places.js'

/** How often a growing log is counted again. */
const recountMs = 10_000

export interface PlaceState {
  readonly place: SessionPlace
  files: ReadonlySet<string>
  /** One sentence; `null` where all is well. */
  problem: string | null
}

export interface CollectionOptions {
  readonly catalog: LogCatalog
  readonly lookers: LogLookers
  readonly log: Log
  readonly isWatching: boolean
  readonly onChanged: () => void
  readonly now: () => number
}

/**
 * The logs of all places: found, then read at both ends (titles), then counted in the background (turns). What is
 * in the catalogue as it is on the disk is not read again.
 */
export class LogCollection {
  readonly places = new Map<string, PlaceState>()
  private readonly placeOf = new Map<string, SessionPlace>()
  private readonly fileOf = new Map<SessionKey, string>()
  private readonly toCount = new Set<string>()
  private readonly countedAt = new Map<string, number>()
  private readonly recounts = new Map<string, NodeJS.Timeout>()
  private readonly ended = new AbortController()
  private readonly watch: LogWatch | null
  /** How often it changed which logs the places have. */
  private takenIn = 0
  private scans = 0
  private counts = 0
  private counting: Promise<void> = Promise.resolve()

  constructor(private readonly options: CollectionOptions) {
    const onPlace = (location: string): void => this.background('library.place-not-read', this.scan(location))
    const onLog = (location: string, file: string): void => this.background('library.log-not-read', this.touch(location, file))
    this.watch = options.isWatching ? new LogWatch({ onPlace, onLog }) : null
  }

  get isScanning(): boolean {
    return this.scans > 0
  }

  /** How many logs there are. */
  get size(): number {
    return this.fileOf.size
  }

  /** Raised with each change of what `entries` are or say. */
  get revision(): number {
    return this.takenIn + this.options.catalog.revision
  }

  /** The same, but for what was counted. */
  get endsRevision(): number {
    return this.takenIn + this.options.catalog.endsRevision
  }

  get isCounting(): boolean {
    return this.counts > 0
  }

  /** Entries of the logs of a place, or of all places, as they are known now. */
  entries(location?: string): readonly CatalogEntry[] {
    const states = location === undefined ? [...this.places.values()] : [this.places.get(location)]
    const files = new Set(states.flatMap((state) => [...(state?.files ?? [])]))
    return [...files].flatMap((file) => this.options.catalog.of(file) ?? [])
  }

  entryOf(key: SessionKey): CatalogEntry | null {
    const file = this.fileOf.get(key)
    return (file === undefined ? undefined : this.options.catalog.of(file)) ?? null
  }

  /** The place that a log belongs to: the first in which it was found. */
  placeOfLog({ file }: CatalogEntry): SessionPlace {
    return this.placeOf.get(file) ?? { kind: 'added', location: file, folders: [file] }
  }

  addPlace(place: SessionPlace): void {
    if (!this.places.has(place.location)) this.places.set(place.location, { place, files: new Set(), problem: null })
  }

  /** Forgets a place, and its logs where no other place has them. */
  removePlace(location: string): void {
    const state = this.places.get(location)
    this.places.delete(location)
    this.takenIn++
    this.watch?.follow(location, [])
    for (const file of state?.files ?? []) this.forget(file)
  }

  /** Looks through a place and reads both ends of each new or changed log. Its turns are counted later. */
  async scan(location: string, signal: AbortSignal = this.ended.signal): Promise<void> {
    const state = this.places.get(location)
    if (!state) return
    this.scans++
    try {
      const found = await findAllLogs(state.place.folders, isLogName, signal)
      const logs = await sessionsInFiles(found.logs)
      throwIfAborted(this.ended.signal)
      state.problem = problemOf(found)
      const entries = this.takeIn(state, logs)
      this.watch?.follow(location, found.folders)
      this.options.onChanged()
      await this.readEnds(entries, signal)
      for (const { file } of entries) this.toCount.add(file)
      this.startCounting()
    } finally {
      this.scans--
      this.options.onChanged()
    }
  }

  /** Resolves when all logs that wait for it were counted. */
  async whenCounted(): Promise<void> {
    await this.counting
  }

  /** Stops what is under way, and keeps what was learned. */
  async close(): Promise<void> {
    this.ended.abort()
    this.watch?.close()
    for (const timer of this.recounts.values()) clearTimeout(timer)
    await this.options.lookers.close()
    await this.counting
    await this.options.catalog.save().catch((thrown: unknown) => this.options.log.error('library.not-saved', thrown))
  }

  private takeIn(state: PlaceState, logs: readonly LogFile[]): readonly CatalogEntry[] {
    const before = state.files
    this.takenIn++
    state.files = new Set(logs.map(({ file }) => file))
    for (const file of before) if (!state.files.has(file)) this.forget(file)
    return logs.map((each) => {
      const entry = this.options.catalog.take(each)
      if (!this.placeOf.has(entry.file)) this.placeOf.set(entry.file, state.place)
      this.fileOf.set(entry.key, entry.file)
      return entry
    })
  }

  private forget(file: string): void {
    if ([...this.places.values()].some(({ files }) => files.has(file))) return
    const entry = this.options.catalog.of(file)
    if (entry) this.fileOf.delete(entry.key)
    this.placeOf.delete(file)
    this.options.catalog.forget(file)
  }

  private async readEnds(entries: readonly CatalogEntry[], signal: AbortSignal): Promise<void> {
    const { catalog, lookers, onChanged } = this.options
    const wanted = entries.filter(({ ends }) => ends === null)
    await catalog.look('ends', wanted, { lookers, signal, onEntry: onChanged })
    throwIfAborted(signal)
  }

  /** A log grew: its end is read at once, its turns are counted again now and then. One that is new is found with its place. */
  private async touch(location: string, file: string): Promise<void> {
    const found = otherReaderOf(file) ? null : lookAt(file)
    if (!found || !this.placeOf.has(file)) return this.scan(location)
    await this.readEnds([this.options.catalog.take(found)], this.ended.signal)
    if (this.recounts.has(file)) return
    const waitMs = Math.max(0, recountMs - (this.options.now() - (this.countedAt.get(file) ?? 0)))
    const recount = (): void => {
      this.recounts.delete(file)
      this.toCount.add(file)
      this.startCounting()
    }
    this.recounts.set(file, setTimeout(recount, waitMs).unref())
  }

  private startCounting(): void {
    const count = async (): Promise<void> => {
      const { catalog, lookers, onChanged, now } = this.options
      const wanted = [...this.toCount].flatMap((file) => {
        const entry = catalog.of(file)
        return entry && !entry.counts && readerOf(entry.format) ? [entry] : []
      })
      this.toCount.clear()
      throwIfAborted(this.ended.signal)
      for (const { file } of wanted) this.countedAt.set(file, now())
      await catalog.look('counts', wanted, { lookers, signal: this.ended.signal, onEntry: onChanged })
      await catalog.save()
    }
    this.counts++
    this.counting = this.counting
      .then(count)
      .catch((thrown: unknown) => {
        if (!this.ended.signal.aborted) this.options.log.error('library.not-counted', thrown)
      })
      .finally(() => {
        this.counts--
        this.options.onChanged()
      })
  }

  private background(event: string, work: Promise<void>): void {
    work.catch((thrown: unknown) => {
      if (!this.ended.signal.aborted) this.options.log.error(event, thrown)
    })
  }
}

function problemOf({ isMissing, unreadable }: FoundLogs): string | null {
  if (isMissing) return 'Not found on this computer.'
  if (unreadable === 0) return null
  return unreadable === 1 ? 'One folder in it may not be read.' : `${unreadable} folders in it may not be read.`
}
