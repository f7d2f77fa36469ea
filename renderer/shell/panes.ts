import { setFocusedPane } from '../state/actions.js'
import type { Pane } from '../state/shell-slice.js'
import { getState } from '../state/store.js'

const paneNames: readonly Pane[] = ['sessions', 'timeline', 'files', 'diff', 'questions', 'question', 'filters', 'results']

/** What gets the focus when a pane is entered: its list, else its first control. */
const entries = ['[role=listbox], [role=grid]', '[tabindex="0"], button:not([tabindex="-1"]), input']

/** Moves the focus to the next pane that is on screen. */
export function focusNextPane(step: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.offsetParent !== null)
  const current = panes.findIndex((pane) => pane.contains(document.activeElement))
  const known = current >= 0 ? current : panes.findIndex((pane) => pane.dataset['pane'] === getState().focusedPane)
  const next = panes[(known + step + panes.length) % panes.length]
  if (next) focusPane(next)
}

/** Follows the focus of the page: the pane that holds it is the one that the keys go to. */
export function followFocus(signal: AbortSignal): void {
  document.addEventListener(
    'focusin',
    ({ target }) => {
      const pane = target instanceof HTMLElement ? paneOf(target) : null
      if (pane) setFocusedPane(pane)
    },
    { signal },
  )
}

/** Below 1000 px, sessions and timeline share one slot. */
export function swapSlot(): void {
  const isSessions = getState().focusedPane === 'sessions'
  setFocusedPane(isSessions ? 'timeline' : 'sessions')
  requestAnimationFrame(() => {
    const pane = document.querySelector<HTMLElement>(`[data-pane=${isSessions ? 'timeline' : 'sessions'}]`)
    if (pane) focusPane(pane)
  })
}

function focusPane(pane: HTMLElement): void {
  const inside = entries.flatMap((entry) => [pane, ...pane.querySelectorAll<HTMLElement>(entry)].filter((element) => element.matches(entry)))
  inside.find((element) => element.tabIndex >= 0)?.focus()
  const name = paneOf(pane)
  if (name) setFocusedPane(name)
}

function paneOf(element: HTMLElement): Pane | null {
  const name = element.closest<HTMLElement>('[data-pane]')?.dataset['pane']
  return paneNames.find((pane) => pane === name) ?? null
}
