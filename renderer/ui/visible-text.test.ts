import { describe, expect, it } from 'vitest'
import { textPieces, visibleText } from './visible-text.js'

describe('a text that another program wrote', () => {
  it('names each character that would not be seen, or would move others', () => {
    expect([visibleText('a\u202Eb'), visibleText('x\u200By\ufeffz'), visibleText('\u001b[31mred\u0007'), visibleText('one\ntwo\tthree'), visibleText('\u{E0041}'), visibleText('half \ud800 half')]).toEqual([
      'a‹U+202E›b', 'x‹U+200B›y‹U+FEFF›z', '‹ESC›[31mred‹BEL›', 'one⏎two⇥three', '‹U+E0041›', 'half ‹U+D800› half',
    ])
  })

  it('leaves what can be seen as it is, in any script', () => {
    const text = 'Straße, 東京, привет, عربى, 🙂, e\u0301'
    expect([visibleText(text), textPieces(text)]).toEqual([text, [{ text, isSign: false }]])
  })
})
