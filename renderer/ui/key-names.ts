const names: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Enter: 'Enter',
}

const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '')

/** The caps to print for keys as the table of commands writes them: `Mod+Shift+Z` → Ctrl, Shift, Z. */
export function keyNames(keys: string): readonly string[] {
  return keys.split('+').map((key) => (key === 'Mod' ? (isMac ? '⌘' : 'Ctrl') : (names[key] ?? key)))
}
