import { beforeEach, describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import { createClient } from '../api/client.js'
import { setClient } from '../state/client-ref.js'
import { openSession } from '../state/session-actions.js'
import { initialShell } from '../state/shell-slice.js'
import { getState, setState } from '../state/store.js'
import { loadDetails } from '../state/turn-actions.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey } from '../testing/scripted-session.js'
import { emptyTexts, limitsText } from './scope-words.js'

beforeEach(async () => {
  setState(initialShell())
  setClient(createClient(scriptedPort(scriptedAnswers({ isOpen: false, turns: null })), () => undefined))
  await openSession(cartKey)
  await loadDetails([promptId('p8')])
})

const emptyTurn = (): unknown => {
  const { session } = getState()
  return session && emptyTexts(session, { kind: 'turn', promptId: promptId('p8') }, [])
}

describe('a turn without a changed file', () => {
  it('is not said to have changed nothing where not everything was looked at', () => {
    expect(emptyTurn()).toEqual({ title: 'No file is known to have changed in turn 8', text: 'Not everything was looked at, so files may have changed all the same. 4 commands ran.' })
  })

  it('is said to have changed nothing where all was looked at', () => {
    setState(({ session }) => {
      const details = session?.details.get(promptId('p8'))
      return session && details ? { session: { ...session, details: new Map([[promptId('p8'), { ...details, limits: [] }]]) } } : {}
    })
    expect(emptyTurn()).toEqual({ title: 'No file changed in turn 8', text: '4 commands ran. As far as the log tells, the files were the same before and after.' })
  })

  it('counts what was not looked at', () => {
    expect([limitsText(1), limitsText(2)]).toEqual(['1 thing was not looked at or not kept', '2 things were not looked at or not kept'])
  })
})
