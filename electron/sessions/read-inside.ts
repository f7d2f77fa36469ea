import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Larger files are not read for a comparison. */
const largestBytes = 16 << 20

/** A file as it is now, and when it was last written. */
export interface DiskFile {
  readonly bytes: Uint8Array
  readonly modifiedAtMs: number
}

/**
 * A plain file of a folder as it is now, named by hostile text: `null` where there is none, where it is a link or lies behind one that
 * leads out of the folder, and where it is too big.
 */
export async function lookInside(folder: string | null, path: string): Promise<DiskFile | null> {
  if (folder === null || path.startsWith('/') || path.includes('\0') || path.split(/[/\\]/).includes('..')) return null
  try {
    const root = await realpath(folder)
    const file = join(root, path)
    const real = await realpath(file)
    if (real !== file || !real.startsWith(root.endsWith(sep) ? root : root + sep)) return null
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = await handle.stat()
      return stats.isFile() && stats.size <= largestBytes ? { bytes: await handle.readFile(), modifiedAtMs: stats.mtimeMs } : null
    } finally {
      await handle.close()
    }
  } catch {
    // Not there, or not to be read: then it proves nothing.
    return null
  }
}

/** The bytes of such a file. */
export async function readInside(folder: string | null, path: string): Promise<Uint8Array | null> {
  return (await lookInside(folder, path))?.bytes ?? null
}
