import { savePrefs, type Prefs } from './prefs.js'
import { getState, setState } from './store.js'

/** Changes preferences and keeps them for the next start. */
export function setPrefs(change: Partial<Prefs>): void {
  const prefs = { ...getState().prefs, ...change }
  setState({ prefs })
  savePrefs(prefs)
}

/** Remembers the sizes of one group of panes. */
export function rememberPanes(group: string, sizes: Readonly<Record<string, number>>): void {
  setPrefs({ panes: { ...getState().prefs.panes, [group]: sizes } })
}

/** Goes through the three themes: as the system, light, dark. */
export function nextTheme(): void {
  const { theme } = getState().prefs
  setPrefs({ theme: theme === 'system' ? 'light' : theme === 'light' ? 'dark' : 'system' })
}
