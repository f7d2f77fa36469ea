import { describe, expect, it } from 'vitest'
import { diffLines } from './diff-adapter.js'

describe('a change for the bench', () => {
  it('counts lines from 1, and names the line before an empty side', () => {
    expect([diffLines('a\nb\nc\n', 'a\nc\nd\n'), diffLines('', 'a\n')]).toEqual([
      [
        { oldStart: 2, oldLines: 1, newStart: 1, newLines: 0 },
        { oldStart: 3, oldLines: 0, newStart: 3, newLines: 1 },
      ],
      [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 }],
    ])
  })
})
