import { describe, expect, it } from 'vitest'
import type { ChangeBadge, ChangeKind, FileSide } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import type { OpenFile } from '../state/changes-slice.js'
import { diffBodyOf, mostLines } from './diff-body.js'

const text = (value: string): FileSide => ({ kind: 'text', text: value, sizeBytes: value.length })
const absent: FileSide = { kind: 'absent' }

function file(before: FileSide, after: FileSide, kind: ChangeKind = 'modified', badges: readonly ChangeBadge[] = []): OpenFile {
  return {
    change: { path: workspacePath('a.ts'), kind, stat: null, cause: 'edit', sources: { before: 'backup', after: 'edit' }, badges, contentKey: null, review: 'none' },
    before,
    after,
    edits: [],
  }
}

describe('diffBodyOf', () => {
  it('shows texts, and a side that is not there as nothing', () => {
    expect([diffBodyOf(file(text('a'), text('b')), false), diffBodyOf(file(absent, text('b')), false), diffBodyOf(file(text('a'), absent), false)]).toEqual([
      { kind: 'diff', before: 'a', after: 'b' },
      { kind: 'diff', before: null, after: 'b' },
      { kind: 'diff', before: 'a', after: null },
    ])
  })

  it('says in words what changed where the text is the same', () => {
    const body = diffBodyOf(file(text('a'), text('a'), 'mode', [{ kind: 'mode', before: 0o644, after: 0o755 }]), false)
    expect(body).toEqual({ kind: 'same', text: 'a', facts: ['mode +x: The permission bits changed from 644 to 755.'] })
  })

  it('says that an empty file came or went', () => {
    expect([diffBodyOf(file(absent, text('')), false), diffBodyOf(file(text(''), absent), false)]).toEqual([
      { kind: 'same', text: '', facts: ['An empty file was created.'] },
      { kind: 'same', text: '', facts: ['An empty file was deleted.'] },
    ])
  })

  it('holds a long diff back until it is asked for', () => {
    const long = file(text('a\n'), text('a\n'.repeat(mostLines + 1)))
    expect([diffBodyOf(long, false).kind, diffBodyOf(long, true).kind, diffBodyOf(file(text('a\n'), text('b\n'.repeat(mostLines))), false).kind]).toEqual(['long', 'diff', 'diff'])
  })

  it('never takes an unknown, binary or oversized side for empty', () => {
    const unknown: FileSide = { kind: 'unknown', reason: 'no-record' }
    const binary: FileSide = { kind: 'binary', sizeBytes: 4096, sha256: 'f'.repeat(64) }
    const oversized: FileSide = { kind: 'oversized', sizeBytes: 61_000_000 }
    const bodies = [file(unknown, text('b')), file(text('a'), unknown), file(unknown, absent), file(binary, text('b')), file(oversized, absent), file(text('a'), { kind: 'link', target: 'x' })]
    expect(bodies.map((open) => diffBodyOf(open, false)).map((body) => [body.kind, 'canShow' in body && body.canShow])).toEqual([
      ['half', false],
      ['half', false],
      ['facts', false],
      ['facts', false],
      ['facts', true],
      ['facts', false],
    ])
  })

  it('tells of a refused edit why it was refused', () => {
    expect(diffBodyOf(file(absent, absent, 'refused', [{ kind: 'refused', reason: 'old text occurs 3 times' }]), false)).toEqual({ kind: 'refused', reason: 'old text occurs 3 times' })
  })
})
