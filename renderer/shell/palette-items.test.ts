import { describe, expect, it } from 'vitest'
import { getState } from '../state/store.js'
import { commandItems, markWords } from './palette-items.js'
import { commands } from './shell-commands.js'

describe('the palette', () => {
  it('finds commands by every word, those that begin with it first, and only what can be done', () => {
    const texts = commandItems(commands, getState(), 'theme').map(({ text }) => text)
    expect([texts, commandItems(commands, getState(), 'rewind selected').length]).toEqual([['Change the theme: system, light, dark'], 0])
  })

  it('marks each place of the words, whatever their case', () => {
    expect(markWords('src/Total/total.ts', 'TOTAL')).toEqual([{ text: 'src/', isHit: false }, { text: 'Total', isHit: true }, { text: '/', isHit: false }, { text: 'total', isHit: true }, { text: '.ts', isHit: false }])
  })
})
