import { describe, expect, it } from 'vitest'
import { calm } from './run-command-line.js'
import { asJson, visible } from './words.js'

const hostile = '\u001b]0;owned\u0007\u009b2J\u202e\u2066a\b\u2028\u{e0041}'

describe('text for a terminal', () => {
  it('obeys nothing, and keeps lines and tabs', () => {
    expect(visible(`a\tb\n${hostile}`)).toBe('a\tb\n·]0;owned··2J··a···')
  })

  it('is calmed in answers and notes; bytes pass as they are', () => {
    const written: (string | Uint8Array)[] = []
    const terminal = calm({ out: (text) => void written.push(text), note: (text) => void written.push(text) })
    const bytes = Buffer.from(hostile)
    terminal.out('\u001b[2J')
    terminal.note('\u202e')
    terminal.out(bytes)
    expect(written).toEqual(['·[2J', '·', bytes])
  })

  it('is escaped in JSON, whose value stays the same', () => {
    const json = asJson({ hostile, nested: ['line\nbreak', '\r'] })
    expect([JSON.parse(json), visible(json) === json]).toEqual([{ hostile, nested: ['line\nbreak', '\r'] }, true])
  })
})
