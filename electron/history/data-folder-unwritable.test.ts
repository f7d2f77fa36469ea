import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openSettings } from '../base/settings.js'
import { openPolicyFile } from '../policy/policy-file.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore } from './backup-store.js'
import { openSessionHistory } from './session-history.js'
import { rewindOf, tempHistory, testSession } from '../testing/temp-history.js'

const cases = { a: { base: 'robot', target: 'old' }, b: { base: 'robot', target: null } }

/** A rewind that was done, the folder of ours then as no user can write into it (a file has its name), not even root. */
async function rewound(name: string) {
  const temp = await tempHistory({ a: 'robot', b: 'robot' })
  onTestFinished(temp.dispose)
  await temp.rewind(cases)
  temp.put('a', 'robot')
  temp.put('b', 'robot')
  const folder = join(temp.data, name)
  const shut = (): void => {
    if (existsSync(folder)) renameSync(folder, `${folder}.aside`)
    writeFileSync(folder, '')
  }
  return { ...temp, shut }
}

const refusal = (name: string): unknown =>
  expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE', message: expect.stringMatching(new RegExp(`^The data folder cannot be written\\. The system answers E\\w+ for .*${name}.* OVERTURN_DATA_DIR\\.$`)) })

describe('a data folder that cannot be written', () => {
  it.each([
    ['locks', 'a folder in it|a lock in it'],
    ['operations', 'a folder in it|the journal in it'],
  ])('refuses to rewind and to undo without %s, and changes no file', async (name, what) => {
    const { history, shut, tree } = await rewound(name)
    shut()
    const before = tree()
    const other = rewindOf({ a: { base: 'robot', target: 'older' }, b: { base: 'robot', target: 'younger' } })
    await expect(history.apply(other, null)).rejects.toEqual(refusal(what))
    await expect(history.undo(null)).rejects.toEqual(refusal(what))
    expect(tree()).toEqual(before)
  })

  it.each(['backups/blobs', 'backups/packs'])('is named for each file that %s cannot keep, and the file is left', async (name) => {
    const { history, shut, tree } = await rewound(name)
    shut()
    const before = tree()
    const receipt = await history.apply(rewindOf({ a: { base: 'robot', target: 'older' } }), null)
    expect([receipt.files.map(({ result, error }) => [result, error]), tree()]).toEqual([[['failed', 'DATA_FOLDER_UNWRITABLE']], before])
  })

  it('is named by settings and policy', async () => {
    const { data, shut } = await rewound('other')
    shut()
    const settings = await openSettings(join(data, 'other'))
    const policy = openPolicyFile(join(data, 'other'), silentLog)
    await expect(settings.update((now) => ({ ...now, locations: ['/x'] }))).rejects.toEqual(refusal('a lock in it'))
    await expect(policy.update((now) => ({ ...now, commandTimeoutMs: 5_000 }))).rejects.toEqual(refusal('a lock in it'))
  })

  it('is said when it cannot be opened', async () => {
    const { data, root, shut } = await rewound('backups')
    shut()
    await expect(openBackupStore(data)).rejects.toEqual(refusal('a folder in it'))
    expect(await openSessionHistory({ dataFolder: data, session: testSession, workspace: await openWorkspace(root), store: await openBackupStore(join(data, 'other')), log: silentLog }).then(() => 'opened')).toBe('opened')
  })
})
