import { beforeEach, describe, expect, it } from 'vitest'
import type { Approval, ApprovalSource } from '../../shared/approval.js'
import { ReviewError } from '../../shared/errors.js'
import { approvalId, promptId, sessionKey } from '../../shared/ids.js'
import { createApprovalQueue, type ApprovalQueue } from './approval-queue.js'
import type { CarriedOut, Content, Ended, Question } from './question.js'

const session = sessionKey('one')
const yes = { kind: 'approve', files: [], comment: '', isForRestOfTurn: false, alwaysRules: [] } as const
const no = { kind: 'reject', reason: 'no' } as const

let queue: ApprovalQueue
let asked: string[]
let ended: string[]
let clock: number

beforeEach(() => {
  asked = []
  ended = []
  clock = 0
  let ids = 0
  queue = createApprovalQueue({
    now: () => ++clock,
    newId: () => approvalId(`q${++ids}`),
    onChanged: () => undefined,
    onAsked: ({ id }) => asked.push(id),
    onEnded: ({ id, state }) => ended.push(`${id} ${state}`),
  })
})

const source = (of = session): ApprovalSource => ({ session: of, client: 'a', clientVersion: null, title: '', promptId: promptId('p'), turn: 1, tool: 't', callId: 'c' })
const applied: CarriedOut<string> = { kind: 'applied', outcome: 'Done.', value: 'done', undo: null, written: null }

function content(change: Partial<Content<string>> = {}): Content<string> {
  return {
    subject: { kind: 'edit', files: [], sed: null },
    sameAs: 'same',
    texts: () => Promise.resolve({ before: { kind: 'absent' }, after: { kind: 'absent' } }),
    carryOut: () => Promise.resolve(applied),
    refresh: () => Promise.resolve(null),
    ...change,
  }
}

function question(change: Partial<Content<string>> = {}, of = session): Question<string> {
  return { source: source(of), waitsUntil: 100, content: content(change), refused: ({ state }) => `refused: ${state}` }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => 'fulfilled', (thrown: unknown) => (thrown instanceof ReviewError ? thrown.code : thrown))
const stand = ({ state, revision, decidedBy, outcome }: Approval): unknown => ({ state, revision, decidedBy, outcome })

function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void; readonly reject: (thrown: unknown) => void } {
  let settle: { resolve: (value: Value) => void; reject: (thrown: unknown) => void } = { resolve: () => undefined, reject: () => undefined }
  const promise = new Promise<Value>((resolve, reject) => (settle = { resolve, reject }))
  return { promise, resolve: (value) => settle.resolve(value), reject: (thrown) => settle.reject(thrown) }
}

