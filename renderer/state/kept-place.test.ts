import { describe, expect, it } from 'vitest'
import { promptId, sessionKey } from '../../shared/ids.js'
import { cartKey, cartOutline } from '../testing/scripted-session.js'
import { keptPlace, keptSelection } from './kept-place.js'

const stored = JSON.stringify({ session: cartKey, turn: 'p4', rangeTo: 'p6', scopeKind: 'to-disk' })

describe('the kept place', () => {
  it('belongs to its session, and is nothing where it is damaged', () => {
    expect([keptPlace(cartKey, stored), keptPlace(sessionKey('f'.repeat(16)), stored), keptPlace(cartKey, '{'), keptPlace(cartKey, null)]).toEqual([
      { session: cartKey, turn: 'p4', rangeTo: 'p6', scopeKind: 'to-disk' },
      null,
      null,
      null,
    ])
  })

  it('takes no scope that it does not know', () => {
    expect(keptPlace(cartKey, JSON.stringify({ session: cartKey, turn: 1, scopeKind: '__proto__' }))).toEqual({ session: cartKey, turn: null, rangeTo: null, scopeKind: 'turn' })
  })

  it('is selected again where its turn is still there, also one set aside', () => {
    const place = { session: cartKey, turn: promptId('p4'), rangeTo: promptId('gone'), scopeKind: 'turn' } as const
    expect([
      keptSelection(place, cartOutline),
      keptSelection({ ...place, turn: promptId('a5') }, cartOutline)?.rowIndex,
      keptSelection({ ...place, turn: promptId('gone') }, cartOutline),
    ]).toEqual([{ turn: 'p4', rangeTo: null, rowIndex: 3, part: 'turn' }, 4, null])
  })
})
