import { randomUUID } from 'node:crypto'
import { errorCodes, type ErrorCode } from '../../shared/errors.js'
import { promptId, workspacePath, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { Backup, SnapshotRecord } from '../../shared/snapshot.js'
import { appendJsonLine, readJsonLines } from '../base/json-lines.js'

/** A backup as a log names it. `version` counts the backups of one path from 1. */
export interface LoggedBackup {
  readonly backup: Backup
  readonly version: number
  readonly at: number
}

/**
 * One snapshot record. `whole` holds every tracked path; `start` those that changed before the prompt began, all others being as in
 * the prompt before; `added` those first touched during the prompt.
 */
export interface LoggedSnapshot {
  readonly kind: 'whole' | 'start' | 'added'
  readonly promptId: PromptId
  readonly takenAt: number
  readonly backups: ReadonlyMap<WorkspacePath, LoggedBackup>
}

const wholeSubtype = 'file_history_snapshot'
const deltaSubtype = 'overturn_history_delta'

/** Takes one record; durable when it resolves. */
export type SnapshotRecorder = (snapshot: LoggedSnapshot) => Promise<void>

/** What every record of a session's log says. */
export interface LogBase {
  readonly sessionId: string
  /** Folder of the session, absolute. */
  readonly folder: string
  readonly version: string
  readonly branch: string | null
}

/**
 * A recorder that appends to a session log in qwen-code's shape: whole snapshots as its own `file_history_snapshot` records, so
 * that any reader of that agent's logs takes them; the small ones as `overturn_history_delta`.
 *
 * `after` is the uuid of the log's last record, `null` for a new log; records are chained by `parentUuid`.
 */
export function createSnapshotLog(file: string, base: LogBase, after: string | null, now: () => number = Date.now): SnapshotRecorder {
  let parentUuid = after
  let queue: Promise<void> = Promise.resolve()

  const append = async (snapshot: LoggedSnapshot): Promise<void> => {
    const uuid = randomUUID()
    const common = {
      uuid,
      parentUuid,
      sessionId: base.sessionId,
      timestamp: new Date(now()).toISOString(),
      type: 'system',
      provenance: 'system',
      cwd: base.folder,
      version: base.version,
      ...(base.branch === null ? {} : { gitBranch: base.branch }),
    }
    await appendJsonLine(file, { ...common, ...payloadOf(snapshot) })
    parentUuid = uuid
  }

  return (snapshot) => {
    const next = queue.then(() => append(snapshot))
    queue = next.catch(() => undefined)
    return next
  }
}

/**
 * The snapshot records of a log, for `foldSnapshots`. A damaged line or entry is skipped and counted; the good ones beside it count.
 * A `start` record counts as whole for its prompt: its entries were taken as the prompt began.
 */
export async function loadSnapshotLog(file: string): Promise<{ readonly records: readonly SnapshotRecord[]; readonly skipped: number }> {
  const { records: lines, badLines } = await readJsonLines(file)
  const records: SnapshotRecord[] = []
  let skipped = badLines
  const take = (value: unknown, isDelta: boolean): void => {
    const snapshot = parseSnapshot(value, isDelta)
    if (!snapshot) skipped++
    else records.push(snapshot)
  }
  for (const line of lines) {
    const payload = field(line, 'systemPayload')
    const subtype = field(line, 'subtype')
    if (subtype !== wholeSubtype && subtype !== deltaSubtype) continue
    const snapshots = field(payload, 'snapshots')
    if (!Array.isArray(snapshots)) skipped++
    else for (const snapshot of snapshots as readonly unknown[]) take(snapshot, subtype === deltaSubtype && field(snapshot, 'isStart') !== true)
  }
  return { records, skipped }
}

function payloadOf(snapshot: LoggedSnapshot): object {
  const entries = [...snapshot.backups].map(([path, logged]) => [path, entryOf(logged)] as const)
  const body = { promptId: snapshot.promptId, timestamp: new Date(snapshot.takenAt).toISOString(), trackedFileBackups: Object.fromEntries(entries) }
  if (snapshot.kind === 'whole') return { subtype: wholeSubtype, systemPayload: { snapshots: [body] } }
  return { subtype: deltaSubtype, systemPayload: { snapshots: [snapshot.kind === 'start' ? { ...body, isStart: true } : body] } }
}

function entryOf({ backup, version, at }: LoggedBackup): object {
  const backupTime = new Date(at).toISOString()
  if (backup.kind === 'failed') return { backupFileName: null, version, backupTime, failed: true, failedBecause: backup.reason }
  return { backupFileName: backup.kind === 'stored' ? backup.backupName : null, version, backupTime }
}

function parseSnapshot(value: unknown, isDelta: boolean): SnapshotRecord | null {
  const id = field(value, 'promptId')
  const tracked = field(value, 'trackedFileBackups')
  const takenAt = Date.parse(String(field(value, 'timestamp')))
  if (typeof id !== 'string' || typeof tracked !== 'object' || tracked === null || Number.isNaN(takenAt)) return null
  const backups = new Map<WorkspacePath, Backup>()
  for (const [path, entry] of Object.entries(tracked)) {
    const backup = parseBackup(entry)
    if (backup) backups.set(workspacePath(path), backup)
  }
  return { promptId: promptId(id), takenAt, backups, isDelta }
}

function parseBackup(entry: unknown): Backup | null {
  const backupName = field(entry, 'backupFileName')
  const version = field(entry, 'version')
  const backupAt = Date.parse(String(field(entry, 'backupTime')))
  if (field(entry, 'failed') === true) return { kind: 'failed', reason: codeOf(field(entry, 'failedBecause')) }
  if (typeof version !== 'number' || Number.isNaN(backupAt)) return null
  if (backupName === null) return { kind: 'absent', backupAt }
  return typeof backupName === 'string' ? { kind: 'stored', backupName, version, backupAt } : null
}

function codeOf(value: unknown): ErrorCode {
  return errorCodes.find((code) => code === value) ?? 'FILE_UNREADABLE'
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
}
