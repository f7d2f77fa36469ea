import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openBackupStore } from './backup-store.js'
import { openFileHistory } from './file-history.js'
import { pruneHistory } from './prune.js'
import { createSnapshotLog } from './snapshot-log.js'
import { tempHistory, type TempHistory } from '../testing/temp-history.js'

let temp: TempHistory
beforeEach(async () => {
  temp = await tempHistory()
})
afterEach(() => temp.dispose())

function makeOld(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) makeOld(path)
    else utimesSync(path, new Date(0), new Date(0))
  }
}

describe('pruneHistory', () => {
  it('frees what only superseded operations used; undo, redo and our own sessions still work', async () => {
    temp.put('a', 'first')
    temp.put('tracked', 'one')
    const logFile = join(temp.data, 'own.jsonl')
    const record = createSnapshotLog(logFile, { sessionId: 's', folder: temp.root, version: '1', branch: null }, null)
    const files = await openFileHistory({ workspace: temp.workspace, store: temp.store, disk: createDiskStates(), history: temp.history, record, log: silentLog })
    await files.makeSnapshot(promptId('p1'))
    await files.trackEdit(workspacePath('tracked'))
    temp.put('tracked', 'two')

    await temp.rewind({ a: { base: 'first', target: 'x'.repeat(5_000) } })
    await temp.history.undo(null)
    await temp.rewind({ a: { base: 'first', target: 'second' } })
    await temp.rewind({ a: { base: 'second', target: 'third' } })
    await temp.history.undo(null)
    makeOld(join(temp.data, 'backups'))

    const store = await openBackupStore(temp.data)
    const within = await pruneHistory(temp.data, store, 1_000_000, [logFile], silentLog)
    const freed = await pruneHistory(temp.data, store, 0, [logFile], silentLog)
    const history = await temp.reopen()
    await history.redo(null)
    const redone = temp.tree()['a']
    await history.undo(null)
    await history.undo(null)
    await files.rewind(promptId('p1'))
    expect([within, freed > 5_000, redone, temp.tree()]).toEqual([0, true, '644 third', { a: '644 first', tracked: '644 one' }])
  })
})
