// One operation on a workspace, in a process of its own that may be killed in the middle:
// `node crash-runner.cjs <workspace> <data folder> rewind|undo|recover`. Prints the number of its disk calls.

import { countedCalls } from './kill-at.js'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { openWorkspace } from '../workspace/workspace.js'
import { openSessionHistory } from '../history/session-history.js'
import { crashCases } from './crash-cases.js'
import { rewindOf, testSession } from './temp-history.js'

async function run(folder: string, dataFolder: string, what: string): Promise<void> {
  const workspace = await openWorkspace(folder)
  const history = await openSessionHistory({ dataFolder, session: testSession, workspace, store: await openBackupStore(dataFolder), log: silentLog })
  if (what === 'rewind') await history.apply(rewindOf(crashCases), null)
  if (what === 'undo') await history.undo(null)
}

const [folder = '', dataFolder = '', what = ''] = process.argv.slice(2)
run(folder, dataFolder, what).then(
  () => process.stdout.write(`${countedCalls()}\n`),
  (thrown: unknown) => {
    process.stderr.write(`${String(thrown)}\n`)
    process.exitCode = 1
  },
)
