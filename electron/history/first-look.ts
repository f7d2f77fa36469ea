import { readlinkSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { throwIfAborted } from '../../shared/errors.js'
import type { Log } from '../base/log.js'
import { isYoung, stepMsOf, type Folder } from './file-table.js'
import { GitFailed, type GitRepository, type IndexEntry, type Tracked } from './git-repository.js'
import { lookAtTree, statsOf, type LookParts } from './tree-look.js'

interface Young {
  readonly folder: Folder
  readonly name: string
  readonly stepMs: number
}

const triesForYoung = 3

/**
 * Fills an empty table. A file that git's index has with the very same stamp is known by its blob.
 * Errors: CANCELLED.
 */
export async function takeFirstLook(parts: LookParts, repository: GitRepository | null, log: Log, signal: AbortSignal): Promise<void> {
  const { table, root, watch } = parts
  const tracked = await trackedIn(repository, log, signal)
  let young: Young[] = []

  const take = (folder: Folder, name: string, row: number, stats: BigIntStats): void => {
    const path = folder.pathOf(name)
    const lookedAt = Date.now()
    table.stamp(row, stats, lookedAt)
    if (isYoung(stats, lookedAt)) young.push({ folder, name, stepMs: stepMsOf(stats) })
    if (stats.isSymbolicLink()) return table.setState(row, linkState(join(root, path)))
    if (!stats.isFile()) return table.setState(row, { kind: 'unknown', reason: 'unreadable' })
    const entry = tracked?.entryOf(path)
    if (tracked && entry && !tracked.converted.has(path)) table.setBlob(row, entry.blob, isClean(entry, stats, tracked))
    else table.setState(row, null)
  }

  await lookAtTree(parts, {
    at: 'all',
    isAskingAgain: false,
    tracked,
    signal,
    see: ({ folder, name, stats }) => {
      if (stats) take(folder, name, table.add(folder, name), stats)
    },
  })
  // A file written just before the look could be written again without a trace in its times. So the look that counts comes later.
  for (let attempt = 0; attempt < triesForYoung && young.length > 0; attempt++) {
    const again = young
    young = []
    await wait(again.reduce((most, { stepMs }) => Math.max(most, stepMs), 0) + 10, undefined, { signal }).catch(() => throwIfAborted(signal))
    for (const { folder, name } of again) {
      await parts.pace()
      const row = folder.files.get(name)
      const stats = statsOf(join(root, folder.pathOf(name)))
      if (row === undefined) continue
      if (stats && !stats.isDirectory()) take(folder, name, row, stats)
      else {
        table.remove(folder, name)
        watch.hint(folder, name)
      }
    }
  }
}

async function trackedIn(repository: GitRepository | null, log: Log, signal: AbortSignal): Promise<Tracked | null> {
  try {
    return (await repository?.tracked(signal)) ?? null
  } catch (thrown) {
    if (!(thrown instanceof GitFailed)) throw thrown
    log.error('history.git-index-not-read', thrown)
    return null
  }
}

function linkState(absolute: string): { readonly kind: 'link'; readonly target: string } | { readonly kind: 'unknown'; readonly reason: 'unreadable' } {
  try {
    return { kind: 'link', target: readlinkSync(absolute) }
  } catch {
    return { kind: 'unknown', reason: 'unreadable' }
  }
}

/** git's own test. A stamp as young as the index itself says nothing, as the file could have been written again. */
function isClean(entry: IndexEntry, stats: BigIntStats, tracked: Tracked): boolean {
  return (
    entry.mtimeNs < tracked.writtenNs &&
    entry.mtimeNs === stats.mtimeNs &&
    entry.ctimeNs === stats.ctimeNs &&
    entry.sizeBytes === Number(BigInt.asUintN(32, stats.size)) &&
    entry.inode === Number(BigInt.asUintN(32, stats.ino))
  )
}
