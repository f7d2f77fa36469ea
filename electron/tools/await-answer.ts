import type { ToolAnswer } from '../agents/agent-desk.js'
import type { Asked, Question } from '../approvals/question.js'
import { pending, refused, type CallScope } from './tool.js'
import type { ToolSession } from './tool-session.js'

/** Puts a question, or joins the same one that is open, and waits for its answer. `what` names it in progress and tickets. */
export function askPerson(session: ToolSession, call: CallScope, what: string, { content, refused: refusal }: Pick<Question<ToolAnswer>, 'content' | 'refused'>): Promise<ToolAnswer> {
  const asked =
    session.queue.find<ToolAnswer>(session.key, { sameAs: content.sameAs }) ??
    session.queue.ask<ToolAnswer>({ source: session.source(call), waitsUntil: call.waitsUntil, content, refused: refusal })
  return awaitAnswer(asked, what, call, session.now)
}

/** How many calls wait for a question: it is given up with the last of them. */
const waiting = new WeakMap<Asked<ToolAnswer>, number>()

/**
 * Waits for a question's answer as long as the agent waits in its call. Then the agent gets a ticket, and the question stays;
 * where the agent gives up before, nobody could be told of an answer, so the question is cancelled. What was being carried out at
 * that moment is stopped where it can be, and the answer says how far it came.
 */
export async function awaitAnswer(asked: Asked<ToolAnswer>, what: string, call: CallScope, now: () => number): Promise<ToolAnswer> {
  waiting.set(asked, (waiting.get(asked) ?? 0) + 1)
  let timer: NodeJS.Timeout | undefined
  let stopListening = (): void => undefined
  const givenUp = new Promise<'given-up'>((resolve) => {
    const giveUp = (): void => resolve('given-up')
    if (call.signal.aborted) giveUp()
    call.signal.addEventListener('abort', giveUp, { once: true })
    stopListening = () => call.signal.removeEventListener('abort', giveUp)
  })
  const outOfTime = new Promise<'out-of-time'>((resolve) => {
    if (call.waitsUntil !== null) timer = setTimeout(() => resolve('out-of-time'), Math.max(0, call.waitsUntil - now()))
  })
  call.progress(`${what} waits for a person's decision`)
  try {
    const first = await Promise.race([asked.answer, givenUp, outOfTime])
    if (first === 'out-of-time') {
      asked.giveTicket()
      return pending(asked.id, what)
    }
    if (first !== 'given-up') return first
  } finally {
    clearTimeout(timer)
    stopListening()
    waiting.set(asked, (waiting.get(asked) ?? 1) - 1)
  }
  if (asked.now().hasTicket || waiting.get(asked) !== 0) return refused('AGENT_GONE', 'This call was given up. What it waited for still waits for a decision.')
  asked.cancel('The agent gave up before there was an answer. Nothing was done.')
  return asked.answer
}
