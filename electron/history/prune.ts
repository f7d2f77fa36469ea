import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sessionKey, type SessionKey } from '../../shared/ids.js'
import type { Log } from '../base/log.js'
import type { BackupStore } from './backup-store.js'
import { openJournal, operationsFolder } from './journal.js'
import { eachLine } from './log-records.js'

export interface PruneOptions {
  readonly dataFolder: string
  readonly store: BackupStore
  readonly limitBytes: number
  /** Sessions of ours that did nothing for so long give their backups up; `null` for no limit of age. */
  readonly maxAgeMs: number | null
  readonly log: Log
  readonly now?: () => number
}

export interface Pruned {
  readonly freedBytes: number
  /** What is left on the disk. */
  readonly sizeBytes: number
  /** Logs of sessions that had to give their backups up, oldest first. */
  readonly givenUp: readonly string[]
}

/** Sessions that did something within a day keep their backups, whatever the limit. */
const alwaysKeptMs = 24 * 3_600_000

/** A session of ours with what its log names. */
interface OwnSession {
  readonly file: string
  readonly key: SessionKey
  readonly lastActiveAt: number
}

/**
 * Brings the backup store within its limits. Nothing goes that a journal (undo, redo, recovery), a mark, an edit under way, or the
 * log of a kept session still names; of our sessions the oldest give their backups up first, and only as many as must. Their
 * logs stay. To be called when nothing else is going on: it reads all of these logs.
 */
export async function pruneHistory({ dataFolder, store, limitBytes, maxAgeMs, log, now = Date.now }: PruneOptions): Promise<Pruned> {
  const before = await store.sizeBytes()
  const sessions = ownSessions(dataFolder)
  const isOld = ({ lastActiveAt }: OwnSession): boolean => maxAgeMs !== null && now() - lastActiveAt > Math.max(maxAgeMs, alwaysKeptMs)
  const old = sessions.filter(isOld)
  if (before <= limitBytes && old.length === 0) return { freedBytes: 0, sizeBytes: before, givenUp: [] }

  const needed = await namedElsewhere(dataFolder, new Set(sessions.map(({ key }) => key)), log)
  let size = await sizeOf(store, needed)
  const givenUp: OwnSession[] = [...old]
  let isFull = false
  for (const session of sessions.filter((each) => !isOld(each)).sort((one, two) => two.lastActiveAt - one.lastActiveAt)) {
    const named = new Set([...(await hashesIn(session.file)), ...(await journalBlobs(dataFolder, session.key, log))].filter((hash) => !needed.has(hash)))
    const added = await sizeOf(store, named)
    isFull ||= size + added > limitBytes && now() - session.lastActiveAt > alwaysKeptMs
    if (isFull) {
      givenUp.push(session)
      continue
    }
    size += added
    for (const hash of named) needed.add(hash)
  }
  const freedBytes = await store.prune(needed, old.length > 0 ? 0 : limitBytes)
  const files = givenUp.sort((one, two) => one.lastActiveAt - two.lastActiveAt).map(({ file }) => file)
  if (freedBytes > 0) log.info('history.pruned', { freedBytes, limitBytes, givenUp: files.length })
  return { freedBytes, sizeBytes: before - freedBytes, givenUp: freedBytes > 0 ? files : [] }
}

/** The logs of our own sessions. A log is known by the hash of its real path, as everywhere. */
function ownSessions(dataFolder: string): readonly OwnSession[] {
  const projects = join(dataFolder, 'sessions', 'projects')
  return namesIn(projects).flatMap((project) => {
    const chats = join(projects, project, 'chats')
    return namesIn(chats)
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => {
        const file = realpathSync.native(join(chats, name))
        return { file, key: sessionKey(createHash('sha256').update(file).digest('hex').slice(0, 16)), lastActiveAt: statSync(file).mtimeMs }
      })
  })
}

/** What is needed whatever becomes of our sessions: operations on other sessions, marks, edits that are not ended. */
async function namedElsewhere(dataFolder: string, own: ReadonlySet<SessionKey>, log: Log): Promise<Set<string>> {
  const needed = new Set<string>()
  for (const name of namesIn(operationsFolder(dataFolder))) {
    const key = /^([0-9a-f]{16})\.jsonl$/.exec(name)?.[1]
    if (key === undefined || own.has(sessionKey(key))) continue
    for (const hash of await journalBlobs(dataFolder, sessionKey(key), log)) needed.add(hash)
  }
  for (const folder of ['reviews', 'edits']) {
    for (const name of namesIn(join(dataFolder, folder))) for (const hash of await hashesIn(join(dataFolder, folder, name))) needed.add(hash)
  }
  return needed
}

async function journalBlobs(dataFolder: string, key: SessionKey, log: Log): Promise<ReadonlySet<string>> {
  return existsSync(join(operationsFolder(dataFolder), `${key}.jsonl`)) ? (await openJournal(dataFolder, key, null, log)).neededBlobs() : new Set()
}

// What a text inside a record quotes stands with escaped quotes and is not found.
const namedHash = /"(?:sha256|backupFileName)":"([0-9a-f]{64})(?:@[^"\\]{0,8})?"/g

/** Every hash that a file of ours names: by a ledger, a snapshot, a mark. */
async function hashesIn(file: string): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>()
  const take = (line: Buffer): void => {
    for (const [, hash] of line.toString('latin1').matchAll(namedHash)) if (hash !== undefined) hashes.add(hash)
  }
  await eachLine(file, take, true)
  return hashes
}

async function sizeOf(store: BackupStore, hashes: Iterable<string>): Promise<number> {
  let size = 0
  for (const hash of hashes) size += (await store.sizeOf(hash)) ?? 0
  return size
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
