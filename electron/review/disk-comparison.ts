import type { FileChange } from '../../shared/file-state.js'
import type { SessionHeader } from '../../shared/timeline.js'
import { sumOfStats } from './turn-details.js'

/** What others changed since the agent stopped, kept up to date in the background since it looks at every file. */
export interface DiskComparison {
  /** The last result; `null` before the first. Asking starts a new comparison where the last one is old. */
  latest(): SessionHeader['byUser']
  /** Throws the result away, since what it was compared with has changed. */
  forget(): void
}

const staleAfterMs = 3_000

/** `compare` lists the changes; `onChanged` is called when a result differs from the one before. */
export function createDiskComparison(compare: () => Promise<readonly FileChange[]>, now: () => number, onChanged: () => void): DiskComparison {
  let known: SessionHeader['byUser'] = null
  let knownAt = -Infinity
  let running: object | null = null

  const run = async (): Promise<void> => {
    const mine = {}
    running = mine
    try {
      const changes = await compare()
      if (running !== mine) return
      const next = { files: changes.length, stat: sumOfStats(changes) }
      const isNew = JSON.stringify(next) !== JSON.stringify(known)
      known = next
      if (isNew) onChanged()
    } catch {
      // The header goes on without a number; the next look tries again.
    } finally {
      if (running === mine) {
        running = null
        knownAt = now()
      }
    }
  }

  return {
    latest: () => {
      if (!running && now() - knownAt > staleAfterMs) void run()
      return known
    },
    forget: () => {
      known = null
      knownAt = -Infinity
      running = null
    },
  }
}
