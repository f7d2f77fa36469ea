import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { idOf, resultsOf, tempHistory, type TempHistory } from '../testing/temp-history.js'

let temp: TempHistory
beforeEach(async () => {
  temp = await tempHistory()
})
afterEach(() => temp.dispose())

const robot = { a: { base: 'robot', target: 'old' } }

describe('undo and redo', () => {
  it('bring back every byte, mode, link and folder, and do it again, also after a restart', async () => {
    temp.put('edited', { text: 'robot', mode: 0o750 })
    temp.put('made/deep/x', { bytes: Buffer.from([0, 1, 255]) })
    chmodSync(temp.at('made'), 0o700)
    temp.put('link', { link: 'edited' })
    mkdirSync(temp.at('hollow'))
    const before = temp.tree()
    const receipt = await temp.rewind({
      edited: { base: 'robot', target: { text: 'old', mode: 0o640 } },
      'made/deep/x': { base: { bytes: Buffer.from([0, 1, 255]) }, target: null },
      link: { base: { link: 'edited' }, target: 'file' },
      'hollow/came': { base: null, target: 'old' },
      'fresh/folder/y': { base: null, target: 'old' },
    })
    const rewound = temp.tree()
    const undone = await temp.history.undo(idOf(receipt))
    const afterUndo = temp.tree()
    const restarted = await temp.reopen()
    await restarted.redo(null)
    const afterRedo = temp.tree()
    await restarted.undo(null)
    const folderMode = lstatSync(temp.at('made')).mode & 0o777
    expect([afterUndo, afterRedo, temp.tree(), [undone.action, undone.label], before['hollow/'], folderMode]).toEqual([
      before,
      rewound,
      before,
      ['undo', 'the start of turn 4'],
      '755',
      0o700,
    ])
  })

  it('keep what was typed after the rewind', async () => {
    temp.put('a', '1\nrobot\n3\n4\n5\n')
    await temp.rewind({ a: { base: '1\nrobot\n3\n4\n5\n', target: '1\nold\n3\n4\n5\n' } })
    temp.put('a', '1\nold\n3\n4\n5\nmine\n')
    const receipt = await temp.history.undo(null)
    const undone = temp.tree()
    await temp.history.redo(null)
    expect([undone, receipt.files[0]?.reason, temp.tree()]).toEqual([
      { a: '644 1\nrobot\n3\n4\n5\nmine\n' },
      'Back to before the rewind, your line stays',
      { a: '644 1\nold\n3\n4\n5\nmine\n' },
    ])
  })

  it('leave and name a file in which the typing is in the way; then the operation can still be undone', async () => {
    temp.put('a', 'robot\n')
    const receipt = await temp.rewind({ a: { base: 'robot\n', target: 'old\n' } })
    temp.put('a', 'mine\n')
    const stuck = await temp.history.undo(null)
    const stack = temp.history.journal.undoStack().map((entry) => entry.root.intent.id)
    const chosen = await temp.history.undo(null, {}, { paths: null, resolutions: { a: { kind: 'old' } } })
    expect([resultsOf(stuck), stuck.files[0]?.reason, stack, resultsOf(chosen), temp.tree(), temp.history.journal.undoStack()]).toEqual([
      { a: 'conflict left' },
      'You and the undo both changed line 1. Not chosen, so your file is untouched',
      [idOf(receipt)],
      { a: 'restore restored' },
      { a: '644 robot\n' },
      [],
    ])
  })

  it('go through the operations like an editor: newest first, redo in order, and a new operation ends the redoing', async () => {
    temp.put('a', '3')
    await temp.rewind({ a: { base: '3', target: '2' } })
    await temp.rewind({ a: { base: '2', target: '1' } })
    const seen: string[] = []
    const look = (): void => void seen.push(temp.tree()['a'] ?? '')
    for (const step of ['undo', 'undo', 'redo', 'redo', 'undo'] as const) {
      await temp.history[step](null)
      look()
    }
    await temp.rewind({ a: { base: '2', target: 'new' } })
    await expect(temp.history.redo(null)).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' })
    await temp.history.undo(null)
    await temp.history.undo(null)
    look()
    await expect(temp.history.undo(null)).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' })
    expect(seen).toEqual(['644 2', '644 3', '644 2', '644 1', '644 2', '644 3'])
  })

  it('refuse an operation that is not the next one', async () => {
    temp.put('a', '3')
    const first = await temp.rewind({ a: { base: '3', target: '2' } })
    const second = await temp.rewind({ a: { base: '2', target: '1' } })
    await expect(temp.history.undo(idOf(first))).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO', details: { first: idOf(second) } })
    await expect(temp.history.redo(idOf(first))).rejects.toMatchObject({ code: 'NOTHING_TO_REDO' })
  })

  it('bring back the very first state after two rewinds', async () => {
    temp.put('a', 'five')
    temp.put('b', 'five')
    const before = temp.tree()
    await temp.rewind({ a: { base: 'five', target: 'one' } })
    await temp.rewind({ a: { base: 'one', target: 'five again' }, b: { base: 'five', target: null } })
    await temp.history.undo(null)
    await temp.history.undo(null)
    expect(temp.tree()).toEqual(before)
  })

  it('work also after later turns of the agent', async () => {
    temp.put('a', '1\nrobot\n3\n4\n5\n')
    await temp.rewind({ a: { base: '1\nrobot\n3\n4\n5\n', target: '1\nold\n3\n4\n5\n' } })
    temp.put('a', '1\nold\n3\n4\nlater turn\n')
    temp.put('later', 'later')
    await temp.history.undo(null)
    expect(temp.tree()).toEqual({ a: '644 1\nrobot\n3\n4\nlater turn\n', later: '644 later' })
  })

  it('leave a file whose backup is gone, and delete nothing', async () => {
    temp.put('a', 'robot')
    await temp.rewind(robot)
    rmSync(join(temp.data, 'backups'), { recursive: true })
    const restarted = await temp.reopen()
    const receipt = await restarted.undo(null)
    expect([temp.tree(), resultsOf(receipt)]).toEqual([{ a: '644 old' }, { a: 'restore failed BACKUP_MISSING' }])
  })

  it('give no file back through a link that took its folder\'s place', async () => {
    temp.put('folder/a', 'robot')
    await temp.rewind({ 'folder/a': { base: 'robot', target: null } })
    mkdirSync(join(temp.root, '../elsewhere'))
    symlinkSync('../elsewhere', temp.at('folder'))
    const receipt = await temp.history.undo(null)
    expect([resultsOf(receipt), temp.tree()]).toEqual([{ 'folder/a': 'cannot left' }, { folder: 'link ../elsewhere' }])
  })
})

