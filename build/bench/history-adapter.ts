// What the rewind and checkpoint benches call: our file history over a plain folder, with absolute paths.

import { relative, sep } from 'node:path'
import { openDataFolder } from '../../electron/base/settings.js'
import { silentLog } from '../../electron/base/log.js'
import { openBackupStore } from '../../electron/history/backup-store.js'
import { openFileHistory } from '../../electron/history/file-history.js'
import { openSessionHistory } from '../../electron/history/session-history.js'
import { createSnapshotLog } from '../../electron/history/snapshot-log.js'
import { createDiskStates } from '../../electron/workspace/disk-states.js'
import { openWorkspace } from '../../electron/workspace/workspace.js'
import { promptId, sessionKey, workspacePath } from '../../shared/ids.js'

/** The functions of one bench run. */
export interface BenchHistory {
  makeSnapshot(id: string): Promise<void>
  trackEdit(absolutePath: string): Promise<void>
  /** Throws unless every file is back. */
  rewind(id: string): Promise<void>
  /** All is on the disk, in the middle of a session: the record of a session's end is no cost of a turn. */
  close(): Promise<void>
  /** The session ends. */
  end(): Promise<void>
}

/** `store` becomes the data folder, `sessionLog` the log that the snapshots are recorded in. */
export async function createHistory(options: { readonly workspace: string; readonly store: string; readonly sessionLog: string }): Promise<BenchHistory> {
  openDataFolder(options.store)
  const workspace = await openWorkspace(options.workspace)
  const store = await openBackupStore(options.store)
  const disk = createDiskStates()
  const history = await openSessionHistory({ dataFolder: options.store, session: sessionKey('0123456789abcdef'), workspace, store, disk, log: silentLog })
  const record = createSnapshotLog(options.sessionLog, { sessionId: 'bench', folder: workspace.root, version: '0', branch: null }, null)
  const files = await openFileHistory({ workspace, store, disk, history, record, log: silentLog })
  return {
    makeSnapshot: (id) => files.makeSnapshot(promptId(id)),
    trackEdit: (path) => files.trackEdit(workspacePath(relative(workspace.root, path).split(sep).join('/'))),
    rewind: async (id) => {
      // The bench writes as the agent and as the user at once; every file is to go back, whoever changed it.
      const receipt = await files.rewind(promptId(id), { kind: 'old' })
      const failed = receipt.files.find((file) => file.result === 'failed' || file.result === 'left')
      if (failed) throw new Error(`${failed.path}: ${failed.reason}`)
    },
    close: () => files.settled(),
    end: () => files.close(),
  }
}
