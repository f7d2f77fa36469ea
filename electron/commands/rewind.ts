import { workspacePath } from '../../shared/ids.js'
import { liveWarning, type PlannedFile, type Receipt, type ReceiptFile, type Resolution, type RewindChoices, type RewindPlan } from '../../shared/rewind.js'
import type { SessionHistory } from '../history/session-history.js'
import { historyOf, type Opened } from '../review/workbench.js'
import { UsageError, type CommandLine } from './arguments.js'
import { targetNamed, turnNamed } from './moments.js'
import { asJson, countOf, needed, plain, session } from './words.js'
import { watchOf, type CommandWorld, type ExitCode } from './world.js'

const onConflict = ['merge', 'keep', 'old', 'abort'] as const
type OnConflict = (typeof onConflict)[number]

/** `rewind <session> --to <turn>`: the files as they were at the start of the turn (or with 3.2 after its second change), or with --dry-run only the plan. */
export async function rewind(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const to = needed(line, 'to', 'a turn; the files go back to its start')
  const policy = policyOf(line)
  const opened = await world.open(session(line))
  const history = historyTold(opened, world)
  const target = targetNamed(opened.recorded, to)
  const paths = line.texts('path').map(workspacePath)
  const choose = (resolutions: RewindChoices['resolutions']): RewindChoices => ({ paths: paths.length > 0 ? paths : null, resolutions })
  let asked = await opened.review.rewindTo(target, choose({}), watchOf(world, 'Reading turns'))
  let plan = await history.preview(asked, world)
  const conflicts = plan.files.filter((file) => file.action === 'conflict')
  if (conflicts.length > 0 && policy === 'abort' && !line.flag('dry-run')) {
    printPlan(line, world, plan)
    world.note(`${countOf(conflicts.length, 'file')} changed since in the same lines. Nothing was written. Choose with --on-conflict merge, keep or old.\n`)
    return 1
  }
  if (conflicts.length > 0 && (policy === 'keep' || policy === 'old')) {
    const resolution: Resolution = { kind: policy }
    asked = { ...asked, choices: choose(Object.fromEntries(conflicts.map(({ path }) => [path, resolution]))) }
    plan = await history.preview(asked, world)
  }
  if (line.flag('dry-run')) return printPlan(line, world, plan)
  return printReceipt(line, world, await history.apply(asked, plan.planHash, world))
}

/** `undo <session>`: the newest rewind or take-back that still stands is undone; later typing survives. */
export async function undo(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const history = historyTold(await world.open(session(line)), world)
  return printReceipt(line, world, await history.undo(null, world))
}

/** `redo <session>`: what was undone last is done again. */
export async function redo(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const history = historyTold(await world.open(session(line)), world)
  return printReceipt(line, world, await history.redo(null, world))
}

/** `take-back <session> --turn N --path P --hunk K`: one change is taken out of the present text, all later ones stay. */
export async function takeBack(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const name = needed(line, 'turn', 'the turn that made the change')
  const [path, ...more] = line.texts('path')
  if (path === undefined || more.length > 0) throw new UsageError('--path is needed once: the file of the change.')
  const hunk = needed(line, 'hunk', 'the number of the change in the turn\'s diff of this file')
  if (!/^[1-9]\d{0,6}$/.test(hunk)) throw new UsageError('--hunk takes a number from 1 on.')
  const opened = await world.open(session(line))
  const { promptId } = turnNamed(opened.recorded, name)
  const change = await opened.review.takeBackOf(promptId, workspacePath(path), Number(hunk), world.signal)
  const history = historyTold(opened, world)
  const plan = await history.previewTakeBack(change, world.signal)
  if (line.flag('dry-run') || !plan.fits) {
    world.out(line.flag('json') ? asJson({ plan }) : `${plain(plan.reason)}\n`)
    return plan.fits ? 0 : 1
  }
  return printReceipt(line, world, await history.takeBack(change, plan.planHash, world))
}

/** The history of a session; that its agent may be at work is said beside it. */
function historyTold(opened: Opened, world: CommandWorld): SessionHistory {
  const history = historyOf(opened)
  const { isLive, agent, client } = opened.summary()
  const warning = liveWarning({ isLive, agent }, client === null ? agent : plain(client))
  if (warning !== null) world.note(`${warning}\n`)
  return history
}

function policyOf(line: CommandLine): OnConflict {
  const given = line.text('on-conflict') ?? 'merge'
  const policy = onConflict.find((each) => each === given)
  if (!policy) throw new UsageError(`--on-conflict takes ${onConflict.join(', ')}.`)
  return policy
}

/** The plan in the receipt's shape, so that both are read alike. */
function printPlan(line: CommandLine, world: CommandWorld, plan: RewindPlan): ExitCode {
  if (line.flag('json')) {
    const rows = plan.files.map(({ path, action, reason }) => ({ path, action, result: null, reason }))
    world.out(asJson({ plan: rows, planHash: plan.planHash, undoId: null }))
  } else {
    world.out(plan.files.map(({ path, action, reason }: PlannedFile) => rowText(action, path, reason)).join(''))
    world.note('Nothing was written.\n')
  }
  return 0
}

function printReceipt(line: CommandLine, world: CommandWorld, receipt: Receipt): ExitCode {
  const missed = receipt.files.filter(({ action, result }) => result === 'failed' || (result === 'left' && action !== 'unchanged'))
  if (line.flag('json')) {
    const rows = receipt.files.map(({ path, action, result, reason, error, sha256 }) => ({ path, action, result, reason, error, sha256 }))
    world.out(asJson({ receipt: rows, undoId: receipt.operationId, label: receipt.label }))
  } else {
    world.out(receipt.files.map(({ path, result, reason }: ReceiptFile) => rowText(result, path, reason)).join(''))
    const done = receipt.files.filter(({ result }) => result !== 'failed' && result !== 'left' && result !== 'unchanged').length
    const next = receipt.action === 'undo' ? '"overturn redo" does it again.' : '"overturn undo" brings back what was.'
    world.note(`${countOf(done, 'file')} changed and read again${missed.length > 0 ? `, ${missed.length} left as they were` : ''}.${done > 0 ? ` ${next}` : ''}\n`)
  }
  return missed.length > 0 ? 1 : 0
}

const rowText = (word: string, path: string, reason: string): string => `${word.padEnd(10)} ${plain(path)}  ${plain(reason)}\n`
