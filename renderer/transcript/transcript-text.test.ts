import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { cartTranscript } from '../testing/scripted-session.js'
import { argumentsOf, callSubject, goalEntry, matchingEntries } from './transcript-text.js'

describe('the text of a transcript', () => {
  it('is searched in prompts, replies, thoughts and calls', () => {
    expect([
      matchingEntries(cartTranscript, 'integer cents'),
      matchingEntries(cartTranscript, 'RETURNS NOTHING'),
      matchingEntries(cartTranscript, 'rounds half'),
      matchingEntries(cartTranscript, '  '),
    ]).toEqual([[1], [], [6], []])
  })

  it('leads to the last call that touched a file, and to one call', () => {
    expect([
      goalEntry(cartTranscript, { kind: 'file', path: workspacePath('src/cart/total.ts') }),
      goalEntry(cartTranscript, { kind: 'call', callId: 'c3' }),
      goalEntry(cartTranscript, { kind: 'call', callId: 'none' }),
      goalEntry(cartTranscript, null),
    ]).toEqual([4, 6, -1, -1])
  })

  it('names a call by its path, its command, or its first short argument', () => {
    const calls = cartTranscript.flatMap((entry) => (entry.kind === 'call' ? [callSubject(entry.call)] : []))
    expect(calls).toEqual(['src/cart/total.ts', 'src/cart/total.ts', 'scripts/seed.ts', 'npm test'])
  })

  it('shows arguments one by one, texts as they are, and what is no object as a whole', () => {
    expect([argumentsOf('{"a":"x\\ny","b":{"c":1}}'), argumentsOf('not json'), argumentsOf('[1]'), argumentsOf('')]).toEqual([
      [
        { name: 'a', value: 'x\ny' },
        { name: 'b', value: '{\n  "c": 1\n}' },
      ],
      [{ name: '', value: 'not json' }],
      [{ name: '', value: '[1]' }],
      [],
    ])
  })
})
