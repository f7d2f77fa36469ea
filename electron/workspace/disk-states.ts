import type { Stats } from 'node:fs'
import type { FileState } from '../../shared/file-state.js'
import { isCancelled } from '../base/disk-errors.js'
import { fileStateOf, isUntouched, readBytes, readState } from './text-files.js'
import { hardLimitBytes } from './text-decoding.js'
import type { Place } from './workspace.js'

/** What one look at a place saw. */
export interface Seen {
  readonly state: FileState
  /** Of the file that was read, to be compared by `isUntouched`; `null` for nothing there. */
  readonly stats: Stats | null
  /** Untouched stats later mean that nothing was changed. False for a file written so lately that its times cannot tell. */
  readonly isSettled: boolean
  /** The bytes, where this look was to keep them and had to read them. */
  readonly bytes: Uint8Array | null
}

/** States of files on the disk that remember what they have hashed, so that an unchanged file costs one look and no read. */
export interface DiskStates {
  /** What is known without reading, or `null` when the file has to be read. */
  known(place: Place): Seen | null
  /** The state now; reads and hashes where that is not known. Throws for an abort only. */
  look(place: Place, signal?: AbortSignal): Promise<Seen>
  /** The same, for one who may need the bytes next: they come along where they had to be read (up to 64 MiB). */
  lookAndKeep(place: Place, signal?: AbortSignal): Promise<Seen>
}

const maxRemembered = 200_000
const nothing: Seen = { state: { kind: 'absent' }, stats: null, isSettled: true, bytes: null }

/** Nothing is kept on the disk: a restart hashes again. */
export function createDiskStates(now: () => number = Date.now): DiskStates {
  const remembered = new Map<string, Seen>()

  const known = (place: Place): Seen | null => {
    const { stats } = place
    if (!stats) return nothing
    if (stats.isDirectory()) return { state: { kind: 'folder' }, stats, isSettled: true, bytes: null }
    const seen = remembered.get(place.absolute)
    return seen?.isSettled && isUntouched(seen.stats, stats) ? seen : null
  }

  const lookBy = async (place: Place, read: () => Promise<Seen>): Promise<Seen> => {
    const seen = known(place)
    if (seen) return seen
    const fresh = await read()
    if (remembered.size >= maxRemembered) remembered.clear()
    if (fresh.state.kind === 'file') remembered.set(place.absolute, { ...fresh, bytes: null })
    return fresh
  }

  const hash = async (place: Place, signal: AbortSignal | undefined): Promise<Seen> => {
    const readAt = now()
    const { state, stats } = await readState(place, signal)
    return { state, stats, isSettled: stats === null || isSettled(stats, readAt), bytes: null }
  }

  const readAndHash = async (place: Place, signal: AbortSignal | undefined): Promise<Seen> => {
    if (!place.stats?.isFile() || place.stats.size > hardLimitBytes) return hash(place, signal)
    const readAt = now()
    try {
      const { bytes, stats } = await readBytes(place, 'The file', hardLimitBytes, signal)
      return { state: fileStateOf(bytes, stats), stats, isSettled: isSettled(stats, readAt), bytes }
    } catch (thrown) {
      if (isCancelled(thrown)) throw thrown
      // It grew, vanished or became something else: the general look says what it is now.
      return hash(place, signal)
    }
  }

  return {
    known,
    look: (place, signal) => lookBy(place, () => hash(place, signal)),
    lookAndKeep: (place, signal) => lookBy(place, () => readAndHash(place, signal)),
  }
}

/**
 * Whether a write after `readAt` must give the file another time stamp. Stamps move in steps: a few milliseconds where they
 * have fractions, up to two seconds on old file systems. Only the change time counts, because no program can set it.
 */
function isSettled(stats: Stats, readAt: number): boolean {
  const stepMs = stats.ctimeMs % 1 === 0 ? 2_100 : 50
  return readAt - stats.ctimeMs > stepMs
}
