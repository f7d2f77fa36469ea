import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LogCatalog, type CatalogEntry } from '../../electron/sessions/log-catalog.js'
import { readLogEnds } from '../../electron/sessions/log-ends.js'
import { findAllLogs } from '../../electron/sessions/log-files.js'
import { createLogLookers } from '../../electron/sessions/log-lookers.js'
import { LogReader } from '../../electron/sessions/log-reader.js'
import { newestPrompts as newestOfGemini } from '../../electron/sessions/gemini-log.js'
import { isLogName, otherReaderOf } from '../../electron/sessions/readers.js'
import type { OtherLogs } from '../../electron/sessions/session-reader.js'

/** What a bench is told of an opened log. */
export interface OpenedLog {
  readonly lines: number
  readonly prompts: number
  readonly snaps: number
  readonly title: string
}

export interface ListedLogs {
  readonly n: number
  readonly prompts: number
}

const wantedPrompts = 20
/** The environment variable that names the thread that looks at logs, where it does not lie beside this module. */
export const logWorker = 'OVERTURN_LOG_WORKER'
/** Kept between calls, as the app keeps it. */
const lookers = createLogLookers(process.env[logWorker] ?? fileURLToPath(new URL('log-look-worker.mjs', import.meta.url)))

/** Indexes a log that was never seen: every prompt with its text, the place of every record. */
export async function openSession(file: string): Promise<OpenedLog> {
  const other = otherReaderOf(file)
  if (other) return describeOther(await other.others.look(file))
  const reader = await LogReader.open({ file, indexFile: null, isKept: false, isDeep: false })
  await reader.load()
  return describe(reader)
}

/** The same with the index that an earlier call saved. */
export async function reopenSession(file: string): Promise<OpenedLog> {
  const indexFile = join(cacheFor(file), 'reopened.idx')
  const reader = await LogReader.open({ file, indexFile, isKept: true, isDeep: false })
  await reader.load()
  await reader.save()
  return describe(reader)
}

/** The newest prompts, for showing something at once. */
export async function newestPrompts(file: string): Promise<Pick<OpenedLog, 'prompts'>> {
  if (otherReaderOf(file)) return { prompts: (await newestOfGemini(file, wantedPrompts))?.prompts.length ?? 0 }
  const reader = await LogReader.open({ file, indexFile: null, isKept: false, isDeep: false })
  const { newestPrompts: newest } = await readLogEnds(reader.log, reader.size, reader.sniffer)
  reader.close()
  return { prompts: newest.length }
}

/** Lists the logs of a folder with their titles, without counts. */
export async function listTitles(folder: string): Promise<Pick<ListedLogs, 'n'>> {
  const catalog = new LogCatalog(null)
  lookers.prepare()
  const { logs } = await findAllLogs([folder], isLogName)
  let n = 0
  const onEntry = ({ ends }: CatalogEntry): void => void (n += ends?.firstPrompt ? 1 : 0)
  await catalog.look('ends', logs.map((log) => catalog.take(log)), { lookers, onEntry })
  return { n }
}

/** Lists the logs of a folder for the first time, with counts. */
export async function listSessions(folder: string): Promise<ListedLogs> {
  return list(folder, new LogCatalog(null))
}

/** The same with the catalogue that an earlier call saved. */
export async function relistSessions(folder: string): Promise<ListedLogs> {
  const catalog = new LogCatalog(cacheFor(folder))
  await catalog.load()
  const listed = await list(folder, catalog)
  await catalog.save()
  return listed
}

async function list(folder: string, catalog: LogCatalog): Promise<ListedLogs> {
  // As the app does.
  if (catalog.isEmpty) lookers.prepare()
  const { logs } = await findAllLogs([folder], isLogName)
  const entries = logs.map((log) => catalog.take(log))
  let prompts = 0
  const add = ({ counts }: CatalogEntry): void => void (prompts += counts?.prompts ?? 0)
  for (const entry of entries) add(entry)
  await catalog.look('counts', entries.filter(({ counts }) => !counts), { lookers, withSums: false, onEntry: add })
  return { n: entries.length, prompts }
}

function describe(reader: LogReader): OpenedLog {
  const { prompts, lines, marks } = reader.index
  reader.close()
  return { lines, prompts: prompts.length, snaps: marks.snapshots, title: prompts[0]?.text.slice(0, 40) ?? '' }
}

function describeOther({ ends, counts }: Awaited<ReturnType<OtherLogs['look']>>): OpenedLog {
  return { lines: counts?.lines ?? 0, prompts: counts?.prompts ?? 0, snaps: 0, title: ends.firstPrompt?.slice(0, 40) ?? '' }
}

/** A folder of its own for each log or folder that is benched, so that runs do not mix. */
function cacheFor(path: string): string {
  return join(tmpdir(), 'overturn-bench', createHash('sha256').update(path).digest('hex').slice(0, 16))
}
