import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sessionKey, type SessionKey } from '../../shared/ids.js'
import { makeDataFolder, replaceDataFile } from '../base/data-files.js'
import { breathe } from '../base/pool.js'
import { isObject } from './json-values.js'
import type { LogFile } from './log-files.js'
import type { LogLookers } from './log-lookers.js'
import { noEnds, type CatalogEnds, type LogAnswer, type LogCounts, type LogQuestion } from './log-looks.js'
import type { LogFormat } from './record-sniff.js'

/** Raised with each change of what an entry holds. */
const version = 13
/** Entries that are written or read without a pause. */
const entriesAtOnce = 200
const forgetAfterMs = 30 * 24 * 3600 * 1000

/** What is known of one log, bound to its size and time. */
export interface CatalogEntry extends LogFile {
  readonly key: SessionKey
  /** `null` for a file that is no log of a known format, or that cannot be read. */
  readonly format: LogFormat | null
  readonly isUnreadable: boolean
  /** `null` until they were read. */
  readonly ends: CatalogEnds | null
  /** `null` until the log was counted as it is now. */
  readonly counts: LogCounts | null
}

export interface CatalogLook {
  readonly lookers: LogLookers
  readonly signal?: AbortSignal
  /** Whether lines, files and tokens are summed up too. */
  readonly withSums?: boolean
  readonly onEntry: (entry: CatalogEntry) => void
}

/**
 * What is known of all logs, kept in one file of our data folder, each on a line, so that an unchanged log is never read again. A
 * damaged file is forgotten and made anew.
 */
export class LogCatalog {
  private readonly entries = new Map<string, CatalogEntry>()
  /** Raised with each change of an entry, and with each that is more than its counts. */
  revision = 0
  endsRevision = 0
  private savedRevision = 0
  private saving: Promise<void> = Promise.resolve()

  /** `folder` is where the catalogue and the indexes of big logs are kept; `null` for nowhere. */
  constructor(private readonly folder: string | null) {}

  async load(): Promise<void> {
    if (this.folder === null) return
    try {
      const [head = '', ...lines] = (await readFile(this.file, 'utf8')).split('\n')
      const saved: unknown = JSON.parse(head)
      if (!isObject(saved) || saved['version'] !== version || saved['entries'] !== lines.length) return
      for (let at = 0; at < lines.length; at++) {
        if (at % entriesAtOnce === 0) await breathe()
        const entry = JSON.parse(lines[at] ?? '') as CatalogEntry
        if (isObject(entry) && typeof entry.file === 'string' && typeof entry.key === 'string') this.entries.set(entry.file, entry)
      }
    } catch {
      // Missing or damaged: everything is read anew.
      this.entries.clear()
    }
  }

  /** Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
  async save(): Promise<void> {
    // One after the other: an earlier one must not end last.
    const saving = this.saving.catch(() => undefined).then(() => this.write())
    this.saving = saving
    await saving
  }

  private async write(): Promise<void> {
    if (this.folder === null || this.revision === this.savedRevision) return
    this.savedRevision = this.revision
    makeDataFolder(this.folder)
    const entries = [...this.entries.values()]
    const lines = [JSON.stringify({ version, entries: entries.length })]
    for (let at = 0; at < entries.length; at += entriesAtOnce) {
      lines.push(...entries.slice(at, at + entriesAtOnce).map((entry) => JSON.stringify(entry)))
      await breathe()
    }
    await replaceDataFile(this.file, lines.join('\n'))
  }

  /** The entry of a log as it is now; what was known of it before it changed is dropped but for its key and format. */
  take(log: LogFile): CatalogEntry {
    const known = this.entries.get(log.file)
    if (known && known.sizeBytes === log.sizeBytes && known.modifiedAtMs === log.modifiedAtMs) return known
    const entry = { ...log, key: known?.key ?? keyOf(log.file), format: known?.format ?? null, isUnreadable: false, ends: null, counts: null }
    this.entries.set(log.file, entry)
    this.revision++
    this.endsRevision++
    return entry
  }

  /** Nothing is known yet: all that is found will be read. */
  get isEmpty(): boolean {
    return this.entries.size === 0
  }

  of(file: string): CatalogEntry | undefined {
    return this.entries.get(file)
  }

  forget(file: string): void {
    if (!this.entries.delete(file)) return
    this.revision++
    this.endsRevision++
  }

  /**
   * Looks at logs, at both ends or at all of them, and tells each entry as it is then. Logs that cannot be read are marked so.
   * Errors: CANCELLED.
   */
  async look(wanted: LogQuestion['wanted'], entries: readonly CatalogEntry[], { lookers, signal, withSums = true, onEntry }: CatalogLook): Promise<void> {
    const questions = entries.map(({ file, sizeBytes, key, ends }) => ({ wanted, file, sizeBytes, indexFile: this.indexFile(key), withSums, lineage: ends?.lineage ?? [] }))
    const take = (answer: LogAnswer, at: number): void => {
      const entry = entries[at]
      if (entry) onEntry(this.put(entry, answer.format === null ? { ends: entry.ends ?? noEnds, ...answer } : answer))
    }
    await lookers.look(questions, take, signal)
  }

  /** Where the index of a log is kept. */
  indexFile(key: SessionKey): string | null {
    return this.folder === null ? null : join(this.folder, 'index', `${key}.idx`)
  }

  /** Takes away indexes of logs that were not seen for a month. */
  async prune(isKnown: (key: string) => boolean, now: number): Promise<void> {
    if (this.folder === null) return
    const folder = join(this.folder, 'index')
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name)
      if (isKnown(name.replace(/\.idx$/, ''))) continue
      const stats = await stat(file).catch(() => null)
      if (stats && now - stats.mtimeMs > forgetAfterMs) await rm(file, { force: true })
    }
  }

  private get file(): string {
    return join(this.folder ?? '', 'sessions.lines')
  }

  /** Adds to what is known of a log, unless it has changed since it was looked at. */
  private put(seen: CatalogEntry, learned: Partial<CatalogEntry>): CatalogEntry {
    const present = this.entries.get(seen.file)
    if (present && (present.sizeBytes !== seen.sizeBytes || present.modifiedAtMs !== seen.modifiedAtMs)) return present
    const entry = { ...(present ?? seen), ...learned }
    this.entries.set(entry.file, entry)
    this.revision++
    if (learned.ends) this.endsRevision++
    return entry
  }
}

/** The key of a log: 16 hex digits of the hash of its real path, so that copies of one session stay apart. */
export function keyOf(realFile: string): SessionKey {
  return sessionKey(createHash('sha256').update(realFile).digest('hex').slice(0, 16))
}
