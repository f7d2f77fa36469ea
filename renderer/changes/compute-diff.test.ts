import { describe, expect, it } from 'vitest'
import { computeDiff } from './compute-diff.js'

describe('computeDiff', () => {
  it('gives the words that were replaced as lines and columns of both texts', () => {
    const before = 'import a\n\nconst rate = 1\nconst tax = net * rate\nend\n'
    const after = 'import a\n\nconst rate = 2\nconst tax = net * rateOf(land)\nend\n'
    const { changes, words } = computeDiff(before, after)
    expect(changes).toEqual([{ beforeStart: 2, beforeEnd: 4, afterStart: 2, afterEnd: 4 }])
    const cut = (text: string, range: (typeof words)[number]['before']): string =>
      text.split('\n').slice(range.startLine - 1, range.endLine).join('\n').slice(range.startColumn - 1, range.startLine === range.endLine ? range.endColumn - 1 : undefined)
    expect(words.map(({ change, before: from, after: to }) => [change, cut(before, from), cut(after, to)])).toEqual([
      [0, '1', '2'],
      [0, 'rate', 'rateOf(land)'],
    ])
  })

  it('finds a change of blanks alone', () => {
    expect(computeDiff('if x:\n    a()\n    b()\n', 'if x:\n    a()\nb()\n').changes).toEqual([{ beforeStart: 2, beforeEnd: 3, afterStart: 2, afterEnd: 3 }])
  })

  it('leaves nothing out of a rewritten file of 100,000 lines', () => {
    const lines = (word: string): string => Array.from({ length: 100_000 }, (_, at) => `${word} line ${at}\n`).join('')
    const started = performance.now()
    const { changes } = computeDiff(lines('old'), lines('new'))
    expect([changes.length, changes.at(-1)?.afterEnd, performance.now() - started < 5000]).toEqual([1, 100_000, true])
  })

  it('marks words in ten thousand small changes without taking long', () => {
    const lines = (every: string): string => Array.from({ length: 100_000 }, (_, at) => `const value${at} = compute(${at % 10 === 0 ? every : 'same'}, ${at})\n`).join('')
    const started = performance.now()
    const { changes, words } = computeDiff(lines('one'), lines('two'))
    expect([changes.length, words.length, performance.now() - started < 5000]).toEqual([10_000, 10_000, true])
  })
})
