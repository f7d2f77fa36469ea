import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { openDataFolder } from '../base/settings.js'
import { sha256Of } from '../workspace/text-files.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore } from './backup-store.js'
import { EarlyCopies } from './early-copies.js'
import { FileTable } from './file-table.js'
import { createPace } from './pace.js'
import { statsOf } from './tree-look.js'

describe('early copies', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overturn-copies-'))
    mkdirSync(join(folder, 'ws'))
    openDataFolder(join(folder, 'data'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  async function copiesOf(limits: { readonly fileBytes: number; readonly files: number; readonly bytes: number }, ...names: readonly string[]): Promise<{ copies: EarlyCopies; table: FileTable }> {
    const workspace = await openWorkspace(join(folder, 'ws'))
    const store = await openBackupStore(join(folder, 'data'))
    const table = new FileTable(0n)
    for (const name of names) {
      writeFileSync(join(folder, 'ws', name), `text of ${name}`)
      const stats = statsOf(join(folder, 'ws', name))
      if (stats) table.stamp(table.add(table.root, name), stats, Date.now())
    }
    const copies = new EarlyCopies({ workspace, store, table, pace: createPace(), log: silentLog }, limits)
    await copies.takeUpAll()
    return { copies, table }
  }

  it('do not take a file that changed before they were made for what it was', async () => {
    const { copies, table } = await copiesOf({ fileBytes: 100, files: 10, bytes: 1000 }, 'a', 'b')
    writeFileSync(join(folder, 'ws', 'a'), 'changed')
    while (await copies.makeSome(new AbortController().signal));
    const [a = -1, b = -1] = ['a', 'b'].map((name) => table.root.files.get(name))
    expect([table.stateOf(a), copies.whyNotCopied(a), table.stateOf(b)]).toEqual([
      null,
      'not-copied',
      { kind: 'file', sha256: sha256Of(Buffer.from('text of b')), sizeBytes: 9, mode: 0o644 },
    ])
  })

  it('stop at the limit of their bytes', async () => {
    const { copies } = await copiesOf({ fileBytes: 100, files: 10, bytes: 20 }, 'a', 'b', 'c')
    while (await copies.makeSome(new AbortController().signal));
    expect(copies.facts()).toEqual({ files: 2, bytes: 18, waiting: 0, tooLarge: 0, beyondLimit: 1 })
  })
})
