import { errorCodes, type ErrorCode } from '../../shared/errors.js'
import { promptId, workspacePath, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { Backup, SnapshotRecord } from '../../shared/snapshot.js'
import { createRecordChain, type LogBase, type RecordChain } from './record-chain.js'
import { eachRecord } from './log-records.js'

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

/** Subtypes of the records that hold snapshots. */
export const snapshotSubtypes = ['file_history_snapshot', 'overturn_history_delta'] as const
const [wholeSubtype, deltaSubtype] = snapshotSubtypes

/** Takes one record; durable when it resolves. */
export type SnapshotRecorder = (snapshot: LoggedSnapshot) => Promise<void>

/**
 * A recorder that appends to a session log in qwen-code's shape: whole snapshots as its own `file_history_snapshot` records, so
 * that any reader of that agent's logs takes them; the small ones as `overturn_history_delta`.
 *
 * `after` is the uuid of the log's last record, `null` for a new log; records are chained by `parentUuid`.
 */
export function createSnapshotLog(file: string, base: LogBase, after: string | null, now: () => number = Date.now): SnapshotRecorder {
  return snapshotRecorder(createRecordChain(file, base, after, now))
}

/** The same on a log that others append to as well. */
export function snapshotRecorder(chain: RecordChain): SnapshotRecorder {
  return (snapshot) => chain.append({ type: 'system', at: null, isBrief: snapshot.kind !== 'whole', rest: payloadOf(snapshot) })
}

/**
 * The snapshot records of a log, for `foldSnapshots`. A damaged line or entry is skipped and counted; the good ones beside it count.
 * A `start` record counts as whole for its prompt: its entries were taken as the prompt began.
 */
export async function loadSnapshotLog(file: string): Promise<{ readonly records: readonly SnapshotRecord[]; readonly skipped: number }> {
  const records: SnapshotRecord[] = []
  let skipped = 0
  const { badLines } = await eachRecord(file, [wholeSubtype, deltaSubtype], (line) => {
    const found = snapshotsIn(line)
    records.push(...found.records)
    skipped += found.skipped
  })
  return { records, skipped: skipped + badLines }
}

/** The snapshots of one parsed record; none for a record of another kind. */
export function snapshotsIn(line: unknown): { readonly records: readonly SnapshotRecord[]; readonly skipped: number } {
  const subtype = field(line, 'subtype')
  if (subtype !== wholeSubtype && subtype !== deltaSubtype) return { records: [], skipped: 0 }
  const snapshots = field(field(line, 'systemPayload'), 'snapshots')
  if (!Array.isArray(snapshots)) return { records: [], skipped: 1 }
  const parsed = (snapshots as readonly unknown[]).map((snapshot) => parseSnapshot(snapshot, subtype === deltaSubtype && field(snapshot, 'isStart') !== true))
  const records = parsed.filter((record) => record !== null)
  return { records, skipped: parsed.length - records.length }
}

function payloadOf(snapshot: LoggedSnapshot): Readonly<Record<string, unknown>> {
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
