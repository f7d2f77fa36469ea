import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Backup, SnapshotRecord } from '../../shared/snapshot.js'
import { parseBackupName } from './backup-store.js'
import { ownSubtypes } from './session-log.js'
import { snapshotsIn } from './snapshot-log.js'

type JsonRecord = Readonly<Record<string, unknown>>

/** A file of an exported session as its snapshots name it. */
interface Tracked {
  readonly backup: Backup
  readonly entry: JsonRecord
}

const ownRecords: ReadonlySet<unknown> = new Set(Object.values(ownSubtypes))
const modeless = 0o644

/** A snapshot among the records that are kept. */
interface KeptSnapshot {
  readonly record: JsonRecord
  readonly promptId: string
  readonly timestamp: string
  readonly tracked: ReadonlyMap<WorkspacePath, JsonRecord>
}

/**
 * Turns the records of a session of ours, one after the other, into those that qwen-code itself would have written: our own ones
 * are left out of the chain, and every snapshot holds all files. Those too that were first touched later, where the ledger shows
 * that nothing had changed them before: the rewind that qwen-code 0.24.4 does over ACP forgets a file that its target does not name.
 */
export class QwenRecords {
  /** Folder of the session. */
  folder = ''
  /** Backups by the name that qwen-code gives them. */
  readonly backups = new Map<string, { readonly sha256: string; readonly mode: number }>()
  readonly withoutBackup = new Set<WorkspacePath>()
  private readonly kept: (JsonRecord | KeptSnapshot)[] = []
  private readonly tracked = new Map<WorkspacePath, Tracked>()
  private readonly versions = new Map<WorkspacePath, number>()
  private readonly changed = new Set<unknown>()
  /** First entries of files that were until then as they had been all the time, and the place of the record that has them. */
  private readonly untouched = new Map<WorkspacePath, { readonly entry: JsonRecord; readonly from: number }>()
  private promptId = ''
  /** The record before is a snapshot of the same prompt that the next one replaces. */
  private isReplaceable = false

  /** `isKept` names the backups whose bytes are at hand. */
  constructor(private readonly isKept: ReadonlySet<string>) {}

  take(record: JsonRecord): void {
    if (this.folder === '' && typeof record['cwd'] === 'string') this.folder = record['cwd']
    if (ownRecords.has(record['subtype'])) return this.noteChanges(record)
    const { records } = snapshotsIn(record)
    if (records.length === 0) {
      this.isReplaceable = false
      this.kept.push(plain(record))
      return
    }
    for (const snapshot of records) this.takeSnapshot(record, snapshot)
  }

  lines(): readonly string[] {
    let parentUuid: unknown = null
    return this.kept.map((kept, at) => {
      const record = isSnapshot(kept) ? this.snapshotRecord(kept, at) : kept
      const line = JSON.stringify({ ...record, parentUuid })
      parentUuid = record['uuid']
      return line
    })
  }

  private snapshotRecord({ record, promptId, timestamp, tracked }: KeptSnapshot, at: number): JsonRecord {
    const early = [...this.untouched].flatMap(([path, { entry, from }]) => (at < from ? [[path, entry] as const] : []))
    const trackedFileBackups = Object.fromEntries([...tracked, ...early])
    return { ...record, subtype: 'file_history_snapshot', systemPayload: { snapshots: [{ promptId, timestamp, trackedFileBackups }] } }
  }

  private noteChanges({ systemPayload }: JsonRecord): void {
    const changes = typeof systemPayload === 'object' && systemPayload !== null && 'changes' in systemPayload ? systemPayload.changes : []
    for (const change of Array.isArray(changes) ? (changes as readonly unknown[]) : []) {
      if (typeof change === 'object' && change !== null && 'path' in change) this.changed.add(change.path)
    }
  }

  private takeSnapshot(record: JsonRecord, snapshot: SnapshotRecord): void {
    const isWhole = record['subtype'] === 'file_history_snapshot'
    if (isWhole) for (const path of this.tracked.keys()) if (!snapshot.backups.has(path)) this.tracked.delete(path)
    for (const [path, backup] of snapshot.backups) this.track(path, backup)
    // Of many small records in a row only the first and the last are written whole, or the log would grow with their square.
    if (this.isReplaceable && this.promptId === snapshot.promptId) this.kept.pop()
    this.isReplaceable = snapshot.isDelta && this.promptId === snapshot.promptId
    this.promptId = snapshot.promptId
    const tracked = new Map([...this.tracked].map(([path, { entry }]) => [path, entry]))
    this.kept.push({ record, promptId: snapshot.promptId, timestamp: new Date(snapshot.takenAt).toISOString(), tracked })
  }

  private track(path: WorkspacePath, backup: Backup): void {
    const before = this.tracked.get(path)
    if (before && JSON.stringify(before.backup) === JSON.stringify(backup)) return
    const version = (this.versions.get(path) ?? 0) + 1
    const entry = this.entryOf(path, backup, version)
    // A first state that failed counts too: a rewind there takes version 1 for what a file was before its first edit.
    this.versions.set(path, version)
    if (version === 1 && !this.changed.has(path)) this.untouched.set(path, { entry, from: this.kept.length })
    this.tracked.set(path, { backup, entry })
  }

  /** A link cannot be told there from the file it names, so that restoring it is left to whoever reads the list. */
  private entryOf(path: WorkspacePath, backup: Backup, version: number): JsonRecord {
    if (backup.kind === 'absent') return { backupFileName: null, version, backupTime: new Date(backup.backupAt).toISOString() }
    const name = backup.kind === 'stored' && this.isKept.has(backup.backupName) ? parseBackupName(backup.backupName) : null
    const backupTime = new Date(backup.kind === 'stored' ? backup.backupAt : 0).toISOString()
    if (!name || name.rest === 'link') {
      this.withoutBackup.add(path)
      return { backupFileName: null, version, backupTime, failed: true }
    }
    const backupFileName = qwenBackupName(join(this.folder, path), version)
    this.backups.set(backupFileName, { sha256: name.sha256, mode: name.rest.mode ?? modeless })
    return { backupFileName, version, backupTime }
  }
}

function isSnapshot(kept: JsonRecord | KeptSnapshot): kept is KeptSnapshot {
  return kept['tracked'] instanceof Map
}

/** A record without the fields that only ours have. */
function plain(record: JsonRecord): JsonRecord {
  const { promptId: _, toolCallResult, ...rest } = record
  if (typeof toolCallResult !== 'object' || toolCallResult === null) return rest
  const { durationMs: __, ...result } = { durationMs: 0, ...toolCallResult }
  return { ...rest, toolCallResult: result }
}

/** Source: qwen-code 0.24.4 takes the first 16 hex digits of the hash of the absolute path. */
function qwenBackupName(absolute: string, version: number): string {
  return `${createHash('sha256').update(absolute).digest('hex').slice(0, 16)}@v${version}`
}
