import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import type { TakeBackRequest } from './take-back.js'
import { contentOf, idOf, resultsOf, tempHistory, type TempHistory, type TestContent } from '../testing/temp-history.js'

let temp: TempHistory
beforeEach(async () => {
  temp = await tempHistory()
})
afterEach(() => temp.dispose())

function change(before: TestContent, after: TestContent, hunk = 1): TakeBackRequest {
  return { promptId: promptId('p4'), turn: 'turn 4', path: workspacePath('a'), hunk, before: contentOf(before), after: contentOf(after) }
}

const before = '1\n2\n3\n4\n5\n6\n7\n8\n'
const after = '1\nTWO\n3\n4\n5\n6\nSEVEN\n8\n'

async function takeBack(request: TakeBackRequest): Promise<Record<string, string>> {
  const { planHash } = await temp.history.previewTakeBack(request)
  await temp.history.takeBack(request, planHash)
  return temp.tree()
}

describe('take back', () => {
  it('takes back one change of a turn while the others and all later ones stay', async () => {
    temp.put('a', 'later\n1\nTWO\n3\n4\n5\n6\nSEVEN\n8\nmine\n')
    expect(await takeBack(change(before, after, 1))).toEqual({ a: '644 later\n1\n2\n3\n4\n5\n6\nSEVEN\n8\nmine\n' })
  })

  it('shows what it would do, and writes nothing', async () => {
    temp.put('a', `${after}mine\n`)
    const plan = await temp.history.previewTakeBack(change(before, after, 2))
    expect([plan, temp.tree()]).toEqual([
      {
        path: 'a',
        promptId: 'p4',
        hunk: 2,
        hunks: 2,
        planHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        fits: true,
        reason: 'Fits, and all later changes stay',
        stat: { insertions: 1, deletions: 1 },
        before: { kind: 'text', text: `${after}mine\n`, sizeBytes: 27 },
        after: { kind: 'text', text: '1\nTWO\n3\n4\n5\n6\n7\n8\nmine\n', sizeBytes: 23 },
      },
      { a: `644 ${after}mine\n` },
    ])
  })

  it('refuses where it no longer fits, and says which lines are in the way', async () => {
    temp.put('a', '1\ntwo and more\nhere\n3\n4\n5\n6\nSEVEN\n8\n')
    const request = change(before, after)
    const plan = await temp.history.previewTakeBack(request)
    expect([plan.fits, plan.reason, plan.after]).toEqual([false, 'It no longer fits: lines 2 to 3 changed since turn 4', plan.before])
    await expect(temp.history.takeBack(request, plan.planHash)).rejects.toMatchObject({ code: 'TAKE_BACK_CONFLICT' })
    expect([temp.tree()['a']?.includes('two and more'), temp.history.journal.operations()]).toEqual([true, []])
  })

  it('refuses when the file has changed since the preview, is gone, or lacks the change', async () => {
    temp.put('a', after)
    const request = change(before, after)
    const { planHash } = await temp.history.previewTakeBack(request)
    temp.put('a', `${after}typed\n`)
    await expect(temp.history.takeBack(request, planHash)).rejects.toMatchObject({ code: 'REWIND_PLAN_STALE' })
    temp.put('a', before)
    const lacking = await temp.history.previewTakeBack(request)
    temp.put('a', null)
    const gone = await temp.history.previewTakeBack(request)
    expect([lacking.reason, gone.reason, lacking.fits, gone.fits]).toEqual(['The file does not have this change any more', 'The file is no longer there', false, false])
  })

  it('can be undone and redone', async () => {
    temp.put('a', after)
    const request = change(before, after)
    const { planHash } = await temp.history.previewTakeBack(request)
    const receipt = await temp.history.takeBack(request, planHash)
    const taken = temp.tree()
    await temp.history.undo(idOf(receipt))
    const undone = temp.tree()
    await temp.history.redo(idOf(receipt))
    expect([receipt.action, receipt.label, resultsOf(receipt), undone, temp.tree()]).toEqual([
      'take-back',
      'change 1 of a in turn 4',
      { a: 'restore restored' },
      { a: `644 ${after}` },
      taken,
    ])
  })

  it('keeps CRLF, BOM, Latin-1 and the mode', async () => {
    temp.put('a', { bytes: Buffer.from('\xe9\r\nnew\r\nend\r\n', 'latin1') })
    const crlf = (text: string): TestContent => ({ bytes: Buffer.from(text, 'latin1') })
    expect(await takeBack(change(crlf('\xe9\r\nold\r\nend\r\n'), crlf('\xe9\r\nnew\r\nend\r\n')))).toEqual({ a: '644 \xe9\r\nold\r\nend\r\n' })
    temp.put('a', { text: '\ufeffnew\n', mode: 0o755 })
    expect(await takeBack(change('\ufeffold\n', '\ufeffnew\n'))).toEqual({ a: `755 ${Buffer.from('\ufeffold\n').toString('latin1')}` })
  })

  it('takes back a creation by deleting, and a deletion by bringing back', async () => {
    temp.put('a', 'made\n')
    const created = await takeBack(change(null, 'made\n'))
    const deleted = await takeBack(change('old\n', null))
    expect([created, deleted]).toEqual([{}, { a: '644 old\n' }])
  })

  it('does not delete a created file that somebody wrote in since', async () => {
    temp.put('a', 'made\nmine\n')
    const plan = await temp.history.previewTakeBack(change(null, 'made\n'))
    expect([plan.fits, plan.reason]).toEqual([false, 'The file was changed since turn 4 in a way that cannot be merged'])
  })

  it('refuses a change that the turn does not have, and a binary file', async () => {
    temp.put('a', after)
    await expect(temp.history.previewTakeBack(change(before, after, 3))).rejects.toMatchObject({ code: 'HUNK_NOT_FOUND', details: { hunks: 2 } })
    await expect(temp.history.previewTakeBack(change({ bytes: Buffer.from('\0') }, after))).rejects.toMatchObject({ code: 'CONTENT_UNKNOWN' })
  })
})
