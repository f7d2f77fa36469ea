import { describe, expect, it } from 'vitest'
import { applyPatch, parsePatch } from './apply-patch.js'
import { hunksOf } from './changes.js'
import { formatHunk } from './patch.js'
import { RandomTexts } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)

function patchOf(before: string, after: string, contextLines = 3): string {
  return `--- a/file\n+++ b/file\n${hunksOf(before, after, contextLines).map(formatHunk).join('')}`
}

describe('reading a patch', () => {
  it('trusts the counts of a hunk, not the looks of its lines', () => {
    const patch = '--- a/t.lua\n+++ b/t.lua\n@@ -1 +1 @@\n--- old comment\n+++ new\n@@ -6 +6 @@\n-x\n+y\n'
    expect(parsePatch(patch)).toEqual({
      kind: 'patch',
      files: [
        {
          oldPath: 't.lua',
          newPath: 't.lua',
          hunks: [
            {
              beforeStart: 0,
              beforeEnd: 1,
              afterStart: 0,
              afterEnd: 1,
              lines: [
                { kind: 'removed', text: '-- old comment\n' },
                { kind: 'added', text: '++ new\n' },
              ],
            },
            {
              beforeStart: 5,
              beforeEnd: 6,
              afterStart: 5,
              afterEnd: 6,
              lines: [
                { kind: 'removed', text: 'x\n' },
                { kind: 'added', text: 'y\n' },
              ],
            },
          ],
        },
      ],
    })
  })

  it('reads the headers of git', () => {
    const patch = [
      'diff --git "a/\\303\\274" "b/\\303\\274"\nnew file mode 100644\nindex 0000000..7898192\n',
      '--- /dev/null\n+++ "b/\\303\\274"\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n',
      'diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n',
    ].join('')
    expect(parsePatch(patch)).toEqual({
      kind: 'patch',
      files: [
        {
          oldPath: null,
          newPath: 'ü',
          hunks: [{ beforeStart: 0, beforeEnd: 0, afterStart: 0, afterEnd: 1, lines: [{ kind: 'added', text: 'a' }] }],
        },
        { oldPath: 'old', newPath: 'new', hunks: [] },
      ],
    })
  })

  it('says what is wrong', () => {
    expect([parsePatch('--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n').kind, parsePatch('no patch\n')]).toEqual([
      'malformed',
      { kind: 'patch', files: [] },
    ])
  })
})

describe('applying a patch', () => {
  it('keeps blank lines at the end of the file, patch after patch', () => {
    let text = 'alpha\nbeta\n\n'
    for (const [from, to] of [
      ['alpha', 'ALPHA'],
      ['beta', 'BETA'],
      ['ALPHA', 'alpha'],
    ] as const) {
      const result = applyPatch(text, patchOf(text, text.replace(from, to)))
      text = result.kind === 'applied' ? result.text : ''
    }
    expect(text).toBe('alpha\nBETA\n\n')
  })

  it('finds a hunk that has moved, at the nearest place', () => {
    const patch = '--- a/f\n+++ b/f\n@@ -5,3 +5,3 @@\n a\n-b\n+B\n c\n'
    expect([applyPatch('x\ny\na\nb\nc\n', patch), applyPatch('a\nb\nc\n1\n2\na\nb\nc\n', patch)]).toEqual([
      { kind: 'applied', text: 'x\ny\na\nB\nc\n' },
      { kind: 'applied', text: 'a\nb\nc\n1\n2\na\nB\nc\n' },
    ])
  })

  it('expects later hunks as far off as the one before, and never before it', () => {
    const patch = '--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-first\n+FIRST\n x\n@@ -5 +5 @@\n-again\n+AGAIN\n'
    expect([
      applyPatch('1\n2\n3\n4\nfirst\nx\nagain\n8\nagain\n10\nagain\n', patch),
      applyPatch('again\n1\n2\nfirst\nx\n', patch).kind,
    ]).toEqual([{ kind: 'applied', text: '1\n2\n3\n4\nFIRST\nx\nagain\n8\nAGAIN\n10\nagain\n' }, 'refused'])
  })

  it('refuses to glue two lines together', () => {
    const unended = '--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+B\n\\ No newline at end of file\n'
    const appended = '--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+b\n'
    expect([
      applyPatch('a\nb\nc\n', unended).kind,
      applyPatch('a', appended).kind,
      applyPatch('a\nb\n', unended),
      applyPatch('a\n', appended),
    ]).toEqual(['refused', 'refused', { kind: 'applied', text: 'a\nB' }, { kind: 'applied', text: 'a\nb\n' }])
  })

  it('refuses a hunk whose lines only resemble those of the file', () => {
    const patch = '--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n'
    const unended = '--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n'
    const refusal = {
      kind: 'refused',
      reason: 'The hunk for line 1 does not fit: its lines are not in the file. Read the file again.',
    }
    expect([
      applyPatch('a\r\nb\r\n', patch),
      applyPatch('a\nb ', patch),
      applyPatch('a\nb', patch),
      applyPatch('a\nb\n', unended),
    ]).toEqual([refusal, refusal, refusal, refusal])
  })

  it('refuses what is no patch of one file', () => {
    const one = patchOf('a\n', 'b\n')
    expect([
      applyPatch('a\n', 'hello\n'),
      applyPatch('a\n', one + one),
      applyPatch('a\n', '@@ -1,9 +1 @@\n-a\n').kind,
    ]).toEqual([
      { kind: 'refused', reason: 'The patch holds no hunk.' },
      { kind: 'refused', reason: 'The patch is for more than one file.' },
      'refused',
    ])
  })

  it(`gives back the exact text (seed ${seed})`, () => {
    const random = new RandomTexts(seed)
    for (let round = 0; round < 4000; round++) {
      const { before, after, label } = random.pair(60)
      if (before === after) continue
      expect(applyPatch(before, patchOf(before, after, random.below(4))), `round ${round}, ${label}`).toEqual({
        kind: 'applied',
        text: after,
      })
    }
  })
})
