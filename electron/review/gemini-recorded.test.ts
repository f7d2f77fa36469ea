import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { geminiReader } from '../sessions/gemini-cli.js'
import { judgeStates, readTruth, writeTruthTree, type Judged } from '../testing/judge-states.js'

async function judged(name: string, hasDisk: boolean): Promise<Judged> {
  const fixture = join(import.meta.dirname, '../sessions/fixtures/gemini-cli', name)
  const truth = readTruth(fixture)
  const root = mkdtempSync(join(tmpdir(), 'overturn-gemini-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  cpSync(join(fixture, 'home/.gemini'), join(root, '.gemini'), { recursive: true })
  const shadow = join(root, '.gemini/history/shop-app-gm')
  if (existsSync(shadow)) renameSync(join(shadow, 'dot-git'), join(shadow, '.git'))
  const folder = hasDisk ? writeTruthTree(fixture, truth.prompts.at(-1)?.end ?? {}) : null
  const file = join(root, truth.prompts[0]?.sessionFile ?? '')
  const session = await geminiReader.open({ file, agent: 'gemini-cli', indexFile: null, workspace: folder, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root })
  onTestFinished(() => session.close())
  expect(session.turns.map(({ prompt }) => prompt)).toEqual(truth.prompts.map(({ text }) => text))
  return judgeStates(session, truth.prompts, folder, await openBackupStore(join(root, 'data')))
}

describe('recorded sessions of Gemini CLI', () => {
  it('tell what the records alone prove', async () => {
    const { wrong, knownEnds, changedEnds } = await judged('print-basic', false)
    expect([wrong, knownEnds, changedEnds]).toEqual([[], 2, 8])
  })

  it('tell every edited file where the disk proves its line ends', async () => {
    const { wrong, knownEnds, changedEnds } = await judged('print-basic', true)
    expect([wrong, knownEnds, changedEnds]).toEqual([[], 5, 8])
  })

  it.each([false, true])('tell what agents did that the session started (with the disk: %s)', async (hasDisk) => {
    const { wrong, knownEnds, changedEnds } = await judged('print-subagents', hasDisk)
    expect([wrong, knownEnds, changedEnds]).toEqual([[], hasDisk ? 4 : 1, 6])
  })
})
