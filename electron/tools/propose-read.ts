import type { ApprovalSubject } from '../../shared/approval.js'
import { ReviewError, throwIfAborted, toWireError } from '../../shared/errors.js'
import { commandText } from '../../shared/policy.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { CarriedOut, Content } from '../approvals/question.js'
import { askPerson } from './await-answer.js'
import { denied, deniedWords, offeredRules } from './propose-command.js'
import { refused, refusedBy, type CallScope } from './tool.js'
import type { ToolSession } from './tool-session.js'

/**
 * The way to a file outside the workspace (`absolute`, without links): judged, asked for and allowed by rules as the command that
 * would print it, so that no tool is a way around the other. `part` tells questions about other parts of the file apart.
 */
export async function proposeRead(session: ToolSession, call: CallScope, absolute: string, part: string, read: (signal: AbortSignal) => Promise<ToolAnswer>): Promise<ToolAnswer> {
  const command = commandText(['cat', absolute])
  const judgement = session.judge(command)
  const subject: ApprovalSubject = { kind: 'command', command, directory: session.workspace.root, judgement, timeLimitMs: session.policy().commandTimeLimitMs, note: `Asked for by ${call.tool}: the file is read, and no program runs.` }
  if (judgement.verdict === 'denied') {
    session.queue.note(session.source(call), subject, { kind: 'denied', outcome: deniedWords(judgement) })
    return denied(judgement)
  }
  if (judgement.verdict === 'allowed') return read(call.signal)
  const content: Content<ToolAnswer> = {
    subject,
    sameAs: `${call.tool}\n${absolute}\n${part}`,
    texts: () => Promise.reject(new ReviewError('FILE_NOT_FOUND', 'A file that is only read has no texts to compare.')),
    carryOut: async (decision, signal): Promise<CarriedOut<ToolAnswer>> => {
      const rules = offeredRules(judgement, decision.alwaysRules)
      const now = session.judge(command)
      if (now.verdict === 'denied') return { kind: 'failed', outcome: deniedWords(now), error: 'COMMAND_DENIED', value: denied(now) }
      if (rules.length > 0) await session.allowAlways(rules)
      throwIfAborted(signal)
      try {
        return { kind: 'applied', outcome: 'The file was read.', value: await read(signal), undo: null, written: null }
      } catch (thrown) {
        const { code, message, details } = toWireError(thrown)
        return { kind: 'failed', outcome: message, error: code, value: refused(code, message, details) }
      }
    },
    refresh: () => Promise.resolve(null),
  }
  return askPerson(session, call, `Reading ${absolute.slice(0, 200)}`, { content, refused: (approval) => refusedBy(approval, 'APPROVAL_REJECTED', 'The file was not read.') })
}
