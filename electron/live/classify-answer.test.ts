import { describe, expect, it } from 'vitest'
import { approvalId, promptId, sessionKey } from '../../shared/ids.js'
import { createApprovalQueue } from '../approvals/approval-queue.js'
import { defaultPolicy } from '../policy/policy-shape.js'
import { askedWords } from './asked-words.js'
import { classifyAnswer } from './classify-answer.js'
import { createStance } from './stance.js'
import { titleOf } from './title.js'

const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`

describe('a classified answer', () => {
  it('has no secret left in its text or anywhere in its data', async () => {
    const answer = { isError: false, text: `x ${token} y`, structured: { status: 'done', text: `x ${token} y`, deep: [{ lines: [token, 1, null] }], count: 3 } }
    expect((await classifyAnswer({ tool: 'read_file', args: { path: 'a' } }, answer, defaultPolicy, '/ws')).answer).toMatchObject({
      text: expect.not.stringContaining(token),
      structured: { status: 'done', text: 'x [secret taken out] y', deep: [{ lines: ['[secret taken out]', 1, null] }], count: 3 },
    })
  })

  it.each([
    ['read_file', { path: '.env' }, 'RESTRICTED'],
    ['read_file', { path: 'src/a.ts' }, 'INTERNAL'],
    ['list_directory', { path: '.ssh' }, 'INTERNAL'],
  ])('of %s %j is %s', async (tool, args, level) => {
    const answer = { isError: false, text: 'plain', structured: { status: 'done' } }
    expect((await classifyAnswer({ tool, args }, answer, defaultPolicy, '/ws')).level).toBe(level)
  })

  it('counts the files that a search or a patch was about', async () => {
    const answer = { isError: false, text: 'plain', structured: { status: 'done', matches: [{ path: 'a' }, { path: 'conf/id_rsa' }] } }
    expect((await classifyAnswer({ tool: 'search_files', args: { path: '.' } }, answer, defaultPolicy, '/ws')).level).toBe('RESTRICTED')
  })
})

describe('a stance', () => {
  it('raises the taint and never lowers it', () => {
    const stance = createStance(null, () => 'ask')
    const reason = (level: 'INTERNAL' | 'RESTRICTED') => [{ level, why: 'w', source: 's' }]
    expect([stance.raise('RESTRICTED', reason('RESTRICTED')), stance.raise('INTERNAL', reason('INTERNAL')), stance.raise('RESTRICTED', reason('RESTRICTED')), stance.taint().level]).toEqual([true, false, false, 'RESTRICTED'])
  })

  it('follows the setting until a mode is set, and forgets a plan with each mode', () => {
    let usual: 'ask' | 'plan' = 'ask'
    const stance = createStance(null, () => usual)
    const before = stance.mode()
    usual = 'plan'
    const planning = stance.isPlanning()
    stance.approvePlan()
    const approved = stance.isPlanning()
    stance.setMode('plan')
    expect([before, planning, approved, stance.isPlanning()]).toEqual(['ask', true, false, true])
  })
})

describe('words from an agent', () => {
  it.each([
    ['\n\n  First line\nsecond', 'First line'],
    ['a\u202eb\u0000c\td', 'a b c d'],
    ['', ''],
    ['one\u2028two', 'one'],
    ['x'.repeat(500), 'x'.repeat(120)],
  ])('%j make the title %j', (text, title) => {
    expect(titleOf(text)).toBe(title)
  })

  it('cannot turn or break a notification', () => {
    const queue = createApprovalQueue({ now: () => 0, newId: () => approvalId('q'), onChanged: () => undefined, onAsked: () => undefined, onEnded: () => undefined })
    queue.note(
      { session: sessionKey('s'), client: 'bad\n\u202eagent', clientVersion: null, title: 't\u0007', promptId: promptId('p'), turn: 1, tool: 't', callId: 'c' },
      { kind: 'plan', markdown: `do\n\u001b[2J${'x'.repeat(300)}`, files: [] },
      { kind: 'denied', outcome: '' },
    )
    const [approval] = queue.list().decided
    if (!approval) throw new Error('Nothing was noted.')
    const { title, text } = askedWords(approval)
    expect([/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(title + text), text.length]).toEqual([false, 120])
  })
})
