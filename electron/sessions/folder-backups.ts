import { constants, type Stats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { isMissing, systemCode } from '../base/disk-errors.js'
import type { BackupContent, BackupSource } from '../history/backup-source.js'

/** Larger backups are not read: a copy of a file is held in memory. */
const largestBackupBytes = 512 << 20
/** A backup's name in its folder: a plain file name, never a way out. */
const plainName = /^[0-9A-Za-z_][0-9A-Za-z_.@-]{0,199}$/
const plainSession = /^[0-9A-Za-z_][0-9A-Za-z_.-]{0,199}$/

export function isPlainBackupName(name: string): boolean {
  return plainName.test(name)
}

/** Backups of one session, with a list of what is there. */
export interface FolderBackups extends BackupSource {
  /** Names of all backups at hand, without looking at any. */
  names(): Promise<ReadonlySet<string>>
}

/**
 * The backups of a session as qwen-code and Claude Code keep them: one flat folder a session, below one of several homes; the first
 * home that has a name gives it.
 *
 * Session id and names come from a log and are hostile: neither leaves its folder, and neither a folder nor a file that is a
 * link is followed.
 *
 * A backup has the permission bits of its file, but a store that was copied has often lost them: git keeps whether a file can
 * be run and nothing else. So of a store outside `exactHomes` in which no bits tell that they were kept, a mode is known only
 * for what can be run.
 */
export function folderBackups(homes: readonly string[], sessionId: string, exactHomes: readonly string[] = []): FolderBackups {
  const folders = plainSession.test(sessionId) ? homes.map((home) => join(home, sessionId)) : []
  const exact = new Set(exactHomes.map((home) => join(home, sessionId)))
  const keeping = new Map<string, Promise<boolean>>()

  const keepsModes = (folder: string): Promise<boolean> => {
    const known = keeping.get(folder) ?? (exact.has(folder) ? Promise.resolve(true) : hasTellingMode(folder))
    keeping.set(folder, known)
    return known
  }

  const place = async (name: string): Promise<{ readonly folder: string; readonly file: string; readonly stats: Stats } | null> => {
    if (!isPlainBackupName(name)) return null
    for (const folder of folders) {
      const file = join(folder, name)
      const stats = (await isRealFolder(folder)) ? await look(file) : null
      if (stats?.isFile()) return { folder, file, stats }
    }
    return null
  }

  return {
    async sizeOf(name) {
      return (await place(name))?.stats.size ?? null
    },

    async read(name, signal) {
      const found = await place(name)
      throwIfAborted(signal)
      if (!found) return { kind: 'missing' }
      const content = await readPlain(found.file)
      if (content.kind !== 'bytes' || content.mode === null || (await keepsModes(found.folder))) return content
      return { ...content, mode: (content.mode & 0o100) === 0 ? null : 0o755 }
    },

    async names() {
      const all = new Set<string>()
      for (const folder of folders) {
        const entries = (await isRealFolder(folder)) ? await readdir(folder, { withFileTypes: true }).catch(() => []) : []
        for (const entry of entries) if (entry.isFile()) all.add(entry.name)
      }
      return all
    },
  }
}

async function readPlain(file: string): Promise<BackupContent> {
  try {
    // Not following a link is asked of the system too: the file may have been swapped since it was looked at.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = await handle.stat()
      if (!stats.isFile()) return { kind: 'missing' }
      if (stats.size > largestBackupBytes) return { kind: 'damaged', reason: 'It is above 512 MiB.' }
      return { kind: 'bytes', bytes: await handle.readFile(), mode: stats.mode & 0o777 }
    } finally {
      await handle.close()
    }
  } catch (thrown) {
    if (isMissing(thrown) || systemCode(thrown) === 'ELOOP') return { kind: 'missing' }
    return { kind: 'damaged', reason: `It cannot be read (${systemCode(thrown) ?? 'unknown reason'}).` }
  }
}

/** Modes that files have after a copy through git, with and without their write bits. */
const copiedModes: ReadonlySet<number> = new Set([0o644, 0o755, 0o664, 0o775, 0o444, 0o555])

async function hasTellingMode(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const stats = await look(join(folder, name))
    if (stats?.isFile() && !copiedModes.has(stats.mode & 0o777)) return true
  }
  return false
}

async function isRealFolder(folder: string): Promise<boolean> {
  return (await look(folder))?.isDirectory() ?? false
}

async function look(path: string): Promise<Stats | null> {
  try {
    return await lstat(path)
  } catch {
    return null
  }
}