describe('the journal', () => {
  it('answers what our newest operation left, and what blobs are needed', async () => {
    temp.put('a', 'robot')
    const { journal } = temp.history
    await temp.rewind(robot)
    const afterRewind = journal.lastLeft('a' as never)?.state
    await temp.history.undo(null)
    const afterUndo = journal.lastLeft('a' as never)?.state
    expect([afterRewind, afterUndo, journal.lastLeft('b' as never), journal.neededBlobs().size]).toEqual([
      expect.objectContaining({ sizeBytes: 3 }),
      expect.objectContaining({ sizeBytes: 5 }),
      null,
      2,
    ])
  })

  it('keeps the receipt of each operation', async () => {
    temp.put('a', 'robot')
    const receipt = await temp.rewind(robot)
    const restarted = await temp.reopen()
    expect(restarted.receipt(idOf(receipt))).toEqual(receipt)
    expect(() => restarted.receipt('none' as never)).toThrow(expect.objectContaining({ code: 'NOTHING_TO_UNDO' }))
  })

  it('skips a damaged line, and later ones count', async () => {
    temp.put('a', 'robot')
    await temp.rewind(robot)
    const file = join(temp.data, 'operations/0123456789abcdef.jsonl')
    writeFileSync(file, '{"type":"intent","id":7}\nno json\n{"type":"from the future"}\n{"torn', { flag: 'a' })
    const restarted = await temp.reopen()
    await restarted.undo(null)
    expect([temp.tree(), (await temp.reopen()).journal.operations().map((operation) => operation.action)]).toEqual([{ a: '644 robot' }, ['rewind', 'undo']])
  })

  it('does not let an operation that changed nothing onto the stacks', async () => {
    temp.put('a', 'old')
    await temp.rewind(robot)
    expect([temp.history.journal.operations().length, temp.history.journal.undoStack()]).toEqual([1, []])
  })

  it('takes in what another process did', async () => {
    temp.put('a', 'robot')
    const other = await temp.reopen()
    await temp.rewind(robot)
    await other.journal.refresh()
    await other.undo(null)
    await temp.history.journal.refresh()
    expect([temp.tree(), temp.history.journal.redoStack().length]).toEqual([{ a: '644 robot' }, 1])
  })
})
