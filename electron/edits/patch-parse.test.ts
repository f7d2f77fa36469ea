import { describe, expect, it } from 'vitest'
import type { PatchFile } from './patch-file.js'
import { parsePatchText } from './patch-parse.js'

function filesOf(patch: string): readonly PatchFile[] {
  const parsed = parsePatchText(patch)
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  return parsed.files
}

/** The files in short: what happens to which path, and how many lines each hunk removes and adds. */
function summary(patch: string): readonly string[] {
  return filesOf(patch).map(({ op, path, from, oldMode, newMode, content }) => {
    const modes = oldMode === newMode ? '' : ` ${oldMode?.toString(8) ?? '-'}>${newMode?.toString(8) ?? '-'}`
    const hunks =
      content.kind === 'hunks'
        ? content.hunks.map(({ start, lines }) => {
            const count = (kind: string): number => lines.filter((line) => line.kind === kind).length
            return ` @${start === null ? '?' : start + 1} -${count('removed')} +${count('added')}`
          })
        : [` ${content.kind}`]
    return `${op} ${from === null ? '' : `${from} > `}${path}${modes}${hunks.join('')}`
  })
}

const hunk = '@@ -1 +1 @@\n-a\n+b\n'

describe('reading a unified diff', () => {
  it('trusts the counts of a hunk, not the looks of its lines', () => {
    const patch = '--- a/t.lua\n+++ b/t.lua\n@@ -1 +1 @@\n--- old comment\n+++ new\n@@ -6 +6 @@\n-x\n+y\n'
    expect(filesOf(patch)).toEqual([
      {
        op: 'modify',
        path: 't.lua',
        from: null,
        oldMode: null,
        newMode: null,
        isBinary: false,
        content: {
          kind: 'hunks',
          form: 'unified',
          oldHash: null,
          hunks: [
            {
              patchLine: 3,
              start: 0,
              anchors: [],
              lines: [
                { kind: 'removed', text: '-- old comment\n' },
                { kind: 'added', text: '++ new\n' },
              ],
              oldCount: 1,
              isAtEnd: false,
            },
            {
              patchLine: 6,
              start: 5,
              anchors: [],
              lines: [
                { kind: 'removed', text: 'x\n' },
                { kind: 'added', text: 'y\n' },
              ],
              oldCount: 1,
              isAtEnd: false,
            },
          ],
        },
      },
    ])
  })

  it.each([
    ['new file', 'diff --git a/n b/n\nnew file mode 100755\nindex 0000000..e69de29\n', 'create n ->100755 same'],
    ['deleted file', 'diff --git a/x y b/x y\ndeleted file mode 100644\nindex e69de29..0000000\n', 'delete x y 100644>- same'],
    ['mode', 'diff --git a/s.sh b/s.sh\nold mode 100644\nnew mode 100755\n', 'modify s.sh 100644>100755 same'],
    ['link', `diff --git a/l b/l\nindex 1234567..89abcde 120000\n--- a/l\n+++ b/l\n${hunk}`, 'modify l @1 -1 +1'],
    ['rename', 'diff --git a/o n b/p q\nsimilarity index 100%\nrename from o n\nrename to p q\n', 'rename o n > p q same'],
    ['copy with a change', `diff --git a/o b/n\nsimilarity index 90%\ncopy from o\ncopy to n\n--- a/o\n+++ b/n\n${hunk}`, 'copy o > n @1 -1 +1'],
    ['quoted names', `diff --git "a/\\303\\274\\t" "b/\\303\\274\\t"\n--- "a/\\303\\274\\t"\n+++ "b/\\303\\274\\t"\n${hunk}`, 'modify ü\t @1 -1 +1'],
    ['one quoted name', 'diff --git a/o "b/n\\""\nsimilarity index 100%\nrename from o\nrename to "n\\""\n', 'rename o > n" same'],
    ['no prefix', `diff --git src/a.ts src/a.ts\n--- src/a.ts\n+++ src/a.ts\n${hunk}`, 'modify src/a.ts @1 -1 +1'],
    ['no prefix in a folder called a', `diff --git a/x a/x\n--- a/x\n+++ a/x\n${hunk}`, 'modify a/x @1 -1 +1'],
    ["git's letters for index and work tree", `diff --git i/a.ts w/a.ts\n--- i/a.ts\n+++ w/a.ts\n${hunk}`, 'modify a.ts @1 -1 +1'],
    ['times behind names', `--- a/x y\t2024-01-01 00:00:00.000 +0000\n+++ b/x y\t2024-01-02 00:00:00.000 +0000\n${hunk}`, 'modify x y @1 -1 +1'],
    ['times behind a blank', `--- x 2024-01-01 00:00:00 +0000\n+++ x 2024-01-02 00:00:00 +0000\n${hunk}`, 'modify x @1 -1 +1'],
    ['plain names', `--- x.c.orig\n+++ x.c\n${hunk}`, 'modify x.c @1 -1 +1'],
    ['two trees', `--- old/src/x.c\n+++ new/src/x.c\n${hunk}`, 'modify src/x.c @1 -1 +1'],
    ['/dev/null before', '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n', 'create x @1 -0 +1'],
    ['/dev/null after', '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n', 'delete x @1 -1 +0'],
    ['the epoch for a file that is not there', '--- x\t1970-01-01 00:00:00.000000000 +0000\n+++ x\t2024-01-02 00:00:00 +0000\n@@ -0,0 +1 @@\n+b\n', 'create x @1 -0 +1'],
    ['paths that lead out', `--- ../../etc/x\n+++ ../../etc/x\n${hunk}`, 'modify ../../etc/x @1 -1 +1'],
    ['absolute paths', `--- /etc/x\n+++ /etc/x\n${hunk}`, 'modify /etc/x @1 -1 +1'],
    ['bytes that are left out', 'diff --git a/p.png b/p.png\nindex 1234567..89abcde 100644\nBinary files a/p.png and b/p.png differ\n', 'modify p.png left-out'],
    ['a mail around it', `From 123 Mon\nSubject: x\n\n- item\n---\n x | 2 +-\n\n--- a/x\n+++ b/x\n${hunk}-- \n2.39.5\n`, 'modify x @1 -1 +1'],
    ['CRLF throughout', `--- a/x\n+++ b/x\n${hunk}`.replaceAll('\n', '\r\n'), 'modify x @1 -1 +1'],
    ['no line end at the end', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', 'modify x @1 -1 +1'],
    ['counts that are too small', '--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n k\n-a\n+b\n', 'modify x @? -1 +1'],
    ['counts that are too large', '--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n k\n-a\n+b\n', 'modify x @? -1 +1'],
    ['no numbers', '--- a/x\n+++ b/x\n@@ ... @@\n k\n-a\n+b\n', 'modify x @? -1 +1'],
    ['an empty line that lost its blank', '--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n k\n\n-a\n+b\n', 'modify x @1 -1 +1'],
    ['a fence around it', `\`\`\`diff\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n\`\`\`\n`, 'modify x @? -1 +1'],
  ])('reads %s', (_, patch, expected) => {
    expect(summary(patch)).toEqual([expected])
  })

  it('reads several files, also where counts are wrong and git has written no header', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n'
    expect(summary(patch)).toEqual(['modify x @? -1 +1', 'modify y @1 -1 +1'])
  })

  it('keeps the carriage returns of lines where headers have none', () => {
    const [file] = filesOf('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\n\\ No newline at end of file\n')
    expect(file?.content.kind === 'hunks' && file.content.hunks[0]?.lines.map((line) => line.text)).toEqual(['a\r\n', 'b'])
  })

  it.each([
    ['no file', 'just words\n', 1],
    ['a hunk without a file', hunk, 1],
    ['a line without a sign', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\nlost\n+b\n', 5],
    ['a file without hunks', `--- a/x\n+++ b/x\n`, 1],
    ['two names and no rename', `--- a/x\n+++ b/y\n${hunk}`, 1],
    ['headers that contradict', `diff --git a/x b/x\n--- a/y\n+++ b/y\n${hunk}`, 1],
    ['a mode that git does not write', 'diff --git a/x b/x\nold mode 100644\nnew mode 104755\n', 3],
    ['a context diff', '*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n', 1],
    ['a combined diff', 'diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n++a\n', 1],
    ['a damaged binary line', 'diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZ\n\n', 5],
    ['a broken name', `--- "a/x\n+++ b/x\n${hunk}`, 1],
  ])('says what is wrong, and where: %s', (_, patch, line) => {
    expect(parsePatchText(patch)).toMatchObject({ kind: 'malformed', line })
  })
})

describe('reading a patch that begins with *** Begin Patch', () => {
  it('reads all kinds of files and hunks', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new/a.txt',
      '+one',
      '+',
      '*** Update File: b.py',
      '*** Move to: c.py',
      '@@ class B',
      '@@   def f(self):',
      ' kept',
      '-old',
      '+new',
      '@@',
      '-last',
      '*** End of File',
      '',
      '*** Update File: d.txt',
      '-x',
      '+y',
      '*** Delete File: e.txt',
      '*** End Patch',
      'words behind it',
    ].join('\n')
    expect(summary(patch)).toEqual(['create new/a.txt @1 -0 +2', 'rename b.py > c.py @? -1 +1 @? -1 +0', 'modify d.txt @? -1 +1', 'delete e.txt any'])
    const moved = filesOf(patch)[1]?.content
    expect(moved?.kind === 'hunks' && moved.hunks.map(({ anchors, isAtEnd }) => ({ anchors, isAtEnd }))).toEqual([
      { anchors: ['class B', 'def f(self):'], isAtEnd: false },
      { anchors: [], isAtEnd: true },
    ])
  })

  it('reads one in a here document, with CRLF, and with the numbers of a unified diff', () => {
    const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@ -3,2 +3,2 @@\n-x\n+y\n*** End Patch\nEOF\n"
    expect([summary(patch), summary(patch.replaceAll('\n', '\r\n'))]).toEqual([['modify a @3 -1 +1'], ['modify a @3 -1 +1']])
  })

  it.each([
    ['no file', '*** Begin Patch\n*** End Patch\n', 2],
    ['an update without hunks', '*** Begin Patch\n*** Update File: a\n*** End Patch\n', 2],
    ['an added line without +', '*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch\n', 4],
    ['a line without a sign', '*** Begin Patch\n*** Update File: a\n@@\n-x\ny\n*** End Patch\n', 5],
    ['a hunk without lines', '*** Begin Patch\n*** Update File: a\n@@ def f\n*** End Patch\n', 3],
    ['words between files', '*** Begin Patch\n*** Delete File: a\nand then\n*** End Patch\n', 3],
  ])('says what is wrong, and where: %s', (_, patch, line) => {
    expect(parsePatchText(patch)).toMatchObject({ kind: 'malformed', line })
  })
})
