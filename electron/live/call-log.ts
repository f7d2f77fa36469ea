import type { LedgerChange } from '../../shared/ledger.js'
import type { PolicySettings } from '../../shared/policy.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { Asked } from '../approvals/question.js'
import type { Log } from '../base/log.js'
import { environmentSecrets } from '../policy/environment-secrets.js'
import type { SessionLog } from '../history/session-log.js'
import type { ToolCallFacts } from '../tools/tool-session.js'
import { changedLines, displayOfAnswer } from './answer-display.js'
import { classifyAnswer } from './classify-answer.js'
import type { Stance } from './stance.js'

/** The calls of a session as they go into its log. */
export interface CallLog {
  /** Errors: those of the log. */
  readonly call: (call: ToolCallFacts) => Promise<void>
  /** What of an answer the agent may see; where it counts, it raises the taint and that is noted. Never rejects. */
  readonly classify: (call: ToolCallFacts, answer: ToolAnswer, isCounted: boolean) => Promise<ToolAnswer>
  /** Notes a classified answer, or that the call waits; then its end is noted when it comes. Errors: those of the log. */
  readonly answer: (call: ToolCallFacts, answer: ToolAnswer, waitsFor: Asked<ToolAnswer> | null) => Promise<void>
  /** What a call, or its command, changed; for its display. */
  readonly written: (callId: string, changes: readonly LedgerChange[]) => void
}

export interface CallLogParts {
  readonly openedLog: () => Promise<SessionLog>
  readonly root: string
  readonly stance: Stance
  readonly policy: () => PolicySettings
  /** That commands run in. */
  readonly environment: NodeJS.ProcessEnv
  readonly readState: (sha256: string) => Promise<Uint8Array>
  readonly log: Log
  readonly now: () => number
  readonly onChanged: () => void
}

export function createCallLog({ openedLog, root, stance, policy, environment, readState, log, now, onChanged }: CallLogParts): CallLog {
  const secrets = environmentSecrets(environment)
  const byCall = new Map<string, readonly LedgerChange[]>()

  const classify: CallLog['classify'] = async (call, answer, isCounted) => {
    try {
      const { level, reasons, answer: safe } = await classifyAnswer(call, answer, policy(), root, secrets)
      if (isCounted && stance.raise(level, reasons)) onChanged()
      if (isCounted && level !== 'PUBLIC') {
        const note = { callId: call.callId, level, reasons, taint: stance.taint().level }
        await openedLog().then((written) => written.note('classified', note)).catch((thrown: unknown) => log.error('session.classification-not-noted', thrown))
      }
      return safe
    } catch (thrown) {
      log.error('session.not-classified', thrown, { callId: call.callId })
      stance.raise('CONFIDENTIAL', [{ level: 'CONFIDENTIAL', why: 'Could not be examined for secrets', source: call.tool }])
      if (!policy().redactSecrets) return answer
      const { status, message, error, review_id: reviewId } = answer.structured
      const text = `The answer could not be examined for secrets and is kept back. Status: ${typeof status === 'string' ? status : 'done'}.`
      return { isError: answer.isError, text, structured: { status, message, error, ...(reviewId === undefined ? {} : { review_id: reviewId }) } }
    }
  }

  const result = async (call: ToolCallFacts, safe: ToolAnswer): Promise<void> => {
    const changes = byCall.get(call.callId) ?? []
    byCall.delete(call.callId)
    const display = await displayOfAnswer(call, safe, { directory: root, changes, read: readState }).catch((thrown: unknown) => {
      log.error('session.no-display', thrown, { callId: call.callId })
      return { kind: 'none' as const }
    })
    const lines = display.kind === 'edit' ? null : await changedLines(changes, readState).catch(() => null)
    await (await openedLog()).result({ callId: call.callId, name: call.tool, status: statusOf(safe), text: safe.text, display, lines, durationMs: now() - call.startedAt, at: now() })
  }

  return {
    call: async ({ callId, tool, args, request }) => (await openedLog()).call({ callId, name: tool, args, request, at: now() }),
    classify,
    answer: async (call, safe, waitsFor) => {
      if (!waitsFor) return result(call, safe)
      void waitsFor.answer
        .then(async (answer) => result(call, await classify(call, answer, true)))
        .catch((thrown: unknown) => log.error('session.end-not-noted', thrown, { callId: call.callId }))
      await (await openedLog()).note('pending', { callId: call.callId, approval: waitsFor.id })
    },
    written: (callId, changes) => void byCall.set(callId, changes),
  }
}

function statusOf({ structured }: ToolAnswer): 'done' | 'failed' | 'refused' {
  const { status } = structured
  return status === 'refused' || status === 'failed' ? status : 'done'
}
