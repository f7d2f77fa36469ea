import type { ApprovalSubject } from '../../shared/approval.js'
import { ReviewError, throwIfAborted, toWireError } from '../../shared/errors.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import type { CommandJudgement } from '../../shared/policy.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { CarriedOut, Content, Ended } from '../approvals/question.js'
import { firstSignal } from '../base/first-signal.js'
import { askPerson } from './await-answer.js'
import { proposeEdit } from './propose-edit.js'
import { runCommand, type CommandResult } from './run-process.js'
import { planSed } from './sed-plan.js'
import { done, refused, refusedBy, type CallScope } from './tool.js'
import type { ToolSession } from './tool-session.js'

/** A command that a tool asks for. */
export interface CommandProposal {
  readonly command: string
  readonly timeLimitMs: number | null
  /** Adds to the answer what the tool makes of the output. */
  readonly interpret: ((result: CommandResult) => Readonly<Record<string, unknown>>) | null
}

/**
 * The one way to a command: judged part by part; a `sed -i` whose effect is certain becomes an edit; what is not allowed is asked
 * for; what changed on the disk is noted with the call.
 */
export async function proposeCommand(session: ToolSession, call: CallScope, proposal: CommandProposal): Promise<ToolAnswer> {
  const { command } = proposal
  const judgement = session.judge(command)
  const timeLimitMs = proposal.timeLimitMs ?? session.policy().commandTimeLimitMs
  const subject = (note: string | null): ApprovalSubject => ({ kind: 'command', command, directory: session.workspace.root, judgement, timeLimitMs, note })
  if (judgement.verdict === 'denied') {
    session.queue.note(session.source(call), subject(null), { kind: 'denied', outcome: deniedWords(judgement) })
    return denied(judgement)
  }
  if (changesSomething(judgement)) session.assertWritable('agent')

  const sed = await planSed(session, command, call.signal)
  if (sed.kind === 'no-match') return unmatched(sed.path, sed.hasMatch)
  if (sed.kind === 'edit') return editBySed(session, call, command)

  throwIfAborted(call.signal)
  if (judgement.verdict === 'allowed') {
    const by = judgement.parts.some(({ ruleId }) => ruleId !== null) ? 'rule' : 'policy'
    const ended = await run(session, call, proposal, timeLimitMs, by, call.signal)
    if (by === 'rule') session.queue.note(session.source(call), subject(null), { ...ended, by })
    return ended.value
  }

  const note = sed.reason === null ? null : `Runs in the shell: ${sed.reason}`
  const content: Content<ToolAnswer> = {
    subject: subject(note),
    sameAs: `${call.tool}\n${timeLimitMs}\n${command}`,
    texts: () => Promise.reject(new ReviewError('FILE_NOT_FOUND', 'A command has no texts to compare.')),
    carryOut: async (decision, signal): Promise<CarriedOut<ToolAnswer>> => {
      const rules = offeredRules(judgement, decision.alwaysRules)
      // The branch, the plan, the taint or the rules may have changed since the question was asked.
      const now = session.judge(command)
      if (now.verdict === 'denied') return { kind: 'failed', outcome: deniedWords(now), error: 'COMMAND_DENIED', value: denied(now) }
      if (changesSomething(now)) session.assertWritable('agent')
      if (rules.length > 0) await session.allowAlways(rules)
      throwIfAborted(signal)
      return { kind: 'running', end: run(session, call, proposal, timeLimitMs, 'person', signal) }
    },
    refresh: () => Promise.resolve(null),
  }
  return askPerson(session, call, `The command "${command.slice(0, 60)}"`, { content, refused: (approval) => refusedBy(approval, 'APPROVAL_REJECTED', 'The command did not run.') })
}

/** The simulated `sed` takes the way of every edit, and answers as the command would have. */
function editBySed(session: ToolSession, call: CallScope, command: string): Promise<ToolAnswer> {
  return proposeEdit(session, call, {
    what: `The edit by "${command.slice(0, 60)}"`,
    cause: 'sed',
    say: (written) => ({ ...written, structured: { ...written.structured, exit_code: 0, stdout: '', stderr: '', simulated: true } }),
    plan: async (signal) => {
      const planned = await planSed(session, command, signal)
      if (planned.kind === 'edit') return planned.plan
      if (planned.kind === 'no-match') throw new ReviewError('NO_CHANGE', `No line of ${planned.path} matches any more. The file is untouched.`)
      throw new ReviewError('FILE_CHANGED_SINCE_READ', `The file is another one now, and the command cannot be done as an edit: ${planned.reason ?? 'it is no sed command'}. Run it again.`)
    },
  })
}

function unmatched(path: string, hasMatch: boolean): ToolAnswer {
  const message = hasMatch ? `What matches in ${path} is replaced by the same text: the file is untouched.` : `No match in ${path}: the file is untouched.`
  return done(`${message} (exit code 0)`, { message, exit_code: 0, stdout: '', stderr: '', simulated: true, changed: [] })
}

interface NotedRun {
  readonly process: CommandResult
  readonly entry: LedgerEntry | null
  readonly limits: readonly string[]
}

