import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { Backup, PromptSnapshot } from '../../shared/snapshot.js'
import type { BackupEntry } from './recorded-session.js'
import type { TurnPlace } from './session-shape.js'

/** The prompt snapshots of the live branch at one revision of a log, read when asked for. */
export interface BackupHistory {
  /** Whether no record of the live branch holds a snapshot. */
  readonly isEmpty: boolean
  /** The folded snapshot of a turn; `null` where the log has none that counts. */
  snapshotOf(place: TurnPlace, signal?: AbortSignal): Promise<PromptSnapshot | null>
  /** All entries by path, in turn order; a path that a whole snapshot no longer names is `failed` from there on. */
  changes(signal?: AbortSignal): Promise<ReadonlyMap<WorkspacePath, readonly BackupEntry[]>>
}

/** Of a log without prompt snapshots. */
export const noBackups: BackupHistory = {
  isEmpty: true,
  snapshotOf: async () => null,
  changes: async () => new Map(),
}

/** Entries by path, made snapshot by snapshot. */
export class BackupEntries {
  readonly byPath: Map<WorkspacePath, readonly BackupEntry[]>
  /** Paths that the latest snapshot names; only they can go missing in the next. */
  readonly named: Set<WorkspacePath>

  constructor(before?: { readonly byPath: ReadonlyMap<WorkspacePath, readonly BackupEntry[]>; readonly named: ReadonlySet<WorkspacePath> }) {
    this.byPath = new Map(before?.byPath)
    this.named = new Set(before?.named)
  }

  /** Adds the next turn's snapshot. `isWhole` says that it names every tracked file. */
  add({ promptId, backups, addedDuring }: PromptSnapshot, isWhole: boolean): void {
    for (const [path, backup] of backups) {
      this.named.add(path)
      this.put(path, { promptId, backup, isAddedDuring: addedDuring.has(path) })
    }
    if (!isWhole) return
    for (const path of this.named) if (!backups.has(path)) this.lose(path, promptId)
  }

  private put(path: WorkspacePath, entry: BackupEntry): void {
    const entries = this.byPath.get(path) ?? []
    const last = entries[entries.length - 1]
    // Lists are never changed in place: those of the log before it grew are shared.
    if (!last || !isSame(last.backup, entry.backup)) this.byPath.set(path, [...entries, entry])
  }

  private lose(path: WorkspacePath, promptId: PromptId): void {
    this.named.delete(path)
    const entries = this.byPath.get(path) ?? []
    const lost: BackupEntry = { promptId, backup: { kind: 'failed', reason: 'BACKUP_MISSING' }, isAddedDuring: false }
    if (entries.length > 0 && entries[entries.length - 1]?.backup.kind !== 'failed') this.byPath.set(path, [...entries, lost])
  }
}

function isSame(a: Backup, b: Backup): boolean {
  if (a.kind === 'stored' && b.kind === 'stored') return a.backupName === b.backupName
  return a.kind === b.kind
}
