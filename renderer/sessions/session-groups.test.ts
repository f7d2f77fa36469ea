import { describe, expect, it } from 'vitest'
import { scriptedLibrary } from '../testing/scripted-session.js'
import { folderName } from '../ui/words.js'
import { groupSessions, orderedSessions } from './session-groups.js'

const shown = (words = ''): readonly (readonly [string, string, number])[] =>
  groupSessions(scriptedLibrary.sessions, words).map(({ name, note, sessions }) => [name, note, sessions.length])

describe('groups of sessions', () => {
  it('are the workspaces, the one with the newest session first', () => {
    expect(shown()).toEqual([
      ['shop', 'main', 4],
      ['storefront', 'wt/search', 3],
      ['infra', 'folder not found here', 1],
    ])
  })

  it('put the sample last, however new it is', () => {
    const sample = scriptedLibrary.sessions.map((session, at) => (at === 0 ? { ...session, isSample: true } : session))
    expect(groupSessions(sample).at(-1)?.name).toBe('Sample')
  })

  it('are filtered by every word, in title, folder or agent', () => {
    expect([shown('tax'), shown('storefront dark'), shown('overturn tax'), shown('nothing here')]).toEqual([
      [['shop', 'main', 1]],
      [['storefront', 'wt/search', 1]],
      [['shop', 'main', 1]],
      [],
    ])
  })

  it('list newest first inside a group', () => {
    expect(
      orderedSessions(groupSessions(scriptedLibrary.sessions))
        .map(({ title }) => title)
        .slice(0, 3),
    ).toEqual(['Cart, discounts and receipts', 'Checkout tax by country', 'Move tests to the node runner'])
  })

  it('are named by the last part of the folder, of either kind of system', () => {
    expect([folderName('/home/me/shop/'), folderName('C:\\work\\shop'), folderName('/')]).toEqual(['shop', 'shop', '/'])
  })
})
