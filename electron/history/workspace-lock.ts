import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import { sessionKey, type SessionKey } from '../../shared/ids.js'
import { makeDataFolder } from '../base/data-files.js'
import type { Log } from '../base/log.js'
import { abandonedNote, takeLock } from '../base/process-lock.js'

/** Whose operation holds, or held, the lock of a workspace. */
export interface LockNote {
  readonly session: SessionKey
  /** Real path of the folder. */
  readonly workspace: string
}

/**
 * Runs `work` as the only operation on a workspace, over all processes that share the data folder. `leftBehind` is what a
 * process was doing that died with the lock; its operation must be ended first.
 * Errors: REWIND_RUNNING, DISK_FULL, DATA_FOLDER_UNWRITABLE.
 */
export async function withWorkspaceLock<Result>(
  dataFolder: string,
  note: LockNote,
  work: (leftBehind: LockNote | null) => Promise<Result>,
): Promise<Result> {
  const folder = join(dataFolder, 'locks')
  makeDataFolder(folder)
  const name = createHash('sha256').update(note.workspace).digest('hex').slice(0, 32)
  const lock = takeLock(join(folder, `${name}.lock`), JSON.stringify(note))
  if (!lock) throw new ReviewError('REWIND_RUNNING', 'Another rewind is changing this folder. Wait until it has finished.')
  try {
    return await work(lock.leftBehind === null ? null : parseNote(lock.leftBehind))
  } finally {
    lock.release()
  }
}

/**
 * What processes were doing that died in the middle of an operation. A lock that cannot be read stops none of the others; its
 * operation is ended, or refused with the reason, when its session is opened.
 */
export async function abandonedOperations(dataFolder: string, log: Log): Promise<readonly LockNote[]> {
  const folder = join(dataFolder, 'locks')
  const names = await readdir(folder).catch(() => [])
  const notes: LockNote[] = []
  for (const name of names.filter((each) => each.endsWith('.lock'))) {
    try {
      const note = parseNote(abandonedNote(join(folder, name)) ?? '')
      if (note) notes.push(note)
    } catch (thrown) {
      log.error('history.lock-unreadable', thrown)
    }
  }
  return notes
}

function parseNote(text: string): LockNote | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('session' in value && 'workspace' in value)) return null
    const { session, workspace } = value
    if (typeof session !== 'string' || !/^[0-9a-f]{16}$/.test(session) || typeof workspace !== 'string') return null
    return { session: sessionKey(session), workspace }
  } catch {
    return null
  }
}
