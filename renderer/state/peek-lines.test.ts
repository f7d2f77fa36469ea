import { describe, expect, it } from 'vitest'
import type { FileSide } from '../../shared/file-state.js'
import { peekLines } from './peek-lines.js'

const text = (value: string): FileSide => ({ kind: 'text', text: value, sizeBytes: value.length })

describe('the first changed lines', () => {
  it('are removed and added ones in the order of the file, blank ones left out', () => {
    expect(peekLines(text('a\nb\nc\nd\n'), text('a\nB\n\nc\nD\n')).map(({ sign, text }) => sign + text)).toEqual(['−b', '+B', '−d', '+D'])
  })

  it('are those of a new file, and none of what is no text', () => {
    expect([
      peekLines({ kind: 'absent' }, text('x\ny\nz\n')).length,
      peekLines({ kind: 'binary', sizeBytes: 1, sha256: '' }, text('x')),
    ]).toEqual([2, []])
  })
})