describe('an approval queue', () => {
  it('carries an approval out once and refuses every later decision', async () => {
    let runs = 0
    const one = queue.ask(question({ carryOut: async () => (runs++, applied) }))
    const [first, second, third] = await Promise.all([queue.decide(one.id, 1, yes), codeOf(queue.decide(one.id, 1, yes)), codeOf(queue.decide(one.id, 1, no))])
    expect([stand(first), second, third, await codeOf(queue.decide(one.id, 1, no)), await one.answer, runs, ended]).toEqual([
      { state: 'applied', revision: 1, decidedBy: 'person', outcome: 'Done.' },
      'APPROVAL_NOT_WAITING',
      'APPROVAL_NOT_WAITING',
      'APPROVAL_NOT_WAITING',
      'done',
      1,
      ['q1 applied'],
    ])
  })

  it('answers a rejection with its reason and carries nothing out', async () => {
    const one = queue.ask(question({ carryOut: () => Promise.reject(new Error('must not run')) }))
    expect([stand(await queue.decide(one.id, 1, { kind: 'reject', reason: ' use two ' })), await one.answer]).toEqual([
      { state: 'rejected', revision: 1, decidedBy: 'person', outcome: 'Rejected: use two' },
      'refused: rejected',
    ])
  })

  it('binds a decision to the revision that was seen', async () => {
    const fresh = content({ sameAs: 'other' })
    const one = queue.ask(question({ refresh: () => Promise.resolve(fresh) }))
    await queue.refresh(session)
    expect([stand(one.now()), await codeOf(queue.decide(one.id, 1, yes)), await codeOf(queue.decide(one.id, 1, no)), stand(await queue.decide(one.id, 2, yes))]).toEqual([
      { state: 'stale', revision: 2, decidedBy: null, outcome: null },
      'FILE_CHANGED_SINCE_READ',
      'FILE_CHANGED_SINCE_READ',
      { state: 'applied', revision: 2, decidedBy: 'person', outcome: 'Done.' },
    ])
  })

  it('asks again with the fresh content where the disk has changed, and then carries that out', async () => {
    const written: string[] = []
    const fresh = content({ sameAs: 'fresh', carryOut: async () => (written.push('fresh'), applied) })
    const one = queue.ask(question({ carryOut: async () => ({ kind: 'stale', content: fresh }) }))
    expect([await codeOf(queue.decide(one.id, 1, yes)), stand(one.now()), queue.find(session, { sameAs: 'same' }), queue.find(session, { sameAs: 'fresh' })?.id]).toEqual([
      'FILE_CHANGED_SINCE_READ',
      { state: 'stale', revision: 2, decidedBy: null, outcome: null },
      null,
      'q1',
    ])
    await queue.decide(one.id, 2, yes)
    expect(written).toEqual(['fresh'])
  })

  it('never shows or carries out a content that a refresh found while a decision on the older one runs', async () => {
    const found = deferred<Content<string>>()
    const carried = deferred<CarriedOut<string>>()
    const written: string[] = []
    const old = content({
      refresh: () => found.promise,
      carryOut: () => (written.push('old'), carried.promise),
    })
    const one = queue.ask({ ...question(), content: old })
    const refreshed = queue.refresh(session)
    const decided = codeOf(queue.decide(one.id, 1, yes))
    found.resolve(content({ carryOut: async () => (written.push('new'), applied) }))
    await refreshed
    // The decision could not be carried out as it stood: the question is open, about what it was about.
    carried.reject(new ReviewError('HUNK_NOT_FOUND', 'There is no hunk 9.'))
    expect([await decided, stand(one.now())]).toEqual(['HUNK_NOT_FOUND', { state: 'waiting', revision: 1, decidedBy: null, outcome: null }])
    await codeOf(queue.decide(one.id, 1, yes))
    expect(written).toEqual(['old', 'old'])
  })

  it('gives one question to calls that are the same, while it is open', async () => {
    const one = queue.ask(question())
    expect([queue.find(session, { sameAs: 'same' }) === one, queue.find(sessionKey('two'), { sameAs: 'same' }), queue.find(session, { id: 'q1' }) === one]).toEqual([true, null, true])
    await queue.decide(one.id, 1, yes)
    expect([queue.find(session, { sameAs: 'same' }), queue.find(session, { id: 'q1' }) === one]).toEqual([null, true])
  })

  it('cancels what nobody waits for, and what is asked after the end of its session', async () => {
    const one = queue.ask(question())
    one.giveTicket()
    await queue.endSession(session, 'The agent is gone.')
    const late = queue.ask(question())
    const other = queue.ask(question({}, sessionKey('two')))
    other.cancel('Given up.')
    expect([stand(one.now()), await one.answer, await late.answer, await other.answer, asked, await codeOf(queue.decide(late.id, 1, yes))]).toEqual([
      { state: 'cancelled', revision: 1, decidedBy: 'nobody', outcome: 'The agent is gone.' },
      'refused: cancelled',
      'refused: cancelled',
      'refused: cancelled',
      ['q1', 'q3'],
      'APPROVAL_NOT_WAITING',
    ])
  })

  it('stops what is being carried out when its session ends, and waits for its end', async () => {
    const running = deferred<Ended<string>>()
    let stop: AbortSignal | null = null
    const one = queue.ask(question({ carryOut: async (_decision, signal) => ((stop = signal), { kind: 'running', end: running.promise }) }))
    expect(stand(await queue.decide(one.id, 1, yes))).toMatchObject({ state: 'approved', outcome: null })
    const order: string[] = []
    const gone = queue.endSession(session, 'The agent is gone.').then(() => order.push('ended'))
    expect(stop).toMatchObject({ aborted: true })
    order.push('before')
    running.resolve({ kind: 'applied', outcome: 'Ran: Cancelled.', value: 'cut off', undo: null, written: null })
    await gone
    expect([order, await one.answer, stand(one.now())]).toEqual([['before', 'ended'], 'cut off', { state: 'applied', revision: 1, decidedBy: 'person', outcome: 'Ran: Cancelled.' }])
  })

  it('leaves no open question where the agent goes while a decision turns out stale or impossible', async () => {
    const ends: readonly (() => CarriedOut<string>)[] = [
      () => ({ kind: 'stale', content: content() }),
      () => {
        throw new ReviewError('HUNK_NOT_FOUND', 'There is no hunk 9.')
      },
    ]
    for (const end of ends) {
      const carried = deferred<null>()
      const one = queue.ask(question({ carryOut: () => carried.promise.then(end) }, sessionKey(`s${clock}`)))
      const decided = codeOf(queue.decide(one.id, 1, yes))
      one.cancel('Given up.')
      carried.resolve(null)
      await decided
      expect([one.now().state, await one.answer]).toEqual(['cancelled', 'refused: cancelled'])
    }
  })

  it('notes a ticket also for what is being carried out, and keeps its answer for as long as the session lasts', async () => {
    const running = deferred<Ended<string>>()
    const one = queue.ask(question({ carryOut: async () => ({ kind: 'running', end: running.promise }) }))
    await queue.decide(one.id, 1, yes)
    one.giveTicket()
    running.resolve({ kind: 'failed', outcome: 'It broke.', error: 'TOOL_FAILED', value: 'broken' })
    await one.answer
    for (let at = 0; at < 150; at++) queue.note(source(sessionKey('two')), content().subject, { kind: 'denied', outcome: 'No.' })
    expect([one.now(), queue.list().decided.length, await queue.find<string>(session, { id: 'q1' })?.answer]).toMatchObject([{ state: 'not-applied', hasTicket: true, waitsUntil: null }, 100, 'broken'])
    await queue.endSession(session, 'gone')
    queue.note(source(sessionKey('two')), content().subject, { kind: 'denied', outcome: 'No.' })
    expect(queue.find(session, { id: 'q1' })).toBe(null)
  })

  it('keeps the last hundred that ended, newest first, and the texts of the last twenty', async () => {
    const ids: string[] = []
    for (let at = 0; at < 130; at++) {
      const one = queue.ask(question())
      ids.push(one.id)
      await queue.decide(one.id, 1, no)
    }
    const { decided } = queue.list()
    const kept = decided.map(({ id }) => id)
    const texts = await Promise.all(kept.map((id) => codeOf(queue.texts(id, 'a' as never, false))))
    expect([kept, texts.filter((each) => each === 'fulfilled').length, texts[19], texts[20]]).toEqual([ids.slice(-100).reverse(), 20, 'fulfilled', 'APPROVAL_NOT_WAITING'])
  })

  it('undoes an applied edit once, however often it is asked', async () => {
    const undoing = deferred<string>()
    const id = queue.note(source(), content().subject, { kind: 'applied', by: 'mode', outcome: 'Applied.', undo: () => undoing.promise })
    const first = queue.undo(id)
    const second = codeOf(queue.undo(id))
    undoing.resolve('Put back.')
    expect([stand(await first), await second, await codeOf(queue.undo(id)), (await first).canUndo]).toEqual([
      { state: 'applied', revision: 1, decidedBy: 'mode', outcome: 'Put back.' },
      'APPROVAL_NOT_WAITING',
      'APPROVAL_NOT_WAITING',
      false,
    ])
  })

  it('can be asked to undo again after an undo that failed', async () => {
    let runs = 0
    const id = queue.note(source(), content().subject, {
      kind: 'applied',
      by: 'mode',
      outcome: 'Applied.',
      undo: () => (runs++ === 0 ? Promise.reject(new ReviewError('FILE_CHANGED_SINCE_READ', 'Changed.')) : Promise.resolve('Put back.')),
    })
    expect([await codeOf(queue.undo(id)), (await queue.undo(id)).outcome]).toEqual(['FILE_CHANGED_SINCE_READ', 'Put back.'])
  })

  it('offers no undo for a command or for what was not applied', async () => {
    const denied = queue.note(source(), content().subject, { kind: 'denied', outcome: 'No.' })
    const failed = queue.note(source(), content().subject, { kind: 'failed', by: 'mode', outcome: 'No.', error: 'DISK_FULL' })
    const one = queue.ask(question())
    await queue.decide(one.id, 1, yes)
    expect([await codeOf(queue.undo(denied)), await codeOf(queue.undo(failed)), await codeOf(queue.undo(one.id)), await codeOf(queue.undo(approvalId('nobody')))]).toEqual(Array(4).fill('APPROVAL_NOT_WAITING'))
  })

  it('lists what waits and what is being carried out in the order in which it was asked', async () => {
    const running = deferred<Ended<string>>()
    const one = queue.ask(question({ carryOut: async () => ({ kind: 'running', end: running.promise }) }))
    const two = queue.ask(question({ sameAs: 'two' }))
    await queue.decide(one.id, 1, yes)
    expect(queue.list().waiting.map(({ id, state }) => `${id} ${state}`)).toEqual([`${one.id} approved`, `${two.id} waiting`])
    running.resolve({ kind: 'applied', outcome: 'Ran.', value: 'ran', undo: null, written: null })
    await one.answer
    expect(queue.list().waiting.map(({ id }) => id)).toEqual([two.id])
  })
})
