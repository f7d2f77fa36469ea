import type { Command } from '../state/command.js'
import { getState, type AppStore } from '../state/store.js'

/** What of a key press matters here; a `KeyboardEvent` fits. */
export interface KeyPress {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/**
 * A key press as the table of commands writes it: `J`, `Shift+J`, `Mod+K`, `Space`, `?`; `null` for a modifier alone.
 * Signs carry their own Shift: `?` is `?` wherever it lies on the keyboard. With Mod, letters go by their place, so
 * that they work in any layout.
 */
export function pressedKeys(press: KeyPress): string | null {
  if (press.altKey || ['Shift', 'Control', 'Meta', 'Alt', 'Dead', 'Process'].includes(press.key)) return null
  const isMod = press.ctrlKey || press.metaKey
  const byPlace = isMod && /^Key[A-Z]$/.test(press.code) ? press.code.slice(3) : null
  const key = byPlace ?? (press.key === ' ' ? 'Space' : press.key.length === 1 ? press.key.toUpperCase() : press.key)
  const isSign = key.length === 1 && !/[\p{L}\p{N}]/u.test(key)
  return `${isMod ? 'Mod+' : ''}${press.shiftKey && !isSign ? 'Shift+' : ''}${key}`
}

/** Whether a key can be typed by accident while writing: one without Ctrl or Cmd that is no function key. */
export function isSingleKey(keys: string): boolean {
  return !keys.startsWith('Mod+') && !/^(Shift\+)?F\d+$/.test(keys) && keys !== 'Escape'
}

/** The command that takes a key now; `null` where none does. */
export function commandFor(keys: string, commands: readonly Command[], state: AppStore): Command | null {
  if (!state.prefs.singleKeys && isSingleKey(keys) && !/^(Arrow|Home|End|Page|Enter|Space)/.test(keys)) return null
  return commands.find((command) => command.keys.includes(keys) && command.when(state)) ?? null
}

/** Listens to the whole window. Text fields keep their keys; a focused control keeps Enter, Space and the arrows. */
export function listenToKeys(commands: readonly Command[], signal: AbortSignal): void {
  window.addEventListener(
    'keydown',
    (event) => {
      const keys = pressedKeys(event)
      if (event.defaultPrevented || keys === null) return
      const target = event.target instanceof HTMLElement ? event.target : null
      if (target && (isSingleKey(keys) ? keepsKey(target, keys) : keys === 'Escape' && target.matches(plainField))) return
      const command = commandFor(keys, commands, getState())
      if (!command) return
      event.preventDefault()
      event.stopPropagation()
      command.run()
    },
    { signal, capture: true },
  )
}

const textField =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], .monaco-editor .native-edit-context'
/** Fields that Escape leaves by themselves. */
const plainField = 'input:not(.monaco-editor *), textarea:not(.monaco-editor *)'
// A switch that was just set has no more use for Enter and Space.
const ownEnter = 'button:not([role=radio][aria-checked=true]), input[type=radio], input[type=checkbox], a, summary, [role=button], [role=checkbox], [role=menuitem], [role=tab], [role=slider]'
const ownArrows = '[role=radio], input[type=radio], [role=slider], [role=separator], [role=menuitem], [role=tab], [role=dialog] [role=listbox]'

function keepsKey(target: HTMLElement, keys: string): boolean {
  if (target.closest(textField) && !target.closest('[data-single-keys]')) return true
  if (/^(Enter|Space)$/.test(keys)) return target.closest(ownEnter) !== null
  return /^(Shift\+)?(Arrow|Home|End|Page)/.test(keys) && target.closest(ownArrows) !== null
}

/** One entry of the foot bar: keys of neighbouring commands that share their words. */
export interface FootHint {
  readonly words: string
  readonly keys: readonly string[]
}

/** What the foot bar says for the present state: the commands that can be done and have a hint, in the table's order. */
export function footHints(commands: readonly Command[], state: AppStore): readonly FootHint[] {
  const hints: { words: string; keys: string[] }[] = []
  const taken = new Set<string>()
  for (const { hint, keys, when } of commands) {
    const key = keys[0]
    if (hint === null || key === undefined || taken.has(key) || !when(state)) continue
    taken.add(key)
    const last = hints.at(-1)
    if (last?.words === hint) last.keys.push(key)
    else hints.push({ words: hint, keys: [key] })
  }
  return hints
}
