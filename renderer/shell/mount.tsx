import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import type { Port } from '../../shared/rpc.js'
import { stayConnected } from '../state/actions.js'
import { lookAround } from '../state/look-again.js'
import { keepPlace } from '../state/kept-place.js'
import { App } from './App.js'
import { followAgents } from './follow-agents.js'
import { listenToKeys } from './keyboard.js'
import { catchFocus, followFocus } from './panes.js'
import { commands } from './shell-commands.js'

/** Starts the window: connects, listens to keys, and draws. Lives as long as the page. */
export function mount(openPort: (signal: AbortSignal) => Promise<Port>): void {
  const root = document.getElementById('app')
  if (!root) throw new Error('The page has no element #app.')
  const { signal } = new AbortController()
  listenToKeys(commands, signal)
  followFocus(signal)
  catchFocus(signal)
  followAgents(signal)
  keepPlace(signal)
  lookAround(signal)
  void stayConnected(openPort, signal)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
