import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SessionList } from '../../shared/contract.js'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { sessionKey, type SessionKey } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import type { Usage } from '../../shared/usage.js'
import type { Log } from '../base/log.js'
import { makeDataFolder } from '../base/data-files.js'
import type { BackupSource } from '../history/backup-source.js'
import { LogCatalog, type CatalogEntry } from './log-catalog.js'
import { LogCollection } from './log-collection.js'
import { sharedTurns } from './log-copies.js'
import { realPath } from './log-files.js'
import { createLogLookers } from './log-lookers.js'
import { readerOf, readers } from './readers.js'
import type { RecordedSession } from './recorded-session.js'
import type { SedOutcome } from './session-reader.js'
import { addedPlace, expand, ownSessions, usualPlaces, type SessionPlace } from './session-places.js'
import { folderChecks, liveMs, summaryOf } from './session-summary.js'

/** A list that changes is told of at most this often. */
const tellMs = 200
/** A long list less often, by so much for each session. */
const tellMsForEach = 0.1
const relateMs = 2000
/** So much of a session's id names it. */
const shortestName = 6

export interface LibraryOptions {
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly log: Log
  /** Where our own sessions keep their backups. */
  readonly store: BackupSource
  /** What a recorded sed made of bytes; without it that stays unknown. */
  readonly sedOutcome?: SedOutcome
  /** Places that a person added: folders or logs, absolute. */
  readonly locations: () => readonly string[]
  /** Session id to the folder that a person attached to it. */
  readonly attachments: () => Readonly<Record<string, string>>
  /** Folder for sessions whose own is not here; absolute. */
  readonly fallbackWorkspace: string | null
  /** That folder counts before any other: a command that names a folder means this one. */
  readonly isFallbackForced: boolean
  /** Whether new and growing logs are noticed by themselves, in the list and in opened sessions. */
  readonly isWatching: boolean
  /** The built `log-look-worker`; without it all logs are looked at on this thread. */
  readonly workerFile?: string
  readonly onChanged: () => void
  readonly now?: () => number
}

/** The recorded sessions of this computer. */
export interface Library {
  /** What is known now: titles come first, counts of turns later. Newest first. */
  readonly list: () => SessionList
  /** Resolves when every place was looked through and each session has its title. */
  readonly whenListed: (signal?: AbortSignal) => Promise<void>
  /** Resolves when the turns of each session were counted too. */
  readonly whenCounted: (signal?: AbortSignal) => Promise<void>
  /** Errors: SESSION_NOT_FOUND. */
  readonly summaryOf: (key: SessionKey) => SessionSummary
  /**
   * The session that a person names by its id, its key or its log; by 6 letters of id or key on where no other begins with them.
   * Errors: SESSION_NOT_FOUND, SESSION_AMBIGUOUS with `details.files`, SESSION_FORMAT_UNKNOWN, SESSION_UNREADABLE.
   */
  readonly find: (name: string, signal?: AbortSignal) => Promise<SessionSummary>
  /** Errors: SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_FORMAT_UNKNOWN. */
  readonly open: (key: SessionKey, signal?: AbortSignal) => Promise<RecordedSession>
  /**
   * Looks through one more place, a folder or a log; the sessions found there. `~` is this user's home.
   * Errors: FOLDER_NOT_FOUND; for a log SESSION_FORMAT_UNKNOWN, SESSION_UNREADABLE.
   */
  readonly add: (location: string, signal?: AbortSignal) => Promise<readonly SessionKey[]>
  /** The place, as the list names it, that a location stands for. */
  readonly placeOf: (location: string) => string
  /** Takes off a place that was added, with its sessions; nothing on the disk changes. Errors: FOLDER_NOT_FOUND. */
  readonly remove: (place: string) => void
  /** The session that the first of these places holds; `null` where it holds several or none. */
  readonly firstOf: (locations: readonly string[]) => Promise<SessionKey | null>
  readonly close: () => Promise<void>
}

