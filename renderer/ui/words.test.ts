import { describe, expect, it } from 'vitest'
import { clockText, countText, dayText, durationText, formatCount, sizeText, splitPath, whenText, sessionWhen, sessionWhenSentence } from './words.js'

const now = new Date(2026, 10, 30, 12, 38).getTime()
const at = (year: number, month: number, day: number, hours = 9): number => new Date(year, month - 1, day, hours, 5).getTime()

describe('words', () => {
  it('count, with the noun in its number', () => {
    expect([
      countText(1, 'file'),
      countText(0, 'file'),
      countText(20_000, 'file'),
      formatCount(9_999),
      formatCount(212_400),
      formatCount(1_260_000),
    ]).toEqual(['1 file', '0 files', '20,000 files', '9999', '212k', '1.3M'])
  })

  it('measure sizes in steps of 1,000', () => {
    expect([1, 512, 9_100, 38_200_000, 2_000_000_000, 999_500].map(sizeText)).toEqual([
      '1 byte',
      '512 bytes',
      '9.1 kB',
      '38.2 MB',
      '2 GB',
      '1 MB',
    ])
  })

  it('name days and times as short as they are clear', () => {
    expect([
      whenText(at(2026, 11, 30), now),
      dayText(at(2026, 11, 29), now),
      dayText(at(2026, 11, 19), now),
      dayText(at(2025, 11, 30), now),
      clockText(at(2026, 1, 2)),
    ]).toEqual(['09:05', 'Yesterday', '19 Nov', '30 Nov 2025', '09:05'])
  })

  it('tell how long something took', () => {
    expect([41, 2_140, 2_000, 180_000].map(durationText)).toEqual(['41 ms', '2.1 s', '2 s', '3 min'])
  })

  it('split a path before its name', () => {
    expect([splitPath('src/cart/total.ts'), splitPath('a')]).toEqual([
      { folder: 'src/cart/', name: 'total.ts' },
      { folder: '', name: 'a' },
    ])
  })
})

describe('when a session was', () => {
  it('says that it is over only where that is known', () => {
    const at = new Date(2026, 10, 30, 9, 12).getTime()
    const now = new Date(2026, 10, 30, 18).getTime()
    const session = { isLive: false, end: null, lastActiveAt: at }
    expect([
      { ...session, isLive: true },
      session,
      { ...session, lastActiveAt: null },
      { ...session, end: { at: new Date(2026, 10, 27).getTime(), how: 'ended' as const } },
      { ...session, end: { at: null, how: 'archived' as const } },
      { ...session, end: { at: null, how: 'archived' as const }, lastActiveAt: null },
    ].map((each) => [sessionWhen(each, now), sessionWhenSentence(each)])).toEqual([
      ['Live', 'The log is still being written'],
      ['09:12', 'When the log was last written; it does not say that the session ended'],
      ['No time recorded', 'When the log was last written; it does not say that the session ended'],
      ['Ended 27 Nov', 'The log says that the session ended'],
      ['Ended 09:12', 'The session was archived'],
      ['Ended', 'The session was archived'],
    ])
  })
})
