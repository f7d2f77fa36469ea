import { describe, expect, it } from 'vitest'
import { errorCodes, ReviewError } from '../../shared/errors.js'
import { errorTexts, errorWords } from './error-text.js'

describe('error texts', () => {
  it('say for every code what happened and what to do, in whole sentences', () => {
    const bad = errorCodes.filter((code) => !/^[A-Z].*\.$/.test(errorTexts[code].title) || !/^[A-Z].*\.$/.test(errorTexts[code].advice))
    expect(bad).toEqual([])
  })

  it('let the host speak of its case, and stand in where it says nothing', () => {
    const words = (message: string): unknown => errorWords(new ReviewError('FOLDER_NOT_FOUND', message))
    expect(
      [
        words('There is no such folder or file. Is the disk mounted?'),
        words('There is no such folder or file.'),
        words('Nothing lies at that path.'),
      ].map((one) => JSON.stringify(one)),
    ).toEqual([
      '{"title":"There is no such folder or file.","text":"Is the disk mounted?"}',
      '{"title":"There is no such folder or file.","text":"Check the path, then try again."}',
      '{"title":"There is no such folder or file.","text":"Nothing lies at that path."}',
    ])
  })

  it('call no two codes the same', () => {
    expect(new Set(errorCodes.map((code) => errorTexts[code].title)).size).toBe(errorCodes.length)
  })
})
