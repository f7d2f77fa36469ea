import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiffStat } from '../../shared/changes.js'
import type { Usage } from '../../shared/usage.js'
import { sessionKey, type SessionKey } from '../../shared/ids.js'
import { makeDataFolder, replaceDataFile } from '../base/data-files.js'
import { breathe } from '../base/pool.js'
import type { LineScanner } from './jsonl.js'
import { isObject } from './json-values.js'
import { readLogEnds, type LogEnds } from './log-ends.js'
import type { LogFile } from './log-files.js'
import type { Branches } from './log-branches.js'
import { LogReader } from './log-reader.js'
import type { UsageBeside } from './recorded-usage.js'
import { shapeOf } from './session-shape.js'
import { otherReaderOf, readerOf } from './readers.js'
import { recordedSums } from './recorded-sums.js'
import type { LogFormat } from './record-sniff.js'

/** Raised with each change of what an entry holds. */
const version = 9
/** Entries that are written or read without a pause. */
const entriesAtOnce = 200
/** Logs from this size on have an index of their own, so that a grown one is not read again. */
const indexedBytes = 4 << 20
const keptTrail = 1000
const forgetAfterMs = 30 * 24 * 3600 * 1000

/** What both ends of a log say. The newest prompts are left out: only the open session shows them. */
export type CatalogEnds = Omit<LogEnds, 'newestPrompts'>

export interface LogCounts {
  readonly lines: number
  /** Prompts on all branches, and turns of the live one. */
  readonly prompts: number
  readonly turns: number
  readonly problems: number
  /** For each live turn, up to 1,000, a hash of its prompt's identity and of all before it: equal ones begin with the same records. */
  readonly trail: readonly string[]
  /** Lines that the live branch's edits brought in and took away; `null` where they were not counted. */
  readonly stat: DiffStat | null
  /** Files that those edits changed. */
  readonly files: number | null
  /** Tokens and cost of all branches, with the subagents'; `null` where none are recorded, or they were not counted. */
  readonly usage: Usage | null
}

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

/**
 * What is known of all logs, kept in one file of our data folder, each on a line, so that an unchanged log is never read again. A
 * damaged file is forgotten and made anew.
 */
export class LogCatalog {
  private readonly entries = new Map<string, CatalogEntry>()
  private isChanged = false
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

  /** Errors: DISK_FULL, PERMISSION_DENIED. */
  async save(): Promise<void> {
    // One after the other: an earlier one must not end last.
    const saving = this.saving.catch(() => undefined).then(() => this.write())
    this.saving = saving
    await saving
  }

  private async write(): Promise<void> {
    if (this.folder === null || !this.isChanged) return
    this.isChanged = false
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
    this.isChanged = true
    return entry
  }

  of(file: string): CatalogEntry | undefined {
    return this.entries.get(file)
  }

  forget(file: string): void {
    this.isChanged = this.entries.delete(file) || this.isChanged
  }

  /** Reads both ends of a log. Never throws: what cannot be read is marked so. */
  async readEnds(entry: CatalogEntry): Promise<CatalogEntry> {
    if (otherReaderOf(entry.file)) return this.look(entry)
    let reader: LogReader | null = null
    try {
      reader = await LogReader.open({ file: entry.file, indexFile: null, isKept: false, isDeep: false })
      const { newestPrompts: _, ...ends } = await readLogEnds(reader.log, reader.size, reader.sniffer)
      return this.put(entry, { format: reader.sniffer.format, isUnreadable: false, ends })
    } catch (thrown) {
      return this.put(entry, { format: null, isUnreadable: !isUnknownFormat(thrown), ends: noEnds })
    } finally {
      reader?.close()
    }
  }

  /** Reads a whole log and counts. Errors: CANCELLED; what cannot be read is marked so. */
  async count(entry: CatalogEntry, signal?: AbortSignal, scanner?: LineScanner, withSums = false): Promise<CatalogEntry> {
    if (otherReaderOf(entry.file)) return this.look(entry, signal)
    let reader: LogReader | null = null
    try {
      const isIndexed = entry.sizeBytes >= indexedBytes
      reader = await LogReader.open({ file: entry.file, indexFile: isIndexed ? this.indexFile(entry.key) : null, isKept: isIndexed, isDeep: false })
      await reader.load(signal, undefined, scanner)
      const beside = readerOf(reader.sniffer.format)?.usageBeside?.(entry.file) ?? noUsageBeside
      const sums = withSums ? await recordedSums(reader, beside, signal) : { stat: null, files: null, usage: null }
      const counts = { ...countsOf(reader), ...sums }
      if (isIndexed) await reader.save()
      return this.put(entry, { format: reader.sniffer.format, counts })
    } catch (thrown) {
      if (signal?.aborted) throw thrown
      return this.put(entry, { format: null, isUnreadable: !isUnknownFormat(thrown), counts: null, ends: entry.ends ?? noEnds })
    } finally {
      reader?.close()
    }
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

  /** The same of a log that is no JSONL. */
  private async look(entry: CatalogEntry, signal?: AbortSignal): Promise<CatalogEntry> {
    const other = otherReaderOf(entry.file)
    if (!other) return entry
    try {
      const { ends: { newestPrompts: _, ...ends }, counts } = await other.others.look(entry.file, signal)
      return this.put(entry, { format: other.reader.format, isUnreadable: false, ends, counts })
    } catch (thrown) {
      if (signal?.aborted) throw thrown
      return this.put(entry, { format: null, isUnreadable: !isUnknownFormat(thrown), counts: null, ends: entry.ends ?? noEnds })
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
    this.isChanged = true
    return entry
  }
}

const noUsageBeside: UsageBeside = async () => undefined

const noEnds: CatalogEnds = {
  sessionId: null,
  folder: null,
  branch: null,
  agent: null,
  client: null,
  model: null,
  title: null,
  firstPrompt: null,
  startedAt: null,
  lastActiveAt: null,
  end: null,
  lineage: [],
}

/** The key of a log: 16 hex digits of the hash of its real path, so that copies of one session stay apart. */
export function keyOf(realFile: string): SessionKey {
  return sessionKey(createHash('sha256').update(realFile).digest('hex').slice(0, 16))
}

function countsOf({ index, sniffer }: LogReader): Omit<LogCounts, 'stat' | 'files' | 'usage'> {
  const { prompts, lines } = index
  const { turns, branches } = shapeOf(index)
  const problems = index.problemCount()
  return { lines, prompts: prompts.length, turns: turns.length, problems, trail: sniffer.hasIds ? trailOf(index, branches) : [] }
}

function trailOf({ rows, prompts }: LogReader['index'], { live }: Branches): readonly string[] {
  let before = ''
  return live.slice(0, keptTrail).map(({ prompt }) => {
    before = createHash('sha256').update(`${before} ${rows.idOf(prompts[prompt]?.row ?? -1)}`).digest('hex').slice(0, 12)
    return before
  })
}

function isUnknownFormat(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'SESSION_FORMAT_UNKNOWN'
}
