import { describe, expect, it } from 'vitest'
import { applyChunks, parsePatch, patchInCommand, type PatchChunk, type PatchEnds } from './codex-patch.js'

const patchOf = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

function chunksOf(...lines: readonly string[]): readonly PatchChunk[] {
  const [part] = parsePatch(patchOf('*** Update File: a.txt', ...lines)) ?? []
  return part?.kind === 'update' ? part.chunks : []
}

describe('the text of a patch', () => {
  it('is read file by file', () => {
    const text = patchOf('*** Add File: new.txt', '+a', '+', '*** Delete File: old.txt', '*** Update File: a.txt', '*** Move to: b.txt', '@@ class X', ' a', '-b', '+c', '*** End of File')
    expect(parsePatch(text)).toEqual([
      { kind: 'add', path: 'new.txt', content: 'a\n\n' },
      { kind: 'delete', path: 'old.txt' },
      { kind: 'update', path: 'a.txt', moveTo: 'b.txt', chunks: [{ context: 'class X', oldLines: ['a', 'b'], newLines: ['a', 'c'], isAtEnd: true }] },
    ])
  })

  it.each(['', 'text', '*** Begin Patch\n*** End', patchOf('*** Update File: a.txt'), patchOf('*** Move File: a.txt'), patchOf('*** Update File: a.txt', '@@', '?a')])('is refused where Codex would: %j', (text) => {
    expect(parsePatch(text)).toBeNull()
  })

  it.each<readonly [string, ReturnType<typeof patchInCommand>]>([
    ["apply_patch <<'EOF'\nx\nEOF", { patch: 'x', folder: null }],
    ["cd 'my app' && apply_patch <<'PATCH'\nx\ny\nPATCH\n", { patch: 'x\ny', folder: 'my app' }],
    ["applypatch << \"EOF\"\nx\nEOF", { patch: 'x', folder: null }],
    // A shell would put something else in the place of names, or do more than the patch.
    ['apply_patch <<EOF\nx\nEOF', null],
    ["apply_patch <<'EOF'\nx\nEOF\nrm a.txt", null],
    ["echo a; apply_patch <<'EOF'\nx\nEOF", null],
    ["cd $X && apply_patch <<'EOF'\nx\nEOF", null],
  ])('is found in a command that does nothing else: %j', (command, found) => {
    expect(patchInCommand(command)).toEqual(found)
  })
})

describe('an update by the text of a patch', () => {
  it.each<readonly [string, readonly string[], string, PatchEnds, string | null]>([
    ['the first place from the top', ['@@', '-a', '+b'], 'x\na\na\n', 'bare', 'x\nb\na\n'],
    ['after the line that it names', ['@@ second', '-a', '+b'], 'first\na\nsecond\na\n', 'bare', 'first\na\nsecond\nb\n'],
    ['the end of the file', ['@@', '-a', '+b', '*** End of File'], 'a\nx\na\n', 'bare', 'a\nx\nb\n'],
    ['lines that are only added go to the end', ['@@', '+b'], 'a\n', 'bare', 'a\nb\n'],
    ['exactly before more loosely', ['@@', '-a', '+b'], '  a\na\n', 'bare', '  a\nb\n'],
    ['kept lines become those of the patch', ['@@', ' a', '-b', '+c'], 'a  \nb\n', 'bare', 'a\nc\n'],
    ['look-alike characters', ['@@', "-it's - so", '+x'], 'it\u2019s \u2013 so\n', 'bare', 'x\n'],
    ['line ends of the patch in older versions', ['@@', '-b', '+c'], 'a\r\nb\r\nd\r\n', 'bare', 'a\r\nc\nd\r\n'],
    ['line ends of the file in newer ones', ['@@', '-b', '+c'], 'a\r\nb\r\nd\r\n', 'kept', 'a\r\nc\r\nd\r\n'],
    ['a last line gets an end', ['@@', '-a', '+b'], 'a\nx', 'bare', 'b\nx\n'],
    ['a last empty line is lost in older versions', ['@@', '-a', '+b'], 'a\n\n', 'bare', 'b\n'],
    ['and kept in newer ones', ['@@', '-a', '+b'], 'a\n\n', 'kept', 'b\n\n'],
    ['lines that stand nowhere', ['@@', '-z', '+b'], 'a\n', 'bare', null],
    ['a context that stands nowhere', ['@@ z', '-a', '+b'], 'a\n', 'bare', null],
  ])('does what Codex does: %s', (_, lines, before, ends, after) => {
    expect(applyChunks(chunksOf(...lines), before, ends)).toBe(after)
  })
})
