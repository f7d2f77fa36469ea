import { describe, expect, it } from 'vitest'
import type { ChangeBadge, FileChange } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import { provenanceText } from './words.js'

function change(sources: FileChange['sources'], badges: readonly ChangeBadge[] = []): FileChange {
  return { path: workspacePath('a.ts'), kind: 'modified', stat: null, cause: 'edit', sources, badges, contentKey: null, review: 'none' }
}

describe('provenanceText', () => {
  it('calls a side exact only where its bytes are known', () => {
    const asShown: ChangeBadge = { kind: 'unknown', side: 'before', reason: 'backup-missing' }
    expect([
      provenanceText(change({ before: 'backup', after: 'edit' })),
      provenanceText(change({ before: 'none', after: 'disk' }, [asShown])),
      provenanceText(change({ before: 'record', after: 'disk' }, [asShown])),
      provenanceText(change({ before: 'record', after: 'record' }, [{ ...asShown, side: 'both' }])),
    ]).toEqual([
      'Recorded edit, both sides exact',
      'Recorded edit, before not known',
      'Recorded edit, before as the log shows it',
      'Recorded edit, both sides as the log shows them',
    ])
  })

  it('names git where a side is from there', () => {
    expect([provenanceText(change({ before: 'git', after: 'edit' })), provenanceText(change({ before: 'git', after: 'git' })), provenanceText(change({ before: 'git', after: 'none' }))]).toEqual([
      'Recorded edit, both sides exact, before from git',
      'Recorded edit, both sides exact, both from git',
      'Recorded edit, after not known',
    ])
  })
})
