import { useEffect, useMemo } from 'react'
import { refreshApp } from '../state/actions.js'
import { useStore } from '../state/store.js'
import { Kbd } from '../ui/parts.js'
import { sizeText } from '../ui/words.js'
import { footHints } from './keyboard.js'
import { commands } from './shell-commands.js'

/** The keys of what can be done now; it follows the focused pane. */
export function FootBar() {
  const state = useStore()
  const history = state.app?.history
  const isFirstRun = state.session === null && state.opening === null && state.view === 'review'
  // A string as key: the bar is made anew only when what it says changes.
  const said = JSON.stringify(footHints(commands, state))
  const hints = useMemo(() => JSON.parse(said) as ReturnType<typeof footHints>, [said])
  // Each operation keeps what was there before it.
  const operations = useStore(({ session }) => `${session?.header.undo?.operationId} ${session?.header.redo?.operationId}`)
  useEffect(() => void refreshApp(), [operations])
  return (
    <footer className="foot">
      {!state.prefs.singleKeys && <span className="k t3">Single keys are off</span>}
      {hints.map(({ words, keys }) => (
        <span key={words} className="k">
          {keys.map((key) => (
            <Kbd key={key} keys={key} />
          ))}
          {words}
        </span>
      ))}
      <span className="grow" />
      {isFirstRun ? (
        <span className="t3">Nothing leaves this computer</span>
      ) : (
        history && (
          <span className="t3">
            History {sizeText(history.sizeBytes)} of {sizeText(history.limitBytes)}
          </span>
        )
      )}
    </footer>
  )
}
