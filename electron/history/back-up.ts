import { ReviewError, type ErrorCode } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Backup } from '../../shared/snapshot.js'
import type { Log } from '../base/log.js'
import type { DiskStates } from '../workspace/disk-states.js'
import { readBytes, sha256Of } from '../workspace/text-files.js'
import type { Place } from '../workspace/workspace.js'
import { backupNameOf, parseBackupName, type BackupStore } from './backup-store.js'

/** What backing a file up gave. */
export interface Made {
  readonly backup: Backup
  readonly state: FileState
  readonly place: Place | null
}

/** How a path is looked at, and who gets its bytes with their hash. */
export interface BackUpParts {
  readonly disk: DiskStates
  readonly log: Log
  readonly now: () => number
  readonly resolve: (path: string) => Place
  readonly keep: (sha256: string, bytes: Uint8Array) => Promise<void> | void
}

/** Backs a path up, or finds it in the state that its last backup had. A failure is a backup of its own kind, never thrown. */
export async function backUp(path: WorkspacePath, last: Pick<Made, 'backup' | 'state'> | undefined, { disk, log, now, resolve, keep }: BackUpParts): Promise<'same' | Made> {
  let place: Place | null = null
  try {
    place = resolve(path)
    const seen = disk.known(place) ?? (await disk.lookAndKeep(place))
    const { state } = seen
    if (last && last.backup.kind !== 'failed' && isSameState(last.state, state)) return 'same'
    const backupAt = now()
    if (state.kind === 'absent') return { state, place, backup: { kind: 'absent', backupAt } }
    if (state.kind === 'link') {
      const bytes = Buffer.from(state.target, 'utf8')
      const sha256 = sha256Of(bytes)
      await keep(sha256, bytes)
      return { state, place, backup: { kind: 'stored', backupName: backupNameOf(sha256, 'link'), version: 0, backupAt } }
    }
    const bytes = seen.bytes ?? (await readBytes(place, path)).bytes
    // The look that read these bytes has hashed them.
    const sha256 = seen.bytes && state.kind === 'file' ? state.sha256 : sha256Of(bytes)
    await keep(sha256, bytes)
    const mode = state.kind === 'file' ? state.mode : null
    const now256: FileState = { kind: 'file', sha256, sizeBytes: bytes.length, mode }
    return { state: now256, place, backup: { kind: 'stored', backupName: backupNameOf(sha256, { mode }), version: 0, backupAt } }
  } catch (thrown) {
    log.error('history.backup-failed', thrown, { path })
    return failedBackup(thrown, place)
  }
}

export function failedBackup(thrown: unknown, place: Place | null): Made {
  const reason: ErrorCode = thrown instanceof ReviewError ? thrown.code : 'INTERNAL'
  return { state: { kind: 'unknown', reason: 'backup-failed' }, place, backup: { kind: 'failed', reason } }
}

/** What a backup of the store holds. */
export async function stateOf(store: BackupStore, backup: Backup): Promise<FileState> {
  if (backup.kind === 'absent') return { kind: 'absent' }
  if (backup.kind === 'failed') return { kind: 'unknown', reason: 'backup-failed' }
  const name = parseBackupName(backup.backupName)
  const sizeBytes = await store.sizeOf(backup.backupName)
  if (!name || sizeBytes === null) return { kind: 'unknown', reason: 'backup-missing' }
  if (name.rest !== 'link') return { kind: 'file', sha256: name.sha256, sizeBytes, mode: name.rest.mode }
  const content = await store.read(backup.backupName)
  return content.kind === 'link' ? content : { kind: 'unknown', reason: 'backup-missing' }
}

export function isSameState(one: FileState, two: FileState): boolean {
  if (one.kind === 'file' && two.kind === 'file') return one.sha256 === two.sha256 && one.mode === two.mode
  if (one.kind === 'link' && two.kind === 'link') return one.target === two.target
  return one.kind === 'absent' && two.kind === 'absent'
}