/** Begins at once to look through all places. */
export function createLibrary(options: LibraryOptions): Library {
  const { dataFolder, environment, home, log, store, isWatching, now = Date.now } = options
  const catalog = new LogCatalog(join(dataFolder, 'library'))
  const changes = gathered(options.onChanged, () => tellMs + tellMsForEach * logs.size)
  const lookers = createLogLookers(options.workerFile ?? null, !isWatching)
  const logs = new LogCollection({ catalog, lookers, log, isWatching, onChanged: changes.tell, now })
  const isFolder = folderChecks(now)

  const placeAdded = (location: string): SessionPlace => addedPlace(readers, expand(location, home), dataFolder)

  const scanAll = async (): Promise<void> => {
    await catalog.load()
    if (catalog.isEmpty) lookers.prepare()
    if (isWatching) makeOwnPlace(dataFolder, log)
    for (const place of [...usualPlaces(readers, { environment, home, dataFolder }), ...options.locations().map(placeAdded)]) logs.addPlace(place)
    // One after the other, so that a log in two places belongs to the first.
    for (const location of logs.places.keys()) await logs.scan(location)
  }
  const listed = scanAll()
  let isClosed = false
  listed
    .then(() => catalog.prune((key) => logs.entryOf(sessionKey(key)) !== null, now()))
    .catch((thrown: unknown) => {
      if (!isClosed) log.error('library.not-listed', thrown)
    })

  let relations: LogRelations | null = null
  const summarize = (entry: CatalogEntry): SessionSummary =>
    summaryOf(entry, logs.placeOfLog(entry), {
      usageBeside: relationsNow().usageBeside.get(entry.file) ?? null,
      now: now(),
      attachments: options.attachments(),
      fallbackWorkspace: options.fallbackWorkspace,
      isFallbackForced: options.isFallbackForced,
      isFolder,
    })
  const isSession = ({ format, ends }: CatalogEntry): boolean => readerOf(format) !== null && ends !== null
  const sessionsOf = (entries: readonly CatalogEntry[]): readonly CatalogEntry[] => entries.filter(isSession)
  /** How the logs are related. While thousands are counted, counts alone make it be worked out now and then. */
  const relationsNow = (): LogRelations => {
    const { revision, endsRevision } = logs
    const isOfCounts = relations?.endsRevision === endsRevision && logs.isCounting && now() - relations.at < relateMs
    if (relations === null || (relations.revision !== revision && !isOfCounts)) relations = { ...relate(sessionsOf(logs.entries())), revision, endsRevision, at: now() }
    return relations
  }

  const countIn = (location: string, listed: readonly CatalogEntry[]): number => {
    const files = logs.places.get(location)?.files
    return listed.filter(({ file }) => files?.has(file)).length
  }

  const keysIn = async (location: string, signal?: AbortSignal): Promise<readonly SessionKey[]> => {
    const place = addedPlace(readers, location, dataFolder)
    logs.addPlace(place)
    await logs.scan(place.location, signal)
    const entries = logs.entries(place.location)
    const only = entries.length === 1 && entries[0]?.file === realPath(location) ? entries[0] : null
    if (only?.isUnreadable) throw new ReviewError('SESSION_UNREADABLE', 'The log may not be read by this user. Change its permissions.')
    if (only && !readerOf(only.format)) throw unknownFormat()
    return sessionsOf(entries).map(({ key }) => key)
  }

  const summaryByKey = (key: SessionKey): SessionSummary => {
    const entry = logs.entryOf(key)
    if (entry?.ends) return summarize(entry)
    throw new ReviewError('SESSION_NOT_FOUND', 'This session is not in the list any more. Look at the list again.', { details: { session: key } })
  }

  const library: Library = {
    list: () => {
      const all = sessionsOf(logs.entries())
      const { covered, shared } = relationsNow()
      const listed = all.filter(({ file }) => !covered.has(file))
      const sessions = listed.map((entry) => {
        const turns = shared.get(entry.file)
        return turns ? { ...summarize(entry), sharedTurns: turns } : summarize(entry)
      })
      // A live session stops being live without any change on the disk.
      if (isWatching && sessions.some(({ isLive }) => isLive)) changes.tellLater(liveMs)
      return {
        sessions: sessions.sort((a, b) => (b.lastActiveAt ?? 0) - (a.lastActiveAt ?? 0)),
        stores: [...logs.places.values()].map(({ place, problem }) => ({
          agent: place.kind,
          folder: place.location,
          sessions: countIn(place.location, listed),
          problem,
        })),
        isScanning: logs.isScanning,
      }
    },
    whenListed: async (signal) => {
      await listed
      throwIfAborted(signal)
    },
    whenCounted: async (signal) => {
      await listed
      await logs.whenCounted()
      throwIfAborted(signal)
    },
    summaryOf: summaryByKey,
    find: async (name, signal) => {
      await library.whenListed(signal)
      const all = sessionsOf(logs.entries())
      const named = all.map(summarize).filter(({ id, key }) => id === name || key === name)
      const file = resolve(name)
      // An empty name (an unset variable of a script) means no place.
      const isPath = name !== '' && named.length === 0 && existsSync(file)
      if (isPath) return oneOf(name, (await keysIn(file, signal)).map(summaryByKey))
      const begun = named.length > 0 || name.length < shortestName ? named : all.map(summarize).filter(({ id, key }) => id.startsWith(name) || key.startsWith(name))
      return oneOf(name, ownOf(begun))
    },
    open: async (key, signal) => {
      if (!logs.entryOf(key)) await library.whenListed(signal)
      const { file, agent, workspace } = summaryByKey(key)
      const reader = readerOf(logs.entryOf(key)?.format ?? null)
      if (!reader) throw unknownFormat()
      return reader.open({ file, agent, workspace, environment, home, dataFolder, indexFile: catalog.indexFile(key), store, ...(options.sedOutcome ? { sedOutcome: options.sedOutcome } : {}), isFollowed: isWatching, log }, signal)
    },
    add: async (named, signal) => {
      await library.whenListed(signal)
      const location = expand(named, home)
      if (!existsSync(location)) {
        throw new ReviewError('FOLDER_NOT_FOUND', 'There is no such folder or file. Check the path.', { details: { location } })
      }
      return keysIn(location, signal)
    },
    placeOf: (location) => placeAdded(location).location,
    remove: (place) => {
      if (logs.places.get(place)?.place.kind !== 'added') {
        throw new ReviewError('FOLDER_NOT_FOUND', 'There is no such folder or file. It was not added by hand, so that it cannot be taken off the list.', { details: { location: place } })
      }
      logs.removePlace(place)
      changes.tell()
    },
    firstOf: async (locations) => {
      await library.whenListed()
      for (const location of locations) {
        const found = sessionsOf(logs.entries(placeAdded(location).location))
        if (found.length > 0) return found.length === 1 ? (found[0]?.key ?? null) : null
      }
      return null
    },
    close: async () => {
      isClosed = true
      changes.end()
      await logs.close()
      await listed.catch(() => undefined)
    },
  }
  return library
}

