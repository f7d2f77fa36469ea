import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Scope } from '../../shared/file-state.js'
import { promptId, sessionKey, workspacePath } from '../../shared/ids.js'
import { openReviewMarks } from './review-marks.js'

const key = sessionKey('0123456789abcdef')
const path = workspacePath('a.txt')
const session: Scope = { kind: 'session' }
const turn: Scope = { kind: 'turn', promptId: promptId('p') }
const after = { kind: 'file', sha256: 'a'.repeat(64), sizeBytes: 1, mode: null } as const

async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'overturn-marks-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe('review marks', () => {
  it('are bound to content, whatever the scope, and outlive a restart', async () => {
    const folder = await tempFolder()
    await (await openReviewMarks(folder, key)).mark({ scope: session, path, contentKey: 'one', after, markedAt: 1 })
    const marks = await openReviewMarks(folder, key)
    expect([marks.reviewOf(session, path, 'one'), marks.reviewOf(turn, path, 'one'), marks.reviewOf(session, path, 'two'), marks.reviewOf(turn, path, 'two'), marks.reviewOf(session, path, null)]).toEqual([
      'reviewed',
      'reviewed',
      'changed-since',
      'none',
      'changed-since',
    ])
  })

  it('say so where the data folder cannot be written, and are not there then', async () => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'reviews'), '')
    const marks = await openReviewMarks(folder, key)
    await expect(marks.mark({ scope: session, path, contentKey: 'one', after, markedAt: 1 })).rejects.toMatchObject({ code: 'DATA_FOLDER_UNWRITABLE' })
    expect(marks.reviewOf(session, path, 'one')).toBe('none')
  })

  it('can be taken off, in any scope', async () => {
    const folder = await tempFolder()
    const marks = await openReviewMarks(folder, key)
    await marks.mark({ scope: session, path, contentKey: 'one', after, markedAt: 1 })
    await marks.unmark(turn, path, 'one')
    expect([marks.reviewOf(session, path, 'one'), (await openReviewMarks(folder, key)).reviewOf(session, path, 'one')]).toEqual(['none', 'none'])
  })

  it('keep the newest content of each path, and name the bytes that it needs', async () => {
    const marks = await openReviewMarks(await tempFolder(), key)
    await marks.mark({ scope: session, path, contentKey: 'one', after: { kind: 'absent' }, markedAt: 1 })
    await marks.mark({ scope: turn, path, contentKey: 'two', after, markedAt: 2 })
    expect([marks.latest().get(path)?.after, [...marks.neededBlobs()]]).toEqual([after, [after.sha256]])
  })

  it('leave out damaged lines', async () => {
    const folder = await tempFolder()
    await (await openReviewMarks(folder, key)).mark({ scope: session, path, contentKey: 'one', after, markedAt: 1 })
    await appendFile(join(folder, 'reviews', `${key}.jsonl`), '{"type":"mark"}\n{torn')
    expect((await openReviewMarks(folder, key)).reviewOf(session, path, 'one')).toBe('reviewed')
  })
})
