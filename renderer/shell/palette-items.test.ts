import { describe, expect, it } from 'vitest'
import { sessionKey } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import { getState } from '../state/store.js'
import { commandItems, markWords, placeItems, sessionItems } from './palette-items.js'
import { commands } from './shell-commands.js'

describe('the palette', () => {
  it('finds commands by every word, those that begin with it first, and only what can be done', () => {
    const texts = commandItems(commands, getState(), 'theme').map(({ text }) => text)
    expect([texts, commandItems(commands, getState(), 'rewind selected').length]).toEqual([['Change the theme: system, light, dark'], 0])
  })

  it('marks each place of the words, whatever their case', () => {
    expect(markWords('src/Total/total.ts', 'TOTAL')).toEqual([{ text: 'src/', isHit: false }, { text: 'Total', isHit: true }, { text: '/', isHit: false }, { text: 'total', isHit: true }, { text: '.ts', isHit: false }])
  })

  it('finds other sessions by every word of title, folder and agent, at most eight', () => {
    const session = (number: number, title: string, agent: SessionSummary['agent'] = 'codex') => ({ key: sessionKey(`${number}`.padStart(16, '0')), title, agent, client: null, recordedFolder: '/home/dev/shop' }) as SessionSummary
    const sessions = [session(1, 'Coupon work'), session(2, 'Coupon tests', 'gemini-cli'), session(3, 'Other'), ...Array.from({ length: 20 }, (_, at) => session(10 + at, 'Many'))]
    const found = (text: string, open: SessionSummary | null = null): readonly string[] => sessionItems(sessions, open?.key ?? null, text).map((item) => `${item.text}, ${item.note}`)
    expect([found('coupon shop'), found('COUPON gemini'), found('coupon', sessions[0]), found('many').length, found(' ')]).toEqual([
      ['Coupon work, session of Codex', 'Coupon tests, session of Gemini CLI'],
      ['Coupon tests, session of Gemini CLI'],
      ['Coupon tests, session of Gemini CLI'],
      8,
      [],
    ])
  })

  it('offers to take off places that were added, by their words, and no others', () => {
    const stores = [{ agent: 'codex', folder: '/home/dev/.codex/sessions', sessions: 2, problem: null }, { agent: 'added', folder: '/home/dev/Copies', sessions: 1, problem: null }]
    const texts = (text: string): readonly string[] => placeItems(stores, text).map((item) => item.text)
    expect([texts('remove'), texts('copies'), texts('codex'), texts('')]).toEqual([['Remove the added place /home/dev/Copies'], ['Remove the added place /home/dev/Copies'], [], []])
  })
})
