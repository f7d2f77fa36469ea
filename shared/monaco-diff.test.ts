import { describe, expect, it } from 'vitest'
import { editorChanges } from './monaco-diff.js'
import { RandomTexts } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)

/** The lines as an editor has them. */
function editorLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/)
}

/** [original start, end, modified start, end] of each change. */
function linesOf(before: string, after: string): number[][] {
  return editorChanges(before, after).map(({ original, modified }) => [original.startLine, original.endLineExclusive, modified.startLine, modified.endLineExclusive])
}

describe('changes for the editor', () => {
  it('count lines from 1 and mark the words that changed', () => {
    expect(editorChanges('one\nconst a = 1\nend\n', 'one\nconst b = 1\nend\nmore\n')).toEqual([
      {
        original: { startLine: 2, endLineExclusive: 3 },
        modified: { startLine: 2, endLineExclusive: 3 },
        inner: [
          {
            original: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 8 },
            modified: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 8 },
          },
        ],
      },
      { original: { startLine: 4, endLineExclusive: 4 }, modified: { startLine: 4, endLineExclusive: 5 }, inner: [] },
    ])
  })

  it('show a missing last line end as the last line missing', () => {
    expect({
      added: editorChanges('a', 'a\n'),
      removed: linesOf('x\na\n', 'x\na'),
      created: [linesOf('', 'a'), linesOf('', 'a\n')],
      emptied: [linesOf('a', ''), linesOf('a\n', '')],
      appended: [linesOf('a\n', 'a\nb\n'), linesOf('a', 'a\nb')],
    }).toEqual({
      added: [
        {
          original: { startLine: 1, endLineExclusive: 2 },
          modified: { startLine: 1, endLineExclusive: 3 },
          inner: [
            {
              original: { startLine: 1, startColumn: 2, endLine: 1, endColumn: 2 },
              modified: { startLine: 1, startColumn: 2, endLine: 2, endColumn: 1 },
            },
          ],
        },
      ],
      removed: [[2, 4, 2, 3]],
      created: [[[1, 2, 1, 2]], [[1, 1, 1, 2]]],
      emptied: [[[1, 2, 1, 2]], [[1, 2, 1, 1]]],
      appended: [[[2, 2, 2, 3]], [[1, 2, 1, 3]]],
    })
  })

  it('know that the editor ends lines at lone carriage returns, and not at line separators', () => {
    expect([linesOf('a\rb\nc\n', 'a\rb\nC\n'), linesOf('a\u2028b\nc\n', 'a\u2028b\nC\n'), linesOf('a\r\nb\n', 'a\nb\n')]).toEqual([
      [[3, 4, 3, 4]],
      [[2, 3, 2, 3]],
      [[1, 2, 1, 2]],
    ])
  })

  it('mark nothing within a line end, which the editor does not show', () => {
    expect(editorChanges('some words\r\n', 'some words\n').map((change) => change.inner)).toEqual([[]])
  })

  it(`leave equal lines between them, and all marks within them (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 2000; round++) {
      const { before, after, label } = random.pair(40)
      const [old, now] = [editorLines(before), editorLines(after)]
      let [i, j] = [1, 1]
      const changes = editorChanges(before, after)
      for (const { original, modified, inner } of [
        ...changes,
        { original: { startLine: old.length + 1, endLineExclusive: 0 }, modified: { startLine: now.length + 1, endLineExclusive: 0 }, inner: [] },
      ]) {
        expect(old.slice(i - 1, original.startLine - 1), `round ${round}, ${label}`).toEqual(now.slice(j - 1, modified.startLine - 1))
        i = original.endLineExclusive
        j = modified.endLineExclusive
        for (const words of inner) {
          for (const [range, lines, side] of [[words.original, old, original], [words.modified, now, modified]] as const) {
            const isInside = range.startLine >= side.startLine && range.endLine <= side.endLineExclusive
            const isShown = range.startColumn <= (lines[range.startLine - 1] ?? '').length + 1 && range.endColumn <= (lines[range.endLine - 1] ?? '').length + 1
            expect([isInside, isShown], `round ${round}, ${label}`).toEqual([true, true])
          }
        }
      }
    }
  })
})
