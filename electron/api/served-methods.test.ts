import { describe, expect, it } from 'vitest'
import { contract, type Handlers } from '../../shared/contract.js'
import { toWireError } from '../../shared/errors.js'
import { servedMethods } from './served-methods.js'

/** Handlers that answer with what reached them. */
const echo = new Proxy({}, { get: () => async (params: unknown) => params }) as Handlers

describe('served methods', () => {
  const methods = servedMethods(echo)

  it('serve every method of the contract and no other', () => {
    expect([...methods.keys()]).toEqual(Object.keys(contract))
  })

  it('refuse wrong params with the field', () => {
    const parse = methods.get('change.review')?.parse
    const wrong = { session: '0123456789abcdef', scope: { kind: 'turn', promptId: 'p' }, path: 'a', contentKey: 'x', isReviewed: true }
    let thrown: unknown = null
    try {
      parse?.(wrong)
    } catch (error) {
      thrown = error
    }
    expect(toWireError(thrown)).toEqual({
      code: 'INVALID_PARAMS',
      message: 'change.review was called with a wrong "contentKey". Reload the window.',
      details: { field: 'contentKey' },
    })
  })

  it('drop fields that the contract does not name', () => {
    expect(methods.get('session.header')?.parse({ session: '0123456789abcdef', extra: 1 })).toEqual({ session: '0123456789abcdef' })
  })
})
