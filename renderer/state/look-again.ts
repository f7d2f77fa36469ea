import { reloadChanges } from './changes-actions.js'
import { seesDisk } from './scope.js'
import { refreshSession } from './session-actions.js'
import { getState } from './store.js'

/** Asks anew for what other programs may have changed; for when the person comes back to the window. */
export function lookAgain(): void {
  const { session, opening, connection, changes } = getState()
  if (!session || opening || connection.kind !== 'open') return
  void refreshSession()
  if (seesDisk(changes.scope) && changes.list.kind === 'ready') reloadChanges()
}
