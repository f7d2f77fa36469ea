import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { PromptId } from '../../shared/ids.js'
import { computedPages, type ComputedEntry } from './computed-ledger.js'
import { openDocumentSession, type DocumentSource, type SessionDocument } from './document-session.js'
import type { LogCounts } from './log-looks.js'
import type { LogEnds } from './log-ends.js'
import type { LogFile } from './log-files.js'
import { recordsOfFiles } from './opencode-files.js'
import { ledgerEntries } from './opencode-ledger.js'
import { recordsOfDatabase, type ReadRecords } from './opencode-records.js'
import { openSnapshots, type OpenedSnapshots } from './opencode-snapshots.js'
import { readSnapshotChain } from './opencode-steps.js'
import { outputIn, transcriptOf } from './opencode-transcript.js'
import { readTurns, type OpencodeTurn, type OpencodeTurns } from './opencode-turns.js'
import { usageOfTurn } from './opencode-usage.js'
import { ProblemTally } from './problem-tally.js'
import type { LedgerPages } from './recorded-session.js'
import { expand } from './session-places.js'
import type { OpenOptions, OtherLogs, SessionReader } from './session-reader.js'

const databaseName = /^opencode(-[A-Za-z0-9._-]+)?\.db$/
const sessionFile = /^ses_[A-Za-z0-9_-]+\.json$/
const newestPrompts = 20

const others: OtherLogs = {
  isLog: (name) => databaseName.test(name) || sessionFile.test(name),
  sessionsIn,
  look: async (file, signal) => {
    const { sessionId, read } = placeOf(file)
    const turns = await read((records) => readTurns(records, sessionId), signal)
    if (!turns) throw notFound()
    return { ends: endsOf(turns), counts: countsOf(turns) }
  },
}

/** Sessions of opencode: in its database, or in the files that it wrote before 1.2. */
export const opencodeReader: SessionReader = {
  format: 'opencode',
  agent: 'opencode',
  homeName: 'opencode',
  homes: (environment, home) => {
    const data = environment['XDG_DATA_HOME']
    const local = environment['LOCALAPPDATA']
    return [...new Set([data ? expand(join(data, 'opencode'), home) : join(home, '.local', 'share', 'opencode'), ...(local ? [join(local, 'opencode')] : [])])]
  },
  logFolders: (agentHome) => [agentHome],
  others,
  coveredLogs: () => new Set(),
  open: (options, signal) => openDocumentSession(new OpencodeSource(options), options, signal),
}

/** The sessions of each database when it could last be read. */
const lastListed = new Map<string, readonly LogFile[]>()

interface SessionPlace {
  /** The database, or the file of the session. */
  readonly file: string
  readonly sessionId: string
  /** The agent's data folder. */
  readonly store: string
  readonly read: ReadRecords
}

function placeOf(named: string): SessionPlace {
  const hash = named.lastIndexOf('#')
  const file = hash < 0 ? named : named.slice(0, hash)
  if (databaseName.test(basename(file))) return { file, sessionId: hash < 0 ? '' : named.slice(hash + 1), store: dirname(file), read: recordsOfDatabase(file) }
  // storage/session/<project>/<session>.json
  return { file: named, sessionId: basename(named, '.json'), store: dirname(dirname(dirname(dirname(named)))), read: recordsOfFiles(named) }
}

async function sessionsIn(found: LogFile): Promise<readonly LogFile[]> {
  if (!databaseName.test(basename(found.file))) {
    const isSession = basename(dirname(dirname(found.file))) === 'session'
    return isSession && !(await isSubagents(found.file)) ? [withGrowth(found)] : []
  }
  try {
    const sessions = await recordsOfDatabase(found.file)(async (records) => {
      const logs: LogFile[] = []
      for await (const facts of records.sessions()) {
        if (facts.parentId !== null) continue
        // A fraction of a millisecond that grows with each record, since the time alone may stay.
        logs.push({ file: `${found.file}#${facts.id}`, sizeBytes: 0, modifiedAtMs: facts.updatedAt + (facts.sequence % 1_000_000) / 1_000_000 })
      }
      return logs
    })
    lastListed.set(found.file, sessions)
    return sessions
  } catch {
    // A database that is being written to all the time has the sessions that it had.
    return lastListed.get(found.file) ?? []
  }
}

async function isSubagents(file: string): Promise<boolean> {
  const { sessionId, read } = placeOf(file)
  const facts = await read((records) => records.session(sessionId)).catch(() => null)
  return facts === null || facts.parentId !== null
}

/** A session's own file does not grow with it; its folder of messages gets a new time with each one. */
function withGrowth(found: LogFile): LogFile {
  const messages = join(dirname(dirname(dirname(found.file))), 'message', basename(found.file, '.json'))
  const stats = statSync(messages, { throwIfNoEntry: false })
  return stats ? { ...found, modifiedAtMs: Math.max(found.modifiedAtMs, stats.mtimeMs) } : found
}

