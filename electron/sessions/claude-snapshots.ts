import { createHash } from 'node:crypto'
import { promptId, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { Backup, SnapshotRecord } from '../../shared/snapshot.js'
import { isPlainBackupName } from './folder-backups.js'
import { isObject, numberAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'
import type { SnapshotProblem } from './qwen-snapshots.js'

/** A snapshot as one record holds it, before its paths are known to be of the session's folder. */
export interface RawSnapshot {
  readonly takenAt: number
  /** It adds one file to a snapshot that stands before it. */
  readonly isDelta: boolean
  /** It was written again in the middle of the turn, so that some of its files may have been copied then. */
  readonly isUpdate: boolean
  readonly files: readonly { readonly path: string; readonly entry: unknown }[]
}

/**
 * The snapshot that a record holds; `null` where it cannot be understood.
 *
 * Shape: `file-history-snapshot` `{ snapshot: { messageId, trackedFileBackups, timestamp }, isSnapshotUpdate }`, or
 * `file-history-delta` `{ messageId, trackingPath, backup, timestamp }`.
 */
export function rawSnapshot(record: JsonObject): RawSnapshot | null {
  if (record['type'] === 'file-history-delta') {
    const path = textAt(record, 'trackingPath')
    return path === null ? null : { takenAt: timeAt(record, 'timestamp') ?? 0, isDelta: true, isUpdate: true, files: [{ path, entry: record['backup'] }] }
  }
  const snapshot = objectAt(record, 'snapshot')
  const tracked = objectAt(snapshot, 'trackedFileBackups')
  if (!tracked) return null
  const files = Object.entries(tracked).map(([path, entry]) => ({ path, entry }))
  return { takenAt: timeAt(snapshot, 'timestamp') ?? 0, isDelta: false, isUpdate: record['isSnapshotUpdate'] === true, files }
}

/**
 * How the paths of a session's snapshots stand to its folder.
 *
 * They are relative to the folder that the agent was started in, or that it has moved to since; the name of a backup begins with a
 * hash of the absolute path and tells. Where no name is of the session's folder (a link on the way to it, another system), nothing
 * can be told and all are taken for its own.
 */
export class SnapshotPaths {
  private readonly elsewhere = new Set<string>()
  private readonly isTold: boolean

  constructor(
    private readonly folder: string | null,
    private readonly pathOf: (recorded: string) => WorkspacePath | null,
    latest: RawSnapshot | null,
  ) {
    const files = latest?.files ?? []
    this.isTold = files.some(({ path, entry }) => this.standsHere(path, entry) === true)
    if (this.isTold) for (const { path, entry } of files) if (this.standsHere(path, entry) === false) this.elsewhere.add(path)
  }

  /** The safe path of an entry; `null` for one that leads elsewhere. */
  safe(path: string): WorkspacePath | null {
    return this.pathOf(path)
  }

  /** Whether the entry is of a file in another folder, under a name that the session's folder has too. */
  isElsewhere(path: string, entry: unknown): boolean {
    if (!this.isTold) return false
    return this.standsHere(path, entry) === false || (this.standsHere(path, entry) === null && this.elsewhere.has(path))
  }

  private standsHere(path: string, entry: unknown): boolean | null {
    const name = isObject(entry) ? textAt(entry, 'backupFileName') : null
    const hash = /^([0-9a-f]{16})@v/.exec(name ?? '')?.[1]
    if (hash === undefined || this.folder === null || !this.folder.startsWith('/') || path.startsWith('/')) return null
    return createHash('sha256').update(`${this.folder}/${path}`).digest('hex').startsWith(hash)
  }
}

/** A snapshot with safe paths. What cannot be understood is reported; it is `failed`, never absent by mistake. */
export function safeSnapshot(raw: RawSnapshot, turn: PromptId, paths: SnapshotPaths, report: (problem: SnapshotProblem) => void): SnapshotRecord {
  const backups = new Map<WorkspacePath, Backup>()
  for (const { path, entry } of raw.files) {
    const safe = paths.safe(path)
    if (safe === null) report('hostile-path')
    else backups.set(safe, paths.isElsewhere(path, entry) ? failed : decodeBackup(entry, report))
  }
  return { promptId: promptId(turn), takenAt: raw.takenAt, backups, isDelta: raw.isDelta }
}

const failed: Backup = { kind: 'failed', reason: 'BACKUP_MISSING' }

function decodeBackup(entry: unknown, report: (problem: SnapshotProblem) => void): Backup {
  const name = isObject(entry) ? entry['backupFileName'] : undefined
  if (!isObject(entry) || (name !== null && typeof name !== 'string')) {
    report('bad-snapshot')
    return failed
  }
  const backupAt = timeAt(entry, 'backupTime') ?? 0
  if (name === null) return { kind: 'absent', backupAt }
  if (isPlainBackupName(name)) return { kind: 'stored', backupName: name, version: numberAt(entry, 'version') ?? 0, backupAt }
  report('hostile-path')
  return failed
}
