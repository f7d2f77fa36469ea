import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openBackupStore } from '../history/backup-store.js'
import { judgeStates, readTruth, writeTruthTree, type Judged } from '../testing/judge-states.js'
import { addRepository, openCodex } from '../testing/open-codex.js'

const fixtures = fileURLToPath(new URL('./fixtures/codex', import.meta.url))
/** Its repository holds the commit that both sessions began with. */
const withRepository = join(fixtures, 'legacy-0.80')

/** What of the workspace is there: nothing, its files, its files with the times of their last changes, or its repository too. */
type Workspace = 'none' | 'files' | 'times' | 'repository'

async function judged(name: string, workspace: Workspace, change: (folder: string) => void = () => undefined): Promise<Judged> {
  const fixture = join(fixtures, name)
  const { prompts } = readTruth(fixture)
  const last = prompts.at(-1)
  const file = join(fixture, 'home', last?.sessionFile ?? '')
  const folder = workspace === 'none' ? null : writeTruthTree(fixture, last?.end ?? {})
  if (folder !== null && workspace === 'times') for (const [path, time] of changeTimes(file)) utimesSync(join(folder, path), time / 1000, time / 1000)
  if (folder !== null && workspace === 'repository') addRepository(withRepository, folder)
  if (folder !== null) change(folder)
  const session = await openCodex(file, { workspace: folder })
  onTestFinished(() => session.close())
  return judgeStates(session, prompts, folder, await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-'))))
}

/** When the session last changed each file, by its own records. */
function changeTimes(log: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    for (const [, path = ''] of line.matchAll(/(?:^|\\\\n|\\n)[AM] ([^\\]+)(?=\\)/g)) times.set(path, Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? ''))
  }
  return times
}

describe('what is known of recorded sessions of Codex', () => {
  it.each<readonly [string, Workspace, number, number]>([
    ['exec-basic', 'none', 4, 6],
    ['exec-basic', 'files', 4, 6],
    ['exec-basic', 'times', 6, 6],
    ['exec-basic', 'repository', 6, 6],
    ['legacy-0.80', 'none', 2, 4],
    ['legacy-0.80', 'files', 2, 4],
    ['legacy-0.80', 'times', 4, 4],
    ['legacy-0.80', 'repository', 4, 4],
  ])('is exactly what was there: %s, workspace %s', async (name, workspace, knownEnds, changedEnds) => {
    const found = await judged(name, workspace)
    expect([found.knownEnds, found.changedEnds, found.wrong]).toEqual([knownEnds, changedEnds, []])
  })

  it('is not what somebody typed since, though the recorded lines still stand there', async () => {
    const type = (folder: string): void => appendFileSync(join(folder, 'config/app.ini'), 'typed=later\r\n')
    const found = await judged('exec-basic', 'repository', type)
    expect([found.knownEnds, found.wrong, found.unknown['end3 config/app.ini']]).toEqual([5, [], 'no-record'])
  })

  it('is what git has kept since, though the file went on', async () => {
    const commitAndType = (folder: string): void => {
      execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '-qam', 'all'])
      appendFileSync(join(folder, 'config/app.ini'), 'typed=later\r\n')
    }
    const found = await judged('exec-basic', 'repository', commitAndType)
    expect([found.knownEnds, found.wrong]).toEqual([6, []])
  })
})
