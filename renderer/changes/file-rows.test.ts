import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import { reviewedText, rowLabel, totalsOf } from './file-rows.js'

function change(part: Partial<FileChange>): FileChange {
  return {
    path: workspacePath('src/a.ts'), kind: 'modified', stat: { insertions: 14, deletions: 12 }, cause: 'edit', sources: { before: 'backup', after: 'edit' },
    badges: [], contentKey: 'a'.repeat(64), review: 'none', ...part,
  }
}

describe('totalsOf', () => {
  it('counts refused edits nowhere, and files of unknown content not among those to review', () => {
    const totals = totalsOf([change({}), change({ review: 'reviewed' }), change({ kind: 'unknown', stat: null, contentKey: null }), change({ kind: 'refused', contentKey: null, stat: { insertions: 9, deletions: 9 } })])
    expect([totals, reviewedText(totals)]).toEqual([{ files: 3, stat: { insertions: 28, deletions: 24 }, reviewed: 1, reviewable: 2 }, '1 of 2 reviewed'])
  })

  it('says when all are reviewed, and nothing where nothing can be', () => {
    expect([reviewedText(totalsOf([change({ review: 'reviewed' })])), reviewedText(totalsOf([]))]).toEqual(['All 1 file reviewed', null])
  })
})

describe('rowLabel', () => {
  it('says everything that the row shows by pictures', () => {
    expect(rowLabel(change({ badges: [{ kind: 'only-blanks' }], review: 'changed-since' }))).toBe(
      'src/a.ts, modified, 14 added, 12 removed, Recorded edit, only blanks, changed since you reviewed it',
    )
  })
})
