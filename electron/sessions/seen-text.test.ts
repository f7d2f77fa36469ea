import { describe, expect, it } from 'vitest'
import { agreesWithSeen } from './seen-text.js'

describe('a text that a read showed', () => {
  it.each([
    ['one\ntwo\n', 'one\ntwo\n', true],
    ['\ufeffone \t\r\ntwo\r\n', 'one\ntwo\n', true],
    ['one\n', 'one\n\n\nA hook says this.', true],
    ['one\n', 'one\nmore\n', false],
    ['  one\n', 'one\n', false],
  ])('%j as %j: %s', (text, seen, expected) => {
    expect(agreesWithSeen(text, seen)).toBe(expected)
  })
})
