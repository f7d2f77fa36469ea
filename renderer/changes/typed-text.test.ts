import { describe, expect, it } from 'vitest'
import { restoreTyped, typingText } from './typed-text.js'

describe('restoreTyped', () => {
  it('gives back the very text where nothing was typed', () => {
    const seed = 20_251_130
    let state = seed
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const pieces = ['a', 'b', '\r', '\n', '\r\n', '\u2028', '↵', ' ', '']
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('')
      expect(restoreTyped(text, typingText(text).text), `seed ${seed}, round ${round}`).toBe(text)
    }
  })

  it('keeps the line end of each line that was left alone and takes the usual one for new ones', () => {
    expect(restoreTyped('one\r\ntwo\nthree\r\n', 'one\nnew\ntwo\nthree')).toBe('one\r\nnew\r\ntwo\nthree\r\n')
  })

  it('keeps lone carriage returns and separators, also in a line that was typed into', () => {
    const original = 'a\rb\u2028c\nd ↵\n'
    const { text } = typingText(original)
    expect([text, restoreTyped(original, text.replace('c', 'c!').replace('d', 'd?'))]).toEqual(['a␍b\u2028c\nd ↵', 'a\rb\u2028c!\nd? ↵\n'])
  })

  it('leaves a last line without an end as it was', () => {
    expect([restoreTyped('a\nb', 'a\nb2'), restoreTyped('a\nb\n', 'a\nb2'), restoreTyped('', 'x')]).toEqual(['a\nb2', 'a\nb2\n', 'x\n'])
  })
})
