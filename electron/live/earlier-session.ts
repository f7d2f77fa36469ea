import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { approvalModes, type ApprovalMode } from '../../shared/approval.js'
import { ReviewError } from '../../shared/errors.js'
import { sensitivities } from '../../shared/policy.js'
import type { AgentHello, ToolAnswer } from '../agents/agent-desk.js'
import { namesIn } from '../base/folder-names.js'
import { sessionLogFile, type SessionLog } from '../history/session-log.js'
import { fewNames } from '../tools/few-names.js'
import { done, refused, type Tool } from '../tools/tool.js'
import { ownerOf, resumeOf, type EarlierCall, type RequestId, type ResumedSession } from './resume-session.js'
import type { Taint } from './stance.js'

/** A session that goes on. */
export interface EarlierSession extends ResumedSession {
  readonly sessionId: string
  /** The same agent is back after its connection was lost: it goes on in the turn that it was in. */
  readonly isSameTurn: boolean
}

export interface EarlierParts {
  readonly dataFolder: string
  /** Root of the workspace, real path. */
  readonly folder: string
  /** Whether an agent works on the session with this log now. */
  readonly isRunning: (logFile: string) => boolean
}

/**
 * The session that an agent goes on with; `null` for a new one: it asked for none, or there is none yet.
 * Errors: SESSION_NOT_FOUND, NOT_ADMITTED for one that an agent works on now, and those of the system.
 */
export async function earlierSession({ client, resume }: Pick<AgentHello, 'client' | 'resume'>, parts: EarlierParts): Promise<EarlierSession | null> {
  if (resume === null) return null
  if (resume.kind === 'newest') {
    const file = newestOf(client, parts)
    return file === null ? null : { ...(await resumeOf(file)), sessionId: basename(file, '.jsonl'), isSameTurn: false }
  }
  const file = sessionLogFile(parts.dataFolder, parts.folder, resume.sessionId)
  if (parts.isRunning(file)) throw new ReviewError('NOT_ADMITTED', 'An agent is connected that works on this session. End it first, or connect without --session.')
  const resumed = await resumeOf(file)
  const isSameTurn = resume.kind === 'lost-connection'
  // It had begun no turn, so there is nothing to go on with but its identity.
  if (resumed.lastAt === null && isSameTurn) return { ...resumed, sessionId: resume.sessionId, isSameTurn: false }
  if (resumed.client === null || resumed.folder !== parts.folder) {
    throw new ReviewError('SESSION_NOT_FOUND', 'There is no such session of this folder. "overturn sessions" lists them; without --session a new one begins.')
  }
  if (resumed.client !== client) {
    throw new ReviewError('SESSION_NOT_FOUND', `This session belongs to ${resumed.client.slice(0, 60) || 'another agent'}. Connect without --session for a session of your own.`)
  }
  return { ...resumed, sessionId: resume.sessionId, isSameTurn }
}

/** The log that was written last of those that this agent can go on with. */
function newestOf(client: string, { dataFolder, folder, isRunning }: EarlierParts): string | null {
  const chats = dirname(sessionLogFile(dataFolder, folder, 'any'))
  const files = namesIn(chats)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => join(chats, name))
    .filter((file) => !isRunning(file))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, two) => two.at - one.at)
  return files.find(({ file }) => {
    const owner = ownerOf(file)
    return owner?.client === client && owner.folder === folder
  })?.file ?? null
}

/** What became of a call that had no answer when its host ended: whether it was carried out, and a text for the agent. */
export interface CutOffEnd {
  readonly isDone: boolean
  readonly text: string
}

/** What the log proves about a call that a crash cut off. Edits that it had left half done were ended before this is asked. */
export function endOfCutOff(call: EarlierCall, tools: readonly Tool[]): CutOffEnd {
  const { changed, decision } = call
  if (changed !== null && changed.length > 0) {
    return { isDone: true, text: `Overturn ended before it could answer. This call was carried out, and changed: ${fewNames(changed, 20)}. Read what you need of it, and do not make the call again.` }
  }
  const effect = tools.find(({ name }) => name === call.tool)?.effect
  if (effect === 'reads') return { isDone: false, text: 'Overturn ended before it could answer. This call only reads: make it again.' }
  if (isCutOffCommand(call, tools)) {
    return { isDone: false, text: 'Overturn ended while this command ran, or right after: it may have run in part or whole. Look at the present state of the files before you run it again.' }
  }
  if (decision?.state === 'rejected' || decision?.state === 'denied') return { isDone: false, text: `${decision.outcome} Nothing was done.` }
  return { isDone: false, text: 'Overturn ended before this was decided or done. No answer is a refusal: nothing was written, and nothing ran. Make the call again if it is still wanted.' }
}