/** Runs a command to its end; never rejects. */
async function run(session: ToolSession, call: CallScope, proposal: CommandProposal, timeLimitMs: number, by: 'person' | 'rule' | 'policy', signal: AbortSignal): Promise<Ended<ToolAnswer>> {
  const stop = firstSignal(signal, session.ended)
  try {
    const noted = await runNoted(session, call, proposal.command, timeLimitMs, stop.signal)
    return { kind: 'applied', outcome: `Ran: ${endOf(noted.process)}.`, value: answerOf(noted, by, proposal.interpret), undo: null, written: null }
  } catch (thrown) {
    if (!(thrown instanceof ReviewError)) session.failed(call.tool, thrown)
    const { code, message, details } = toWireError(thrown)
    return { kind: 'failed', outcome: `The command did not run: ${message}`, error: code, value: refused(code, message, details, `${message} The command did not run.`) }
  } finally {
    stop.release()
  }
}

/** Runs a command between two looks at the disk. Errors, and it did not run: those of `settleOthers`, of a program that cannot be started. */
async function runNoted(session: ToolSession, call: CallScope, command: string, timeLimitMs: number, stop: AbortSignal): Promise<NotedRun> {
  const between = await session.beginCommand(call.callId)
  try {
    throwIfAborted(stop)
    call.progress(`Running ${command.slice(0, 60)}`)
    const result = await runCommand(
      { command, directory: session.workspace.root, environment: session.environment(), timeLimitMs },
      { signal: stop, onOutput: () => call.progress(`Running ${command.slice(0, 60)}`) },
    )
    const { entry, limits } = await between.end(call.callId, 'command')
    for (const { path, after } of entry?.changes ?? []) {
      // The agent's own command: what it left is no surprise to the agent, but it has not seen it either.
      if (after.kind !== 'file') session.seen.delete(path)
    }
    return { process: result, entry, limits }
  } catch (thrown) {
    between.cancel()
    throw thrown
  }
}

function answerOf({ process, entry, limits }: NotedRun, by: 'person' | 'rule' | 'policy', interpret: CommandProposal['interpret']): ToolAnswer {
  const changed = (entry?.changes ?? []).map(({ path, before, after }) => ({ path, how: howOf(before.kind, after.kind) }))
  const text = [
    ...(process.stdout.text === '' ? [] : [process.stdout.text]),
    ...(process.stderr.text === '' ? [] : [`[stderr]\n${process.stderr.text}`]),
    ...(process.stdout.text === '' && process.stderr.text === '' ? ['[No output.]'] : []),
    `[${endOf(process)}, ${(process.durationMs / 1000).toFixed(1)} s]`,
    ...process.notes.map((note) => `[${note}]`),
    ...(changed.length === 0 ? [] : [`[Changed files: ${changed.slice(0, 50).map(({ path, how }) => `${path} (${how})`).join(', ')}${changed.length > 50 ? ` and ${changed.length - 50} more` : ''}]`]),
    ...limits.map((limit) => `[${limit}]`),
  ].join('\n')
  const structured = {
    exit_code: process.exitCode,
    signal: process.signal,
    stdout: process.stdout.text,
    stderr: process.stderr.text,
    output_is_cut: process.stdout.cutBytes + process.stderr.cutBytes > 0,
    duration_ms: process.durationMs,
    timed_out: process.endedBy === 'time-limit',
    approved_by: by,
    changed,
    ...(process.notes.length + limits.length === 0 ? {} : { notes: [...process.notes, ...limits] }),
    ...interpreted(interpret, process),
  }
  if (process.endedBy === 'itself') return done(text, structured)
  return { isError: true, text, structured: { status: 'failed', message: endOf(process), ...structured } }
}

/** What a tool makes of the output is an extra: without it the answer is still true. */
function interpreted(interpret: CommandProposal['interpret'], result: CommandResult): Readonly<Record<string, unknown>> {
  try {
    return interpret ? interpret(result) : {}
  } catch {
    return {}
  }
}

function howOf(before: string, after: string): string {
  if (before === 'absent') return 'created'
  return after === 'absent' ? 'deleted' : 'changed'
}

function endOf({ endedBy, exitCode, signal }: CommandResult): string {
  if (endedBy === 'time-limit') return 'Stopped at its time limit'
  if (endedBy === 'cancel') return 'Cancelled, and everything it had started was ended'
  return exitCode === null ? `Ended by ${signal ?? 'a signal'}` : `Exit code ${exitCode}`
}

function changesSomething({ isParsed, parts }: CommandJudgement): boolean {
  return !isParsed || parts.some((part) => !part.isReadOnly)
}

export function denied(judgement: CommandJudgement): ToolAnswer {
  return refused('COMMAND_DENIED', deniedWords(judgement), { parts: judgement.parts.map(({ text, verdict, reason }) => `${verdict}: ${text} (${reason})`) })
}

export function deniedWords(judgement: CommandJudgement): string {
  const denied = judgement.parts.filter(({ verdict }) => verdict === 'denied')
  if (denied.length === 0) return judgement.reason
  return denied.map(({ text, reason }) => `"${text.slice(0, 200)}": ${reason}`).join(' ')
}

/** Only rules that were on the buttons. Errors: INVALID_PARAMS. */
export function offeredRules(judgement: CommandJudgement, rules: readonly string[]): readonly string[] {
  const known = new Set(judgement.parts.flatMap(({ alwaysRule }) => (alwaysRule === null ? [] : [alwaysRule])))
  for (const rule of rules) if (!known.has(rule)) throw new ReviewError('INVALID_PARAMS', 'This rule was not offered for this command. Nothing ran.')
  return rules
}
