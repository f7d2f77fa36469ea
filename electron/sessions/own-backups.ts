import type { BackupSource } from '../history/backup-source.js'
import { parseBackupName } from '../history/backup-store.js'
import type { FolderBackups } from './folder-backups.js'

/** Backups of a session, and how many of those that its log names are gone. */
export interface SessionBackups extends BackupSource {
  missingOf(names: ReadonlySet<string>): Promise<number>
}

/**
 * The backups of a session wherever they lie: a name that is a hash means our store (`null` where there is none), any other one
 * the recording agent's folders.
 */
export function sessionBackups(folders: FolderBackups, store: BackupSource | null): SessionBackups {
  const ownerOf = (name: string): BackupSource => (store && parseBackupName(name) ? store : folders)
  return {
    read: (name, signal) => ownerOf(name).read(name, signal),
    sizeOf: (name) => ownerOf(name).sizeOf(name),
    missingOf: async (names) => {
      if (names.size === 0) return 0
      const here = await folders.names()
      let missing = 0
      for (const name of names) {
        const isHere = here.has(name) || (store !== null && parseBackupName(name) !== null && (await store.sizeOf(name)) !== null)
        if (!isHere) missing++
      }
      return missing
    },
  }
}
