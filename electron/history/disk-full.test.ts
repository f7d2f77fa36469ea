import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openBackupStore } from './backup-store.js'
import { openSessionHistory, type SessionHistory } from './session-history.js'
import { resultsOf, rewindOf, testSession } from '../testing/temp-history.js'

// A small file system of its own can only be mounted by root on Linux.
const base = mkdtempSync(join(tmpdir(), 'full-'))
const small = join(base, 'small')
const canMount = tryMount()
if (!canMount) process.stdout.write('disk-full: skipped, no file system can be mounted here\n')

function tryMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  try {
    mkdirSync(small)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

afterAll(() => {
  if (canMount) execFileSync('umount', [small])
  rmSync(base, { recursive: true, force: true })
})

async function open(folder: string, data: string): Promise<SessionHistory> {
  for (const each of [folder, data]) mkdirSync(each, { recursive: true })
  return openSessionHistory({ dataFolder: data, session: testSession, workspace: await openWorkspace(folder), store: await openBackupStore(data), log: silentLog })
}

describe.runIf(canMount)('on a full disk', () => {
  beforeAll(() => writeFileSync(join(base, 'unused'), ''))

  it('changes nothing when the snapshot of now does not fit', async () => {
    const folder = join(base, 'ws')
    const history = await open(folder, join(small, 'data'))
    const robot = 'x'.repeat(600_000)
    writeFileSync(join(folder, 'a'), robot)
    await expect(history.apply(rewindOf({ a: { base: robot, target: 'old' } }), null)).rejects.toMatchObject({ code: 'DISK_FULL' })
    expect([readFileSync(join(folder, 'a'), 'utf8') === robot, history.journal.pending()]).toEqual([true, []])
    rmSync(join(small, 'data'), { recursive: true })
  })

  it('names the files that did not fit, leaves them whole and nothing beside them, and does the others', async () => {
    const folder = join(small, 'ws')
    const history = await open(folder, join(base, 'data'))
    writeFileSync(join(folder, 'b'), 'robot')
    writeFileSync(join(folder, 'c'), 'robot')
    const large = 'y'.repeat(600_000)
    const receipt = await history.apply(rewindOf({ b: { base: 'robot', target: large }, c: { base: 'robot', target: null } }), null)
    expect([resultsOf(receipt), readdirSync(folder).sort(), readFileSync(join(folder, 'b'), 'utf8')]).toEqual([
      { b: 'restore failed DISK_FULL', c: 'delete deleted' },
      ['b'],
      'robot',
    ])
    await history.undo(null)
    expect(readFileSync(join(folder, 'c'), 'utf8')).toBe('robot')
  })

  it('names the files of a folder that became read-only', async () => {
    const folder = join(small, 'ws2')
    const history = await open(folder, join(base, 'data2'))
    writeFileSync(join(folder, 'a'), 'robot')
    execFileSync('mount', ['-o', 'remount,ro', small])
    try {
      const receipt = await history.apply(rewindOf({ a: { base: 'robot', target: 'old' } }), null)
      expect([resultsOf(receipt), readFileSync(join(folder, 'a'), 'utf8')]).toEqual([{ a: 'restore failed PERMISSION_DENIED' }, 'robot'])
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', small])
    }
  })
})