/** Whether a command ran, or may have run, of which nobody saw the end. */
function isCutOffCommand({ tool, hasRun, changed, result, isCutOff }: EarlierCall, tools: readonly Tool[]): boolean {
  return hasRun && (changed === null || changed.length === 0) && (result === null || isCutOff) && tools.find(({ name }) => name === tool)?.effect === 'command'
}

/** Commands that were cut off and have no entry in the ledger yet, in the order in which they were asked for. */
export function cutOffCommands(calls: readonly EarlierCall[], tools: readonly Tool[]): readonly string[] {
  return calls.filter((call) => call.changed === null && isCutOffCommand(call, tools)).map(({ callId }) => callId)
}

/** The same for a call whose answer is in the log, but was not delivered. */
function endOfAnswered({ tool, result }: EarlierCall & { readonly result: CutOffEnd }, tools: readonly Tool[]): CutOffEnd {
  const effect = tools.find(({ name }) => name === tool)?.effect
  if (!result.isDone) return { isDone: false, text: `It was answered before the connection broke: ${result.text}` }
  if (effect === 'reads') return { isDone: true, text: 'Overturn ended before its answer reached you. This call only reads: make it again.' }
  const what = effect === 'writes' ? 'It was written' : effect === 'command' ? 'It ran' : 'It was done'
  return { isDone: true, text: `${what} before the connection broke: ${result.text}` }
}

/** The same for a request that is in no log of the session. */
export function endOfUnlogged(tool: string, tools: readonly Tool[]): CutOffEnd {
  const found = tools.find(({ name }) => name === tool)
  if (found?.effect === 'session') return { isDone: false, text: `Overturn ended before it could answer. Call ${tool} again.` }
  if (found?.place === 'scratch' && found.effect !== 'reads') {
    return { isDone: false, text: 'Overturn ended while this call ran. What it did in your own workspace is not known, and a new one has begun there: look at it before you make the call again.' }
  }
  return { isDone: false, text: 'Overturn ended before this call began: nothing was written, and nothing ran. Make the call again.' }
}

/** What became of the calls of an earlier session, for those who ask later. */
export interface EarlierCalls {
  /** By the identity of the request, in the process of the agent that asked. */
  readonly ofRequest: (request: RequestId, tool: string) => CutOffEnd
  /** By a ticket; `null` for none of this session. */
  readonly ofReview: (review: string) => ToolAnswer | null
}

export function earlierCalls(calls: readonly EarlierCall[], tools: readonly Tool[]): EarlierCalls {
  const endOf = (call: EarlierCall): CutOffEnd => call.result ?? endOfCutOff(call, tools)
  return {
    ofRequest: (request, tool) => {
      const call = calls.findLast((each) => each.request === request && each.tool === tool)
      if (!call) return endOfUnlogged(tool, tools)
      const { result } = call
      return result ? endOfAnswered({ ...call, result }, tools) : endOfCutOff(call, tools)
    },
    ofReview: (review) => {
      const call = calls.find((each) => each.review === review)
      if (!call) return null
      const { isDone, text } = endOf(call)
      return isDone ? done(text, { review_id: review }) : refused('APPROVAL_UNANSWERED', text, { review_id: review })
    },
  }
}

/** Ends in the log what the crash had left open there. */
export async function settleEarlier(log: SessionLog, calls: readonly EarlierCall[], tools: readonly Tool[], now: () => number): Promise<void> {
  for (const call of calls) {
    if (call.result !== null) continue
    const { isDone, text } = endOfCutOff(call, tools)
    const { callId, tool } = call
    const isCutOff = isCutOffCommand(call, tools)
    // Before its result, so that what it changed is put down to it whatever comes in between.
    if (isCutOff) await log.note('command-cut-off', { callId })
    await log.result({ callId, name: tool, status: isDone ? 'done' : isCutOff ? 'failed' : 'refused', text, display: { kind: 'none' }, durationMs: 0, at: now() })
  }
}

/** An agent that is back keeps the mode that a person chose meanwhile; one that goes on anew says which it wants. */
export function modeOf({ mode }: Pick<AgentHello, 'mode'>, earlier: EarlierSession | null): ApprovalMode | null {
  const chosen = earlier?.isSameTurn === true ? earlier.notes.get('mode')?.['mode'] : null
  return approvalModes.find((each) => each === chosen) ?? mode
}

export function taintOf(earlier: EarlierSession | null): Taint {
  const level = sensitivities.find((each) => each === earlier?.notes.get('classified')?.['taint'])
  return level === undefined ? { level: 'PUBLIC', reasons: [] } : { level, reasons: [{ level, why: 'Seen before Overturn was started again', source: 'this session' }] }
}
