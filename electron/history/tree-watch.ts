import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statfsSync, utimesSync, watch as watchFile, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import { makeDataFolder, writeNewDataFile } from '../base/data-files.js'
import { systemCode } from '../base/disk-errors.js'
import type { Folder } from './file-table.js'

/** Where something may have changed since the last time it was asked. */
export type Hints =
  | { readonly kind: 'names'; readonly names: ReadonlyMap<Folder, ReadonlySet<string>> }
  /** Hints may be missing: everything is to be looked at. */
  | { readonly kind: 'all' }

/** Whether changes are announced; `reason` is a sentence for people. */
export type WatchState = { readonly kind: 'watching' } | { readonly kind: 'off'; readonly reason: string }

/** Watches folders, one by one and not what is below them. */
export interface TreeWatch {
  state(): WatchState
  /** From when this returns on, what happens to names in the folder gives hints. `device` is where the folder lies. */
  watch(folder: Folder, absolute: string, device: bigint): void
  unwatch(folder: Folder): void
  unwatchAll(): void
  hint(folder: Folder, name: string): void
  /** All hints for what happened before this call, whoever did it. */
  take(signal?: AbortSignal): Promise<Hints>
  close(): void
}

const barrierMs = 1000

/**
 * Opens a watch that keeps its hints until they are taken; `onHint` is called for each.
 *
 * Linux puts a change into the queue of the one inotify descriptor of this process before the call that made the change returns,
 * and the queue is read in order. So when the touch of a file of our own arrives, all that happened before has arrived. A queue that
 * ran over loses changes and does not say so; but then as many as it holds arrive, so that counting tells. Other systems promise no
 * such order: there, the state is off from the start.
 */
export async function openTreeWatch(dataFolder: string, isWanted: boolean, onHint: () => void): Promise<TreeWatch> {
  const watchers = new Map<Folder, FSWatcher>()
  const trusted = new Map<bigint, boolean>()
  let hints = new Map<Folder, Set<string>>()
  let arrived = 0
  let isAllHinted = false
  let state: WatchState = { kind: 'watching' }
  let onBarrier: (() => void) | null = null
  let timer: NodeJS.Timeout | undefined
  const opened = await openBarrier(dataFolder, isWanted, () => onBarrier?.())
  const barrier = typeof opened === 'string' ? null : opened
  if (typeof opened === 'string') state = { kind: 'off', reason: opened }

  const turnOff = (reason: string): void => {
    if (state.kind === 'off') return
    state = { kind: 'off', reason }
    // What is of no use to us is some other program's.
    unwatchAll()
    barrier?.watcher.close()
  }

  const unwatchAll = (): void => {
    for (const watcher of watchers.values()) watcher.close()
    watchers.clear()
  }

  const hint = (folder: Folder, name: string): void => {
    const names = hints.get(folder)
    if (names) names.add(name)
    else hints.set(folder, new Set([name]))
  }

  /** Whether the touch came back. */
  const pass = async (signal: AbortSignal | undefined): Promise<boolean> => {
    if (!barrier) return false
    let cancel = (): void => undefined
    try {
      return await new Promise<boolean>((resolve, reject) => {
        cancel = () => reject(new Error('cancelled'))
        signal?.addEventListener('abort', cancel)
        onBarrier = () => resolve(true)
        // Where this thread was busy for so long, the touch may be there and not yet read.
        timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(false))), barrierMs)
        barrier.touch()
      })
    } catch {
      throwIfAborted(signal)
      return false
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      onBarrier = null
    }
  }
  return {
    state: () => state,
    watch: (folder, absolute, device) => {
      if (state.kind === 'off' || watchers.has(folder)) return
      try {
        let isTrusted = trusted.get(device)
        if (isTrusted === undefined) trusted.set(device, (isTrusted = tellsAllChanges.has(statfsSync(absolute).type)))
        if (!isTrusted) return turnOff('The disk that holds the workspace, or a part of it, does not tell of changes.')
        const watcher = watchFile(absolute, { persistent: false }, (_, name) => {
          arrived++
          if (name === null) isAllHinted = true
          else hint(folder, name)
          onHint()
        })
        watcher.on('error', () => turnOff('Watching a folder failed.'))
        watchers.set(folder, watcher)
      } catch (thrown) {
        // A folder that went, or that may not be read, is for the look that follows.
        if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(systemCode(thrown) ?? '')) return
        turnOff('The system has no more watches to give. Raise fs.inotify.max_user_watches for faster looks.')
      }
    },
    unwatch: (folder) => {
      watchers.get(folder)?.close()
      watchers.delete(folder)
    },
    unwatchAll,
    hint,
    take: async (signal) => {
      // A touch that ran into a full queue is lost; by then the queue has been read, and the next one comes through.
      if (state.kind === 'watching' && !(await pass(signal)) && !(await pass(signal))) turnOff('The system stopped telling of changes.')
      const names = hints
      const isLost = state.kind === 'off' || isAllHinted || arrived >= mostArrived
      hints = new Map()
      arrived = 0
      isAllHinted = false
      return isLost ? { kind: 'all' } : { kind: 'names', names }
    },
    close: () => {
      turnOff('The watch is closed.')
      barrier?.close()
    },
  }
}

/**
 * File systems on which every change goes through this machine's kernel: ext, xfs, btrfs, zfs, f2fs, bcachefs, jfs, tmpfs, and
 * overlays of these. Not those that others write to over a network or from outside a virtual machine.
 */
const tellsAllChanges: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x3153464a, 0x01021994, 0x794c7630,
])

/**
 * When a queue runs over, all that it holds arrives, in two periods between barriers at most; and not more than half of it can be
 * taken up by whatever else this process watches.
 */
const mostArrived = queueLength() / 4

function queueLength(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || 16_384
  } catch {
    return 16_384
  }
}

interface Barrier {
  readonly watcher: FSWatcher
  touch(): void
  close(): void
}

/** A file of this process alone in a watched folder of ours; a sentence where there can be none. */
async function openBarrier(dataFolder: string, isWanted: boolean, onTouch: () => void): Promise<Barrier | string> {
  if (!isWanted) return 'Watching is turned off.'
  if (process.platform !== 'linux') return 'This system does not tell of changes in the order in which they happened.'
  const folder = join(dataFolder, 'watch', `${process.pid}-${randomBytes(6).toString('hex')}`)
  const file = join(folder, 'touched')
  try {
    makeDataFolder(folder)
    removeLeftOver(join(dataFolder, 'watch'))
    if (!tellsAllChanges.has(statfsSync(folder).type)) return 'The disk that holds the data folder does not tell of changes.'
    await writeNewDataFile(file, '')
    const watcher = watchFile(folder, { persistent: false }, onTouch)
    watcher.on('error', () => undefined)
    return {
      watcher,
      touch: () => {
        const now = new Date()
        utimesSync(file, now, now)
      },
      close: () => rmSync(folder, { recursive: true, force: true }),
    }
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return 'The system has no more watches to give. Raise fs.inotify.max_user_watches for faster looks.'
  }
}

/** Removes what processes that were killed have left. */
function removeLeftOver(folder: string): void {
  for (const name of readdirSync(folder)) {
    try {
      process.kill(Number(/^\d+(?=-)/.exec(name)?.[0] ?? process.pid), 0)
    } catch (thrown) {
      if (systemCode(thrown) === 'ESRCH') rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}
