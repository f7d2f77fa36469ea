import { describe, expect, it } from 'vitest'
import type { FileSide } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import type { RewindFileTexts } from '../../shared/rewind.js'
import type { OpenTexts } from '../state/rewind-slice.js'
import { detailBodyOf } from './detail-body.js'

const text = (value: string): FileSide => ({ kind: 'text', text: value, sizeBytes: value.length })
const conflict = { targetLine: 1, baseLine: 1, diskLine: 1, resultLine: 1, targetText: 'old\n', baseText: 'base\n', diskText: 'mine\n' }

function open(part: Partial<RewindFileTexts>, chosen: OpenTexts['chosen'] = []): OpenTexts {
  const texts = { path: workspacePath('a'), target: text('old\n'), base: text('base\n'), disk: text('mine\n'), result: text(''), conflicts: [], ...part }
  return { texts, chosen, current: 0, draft: null, edition: 0 }
}

describe('detailBodyOf', () => {
  it('shows three texts for a conflict, and on demand the diff of disk and result', () => {
    const file = open({ conflicts: [conflict] }, ['old'])
    expect([detailBodyOf(file, null, 'texts'), detailBodyOf(file, null, 'diff')]).toEqual([{ kind: 'texts' }, { kind: 'diff', before: 'mine\n', after: 'old\n' }])
  })

  it('compares the disk with what the person chose', () => {
    const file = open({ result: text('merged\n') })
    expect([detailBodyOf(file, null, 'texts'), detailBodyOf(file, { kind: 'keep' }, 'texts'), detailBodyOf(file, { kind: 'old' }, 'texts'), detailBodyOf(file, { kind: 'text', text: 'typed\n' }, 'texts')]).toEqual([
      { kind: 'diff', before: 'mine\n', after: 'merged\n' },
      { kind: 'diff', before: 'mine\n', after: 'mine\n' },
      { kind: 'diff', before: 'mine\n', after: 'old\n' },
      { kind: 'diff', before: 'mine\n', after: 'typed\n' },
    ])
  })

  it('shows what can be chosen where nothing would be written', () => {
    expect(detailBodyOf(open({ result: null }), null, 'texts')).toEqual({ kind: 'diff', before: 'mine\n', after: 'old\n' })
  })

  it('says in words what is no text, and never takes unknown for empty', () => {
    const body = detailBodyOf(open({ target: { kind: 'unknown', reason: 'no-record' }, disk: { kind: 'binary', sizeBytes: 9, sha256: 'a' }, result: null }), null, 'texts')
    expect(body.kind === 'facts' && [body.before.title, body.after.title]).toEqual(['Binary, 9 bytes', 'Binary, 9 bytes'])
  })
})