/** How logs are related, as of two revisions of theirs. */
interface LogRelations {
  /** Logs that are wholly in another one: the list shows no session twice. */
  readonly covered: ReadonlySet<string>
  readonly shared: ReturnType<typeof sharedTurns>
  /** What other logs add to the tokens of one. */
  readonly usageBeside: ReadonlyMap<string, Usage>
  readonly revision: number
  readonly endsRevision: number
  readonly at: number
}

function relate(all: readonly CatalogEntry[]): Omit<LogRelations, 'revision' | 'endsRevision' | 'at'> {
  const ofReaders = readers.map((reader) => ({ reader, logs: all.filter(({ format }) => format === reader.format) }))
  const covered = new Set(ofReaders.flatMap(({ reader, logs }) => [...reader.coveredLogs(logs)]))
  const usageBeside = new Map(ofReaders.flatMap(({ reader, logs }) => [...(reader.usageOfStarted?.(logs) ?? [])]))
  // A log that is listed too can be gone to.
  const listed = all.filter(({ file }) => !covered.has(file))
  return { covered, usageBeside, shared: sharedTurns([...new Set([...listed, ...all])]) }
}

/** A folder that is not there cannot be watched, and the first session of ours would be noticed late. */
function makeOwnPlace(dataFolder: string, log: Log): void {
  try {
    makeDataFolder(ownSessions(dataFolder))
  } catch (thrown) {
    log.error('library.no-own-folder', thrown)
  }
}

/** The id of a session of ours means ours: its export to another program has it too. */
function ownOf(named: readonly SessionSummary[]): readonly SessionSummary[] {
  const own = named.filter(({ agent }) => agent === 'overturn')
  return own.length === 1 ? own : named
}

/** The only one of several; otherwise says what to do. */
function oneOf(name: string, found: readonly SessionSummary[]): SessionSummary {
  const [first, second] = found
  if (first && !second) return first
  if (!first) throw new ReviewError('SESSION_NOT_FOUND', 'No session has this id, and no log is at this path. "overturn sessions" lists them.', { details: { name } })
  throw new ReviewError('SESSION_AMBIGUOUS', `${found.length} logs hold a session of this name. Name the log instead.`, {
    details: { name, files: found.map(({ file }) => file) },
  })
}

function unknownFormat(): ReviewError {
  return new ReviewError('SESSION_FORMAT_UNKNOWN', 'The file is no session log that is known here. Choose another file.')
}

/** Calls `tell` soon after the first of several changes; `waitMs` is asked at that time. */
function gathered(tell: () => void, waitMs: () => number): { readonly tell: () => void; readonly tellLater: (ms: number) => void; readonly end: () => void } {
  const waiting = new Map<'soon' | 'later', NodeJS.Timeout>()
  let isEnded = false
  const wait = (which: 'soon' | 'later', ms: () => number): void => {
    if (isEnded || waiting.has(which)) return
    const timer = setTimeout(() => {
      waiting.delete(which)
      tell()
    }, ms())
    waiting.set(which, timer.unref())
  }
  return {
    tell: () => wait('soon', waitMs),
    tellLater: (ms) => wait('later', () => ms),
    end: () => {
      isEnded = true
      for (const timer of waiting.values()) clearTimeout(timer)
    },
  }
}