function endsOf({ facts, live, model }: OpencodeTurns): LogEnds {
  const prompts = live.map(({ turn }) => ({ prompt: turn.prompt, startedAt: turn.startedAt }))
  return {
    sessionId: facts.id,
    folder: facts.folder,
    branch: null,
    agent: null,
    client: null,
    model,
    title: facts.title === '' ? null : facts.title,
    firstPrompt: prompts[0]?.prompt ?? null,
    startedAt: facts.createdAt,
    lastActiveAt: facts.updatedAt,
    end: facts.archivedAt === null ? null : { at: facts.archivedAt, how: 'archived' },
    lineage: [],
    newestPrompts: prompts.slice(-newestPrompts).reverse(),
  }
}

function countsOf({ live, byId, messages, damage, usage, insertions, deletions, files }: OpencodeTurns): LogCounts {
  return { lines: messages, prompts: byId.size, turns: live.length, problems: damage, stat: { insertions, deletions }, files, usage, trail: [] }
}

class OpencodeSource implements DocumentSource {
  readonly agent
  readonly files: readonly string[]
  private readonly place: SessionPlace
  private snapshots: OpenedSnapshots | null | undefined

  constructor(private readonly options: OpenOptions) {
    this.agent = options.agent
    this.place = placeOf(options.file)
    const { file } = this.place
    this.files = databaseName.test(basename(file)) ? [file, `${file}-wal`] : [file]
  }

  stamp(): string {
    const { file, sessionId } = this.place
    const storage = dirname(dirname(dirname(file)))
    const touched = [...this.files, ...(this.files.length > 1 ? [] : [join(storage, 'message', sessionId), ...lastMessageFolder(storage, sessionId)])]
    return touched
      .map((each) => statSync(each, { bigint: true, throwIfNoEntry: false }))
      .map((stats) => (stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : ''))
      .join('|')
  }

  async begin(): Promise<null> {
    return null
  }

  async read(signal?: AbortSignal): Promise<SessionDocument> {
    const { read, sessionId, store } = this.place
    const turns = await read((records) => readTurns(records, sessionId), signal)
    if (!turns) throw notFound()
    const { facts } = turns
    this.snapshots ??= openSnapshots(store, facts, this.options.workspace)
    const tally = new ProblemTally()
    if (turns.damage > 0) tally.add('bad-line', null, turns.damage)
    if (!this.snapshots && turns.live.length > 0) tally.add('no-snapshots', null)
    const lastId = turns.live.at(-1)?.turn.promptId
    const ofTurn = <Value>(promptId: PromptId, from: (turn: OpencodeTurn) => Promise<Value>): Promise<Value | null> => {
      const turn = turns.byId.get(promptId)
      return turn ? from(turn) : Promise.resolve(null)
    }
    return {
      id: facts.id,
      folder: facts.folder,
      turns: turns.live.map(({ turn }) => turn),
      setAside: turns.setAside,
      rewinds: turns.rewinds,
      problems: tally.list(),
      readTurn: (promptId, abort) => ofTurn(promptId, (turn) => read((records) => transcriptOf(records, sessionId, facts.folder, turn, promptId === lastId), abort)),
      usage: (promptId, abort) =>
        promptId === null ? Promise.resolve(turns.usage) : ofTurn(promptId, (turn) => read((records) => usageOfTurn(records, sessionId, turn), abort)),
      readOutput: (promptId, callId, abort) => ofTurn(promptId, (turn) => read((records) => outputIn(records, sessionId, turn, callId), abort)),
      rawLines: async () => [],
      ledger: (abort) => this.ledger(turns, abort),
    }
  }

  close(): void {
    this.snapshots?.objects.close()
  }

  private async ledger(turns: OpencodeTurns, signal?: AbortSignal): Promise<LedgerPages> {
    const states = this.snapshots?.states
    if (!states) return computedPages([], { read: async () => null, sourceOf: () => 'none' })
    const read = await this.place.read(async (records) => ({ chain: await readSnapshotChain(records, turns), damage: records.damage }), signal)
    const entries = await ledgerEntries(read.chain, states, turnsAfterRewinds(turns), signal)
    // What is lost may have been a step behind the last one that is seen.
    const told = turns.damage + read.damage > 0 ? entries.map(withoutStates) : entries
    return computedPages(told, { read: (sha256, abort) => states.read(sha256, abort), sourceOf: () => 'git' })
  }
}

/** Turns before which the agent itself put files back. */
function turnsAfterRewinds({ live, rewinds }: OpencodeTurns): ReadonlySet<PromptId> {
  const ids = live.map(({ turn }) => turn.promptId)
  return new Set(rewinds.flatMap(({ after }) => ids[after === null ? 0 : ids.indexOf(after) + 1] ?? []))
}

function withoutStates(entry: ComputedEntry): ComputedEntry {
  const unknown = async (): Promise<FileState> => ({ kind: 'unknown', reason: 'log-broken' })
  return { ...entry, changes: entry.changes.map(({ path }) => ({ path, before: unknown, after: unknown })) }
}

/** In the store of files, the newest message's folder of parts is where something is added. */
function lastMessageFolder(storage: string, sessionId: string): readonly string[] {
  try {
    const last = readdirSync(join(storage, 'message', sessionId)).sort().at(-1)
    return last === undefined ? [] : [join(storage, 'part', basename(last, '.json'))]
  } catch {
    return []
  }
}

function notFound(): ReviewError {
  return new ReviewError('SESSION_NOT_FOUND', 'This session is not in the database any more. Look at the list again.')
}

