import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { RewindFileTexts } from '../../shared/rewind.js'
import { composeResult } from './conflict-text.js'

function texts(result: string, conflicts: readonly { readonly resultLine: number; readonly mine: string; readonly old: string }[]): RewindFileTexts {
  const side = (text: string) => ({ kind: 'text' as const, text, sizeBytes: text.length })
  return {
    path: workspacePath('a.ts'),
    target: side(''),
    base: side(''),
    disk: side(''),
    result: side(result),
    conflicts: conflicts.map(({ resultLine, mine, old }) => ({ targetLine: 1, baseLine: 1, diskLine: 1, resultLine, targetText: old, baseText: '', diskText: mine })),
  }
}

describe('composeResult', () => {
  it('puts the chosen side where the merge left it out', () => {
    const open = texts('one\nthree\nfive\n', [{ resultLine: 2, mine: 'mine\n', old: 'old\nold\n' }, { resultLine: 3, mine: 'mine 2\n', old: '' }])
    expect(composeResult(open, ['old', 'mine'])).toEqual({
      text: 'one\nold\nold\nthree\nmine 2\nfive\n',
      places: [{ line: 2, lines: 2, isOpen: false }, { line: 5, lines: 1, isOpen: false }],
    })
  })

  it('holds an empty line open for what is not chosen', () => {
    const open = texts('one\ntwo\n', [{ resultLine: 2, mine: 'mine\n', old: 'old\n' }])
    expect(composeResult(open, [null])).toEqual({ text: 'one\n\ntwo\n', places: [{ line: 2, lines: 1, isOpen: true }] })
  })

  it('takes a side of no lines as nothing, and keeps a last line without an end last', () => {
    const open = texts('one\n', [{ resultLine: 2, mine: '', old: 'old' }])
    expect([composeResult(open, ['mine'])?.text, composeResult(open, ['old'])?.text]).toEqual(['one\n', 'one\nold'])
  })

  it('separates a chosen text from the line that follows it', () => {
    const open = texts('two\n', [{ resultLine: 1, mine: 'mine', old: 'old' }])
    expect(composeResult(open, ['mine'])?.text).toBe('mine\ntwo\n')
  })

  it('gives the blocks the line ends of the file', () => {
    const open = texts('one\r\nthree\r\n', [{ resultLine: 2, mine: 'mine\n', old: 'old\n' }])
    expect([composeResult(open, ['mine'])?.text, composeResult(open, [null])?.text]).toEqual(['one\r\nmine\r\nthree\r\n', 'one\r\n\r\nthree\r\n'])
  })
})
