import { describe, expect, it } from 'vitest'
import type { Command } from '../state/command.js'
import { getState } from '../state/store.js'
import { commandFor, footHints, isSingleKey, pressedKeys, type KeyPress } from './keyboard.js'
import { commands } from './shell-commands.js'

const press = (key: string, part: Partial<KeyPress> = {}): string | null =>
  pressedKeys({ key, code: `Key${key.toUpperCase()}`, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...part })

const command = (id: string, keys: readonly string[], part: Partial<Command> = {}): Command => ({
  id,
  label: id,
  hint: null,
  keys,
  group: 'Window',
  when: () => true,
  run: () => undefined,
  ...part,
})

describe('a key press', () => {
  it('is written as in the table of commands', () => {
    expect([
      press('j'),
      press('J', { shiftKey: true }),
      press('?', { code: 'Slash', shiftKey: true }),
      press('k', { ctrlKey: true }),
      press('k', { metaKey: true }),
      press(' ', { code: 'Space' }),
      press('Z', { ctrlKey: true, shiftKey: true }),
      press('ArrowDown', { code: 'ArrowDown', shiftKey: true }),
      press('F6', { code: 'F6', shiftKey: true }),
    ]).toEqual(['J', 'Shift+J', '?', 'Mod+K', 'Mod+K', 'Space', 'Mod+Shift+Z', 'Shift+ArrowDown', 'Shift+F6'])
  })

  it('goes by the place of the key with Ctrl, so that other alphabets can find and undo', () => {
    expect(press('л', { code: 'KeyK', ctrlKey: true })).toBe('Mod+K')
  })

  it('is none for a modifier alone, a dead key, or with Alt', () => {
    expect([press('Shift'), press('Dead'), press('k', { altKey: true })]).toEqual([null, null, null])
  })
})

describe('the table of commands', () => {
  it('gives a key to the first command that can be done', () => {
    const table = [command('a', ['J'], { when: () => false }), command('b', ['J']), command('c', ['J'])]
    expect(commandFor('J', table, getState())?.id).toBe('b')
  })

  it('leaves single keys alone when they are turned off, but not Ctrl, arrows and Escape', () => {
    const table = [command('a', ['J', 'Mod+K', 'ArrowDown', 'Escape'])]
    const off = { ...getState(), prefs: { ...getState().prefs, singleKeys: false } }
    expect(['J', 'Mod+K', 'ArrowDown', 'Escape'].map((keys) => commandFor(keys, table, off)?.id ?? null)).toEqual([null, 'a', 'a', 'a'])
    expect(['J', 'Shift+J', '?', 'Mod+K', 'Escape', 'F6'].map(isSingleKey)).toEqual([true, true, true, false, false, false])
  })

  it('joins neighbours with the same words in the foot bar, and names no key twice', () => {
    const table = [
      command('a', ['J'], { hint: 'turn' }),
      command('b', ['K'], { hint: 'turn' }),
      command('c', ['J'], { hint: 'file' }),
      command('d', ['?'], { hint: 'all keys' }),
      command('e', ['X'], { hint: 'never', when: () => false }),
    ]
    expect(footHints(table, getState())).toEqual([
      { words: 'turn', keys: ['J', 'K'] },
      { words: 'all keys', keys: ['?'] },
    ])
  })

  it('has no two commands with one id, and writes every key as a press would', () => {
    const ids = commands.map(({ id }) => id)
    const keys = commands.flatMap((one) => one.keys)
    expect([
      ids.length - new Set(ids).size,
      keys.filter(
        (key) => !/^(Mod\+)?(Shift\+)?([A-Z0-9]|[/?[\]]|Space|Enter|Escape|Home|End|F6|Page(Up|Down)|Arrow(Up|Down|Left|Right))$/.test(key),
      ),
    ]).toEqual([0, []])
  })

  it('does nothing behind an open dialog', () => {
    const behind = { ...getState(), dialog: { kind: 'keys' as const } }
    expect(commands.filter(({ when }) => when(behind)).map(({ id }) => id)).toEqual([])
  })
})
