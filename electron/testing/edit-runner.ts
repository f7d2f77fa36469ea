// One approved edit by an agent, in a process of its own that may be killed, or have its folder swapped, in the middle:
// `node edit-runner.cjs <workspace> <data folder> edit|patch|undo`. Prints the number of its disk calls.

import { countedCalls } from './kill-at.js'
import type { Approval } from '../../shared/approval.js'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { createDesk } from '../live/desk.js'
import { openPolicyFile } from '../policy/policy-file.js'
import { editCalls, isEditCase } from './edit-cases.js'

async function run(workspace: string, dataFolder: string, what: string): Promise<void> {
  const asked: Promise<unknown>[] = []
  const decide = ({ id, revision }: Approval): void => {
    // What cannot be carried out any more is given up.
    asked.push(desk.queue.decide(id, revision, { kind: 'approve', files: [], comment: '', isForRestOfTurn: false, alwaysRules: [] }).catch(() => desk.close()))
  }
  const desk = createDesk({
    dataFolder,
    store: await openBackupStore(dataFolder),
    policy: openPolicyFile(dataFolder, silentLog),
    sed: { apply: () => Promise.reject(new Error('There is no sed here.')), close: () => Promise.resolve() },
    log: silentLog,
    version: '1.0.0',
    home: dataFolder,
    environment: {},
    onApprovals: () => undefined,
    onAgents: () => undefined,
    onPolicy: () => undefined,
    onAsked: (approval) => setImmediate(() => decide(approval)),
  })
  const agent = await desk.connect({ client: 'test-agent', clientVersion: null, transport: 'stdio', workspace, mode: null, resume: null })
  const call = (name: string, args: unknown) => agent.call(name, args, { signal: new AbortController().signal, progress: () => undefined, budgetMs: null, request: null })
  await call('begin_turn', { prompt: 'Go' })
  if (!isEditCase(what)) throw new Error(`There is no case ${what}.`)
  const { name, args } = editCalls[what === 'undo' ? 'patch' : what]
  await call(name, args)
  await Promise.all(asked)
  const [done] = desk.queue.list().decided
  if (what === 'undo' && done) await desk.queue.undo(done.id)
  await desk.close()
}

const [workspace = '', dataFolder = '', what = ''] = process.argv.slice(2)
run(workspace, dataFolder, what).then(
  () => process.stdout.write(`${countedCalls()}\n`),
  (thrown: unknown) => {
    process.stderr.write(`${String(thrown)}\n`)
    process.exitCode = 1
  },
)
