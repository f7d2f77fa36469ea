import type { OperationId, SessionKey } from '../../shared/ids.js'
import type { Progress } from '../../shared/rpc.js'
import type { Log } from '../base/log.js'
import type { DiskStates } from '../workspace/disk-states.js'
import type { Workspace } from '../workspace/workspace.js'
import type { BackupStore } from './backup-store.js'
import type { Journal } from './journal.js'

/** What the operations of one session on one workspace work with. */
export interface HistoryParts {
  readonly dataFolder: string
  readonly session: SessionKey
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly journal: Journal
  readonly disk: DiskStates
  readonly log: Log
  readonly now: () => number
  readonly newId: () => OperationId
}

/** How a long call is watched and stopped. */
export interface Watch {
  readonly signal?: AbortSignal
  readonly progress?: (progress: Progress) => void
}
