import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { promptId } from '../../shared/ids.js'
import type { OutlineRow } from '../../shared/timeline.js'
import { createClient } from '../api/client.js'
import { cartHeader, cartKey, cartOutline } from '../testing/scripted-session.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { setClient } from './client-ref.js'
import { scopeOf } from './scope.js'
import { extendRange, goToPlayhead, selectRow, selectTurn } from './selection-actions.js'
import { cancelOpening, openSession, refreshSession } from './session-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'
import { loadDetails } from './turn-actions.js'
import { setView } from './view-actions.js'

const script = scriptedAnswers({ isOpen: false, turns: null })

function connectTo(answers: ScriptedAnswers): void {
  setClient(createClient(scriptedPort(answers), () => undefined))
}

beforeEach(() => {
  setState(initialShell())
  connectTo(script)
})

describe('opening a session', () => {
  it('ends with the newest turn selected and nothing pending', async () => {
    await openSession(cartKey)
    const { session, opening } = getState()
    expect([session?.key, session?.selection, opening]).toEqual([
      cartKey,
      { turn: promptId('p9'), rangeTo: null, rowIndex: 10, part: 'turn' },
      null,
    ])
  })

  it('shows the first turns while the rest is read, and selects nothing yet', async () => {
    let finish = (): void => undefined
    connectTo({
      ...script,
      'session.header': async () => ({ ...cartHeader, loading: { done: 1, total: 9 } }),
      'session.open': async (_params, { progress }) => {
        progress({ done: 1, total: 9, label: '' })
        await new Promise<void>((resolve) => (finish = resolve))
        return cartHeader
      },
    })
    const opened = openSession(cartKey)
    await until(() => getState().session !== null)
    const early = getState()
    connectTo(script)
    finish()
    cancelOpening()
    await opened
    expect([early.session?.selection.turn, early.opening?.progress]).toEqual([
      null,
      { done: 1, total: 9, label: '', call: expect.any(Number) },
    ])
  })

  it('says why it could not, and leaves what was open', async () => {
    await openSession(cartKey)
    connectTo({ ...script, 'session.open': () => Promise.reject(new ReviewError('SESSION_UNREADABLE', 'The log cannot be read.')) })
    await openSession(cartKey)
    expect([getState().opening?.error?.code, getState().session?.key]).toEqual(['SESSION_UNREADABLE', cartKey])
  })

  it('says so when the host ended what the person did not cancel', async () => {
    connectTo({ ...script, 'session.open': () => Promise.reject(new ReviewError('CANCELLED', 'The session was closed. Open it again.')) })
    await openSession(cartKey)
    expect(getState().opening?.error?.message).toBe('The session was closed. Open it again.')
  })

  it('leaves a person where they went meanwhile, and comes to the review from where it was asked for', async () => {
    const opened = openSession(cartKey)
    setView('approvals')
    await opened
    const meanwhile = [getState().session?.key, getState().view]
    setState(initialShell())
    setView('approvals')
    await openSession(cartKey, { isAsked: false })
    const unasked = getState().view
    setState({ session: null })
    await openSession(cartKey)
    expect([meanwhile, unasked, getState().view]).toEqual([[cartKey, 'approvals'], 'approvals', 'review'])
  })

  it('keeps the selection on its turn when the log grows', async () => {
    await openSession(cartKey)
    selectTurn(promptId('p7'))
    const first: OutlineRow = {
      kind: 'turn',
      promptId: promptId('p0'),
      index: 0,
      prompt: '',
      startedAt: 0,
      hasSnapshot: true,
      isTakenBack: false,
    }
    connectTo({
      ...script,
      'session.outline': async () => ({ ...cartOutline, revision: 2, rows: [first, ...cartOutline.rows], playhead: 13 }),
    })
    await refreshSession(cartKey)
    expect(getState().session?.selection).toMatchObject({ turn: promptId('p7'), rowIndex: 9 })
  })

  it('tells of turns that came, goes there when asked, and tells nothing of a log that is still read', async () => {
    const turn = (index: number): OutlineRow => ({ kind: 'turn', promptId: promptId(`new-${index}`), index, prompt: `Prompt ${index}`, startedAt: 0, hasSnapshot: true, isTakenBack: false })
    const grown = (...rows: readonly OutlineRow[]) => connectTo({ ...script, 'session.outline': async () => ({ ...cartOutline, revision: cartOutline.revision + rows.length, rows: [...cartOutline.rows, ...rows] }) })
    const told = (): readonly string[] => getState().notices.flatMap((notice) => (notice.kind === 'error' ? [] : [`${notice.title} ${notice.text}`]))
    await openSession(cartKey)
    await refreshSession(cartKey)
    const [selected, before] = [getState().session?.selection.turn, told()]
    grown(turn(90))
    await refreshSession(cartKey)
    const one = told()
    grown(turn(90), turn(91), turn(92))
    await refreshSession(cartKey)
    const more = told()
    const stayed = getState().session?.selection.turn
    const notice = getState().notices.at(-1)
    if (notice && notice.kind !== 'error') notice.action?.run()
    expect([before, one, more, stayed === selected, getState().session?.selection.turn]).toEqual([[], ['Turn 90 came. Prompt 90'], ['Turns 91 to 92 came. Prompt 92'], true, promptId('new-92')])

    const { session } = getState()
    if (session) setState({ notices: [], session: { ...session, header: { ...session.header, loading: { done: 1, total: 2 } } } })
    grown(turn(90), turn(91), turn(92), turn(93))
    await refreshSession(cartKey)
    expect(told()).toEqual([])
  })

  it('asks for details once, and again when the outline has changed', async () => {
    const asked: (readonly string[])[] = []
    connectTo({
      ...script,
      'session.turns': async (params, context) => {
        asked.push(params.promptIds)
        return (await script['session.turns']?.(params, context)) ?? []
      },
    })
    await openSession(cartKey)
    const ids = [promptId('p1'), promptId('p2')]
    await Promise.all([loadDetails(ids), loadDetails(ids)])
    await loadDetails(ids)
    const { session } = getState()
    if (session) setState({ session: { ...session, outline: { ...session.outline, revision: 2 } } })
    await loadDetails([promptId('p1')])
    expect([asked, getState().session?.details.get(promptId('p2'))?.files]).toEqual([[['p1', 'p2'], ['p1']], 4])
  })
})

