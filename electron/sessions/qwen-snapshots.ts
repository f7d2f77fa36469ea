import { promptId, type WorkspacePath } from '../../shared/ids.js'
import type { ProblemKind } from '../../shared/session.js'
import type { Backup, SnapshotRecord } from '../../shared/snapshot.js'
import { isPlainBackupName } from './folder-backups.js'
import { isObject, listAt, numberAt, objectAt, textAt, timeAt, type JsonObject } from './json-values.js'

export type SnapshotProblem = Extract<ProblemKind, 'bad-snapshot' | 'hostile-path'>

/**
 * The snapshots that a record holds, with their promptId as recorded. What cannot be understood is reported and left out; the good
 * ones beside it count.
 *
 * Shape: `systemPayload.snapshots[]` of `{ promptId, timestamp, trackedFileBackups }`; `pathOf` makes paths safe (`trackedPath`).
 */
export function decodeSnapshots(
  record: JsonObject,
  pathOf: (recorded: string) => WorkspacePath | null,
  isDelta: boolean,
  report: (problem: SnapshotProblem) => void,
): readonly SnapshotRecord[] {
  const payload = objectAt(record, 'systemPayload')
  if (!Array.isArray(payload?.['snapshots'])) report('bad-snapshot')
  return listAt(payload, 'snapshots').flatMap((value) => {
    const named = isObject(value) ? textAt(value, 'promptId') : null
    const tracked = isObject(value) ? objectAt(value, 'trackedFileBackups') : null
    if (!isObject(value) || !named || !tracked) {
      report('bad-snapshot')
      return []
    }
    const backups = new Map<WorkspacePath, Backup>()
    for (const [path, entry] of Object.entries(tracked)) {
      const safe = pathOf(path)
      if (safe === null) report('hostile-path')
      else backups.set(safe, decodeBackup(entry, report))
    }
    return [{ promptId: promptId(named), takenAt: timeAt(value, 'timestamp') ?? timeAt(record, 'timestamp') ?? 0, backups, isDelta }]
  })
}

/** `failed` for an entry that the recorder marked so, and for one that cannot be understood: never absent by mistake. */
function decodeBackup(entry: unknown, report: (problem: SnapshotProblem) => void): Backup {
  const failed: Backup = { kind: 'failed', reason: 'BACKUP_MISSING' }
  if (!isObject(entry)) {
    report('bad-snapshot')
    return failed
  }
  if (entry['failed'] !== undefined && entry['failed'] !== false && entry['failed'] !== null) return failed
  const backupAt = timeAt(entry, 'backupTime') ?? 0
  const name = entry['backupFileName']
  if (name === null) return { kind: 'absent', backupAt }
  if (typeof name !== 'string') {
    report('bad-snapshot')
    return failed
  }
  if (!isPlainBackupName(name)) {
    report('hostile-path')
    return failed
  }
  return { kind: 'stored', backupName: name, version: numberAt(entry, 'version') ?? 0, backupAt }
}
