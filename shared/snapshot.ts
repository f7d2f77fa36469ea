import type { ErrorCode } from './errors.js'
import type { PromptId, WorkspacePath } from './ids.js'

/** One file's bytes before a turn. */
export type Backup =
  | { readonly kind: 'stored'; readonly backupName: string; readonly version: number; readonly backupAt: number }
  /** The file did not exist. */
  | { readonly kind: 'absent'; readonly backupAt: number }
  /** We, or the recorder, tried; an older backup is never taken instead. */
  | { readonly kind: 'failed'; readonly reason: ErrorCode }

/** What is known of tracked files at a turn's start. */
export interface PromptSnapshot {
  readonly promptId: PromptId
  readonly takenAt: number
  readonly backups: ReadonlyMap<WorkspacePath, Backup>
  /** Paths that were not yet in the first record of this prompt: backed up in the middle of the turn, before their first edit. */
  readonly addedDuring: ReadonlySet<WorkspacePath>
}

/** One record as read from a log, before folding. `isDelta` records add missing entries and never overwrite. */
export interface SnapshotRecord {
  readonly promptId: PromptId
  readonly takenAt: number
  readonly backups: ReadonlyMap<WorkspacePath, Backup>
  readonly isDelta: boolean
}

/**
 * Folds snapshot records in log order: order of first sight per promptId, the last whole record wins, a delta adds what is missing.
 * No limit on their number: a recorder's own limit is not ours.
 */
export function foldSnapshots(records: Iterable<SnapshotRecord>): readonly PromptSnapshot[] {
  const folded = new Map<PromptId, { first: ReadonlySet<WorkspacePath>; record: SnapshotRecord }>()
  for (const record of records) {
    const seen = folded.get(record.promptId)
    if (!seen) {
      folded.set(record.promptId, { first: new Set(record.isDelta ? [] : record.backups.keys()), record })
    } else if (record.isDelta) {
      const backups = new Map([...record.backups, ...seen.record.backups])
      folded.set(record.promptId, { first: seen.first, record: { ...seen.record, backups } })
    } else {
      folded.set(record.promptId, { first: seen.first, record: { ...record, takenAt: seen.record.takenAt } })
    }
  }
  return [...folded.values()].map(({ first, record }) => ({
    promptId: record.promptId,
    takenAt: record.takenAt,
    backups: record.backups,
    addedDuring: new Set([...record.backups.keys()].filter((path) => !first.has(path))),
  }))
}
