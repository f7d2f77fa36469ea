import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { geminiReader } from '../sessions/gemini-cli.js'
import { sedInThisThread } from '../testing/open-simulated.js'
import { setCommandTimes } from '../testing/command-times.js'
import { judgeStates, readTruth, writeTruthTree, type Judged } from '../testing/judge-states.js'
import { createSedOutcomes } from './sed-outcomes.js'

/** What of the workspace is there: nothing, its files, or its files with the times at which commands wrote them. */
type Workspace = 'none' | 'files' | 'times'

async function judged(name: string, workspace: Workspace): Promise<Judged> {
  const fixture = join(import.meta.dirname, '../sessions/fixtures/gemini-cli', name)
  const truth = readTruth(fixture)
  const root = mkdtempSync(join(tmpdir(), 'overturn-gemini-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  cpSync(join(fixture, 'home/.gemini'), join(root, '.gemini'), { recursive: true })
  const shadow = join(root, '.gemini/history/shop-app-gm')
  if (existsSync(shadow)) renameSync(join(shadow, 'dot-git'), join(shadow, '.git'))
  const end = truth.prompts.at(-1)?.end ?? {}
  const folder = workspace === 'none' ? null : writeTruthTree(fixture, end)
  const file = join(root, truth.prompts[0]?.sessionFile ?? '')
  if (folder !== null && workspace === 'times') setCommandTimes(folder, file, Object.keys(end))
  const session = await geminiReader.open({ file, agent: 'gemini-cli', indexFile: null, workspace: folder, isFollowed: false, log: silentLog, sedOutcome: createSedOutcomes(sedInThisThread), environment: {}, home: root, dataFolder: root })
  onTestFinished(() => session.close())
  expect(session.turns.map(({ prompt }) => prompt)).toEqual(truth.prompts.map(({ text }) => text))
  return judgeStates(session, truth.prompts, folder, await openBackupStore(join(root, 'data')))
}

describe('recorded sessions of Gemini CLI', () => {
  it.each<readonly [string, Workspace, number, number]>([
    // The texts of edits prove nothing of line ends alone; of commands only what their own text says.
    ['print-basic', 'none', 3, 8],
    ['print-basic', 'files', 6, 8],
    ['print-basic', 'times', 8, 8],
    ['print-subagents', 'none', 2, 6],
    ['print-subagents', 'files', 6, 6],
    ['print-subagents', 'times', 6, 6],
  ])('tell nothing that is not true: %s, workspace %s', async (name, workspace, knownEnds, changedEnds) => {
    const found = await judged(name, workspace)
    expect([found.wrong, found.knownEnds, found.changedEnds]).toEqual([[], knownEnds, changedEnds])
  })
})
