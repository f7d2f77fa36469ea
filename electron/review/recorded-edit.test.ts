import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import type { RecordedEdit } from '../../shared/session.js'
import { applyRecordedEdit, type Present } from './recorded-edit.js'

const replace = (oldText: string, newText: string, all = false): RecordedEdit['change'] => ({ kind: 'replace', oldText, newText, all })
const write = (content: string): RecordedEdit['change'] => ({ kind: 'write', content })
const sed: RecordedEdit['change'] = { kind: 'sed', command: 'sed -i s/a/b/ f' }

/** The outcome as text; `null` where it cannot be told. */
function apply(before: string | Buffer | null, change: RecordedEdit['change'], rest: Partial<RecordedEdit> = {}): string | null {
  const present: Present = before === null ? { kind: 'absent' } : { kind: 'file', bytes: Buffer.from(before) }
  const after = applyRecordedEdit(present, { path: workspacePath('a.txt'), change, before: null, after: null, isNewFile: before === null, diff: null, ...rest })
  return after === null ? null : after.kind === 'absent' ? 'absent' : Buffer.from(after.bytes).toString()
}
const whole = (text: string): RecordedEdit['after'] => ({ text, isWhole: true })

describe('applyRecordedEdit', () => {
  it.each([
    ['replaces the one occurrence', apply('a b\n', replace('a', 'x')), 'x b\n'],
    ['takes dollar signs literally', apply('a\n', replace('a', '$& $1')), '$& $1\n'],
    ['cannot tell which of several is meant', apply('a a\n', replace('a', 'x')), null],
    ['replaces all where asked to', apply('a a\n', replace('a', 'x', true)), 'x x\n'],
    ['cannot tell where the old text is not there', apply('b\n', replace('a', 'x')), null],
    ['matches over CRLF and keeps it', apply('a\r\nb\r\n', replace('a\nb', 'x\ny')), 'x\r\ny\r\n'],
    ['makes a mixed file all CRLF', apply('a\r\nb\n', replace('a', 'x')), 'x\r\nb\r\n'],
    ['keeps a BOM', apply('\ufeffa\n', replace('a', 'x')), '\ufeffx\n'],
    ['cannot tell what becomes of a CR in an LF file', apply('a\n', replace('a', 'x\r\ny')), null],
    ['writes LF text into a CRLF file as CRLF', apply('a\r\n', write('x\ny\n')), 'x\r\ny\r\n'],
    ['cannot tell what becomes of CRLF text written into an LF file', apply('a\n', write('x\r\n')), null],
    ['makes a new file as given', apply(null, write('x\r\n')), 'x\r\n'],
    ['makes a new file by an edit of nothing', apply(null, replace('', 'x')), 'x'],
    ['cannot edit what is not there', apply(null, replace('a', 'x'), { isNewFile: false }), null],
    ['takes what a sed left from the record', apply('a\n', sed, { after: whole('b\n') }), 'b\n'],
    ['cannot tell it for CRLF', apply('a\r\n', sed, { after: whole('b\n') }), null],
    ['cannot tell it for a BOM', apply('\ufeffa\n', sed, { after: whole('b\n') }), null],
    ['cannot tell it where the record is cut', apply('a\n', sed, { after: { text: 'b', isWhole: false } }), null],
    ['deletes', apply('a\n', { kind: 'delete' }), 'absent'],
    ['does not know other encodings than UTF-8', apply(Buffer.from([0xe9]), replace('a', 'x')), null],
    ['refuses an outcome that the record contradicts', apply('a\n', replace('a', 'x'), { after: whole('y\n') }), null],
    ['accepts one that differs in line ends only', apply('a\r\n', replace('a', 'x'), { after: whole('x\n') }), 'x\r\n'],
    ['leaves new Windows scripts alone, which are written otherwise there', apply(null, write('x'), { path: workspacePath('a.ps1') }), null],
  ])('%s', (_rule, outcome, expected) => {
    expect(outcome).toBe(expected)
  })

  it('holds a cut record against both ends of the outcome', () => {
    const text = Array.from({ length: 500 }, (_, at) => `line ${at}\n`).join('')
    const cut = (middle: string): RecordedEdit['after'] => ({ text: `${middle}${text.slice(0, 900)}\n[cut]\n${text.slice(-900)}`, isWhole: false })
    const change = replace('line 250\n', 'changed\n')
    expect([apply(text, change, { after: cut('') }) !== null, apply(text, change, { after: cut('x'.repeat(300)) })]).toEqual([true, null])
  })
})
