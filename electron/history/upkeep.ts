import type { Log } from '../base/log.js'
import { isCancelled } from '../base/disk-errors.js'
import type { BackupStore } from './backup-store.js'
import { pruneHistory } from './prune.js'

export interface UpkeepOptions {
  readonly dataFolder: string
  readonly store: BackupStore
  readonly limits: () => { readonly limitBytes: number; readonly maxAgeMs: number | null }
  readonly log: Log
  /** Nothing is begun while an agent or a person is at work. */
  readonly isIdle: () => boolean
  readonly firstAfterMs?: number
  readonly everyMs?: number
}

const minuteMs = 60_000

/** Keeps the backup store small in idle time: prunes what no session needs, and packs the rest. Stops at once when told. */
export function startUpkeep(options: UpkeepOptions): { readonly stop: () => Promise<void> } {
  const { dataFolder, store, limits, log, isIdle, firstAfterMs = 2 * minuteMs, everyMs = 60 * minuteMs } = options
  const ended = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | null = null

  const once = async (): Promise<void> => {
    const { freedBytes, givenUp } = await pruneHistory({ dataFolder, store, ...limits(), log })
    if (ended.signal.aborted || !isIdle()) return
    const savedBytes = await store.compact(ended.signal)
    if (freedBytes > 0 || savedBytes > 0) log.info('history.upkeep', { freedBytes, savedBytes, givenUp: givenUp.length })
  }
  const plan = (ms: number): void => {
    timer = setTimeout(() => {
      if (!isIdle()) return plan(minuteMs)
      running = once()
        .catch((thrown: unknown) => {
          if (!isCancelled(thrown)) log.error('history.upkeep-failed', thrown)
        })
        .finally(() => {
          if (!ended.signal.aborted) plan(everyMs)
        })
    }, ms)
    timer.unref()
  }
  plan(firstAfterMs)
  return {
    stop: async () => {
      ended.abort()
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
