import { setFocusedPane } from '../state/actions.js'
import type { Pane } from '../state/shell-slice.js'
import { getState, useStore, type AppStore } from '../state/store.js'

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

/** Where the page is so far, as far as what has the focus may go with it. */
const placeOf = ({ view, session, dialog, approvals, rewind, changes }: AppStore): string =>
  [view, session?.key, dialog?.kind, approvals.selected, rewind.running !== null, changes.takingBack !== null].join(' ')

/**
 * Gives the focus to the pane that the keys go to, where what had it went away: the page itself says nothing to a screen reader. Whoever
 * has the focus keeps it.
 */
export function catchFocus(signal: AbortSignal): void {
  let frame = 0
  const stop = useStore.subscribe((state, before) => {
    if (placeOf(state) === placeOf(before)) return
    cancelAnimationFrame(frame)
    // What comes instead is drawn first, and may take the focus itself.
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(takeLostFocus)))
  })
  signal.addEventListener('abort', stop)
}

function takeLostFocus(): void {
  if (document.activeElement !== document.body || getState().dialog !== null) return
  const panes = [...document.querySelectorAll<HTMLElement>('main [data-pane]')].filter((pane) => pane.offsetParent !== null)
  const pane = panes.find((each) => each.dataset['pane'] === getState().focusedPane) ?? panes.find((each) => each.dataset['pane'] !== 'sessions')
  if (pane) focusPane(pane)
  else document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
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
