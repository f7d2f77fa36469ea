import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { makePrivateFolder, writeNewDataFile } from '../base/data-files.js'
import { diskError, isMissing } from '../base/disk-errors.js'
import { readAll } from '../base/file-bytes.js'
import { parseBackupName, type BackupStore } from './backup-store.js'
import { eachLine } from './log-records.js'
import { QwenRecords } from './qwen-records.js'
import { ownSubtypes, projectIdOf } from './session-log.js'

export interface QwenExport {
  /** Log of the session, absolute. */
  readonly file: string
  readonly store: BackupStore
  /** Where the backups go: qwen-code's home. */
  readonly home: string
  /** Where the log goes: qwen-code's runtime folder, mostly its home. */
  readonly runtime: string
}

export interface ExportedSession {
  readonly log: string
  readonly records: number
  readonly backups: number
  /** Files of which a state cannot be restored there: a link, or bytes that are gone. */
  readonly withoutBackup: readonly WorkspacePath[]
  /** The same session lay there already, byte for byte. */
  readonly wasThere: boolean
}

/**
 * Lays a session of ours out where qwen-code looks for its own: the log without our own records, every snapshot whole, each backup
 * under qwen-code's name and with its file's mode. Everything is read back. The log comes last, so that what a crash leaves is no
 * session yet.
 *
 * Errors: SESSION_FORMAT_UNKNOWN for a log that is none of ours, FILE_EXISTS where another session lies there already (nothing is
 * written then), DISK_FULL, PERMISSION_DENIED.
 */
export async function exportToQwen({ file, store, home, runtime }: QwenExport): Promise<ExportedSession> {
  const { lines, records } = await rewritten(file, store)
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8')
  const sessionId = basename(file, '.jsonl')
  const log = join(runtime, 'projects', projectIdOf(records.folder), 'chats', `${sessionId}.jsonl`)
  const folder = join(home, 'file-history', sessionId)
  const wasThere = await isThere(log, text)
  const copies = [...records.backups].map(([name, from]) => ({ file: join(folder, name), sha256: from.sha256, mode: from.mode }))
  if (!wasThere) assertOwn(folder, new Set(records.backups.keys()))
  try {
    makePrivateFolder(folder)
    makePrivateFolder(dirname(log))
    for (const copy of copies) await writeOnce(copy.file, await store.readBlob(copy.sha256), { mode: copy.mode, modifiedAt: longAgo })
    await writeOnce(log, text, {})
  } catch (thrown) {
    throw diskError(thrown, 'The exported session')
  }
  return { log, records: lines.length, backups: copies.length, withoutBackup: [...records.withoutBackup].sort(), wasThere }
}

/** qwen-code takes a file for unchanged, without reading it, where it is older than its backup: no file is older than this. */
const longAgo = 0

/** The lines of the live branch as qwen-code would have written them. */
async function rewritten(file: string, store: BackupStore): Promise<{ readonly lines: readonly string[]; readonly records: QwenRecords }> {
  const parents = new Map<string, string | null>()
  let last: string | null = null
  let isOurs = false
  await eachLine(file, (line) => {
    const record = parse(line)
    if (!record) return
    if (parents.size === 0) isOurs = record['subtype'] === ownSubtypes.session
    const { uuid, parentUuid } = record
    if (typeof uuid !== 'string') return
    parents.set(uuid, typeof parentUuid === 'string' ? parentUuid : null)
    last = uuid
  })
  if (!isOurs) throw new ReviewError('SESSION_FORMAT_UNKNOWN', 'Only a session that ran under Overturn can be exported. Choose another one.')
  const live = new Set<string>()
  for (let uuid: string | null = last; uuid !== null && !live.has(uuid); uuid = parents.get(uuid) ?? null) live.add(uuid)

  const isKept = new Set<string>()
  for (const name of await backupNames(file)) {
    const parsed = parseBackupName(name)
    if (parsed && (await store.has(parsed.sha256))) isKept.add(name)
  }
  const records = new QwenRecords(isKept)
  await eachLine(file, (line) => {
    const record = parse(line)
    if (record && typeof record['uuid'] === 'string' && live.has(record['uuid'])) records.take(record)
  })
  return { lines: records.lines(), records }
}

const namedBackup = /"backupFileName":"([^"\\]+)"/g

async function backupNames(file: string): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  await eachLine(file, (line) => {
    if (!line.includes('"trackedFileBackups":')) return
    for (const [, name] of line.toString('utf8').matchAll(namedBackup)) if (name !== undefined) names.add(name)
  })
  return names
}

/** Whether this very log lies there. Errors: FILE_EXISTS for another one. */
async function isThere(log: string, text: Buffer): Promise<boolean> {
  const found = await bytesAt(log)
  if (found === null) return false
  if (text.equals(found)) return true
  throw new ReviewError('FILE_EXISTS', 'Another session of this id lies there already, so nothing was written. Move it away, or name another folder with --to.', { details: { file: log } })
}

/** Backups of a session whose log is not there may be of another one that is: they are not mixed. Errors: FILE_EXISTS. */
function assertOwn(folder: string, names: ReadonlySet<string>): void {
  const foreign = namesIn(folder).filter((name) => !names.has(name))
  if (foreign.length === 0) return
  throw new ReviewError('FILE_EXISTS', 'Backups of another session of this id lie there already, so nothing was written. Move them away, or name another folder with --to.', { details: { folder } })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw diskError(thrown, 'The folder of the backups')
  }
}

/** Writes a file that is not there, and reads it back. Errors: FILE_EXISTS where other bytes stand there. */
async function writeOnce(file: string, content: Uint8Array, as: { readonly mode?: number; readonly modifiedAt?: number }): Promise<void> {
  if ((await bytesAt(file)) === null) await writeNewDataFile(file, content, as)
  const written = await bytesAt(file)
  if (written !== null && Buffer.compare(written, content) === 0) return
  throw new ReviewError('FILE_EXISTS', 'A file of the exported session is not what was written. Something else writes there; try again.', { details: { file } })
}

async function bytesAt(file: string): Promise<Uint8Array | null> {
  try {
    return (await readAll(file, 'r')).bytes
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw diskError(thrown, 'A file of the exported session')
  }
}

function parse(line: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
