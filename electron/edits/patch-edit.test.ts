import { describe, expect, it } from 'vitest'
import { applyFilePatch, parsePatchText, type TextResult } from './patch-edit.js'

const nfd = 'cafe\u0301'
const nfc = 'caf\u00e9'
const five = 'x\n}\n'.repeat(5)

/** The first file of a patch, applied. */
function apply(patch: string, before: string | null): TextResult {
  const parsed = parsePatchText(patch)
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  const [file] = parsed.files
  if (file === undefined) throw new Error('no file')
  return applyFilePatch(file, before)
}

function unified(...hunks: readonly string[]): string {
  return `--- a/f\n+++ b/f\n${hunks.join('')}`
}

function begin(...lines: readonly string[]): string {
  return ['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch', ''].join('\n')
}

function textOf(result: TextResult): string | null {
  if (result.kind === 'refused') throw new Error(result.message)
  return result.text
}

function refusal(result: TextResult): { message: string; line: number | null; candidates: readonly number[] } {
  if (result.kind === 'applied') throw new Error(`applied: ${JSON.stringify(result.text)}`)
  return { message: result.message, line: result.line, candidates: result.candidates.map(({ firstLine }) => firstLine) }
}

describe('applying the patch of one file', () => {
  it('keeps blank lines at the end of the file, patch after patch', () => {
    let text: string | null = 'alpha\nbeta\n\n'
    for (const [old, now] of [
      ['alpha', 'ALPHA'],
      ['ALPHA', 'A'],
      ['A', 'ALPHA'],
    ] as const)
      text = textOf(apply(unified(`@@ -1,3 +1,3 @@\n-${old}\n+${now}\n beta\n \n`), text))
    expect(text).toBe('ALPHA\nbeta\n\n')
  })

  it('reads removed lines that look like headers', () => {
    const patch = '--- a/t.lua\n+++ b/t.lua\n@@ -1 +1 @@\n--- old comment\n+++ new\n@@ -6 +6 @@\n-x\n+y\n'
    expect(textOf(apply(patch, '-- old comment\n1\n2\n3\n4\nx\n'))).toBe('++ new\n1\n2\n3\n4\ny\n')
  })

  it('splits lines at line feeds alone', () => {
    for (const odd of ['b\u2028c', 'b\u0085c', 'b\fc', 'b\rc', 'b\vc'])
      expect(textOf(apply(unified(`@@ -1 +1,2 @@\n a\n+${odd}\n`), 'a\n'))).toBe(`a\n${odd}\n`)
  })

  it('fills an empty file, from either form', () => {
    expect([
      textOf(apply(unified('@@ -0,0 +1,2 @@\n+a\n+b\n'), '')),
      textOf(apply(unified('@@ -1,0 +1,2 @@\n+a\n+b\n'), '')),
      textOf(apply(begin('@@', '+a', '+b'), '')),
    ]).toEqual(['a\nb\n', 'a\nb\n', 'a\nb\n'])
  })

  it('goes where the number says, if the lines stand there', () => {
    expect(textOf(apply(unified('@@ -7,2 +7,2 @@\n-x\n+Y\n }\n'), five))).toBe('x\n}\nx\n}\nx\n}\nY\n}\nx\n}\n')
  })

  it('refuses several places, and names all of them', () => {
    const result = refusal(apply(unified('@@ @@\n-x\n+Y\n }\n'), five))
    expect(result).toEqual({
      message: 'Hunk 1 of f is ambiguous: 5 places match, at lines 1, 3, 5, 7, 9. Add kept lines around the change, or the right line number.',
      line: null,
      candidates: [1, 3, 5, 7, 9],
    })
  })

  it('does not trust a number whose counts are wrong, nor one at which other lines stand', () => {
    expect([
      refusal(apply(unified('@@ -7,5 +7,5 @@\n-x\n+Y\n }\n'), five)).candidates,
      refusal(apply(unified('@@ -8,2 +8,2 @@\n-x\n+Y\n }\n'), five)).candidates,
    ]).toEqual([
      [1, 3, 5, 7, 9],
      [1, 3, 5, 7, 9],
    ])
  })

  it('goes to another line where that is the only one, and says so', () => {
    expect(apply(unified('@@ -1,2 +1,2 @@\n-b\n+B\n c\n'), 'top\na\nb\nc\n')).toEqual({
      kind: 'applied',
      text: 'top\na\nB\nc\n',
      note: 'Hunk 1 was found at line 3 instead of 1.',
    })
  })

  it('lets the order of hunks decide where it leaves one way only', () => {
    const both = unified('@@ @@\n-x\n+1\n', '@@ @@\n-x\n+2\n')
    expect([textOf(apply(both, 'x\na\nx\n')), refusal(apply(both, 'x\na\nx\nb\nx\n')).candidates]).toEqual(['1\na\n2\n', [1, 3]])
  })

  it('takes a hunk that changes nothing', () => {
    expect(textOf(apply(unified('@@ -2 +2 @@\n b\n', '@@ -3 +3 @@\n-c\n+C\n'), 'a\nb\nc\nd\n'))).toBe('a\nb\nC\nd\n')
  })

  it('takes hunks in any order where each has one place, and refuses those that overlap', () => {
    expect([
      textOf(apply(unified('@@ -3 +3 @@\n-c\n+C\n', '@@ -1 +1 @@\n-a\n+A\n'), 'a\nb\nc\n')),
      refusal(apply(unified('@@ -1,2 +1,2 @@\n-a\n+A\n b\n', '@@ -2,2 +2,2 @@\n b\n-c\n+C\n'), 'a\nb\nc\n')).message,
    ]).toEqual(['A\nb\nC\n', 'Hunk 2 of f overlaps hunk 1. Make them one hunk.'])
  })

  it('places lines without context by number only while nothing speaks against it', () => {
    const insertion = '@@ -2,0 +3 @@\n+new\n'
    const changed = '@@ -3 +4 @@\n-c\n+C\n'
    expect([
      apply(unified(insertion), 'a\nb\nc\n'),
      textOf(apply(unified(insertion, changed), 'a\nb\nc\n')),
      refusal(apply(unified(insertion, changed), 'top\na\nb\nc\n')).message,
      refusal(apply(unified('@@ -9,0 +10 @@\n+new\n'), 'a\n')).message,
      refusal(apply(unified('@@ -0,0 +1 @@\n+new\n'), 'a\n')).message,
      refusal(apply(`diff --git a/f b/f\nindex 1234567..89abcde 100644\n${unified(insertion)}`, 'a\nb\nc\n')).message,
    ]).toEqual([
      { kind: 'applied', text: 'a\nb\nnew\nc\n', note: 'A hunk without any old line was placed by its line number alone.' },
      'a\nb\nnew\nC\n',
      ...Array.from(
        { length: 4 },
        () => 'Hunk 1 of f only adds lines, and nothing shows where: its line number does not fit this file. Add the kept lines around them.',
      ),
    ])
  })

  it.each([
    ['a patch with LF on a file with CRLF', '@@ -1,2 +1,3 @@\n a\n-b\n+B\n+new\n', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nnew\r\nc\r\n'],
    ['a patch with CRLF on a file with LF', '@@ -1,2 +1,3 @@\n a\r\n-b\r\n+B\r\n+new\r\n', 'a\nb\nc\n', 'a\nB\nnew\nc\n'],
    ['lines of a mixed file take the end of the line they replace', '@@ -1,3 +1,3 @@\n-a\n-b\n+A\n+B\n c\n', 'a\r\nb\nc\r\n', 'A\r\nB\nc\r\n'],
    ['added lines go on as the line before', '@@ -1,2 +1,3 @@\n a\n+new\n b\n', 'a\r\nb\n', 'a\r\nnew\r\nb\n'],
    ['a patch that changes line ends', '@@ -1,2 +1,2 @@\n-a\n-b\n+a\r\n+b\r\n', 'a\nb\n', 'a\r\nb\r\n'],
    ['a patch that adds the last line end', '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n', 'a', 'a\n'],
    ['a patch that takes the last line end away', '@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n', 'a\r\nb\r\n', 'a\r\nb'],
    ['a last line without end stays', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n', 'a\r\nb', 'A\r\nb'],
  ])('keeps the line ends of the file: %s', (_, hunk, before, after) => {
    expect(textOf(apply(unified(hunk), before))).toBe(after)
  })

  it('refuses other line ends than those that the patch is about', () => {
    const result = refusal(apply(unified('@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n'), 'a\nb\n'))
    expect([result.line, result.message]).toEqual([
      1,
      'Hunk 1 of f does not fit. At the most similar place, lines 1–2, line 1 ends with LF and the hunk, which changes line ends, expects CRLF. Read the file again.',
    ])
  })

  it('refuses where the last line end differs, and says so', () => {
    expect([
      refusal(apply(unified('@@ -1,2 +1,2 @@\n a\n-b\n+B\n'), 'a\nb')).message,
      refusal(apply(unified('@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n'), 'a\nb\n')).message,
    ]).toEqual([
      'Hunk 1 of f does not fit. At the most similar place, lines 1–2, line 2 is the last and has no line end; mark it with "\\ No newline at end of file". Read the file again.',
      'Hunk 1 of f does not fit. At the most similar place, lines 1–2, line 2 has a line end, though the hunk says "\\ No newline at end of file". Read the file again.',
    ])
  })

  it('never joins a line without end to the next one', () => {
    expect(refusal(apply(unified('@@ -1 +1 @@\n-a\n+A\n\\ No newline at end of file\n'), 'a\nb\n')).message).toBe('f would have two lines joined by hunk 1: a line of it has no line end though others follow.')
  })

  it('keeps a byte order mark that the patch does not know of, and heeds one that it does', () => {
    expect([
      textOf(apply(unified('@@ -1,2 +1,2 @@\n a\n-b\n+B\n'), '\ufeffa\nb\n')),
      textOf(apply(unified('@@ -1 +1 @@\n-\ufeffa\n+a\n'), '\ufeffa\nb\n')),
    ]).toEqual(['\ufeffa\nB\n', 'a\nb\n'])
  })

  it('matches look-alike characters where nothing else does, and keeps those of the file', () => {
    const line = 'top\u2011level\u00a0item\u202f1'
    expect(apply(unified('@@ -1,2 +1 @@\n top-level item 1\n-gone\n'), `${line}\ngone\nend\n`)).toEqual({
      kind: 'applied',
      text: `${line}\nend\n`,
      note: 'Hunk 1 matched after normalising 3 look-alike characters (hyphens, blanks or quotes); kept lines stay as they are.',
    })
  })

  it('matches canonical equivalents, and never compatible ones', () => {
    expect([
      apply(unified(`@@ -1,2 +1,2 @@\n-${nfc}\n+tea\n ${nfc} 2\n`), `${nfd}\n${nfd} 2\n`),
      refusal(apply(unified('@@ -1 +1 @@\n-fi 2\n+x\n'), '\ufb01 \u00b2\n')).line,
    ]).toEqual([
      { kind: 'applied', text: `tea\n${nfd} 2\n`, note: 'Hunk 1 matched after normalising 2 lines to Unicode NFC; kept lines stay as they are.' },
      1,
    ])
  })

  it('prefers exact lines to look-alike ones', () => {
    expect(textOf(apply(unified('@@ @@\n-a b\n+c\n'), 'a\u00a0b\na b\n'))).toBe('a\u00a0b\nc\n')
  })

  it('never guesses indentation, and says so', () => {
    const result = refusal(apply(unified('@@ -1,2 +1,2 @@\n if x {\n-    y()\n+    z()\n'), 'if x {\n\ty()\n}\n'))
    expect(result).toEqual({
      message:
        'Hunk 1 of f does not fit. It matches if indentation is read as tabs, lines 1–2; the file reads there:\nif x {\n\ty()\n' +
        'Send the patch with the lines as they stand in the file.',
      line: 2,
      candidates: [1],
    })
  })

  it('names the first line that differs, and lines that are nowhere', () => {
    const text = 'one\ntwo\nthree\nfour\n'
    expect(refusal(apply(unified('@@ -1,4 +1,4 @@\n one\n two\n drei\n-four\n+4\n'), text))).toEqual({
      message:
        'Hunk 1 of f does not fit. At the most similar place, lines 1–4, line 3 reads "three" where the hunk expects "drei". Nowhere in the file: "drei". Read the file again.',
      line: 3,
      candidates: [1],
    })
  })

  it('names the lines that a file is too short for', () => {
    const hunk = '@@ -1,6 +1,6 @@\n a\n b\n c\n d\n e\n-f\n+F\n'
    expect(refusal(apply(unified(hunk), 'a\nb\n'))).toMatchObject({
      message:
        'Hunk 1 of f does not fit. At the most similar place, lines 1–2, the hunk expects "c" in line 3, but the file ends before it. ' +
        'Nowhere in the file: "c", "d", "e", "f". Read the file again.',
      line: 3,
    })
  })
})

describe('creating, deleting and moving', () => {
  const create = '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+replacement\n'
  const remove = '--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n'

  it('creates only what is not there', () => {
    expect([
      apply(create, null),
      refusal(apply(create, 'original')).message,
      refusal(apply(create, '')).message,
      apply('*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n', null),
      refusal(apply('*** Begin Patch\n*** Add File: f\n+x\n*** End Patch\n', 'original')).message,
    ]).toEqual([
      { kind: 'applied', text: 'replacement\n', note: null },
      'f exists already, and the patch creates it. Change it with an update of the existing lines, or choose another path.',
      'f exists already, and the patch creates it. Change it with an update of the existing lines, or choose another path.',
      { kind: 'applied', text: 'x\n', note: null },
      'f exists already, and the patch creates it. Change it with an update of the existing lines, or choose another path.',
    ])
  })

  it('creates a file for lines added to nothing, and refuses any other change to a file that is not there', () => {
    expect([textOf(apply(unified('@@ -0,0 +1 @@\n+a\n'), null)), refusal(apply(unified('@@ -1 +1 @@\n-a\n+b\n'), null)).message]).toEqual([
      'a\n',
      'f does not exist, and the patch changes it. Check the path.',
    ])
  })

  it('deletes only what the patch removes', () => {
    expect([
      apply(remove, 'a\nb\n'),
      apply(remove, 'a\r\nb\r\n'),
      refusal(apply(remove, 'a\nb\nc\n')).message,
      refusal(apply(remove, null)).message,
      apply('*** Begin Patch\n*** Delete File: f\n*** End Patch\n', 'anything'),
      refusal(apply('diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n', 'a')).message,
    ]).toEqual([
      { kind: 'applied', text: null, note: null },
      { kind: 'applied', text: null, note: null },
      'f holds more lines than the patch removes, so it is not deleted. Read the file again.',
      'f does not exist, and the patch deletes it. Check the path.',
      { kind: 'applied', text: null, note: null },
      'f is not empty, and the patch deletes an empty file. Name the removed lines in the patch.',
    ])
  })

  it('leaves the text alone for a new name or mode', () => {
    expect(textOf(apply('diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n', 'a\r\nb'))).toBe('a\r\nb')
  })

  it('refuses submodules and bytes', () => {
    expect([
      refusal(apply(`diff --git a/f b/f\nindex 1234567..89abcde 160000\n${unified('@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n')}`, '')).message,
      refusal(apply('diff --git a/f b/f\nindex 1234567..89abcde 100644\nBinary files a/f and b/f differ\n', 'a')).message,
    ]).toEqual(['f is a submodule, which is changed with git and not with a patch.', 'f is binary in this patch and cannot be patched as text.'])
  })
})
