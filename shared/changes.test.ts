import { describe, expect, it } from 'vitest'
import { applyHunks, countChanges, hunksOf, invertHunk, isOnlyBlanks } from './changes.js'
import type { Hunk } from './changes.js'
import { RandomTexts } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index}\n`)
const replaced = (lines: readonly string[], ...places: number[]): string =>
  lines.map((line, index) => (places.includes(index) ? `new ${index}\n` : line)).join('')
const rangesOf = (hunks: readonly Hunk[]): number[][] =>
  hunks.map((hunk) => [hunk.beforeStart, hunk.beforeEnd, hunk.afterStart, hunk.afterEnd])

describe('hunks', () => {
  it('hold the changed lines with three unchanged ones around them', () => {
    expect(hunksOf('a\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf')).toEqual([
      {
        beforeStart: 1,
        beforeEnd: 5,
        afterStart: 1,
        afterEnd: 6,
        lines: [
          { kind: 'kept', text: 'b\n' },
          { kind: 'kept', text: 'c\n' },
          { kind: 'kept', text: 'd\n' },
          { kind: 'removed', text: 'e\n' },
          { kind: 'added', text: 'E\n' },
          { kind: 'added', text: 'f' },
        ],
      },
    ])
  })

  it('are shared by changes with up to six lines between them', () => {
    const lines = numbers(30)
    expect([
      rangesOf(hunksOf(lines.join(''), replaced(lines, 10, 17))),
      rangesOf(hunksOf(lines.join(''), replaced(lines, 10, 18))),
    ]).toEqual([
      [[7, 21, 7, 21]],
      [
        [7, 14, 7, 14],
        [15, 22, 15, 22],
      ],
    ])
  })

  it('are empty for equal texts', () => {
    expect([hunksOf('a\n', 'a\n'), countChanges('a\n', 'a\n'), applyHunks('a\n', [])]).toEqual([
      [],
      { insertions: 0, deletions: 0 },
      { kind: 'applied', text: 'a\n' },
    ])
  })

  it('can be applied one without the other, and taken back', () => {
    const lines = numbers(60)
    const before = lines.join('')
    const after = replaced(lines, 5, 30, 55)
    const [first, second, third] = hunksOf(before, after)
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('Three hunks were expected.')
    expect([applyHunks(before, [third, first]), applyHunks(after, [invertHunk(second)])]).toEqual([
      { kind: 'applied', text: replaced(lines, 5, 55) },
      { kind: 'applied', text: replaced(lines, 5, 55) },
    ])
  })

  it('are refused where their lines do not stand', () => {
    const [hunk] = hunksOf('a\nb\n', 'a\nB\n')
    if (hunk === undefined) throw new Error('A hunk was expected.')
    const misfit = { kind: 'misfit', hunk }
    expect(['a\nx\n', 'b\na\n', 'a\n', 'a\nb', ''].map((text) => applyHunks(text, [hunk]))).toEqual([
      misfit,
      misfit,
      misfit,
      misfit,
      misfit,
    ])
    expect(applyHunks('a\nb\n', [hunk, hunk])).toEqual(misfit)
  })

  it('are refused where they would glue two lines together', () => {
    const [unended] = hunksOf('a\nb\n', 'a\nb')
    const [added] = hunksOf('a\n', 'a\nb\n', 0)
    if (unended === undefined || added === undefined) throw new Error('Two hunks were expected.')
    expect([applyHunks('a\nb\nc\n', [unended]), applyHunks('a', [added])]).toEqual([
      { kind: 'misfit', hunk: unended },
      { kind: 'misfit', hunk: added },
    ])
  })

  it('count as many lines as they show', () => {
    expect([countChanges('a\nb\nc', 'a\nB\nc\nd'), countChanges('', 'a\nb'), countChanges('a\nb\n', '')]).toEqual([
      { insertions: 3, deletions: 2 },
      { insertions: 2, deletions: 0 },
      { insertions: 0, deletions: 2 },
    ])
  })

  it(`lead from one text to the other and back, all or some (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 3000; round++) {
      const { before, after, label } = random.pair(60)
      const hunks = hunksOf(before, after, random.below(5))
      const chosen = hunks.filter(() => random.below(2) === 0)
      const others = hunks.filter((hunk) => !chosen.includes(hunk))
      const some = applyHunks(before, chosen)
      const rest = applyHunks(after, others.map(invertHunk))
      expect(
        [
          applyHunks(before, hunks),
          applyHunks(after, hunks.map(invertHunk)),
          hunks.map(invertHunk).map(invertHunk),
          some,
        ],
        `round ${round}, ${label}`,
      ).toEqual([{ kind: 'applied', text: after }, { kind: 'applied', text: before }, hunks, rest])
    }
  })
})

describe('only blanks', () => {
  it('is true where blanks, line ends or empty lines are all that differs', () => {
    const cases: [string, string][] = [
      ['if x:\n    a()\n', 'if x:\na()\n'],
      ['a\r\nb\r\n', 'a\nb\n'],
      ['a\n', 'a'],
      ['a\n', '\n\na\n\n'],
      ['a b', 'ab'],
      ['', ' \t\n\f\v\u00a0'],
    ]
    expect(cases.map(([before, after]) => isOnlyBlanks(before, after))).toEqual(cases.map(() => true))
  })

  it('is false for equal texts and where anything else differs', () => {
    const cases: [string, string][] = [
      ['', ''],
      ['a\n', 'a\n'],
      ['a', 'b'],
      ['a ', 'a b'],
      ['a', ''],
      ['ab', 'ba'],
    ]
    expect(cases.map(([before, after]) => isOnlyBlanks(before, after))).toEqual(cases.map(() => false))
  })
})
