import { useLayoutEffect, useState } from 'react'
import { setFocusedPane } from './actions.js'
import { getState } from './store.js'

/** When a view that took the focus (the transcript, the map) is left, gives the focus and the keys back to where they were as it was opened. */
export function useReturn(): void {
  const [from] = useState(() => ({ element: document.activeElement, pane: getState().focusedPane }))
  useLayoutEffect(
    () => () => {
      // Whoever went to another pane meanwhile stays there.
      if (getState().focusedPane !== 'files') return
      if (from.element instanceof HTMLElement && from.element.isConnected) from.element.focus()
      setFocusedPane(from.pane)
    },
    [from],
  )
}
