import { describe, expect, it } from 'vitest'
import { ReviewError, toWireError } from './errors.js'

describe('an error on its way to whoever asked', () => {
  it('keeps its code, and tells a full disk from a fault of ours', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, open'), { code: 'ENOSPC' })
    const errors = [new ReviewError('FILE_BINARY', 'No text.'), full, Object.assign(new Error('x'), { code: 'EIO' }), new DOMException('', 'AbortError'), 'text']
    expect(errors.map((error) => toWireError(error).code)).toEqual(['FILE_BINARY', 'DISK_FULL', 'INTERNAL', 'CANCELLED', 'INTERNAL'])
  })
})
