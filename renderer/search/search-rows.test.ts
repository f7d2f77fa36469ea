import { describe, expect, it } from 'vitest'
import { promptId, sessionKey, workspacePath } from '../../shared/ids.js'
import type { SearchHit } from '../../shared/search.js'
import { hitLabel, hitParts, searchRows, shownOrder } from './search-rows.js'
import { foundText, reachText } from './search-words.js'

function hit(session: string, part: Partial<SearchHit> = {}): SearchHit {
  return {
    session: sessionKey(session), agent: 'codex', client: null, title: `Session ${session}`, promptId: promptId('p1'), turn: 2, at: 0, kind: 'change',
    path: workspacePath('src/a.ts'), hunk: 1, callId: null, text: '    const tax = 1', start: 10, end: 13, ...part,
  }
}

describe('rows of the results', () => {
  it('stand below their session, also where its hits came in two pages', () => {
    const rows = searchRows([hit('a'), hit('b'), hit('a')])
    expect([rows.map((row) => (row.kind === 'session' ? `${row.first.title}: ${row.hits}` : row.index)), shownOrder(rows)]).toEqual([
      ['Session a: 2', 0, 2, 'Session b: 1', 1],
      [0, 2, 1],
    ])
  })

  it('show the match with its line, without indentation and without a long beginning', () => {
    const long = `${'x'.repeat(100)}tax and more`
    expect([hitParts(hit('a')), hitParts({ text: long, start: 100, end: 103 })]).toEqual([
      ['const ', 'tax', ' = 1'],
      [`…${'x'.repeat(48)}`, 'tax', ' and more'],
    ])
  })

  it('let nothing hide in a line', () => {
    expect(hitParts({ text: 'a\u202e\u001btax\u200b', start: 3, end: 6 })).toEqual(['a‹U+202E›‹ESC›', 'tax', '‹U+200B›'])
  })

  it('are read with kind, turn, path and session', () => {
    expect([hitLabel(hit('a')), hitLabel(hit('a', { kind: 'prompt', path: null, turn: null }))]).toEqual([
      'const tax = 1, changed text, turn 2, src/a.ts, in Session a',
      'const tax = 1, prompt, set aside, in Session a',
    ])
  })
})

describe('words of a search', () => {
  it('count hits and sessions, and none of the search before', () => {
    const hits = [hit('a'), hit('a'), hit('b')]
    expect([foundText({ hits, isStale: false }), foundText({ hits, isStale: true })]).toEqual(['3 hits in 2 sessions', 'Nothing found'])
  })

  it('say how far it has come and what could not be read', () => {
    const reach = { searched: 214, sessions: 1032, unreadable: 0 }
    expect([
      reachText({ ...reach, status: { kind: 'searching' } }),
      reachText({ ...reach, status: { kind: 'done' }, unreadable: 3 }),
      reachText({ ...reach, sessions: 0, status: { kind: 'searching' } }),
    ]).toEqual(['214 of 1,032 sessions', '1,032 sessions looked through, 3 could not be read', ''])
  })
})
