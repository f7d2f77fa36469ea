import { closeSync, constants, fdatasync, fstatSync, fsync, openSync, read, readSync, write, writeSync, type Stats } from 'node:fs'
import { promisify } from 'node:util'

// A hop to a thread and back costs more than reading or writing a small file in memory, and on a busy machine a hundred times
// more. So small contents go in place, and only what waits for the disk itself (a sync, a large content) takes a hop.
const inPlaceBytes = 1024 * 1024
const chunkBytes = 16 * inPlaceBytes

const readLater = promisify(read)
const writeLater = promisify(write)
const dataSyncLater = promisify(fdatasync)
const syncLater = promisify(fsync)

/** Reading, never through a link in the last name, and never hanging on a pipe. Windows has neither flag. */
export const readOnlyFile = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * All bytes of a file, with what the open file said of itself just before. `check` may throw to refuse it.
 * Errors: those of the system.
 */
export async function readAll(
  absolute: string,
  flags: string | number,
  check: (stats: Stats) => void = () => undefined,
): Promise<{ readonly bytes: Uint8Array; readonly stats: Stats }> {
  const file = openSync(absolute, flags)
  try {
    const stats = fstatSync(file)
    check(stats)
    const bytes = Buffer.allocUnsafeSlow(stats.size)
    let filled = 0
    while (filled < bytes.length) {
      const wanted = Math.min(bytes.length - filled, chunkBytes)
      const got = stats.size <= inPlaceBytes ? readSync(file, bytes, filled, wanted, filled) : (await readLater(file, bytes, filled, wanted, filled)).bytesRead
      if (got === 0) break
      filled += got
    }
    return { bytes: bytes.subarray(0, filled), stats }
  } finally {
    closeSync(file)
  }
}

/**
 * Hands the bytes of a small file to `use`, in place and without keeping them: `use` must not hold on to the array. Returns
 * `null`, with nothing read, for a file above 1 MiB.
 * Errors: those of the system, of `check` and of `use`.
 */
export function peek<Result>(
  absolute: string,
  flags: string | number,
  check: (stats: Stats) => void,
  use: (bytes: Uint8Array, stats: Stats) => Result,
): Result | null {
  const file = openSync(absolute, flags)
  try {
    const stats = fstatSync(file)
    check(stats)
    if (stats.size > scratch.length) return null
    let filled = 0
    for (let got = -1; filled < stats.size && got !== 0; filled += got) got = readSync(file, scratch, filled, stats.size - filled, filled)
    return use(scratch.subarray(0, filled), stats)
  } finally {
    closeSync(file)
  }
}

/** One buffer for all that is read only to be hashed; a new one for each file would keep the collector busy. */
const scratch = Buffer.allocUnsafeSlow(inPlaceBytes)

/** Writes all bytes to an open file, from its present position on. */
export async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(bytes.length - at, chunkBytes)
    at += bytes.length <= inPlaceBytes ? writeSync(file, bytes, at, size) : (await writeLater(file, bytes, at, size)).bytesWritten
  }
}

/** Content, and what is needed to read it again, on the disk when it resolves. */
export function syncData(file: number): Promise<void> {
  return dataSyncLater(file)
}

/** Makes names that were added to or taken from a folder survive a crash. Windows does that by itself and refuses the call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const file = openSync(folder, 'r')
  try {
    await syncLater(file)
  } finally {
    closeSync(file)
  }
}