describe('the selection', () => {
  const scope = (kind: Parameters<typeof scopeOf>[1]): unknown => {
    const { session } = getState()
    return session && scopeOf(session, kind)
  }

  it('tells what is compared: a turn, a range in order, the user, nothing for an agent’s rewind', async () => {
    await openSession(cartKey)
    const seen = [scope('turn'), scope('to-disk'), scope('session')]
    extendRange(-1)
    extendRange(-1)
    seen.push(scope('turn'), scope('session'))
    selectRow(11)
    seen.push(scope('turn'))
    selectRow(5)
    seen.push(scope('turn'))
    const range = { kind: 'range', from: 'p7', to: 'p9' }
    expect(seen).toEqual([
      { kind: 'turn', promptId: 'p9' },
      { kind: 'to-disk', promptId: 'p9' },
      { kind: 'session' },
      range,
      range,
      { kind: 'by-user', after: 'p9' },
      null,
    ])
  })

  it('goes to the turn that the disk stands after', async () => {
    await openSession(cartKey)
    selectTurn(promptId('p1'))
    goToPlayhead()
    expect(getState().session?.selection.turn).toBe('p9')
  })

  it('finds a turn that was set aside in its group', async () => {
    await openSession(cartKey)
    selectTurn(promptId('a6'))
    expect(getState().session?.selection).toMatchObject({ turn: 'a6', rowIndex: 4 })
  })
})

/** Lets the other side of the port answer until something has come. */
async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !isDone(); turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}
