import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { opencodeReader } from '../sessions/opencode.js'
import { judgeStates, readTruth, writeTruthTree, type Judged } from '../testing/judge-states.js'

const fixtures = join(import.meta.dirname, '../sessions/fixtures/opencode')

async function judged(name: string, hasDisk: boolean): Promise<Judged> {
  const fixture = join(fixtures, name)
  const truth = readTruth(fixture)
  const root = mkdtempSync(join(tmpdir(), 'overturn-opencode-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const store = join(root, 'opencode')
  cpSync(join(fixture, 'home/.local/share/opencode'), store, { recursive: true })
  const folder = hasDisk ? writeTruthTree(fixture, truth.prompts.at(-1)?.end ?? {}) : null
  const [log] = (await opencodeReader.others?.sessionsIn({ file: join(store, 'opencode.db'), sizeBytes: 1, modifiedAtMs: 1 })) ?? []
  const session = await opencodeReader.open({ file: log?.file ?? '', agent: 'opencode', indexFile: null, workspace: folder, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
  onTestFinished(() => session.close())
  return judgeStates(session, truth.prompts, folder, await openBackupStore(join(root, 'data')))
}

describe('recorded sessions of opencode', () => {
  it('tell every changed file at the end of each turn, shell changes too, and nothing that is not true', async () => {
    const { wrong, knownEnds, changedEnds } = await judged('run-basic', false)
    expect([wrong, knownEnds, changedEnds]).toEqual([[], 8, 8])
  })
})
