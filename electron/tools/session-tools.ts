import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { workspacePath } from '../../shared/ids.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { Content } from '../approvals/question.js'
import { askPerson, awaitAnswer } from './await-answer.js'
import { done, refused, refusedBy, tool } from './tool.js'

export const beginTurn = tool({
  name: 'begin_turn',
  title: 'Begin a turn',
  description:
    "Call this first for every new prompt of the user, with the prompt's text. A snapshot of the files is taken, to which the user can rewind. The answer names files that somebody else changed since your last turn.",
  effect: 'session',
  params: z.object({ prompt: z.string().max(200_000).describe("The user's prompt, as typed") }),
  result: { turn: z.number(), changed_by_others: z.array(z.string()) },
  run: async ({ prompt }, session) => {
    const { turn, changedByOthers } = await session.beginTurn(prompt)
    const others = changedByOthers.slice(0, 50)
    const text = others.length === 0 ? '' : ` Changed by somebody else since ${turn === 1 ? 'you connected' : 'your last turn'}: ${others.join(', ')}${changedByOthers.length > 50 ? ` and ${changedByOthers.length - 50} more` : ''}.`
    return done(`Turn ${turn} begins.${text}`, { turn, changed_by_others: others })
  },
})

export const awaitReview = tool({
  name: 'await_review',
  title: 'Wait for a decision',
  description: 'Waits for the decision on a call that was answered with status "pending", and reports its end. May itself answer "pending" again: then call it again.',
  effect: 'session',
  params: z.object({ review_id: z.string().min(1).max(80) }),
  result: {},
  run: async ({ review_id: id }, session, call) => {
    const asked = session.findReview(id)
    if (!asked) return session.endedReview(id) ?? refused('APPROVAL_NOT_WAITING', 'There is no such review in this session. Make the call again if it is still wanted.', { review_id: id })
    return awaitAnswer(asked, 'The review', call, session.now)
  },
})

export const submitPlan = tool({
  name: 'submit_plan',
  title: 'Submit a plan',
  description:
    'Shows a plan (Markdown) with the files it will touch to the person. In plan mode nothing can be written before a plan is approved; it may come back with comments.',
  effect: 'plan',
  params: z.object({
    plan: z.string().min(1).max(200_000).describe('The plan in Markdown'),
    files: z.array(z.string().max(4096)).max(1_000).default([]).describe('Files that will be created, changed or deleted'),
  }),
  result: { comment: z.string() },
  run: ({ plan, files }, session, call) => {
    const content: Content<ToolAnswer> = {
      subject: { kind: 'plan', markdown: plan, files: files.map(workspacePath) },
      sameAs: `plan\n${JSON.stringify([plan, files])}`,
      texts: () => Promise.reject(new ReviewError('FILE_NOT_FOUND', 'A plan has no texts to compare.')),
      carryOut: (decision) => {
        session.approvePlan()
        const comment = decision.comment.trim()
        const outcome = comment === '' ? 'The plan is approved.' : `The plan is approved, with a comment: ${comment}`
        return Promise.resolve({ kind: 'applied', outcome, value: done(`${/[.!?…]$/.test(outcome) ? outcome : `${outcome}.`} Files can be written now.`, { comment }), undo: null, written: null })
      },
      refresh: () => Promise.resolve(null),
    }
    return askPerson(session, call, 'The plan', { content, refused: (approval) => refusedBy({ ...approval, error: 'PLAN_NOT_APPROVED' }, 'PLAN_NOT_APPROVED', 'Change the plan and submit it again.') })
  },
})
