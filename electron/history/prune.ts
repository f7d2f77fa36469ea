import { readdir } from 'node:fs/promises'
import { sessionKey } from '../../shared/ids.js'
import type { Log } from '../base/log.js'
import { parseBackupName, type BackupStore } from './backup-store.js'
import { openJournal, operationsFolder } from './journal.js'
import { loadSnapshotLog } from './snapshot-log.js'

/**
 * Brings the backup store down to a limit as far as nothing needs its blobs: no undo, redo or recovery of any session, and no
 * snapshot in `sessionLogs` (the logs of our own sessions). Returns the bytes that were freed.
 */
export async function pruneHistory(
  dataFolder: string,
  store: BackupStore,
  limitBytes: number,
  sessionLogs: readonly string[],
  log: Log,
): Promise<number> {
  if ((await store.sizeBytes()) <= limitBytes) return 0
  const needed = new Set<string>()
  for (const name of await readdir(operationsFolder(dataFolder)).catch(() => [])) {
    const session = /^([0-9a-f]{16})\.jsonl$/.exec(name)?.[1]
    if (session === undefined) continue
    const journal = await openJournal(dataFolder, sessionKey(session), null, log)
    for (const blob of journal.neededBlobs()) needed.add(blob)
  }
  for (const file of sessionLogs) {
    const { records } = await loadSnapshotLog(file)
    for (const record of records) {
      for (const backup of record.backups.values()) {
        const name = backup.kind === 'stored' ? parseBackupName(backup.backupName) : null
        if (name) needed.add(name.sha256)
      }
    }
  }
  const freed = await store.prune(needed, limitBytes)
  if (freed > 0) log.info('history.pruned', { freed, limitBytes })
  return freed
}
