import { watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

const settleMs = 80
const pollMs = 3000

/**
 * Calls `onHint` soon after a file may have changed: the system's hint, gathered for 80 ms, and every 3 s in any case, since hints
 * do not come on every file system. Keeps no process alive.
 * Returns: the function that ends it.
 */
export function followFile(file: string, onHint: () => void): () => void {
  let waiting: NodeJS.Timeout | null = null
  const hint = (): void => {
    waiting ??= setTimeout(() => {
      waiting = null
      onHint()
    }, settleMs).unref()
  }
  // The folder too: a file that was replaced gives no more hints under its name.
  const name = basename(file)
  const watchers = [
    watchQuietly(file, hint),
    watchQuietly(dirname(file), (changed) => {
      if (changed === null || changed === name) hint()
    }),
  ]
  const poll = setInterval(onHint, pollMs).unref()
  return () => {
    if (waiting) clearTimeout(waiting)
    clearInterval(poll)
    for (const watcher of watchers) watcher?.close()
  }
}

/** A watcher, or `null` where the system gives none: polling is left. */
export function watchQuietly(path: string, onHint: (name: string | null) => void): FSWatcher | null {
  try {
    const watcher = watch(path, { persistent: false }, (_event, name) => onHint(name))
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return null
  }
}
