import { describe, expect, it } from 'vitest'
import { afterStep, isOpen, type Approval, type ApprovalState, type ApprovalStep } from './approval.js'
import { approvalId, promptId, sessionKey } from './ids.js'

const states: readonly ApprovalState[] = ['waiting', 'stale', 'approved', 'applied', 'not-applied', 'rejected', 'denied', 'cancelled', 'expired']
const steps: readonly ApprovalStep[] = [
  { kind: 'changed-on-disk' },
  { kind: 'approve', by: 'person', isModified: true },
  { kind: 'apply', outcome: 'Written.', written: null },
  { kind: 'undo', outcome: 'Put back.' },
  { kind: 'fail', outcome: 'Not written.', error: 'DISK_FULL' },
  { kind: 'reject', by: 'person', outcome: 'No.' },
  { kind: 'deny', outcome: 'Denied.' },
  { kind: 'cancel', outcome: 'Gone.' },
  { kind: 'expire', outcome: 'Late.' },
]

function approval(state: ApprovalState, change: Partial<Approval> = {}): Approval {
  return {
    id: approvalId('q'),
    source: { session: sessionKey('s'), client: 'a', clientVersion: null, title: '', promptId: promptId('p'), turn: 1, tool: 't', callId: 'c' },
    subject: { kind: 'edit', files: [], sed: null },
    state,
    revision: 3,
    askedAt: 1,
    waitsUntil: null,
    hasTicket: false,
    decidedAt: null,
    decidedBy: null,
    outcome: null,
    error: null,
    isModified: false,
    canUndo: false,
    ...change,
  }
}

describe('the states of an approval', () => {
  it('lead from one to the other only so', () => {
    const table = Object.fromEntries(states.map((state) => [state, steps.map((step) => afterStep(approval(state, { canUndo: true }), step, 9)?.state ?? '').join(' ').trim()]))
    expect(table).toEqual({
      waiting: 'stale approved    rejected denied cancelled expired',
      stale: 'stale approved    rejected denied cancelled expired',
      approved: 'stale  applied  not-applied',
      applied: 'applied',
      'not-applied': '',
      rejected: '',
      denied: '',
      cancelled: '',
      expired: '',
    })
  })

  it('are open while a person can decide', () => {
    expect(states.filter(isOpen)).toEqual(['waiting', 'stale'])
  })

  it('say who decided, when, and what came of it', () => {
    const after = (step: ApprovalStep, from = approval('waiting')): Partial<Approval> | null => {
      const next = afterStep(from, step, 9)
      return next && { state: next.state, revision: next.revision, decidedAt: next.decidedAt, decidedBy: next.decidedBy, outcome: next.outcome, error: next.error, isModified: next.isModified, canUndo: next.canUndo }
    }
    const plain = { revision: 3, decidedAt: null, decidedBy: null, outcome: null, error: null, isModified: false, canUndo: false }
    expect(steps.map((step) => after(step, step.kind === 'apply' || step.kind === 'fail' ? approval('approved') : step.kind === 'undo' ? approval('applied', { canUndo: true }) : approval('waiting')))).toEqual([
      { ...plain, state: 'stale', revision: 4 },
      { ...plain, state: 'approved', decidedAt: 9, decidedBy: 'person', isModified: true },
      { ...plain, state: 'applied', outcome: 'Written.', canUndo: true },
      { ...plain, state: 'applied', outcome: 'Put back.' },
      { ...plain, state: 'not-applied', outcome: 'Not written.', error: 'DISK_FULL' },
      { ...plain, state: 'rejected', decidedAt: 9, decidedBy: 'person', outcome: 'No.', error: 'APPROVAL_REJECTED' },
      { ...plain, state: 'denied', decidedAt: 9, decidedBy: 'policy', outcome: 'Denied.', error: 'COMMAND_DENIED' },
      { ...plain, state: 'cancelled', decidedAt: 9, decidedBy: 'nobody', outcome: 'Gone.', error: 'AGENT_GONE' },
      { ...plain, state: 'expired', decidedAt: 9, decidedBy: 'nobody', outcome: 'Late.', error: 'APPROVAL_UNANSWERED' },
    ])
  })

  it('forget a decision that met a changed disk', () => {
    expect(afterStep(approval('approved', { decidedAt: 5, decidedBy: 'person', isModified: true }), { kind: 'changed-on-disk' }, 9)).toMatchObject({ state: 'stale', decidedAt: null, decidedBy: null, isModified: false, revision: 4 })
  })

  it('offer an undo for edits only', () => {
    const command = approval('approved', { subject: { kind: 'plan', markdown: '', files: [] } })
    expect([afterStep(command, { kind: 'apply', outcome: '', written: null }, 9)?.canUndo, afterStep(approval('applied'), { kind: 'undo', outcome: '' }, 9)]).toEqual([false, null])
  })
})
