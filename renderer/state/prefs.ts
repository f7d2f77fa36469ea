/** What the window remembers by itself, in this browser's or window's own storage. */
export interface Prefs {
  readonly theme: 'system' | 'light' | 'dark'
  readonly diffLayout: 'side' | 'inline'
  readonly wrap: boolean
  /** Whether keys without Ctrl or Cmd do something. */
  readonly singleKeys: boolean
  /** Sizes of resizable groups, by the group's name: panel id to size. */
  readonly panes: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly mapOrder: 'path' | 'first-change'
  readonly mapFolders: boolean
  /** Whether the window may show a system notification when a question comes and nobody looks. */
  readonly notify: boolean
  /** Session to open at the next start. */
  readonly lastSession: string | null
}

export const defaultPrefs: Prefs = {
  theme: 'system',
  diffLayout: 'side',
  wrap: false,
  singleKeys: true,
  panes: {},
  mapOrder: 'path',
  mapFolders: false,
  notify: false,
  lastSession: null,
}

const storageKey = 'overturn.prefs'

/** The remembered preferences; what is missing, damaged or of another type is taken from the defaults. */
export function readPrefs(stored: string | null): Prefs {
  const known = parseObject(stored)
  const oneOf = <Value extends string>(value: unknown, values: readonly Value[], otherwise: Value): Value =>
    values.find((candidate) => candidate === value) ?? otherwise
  const flag = (value: unknown, otherwise: boolean): boolean => (typeof value === 'boolean' ? value : otherwise)
  return {
    theme: oneOf(known['theme'], ['system', 'light', 'dark'], defaultPrefs.theme),
    diffLayout: oneOf(known['diffLayout'], ['side', 'inline'], defaultPrefs.diffLayout),
    wrap: flag(known['wrap'], defaultPrefs.wrap),
    singleKeys: flag(known['singleKeys'], defaultPrefs.singleKeys),
    panes: readPanes(known['panes']),
    mapOrder: oneOf(known['mapOrder'], ['path', 'first-change'], defaultPrefs.mapOrder),
    mapFolders: flag(known['mapFolders'], defaultPrefs.mapFolders),
    notify: flag(known['notify'], defaultPrefs.notify),
    lastSession: typeof known['lastSession'] === 'string' ? known['lastSession'] : null,
  }
}

export function loadPrefs(): Prefs {
  try {
    return readPrefs(globalThis.localStorage?.getItem(storageKey) ?? null)
  } catch {
    // Storage can be switched off; the window then starts as if it were new.
    return defaultPrefs
  }
}

export function savePrefs(prefs: Prefs): void {
  try {
    globalThis.localStorage?.setItem(storageKey, JSON.stringify(prefs))
  } catch {
    // Nothing depends on it: the next start has the defaults.
  }
}

function readPanes(value: unknown): Prefs['panes'] {
  const groups = Object.entries(isObject(value) ? value : {}).map(([group, sizes]) => {
    const numbers = Object.entries(isObject(sizes) ? sizes : {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    return [group, Object.fromEntries(numbers)] as const
  })
  return Object.fromEntries(groups)
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
