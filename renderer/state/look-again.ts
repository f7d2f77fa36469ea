import { reloadChanges } from './changes-actions.js'
import { seesDisk } from './scope.js'
import { refreshSession } from './session-actions.js'
import { getState } from './store.js'

/** So often a window in front of somebody's eyes asks what others did, who tell it nothing. */
const everyMs = 5_000

/** Asks anew for what other programs may have changed. */
export function lookAgain(): void {
  const { session, opening, connection, changes } = getState()
  if (!session || opening || connection.kind !== 'open') return
  void refreshSession()
  if (seesDisk(changes.scope) && changes.list.kind === 'ready') reloadChanges()
}

/** Looks again when the person comes back to the window, and now and then while it can be seen. */
export function lookAround(signal: AbortSignal): void {
  window.addEventListener('focus', lookAgain, { signal })
  const timer = setInterval(() => {
    const { session, opening, connection, view } = getState()
    const isLookedAt = document.visibilityState === 'visible' && view === 'review' && session !== null && opening === null
    // The list of changes follows the header, so that nothing on the screen moves where nothing was changed.
    if (isLookedAt && connection.kind === 'open') void refreshSession()
  }, everyMs)
  signal.addEventListener('abort', () => clearInterval(timer))
}
