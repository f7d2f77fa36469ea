import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { promptId, sessionKey, workspacePath } from '../../shared/ids.js'
import type { SearchFilter, SearchHit, SearchPage } from '../../shared/search.js'
import { createClient } from '../api/client.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey } from '../testing/scripted-session.js'
import { setClient } from './client-ref.js'
import { filterOf, hitsAtOnce, moreHits, openHit, setSearchText, startSearch, stopSearch, submitSearch } from './search-actions.js'
import { emptyForm, initialSearch, type SearchState } from './search-slice.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'

const script = scriptedAnswers({ isOpen: false, turns: null })

function connectTo(answers: ScriptedAnswers): void {
  setClient(createClient(scriptedPort(answers), () => undefined))
}

function hit(part: Partial<SearchHit> = {}): SearchHit {
  return {
    session: cartKey, agent: 'qwen-code', client: null, title: 'Cart', promptId: promptId('p4'), turn: 4, at: 0, kind: 'prompt',
    path: null, hunk: null, callId: null, text: 'the tax of it', start: 4, end: 7, ...part,
  }
}

const page = (hits: number, next: string | null, searchedSessions: number): SearchPage => ({ hits: Array.from({ length: hits }, () => hit()), next, searchedSessions, sessions: 9, unreadable: 1 })

/** A host that answers page by page, and what it was asked. */
function pages(all: readonly SearchPage[]): { readonly asked: (readonly [cursor: string | null, limit: number])[] } {
  const asked: (readonly [string | null, number])[] = []
  connectTo({
    ...script,
    'search.find': async ({ cursor, limit }) => {
      asked.push([cursor, limit])
      return all[asked.length - 1] ?? page(0, null, 9)
    },
  })
  return { asked }
}

function search(change: Partial<SearchState>): void {
  setState({ search: { ...initialSearch, ...change } })
}

const shown = (): readonly [string, number, boolean, number] => {
  const { status, hits, isStale, searched } = getState().search
  return [status.kind, hits.length, isStale, searched]
}

beforeEach(() => {
  setState({ ...initialShell(), search: initialSearch })
  connectTo(script)
})

describe('a search over all sessions', () => {
  it('reads page after page until all was looked at', async () => {
    const { asked } = pages([page(3, 'a', 2), page(0, 'b', 5), page(4, null, 9)])
    search({ text: ' tax ' })
    await startSearch()
    expect([asked, shown(), getState().search.unreadable]).toEqual([[[null, 100], ['a', 100], ['b', 100]], ['done', 7, false, 9], 1])
  })

  it('waits to be asked when so much was found, and goes on from there', async () => {
    const many = Array.from({ length: 5 }, (_, at) => page(100, String(at), at))
    const { asked } = pages([...many, page(2, null, 9)])
    search({ text: 'tax' })
    await startSearch()
    const full = shown()
    await moreHits()
    expect([full, shown(), asked.at(-1)]).toEqual([['full', hitsAtOnce, false, 4], ['done', 502, false, 9], ['4', 100]])
  })

  it('keeps what the one before found until something is found, or nothing is left to look at', async () => {
    pages([page(0, 'a', 1), page(0, null, 9)])
    search({ text: 'tax', hits: [hit()], status: { kind: 'done' }, at: 0 })
    const running = startSearch()
    const early = shown()
    await running
    expect([early.slice(0, 3), shown()]).toEqual([['searching', 1, true], ['done', 0, false, 9]])
  })

  it('stops with what it has, and takes no late answer', async () => {
    let answer = (_page: SearchPage): void => undefined
    connectTo({ ...script, 'search.find': () => new Promise<SearchPage>((resolve) => (answer = resolve)) })
    search({ text: 'tax' })
    const running = startSearch()
    await Promise.resolve()
    stopSearch()
    answer(page(3, null, 9))
    await running
    expect(shown()).toEqual(['stopped', 0, false, 0])
  })

  it('shows why it failed, and tries again from where it was', async () => {
    let calls = 0
    connectTo({
      ...script,
      'search.find': async ({ cursor }) => {
        if (++calls === 2) throw new ReviewError('INTERNAL', 'The index is damaged.')
        return cursor === null ? page(1, 'a', 3) : page(1, null, 9)
      },
    })
    search({ text: 'tax' })
    await startSearch()
    const failed = shown()
    await moreHits()
    expect([failed, shown()]).toEqual([['error', 1, false, 3], ['done', 2, false, 9]])
  })

  it('asks nothing without words, and nothing between two days in the wrong order', async () => {
    const { asked } = pages([])
    search({ text: '  ' })
    await startSearch()
    search({ text: 'tax', form: { ...emptyForm, from: '2026-11-02', to: '2026-11-01' } })
    await startSearch()
    expect([asked, shown()[0]]).toEqual([[], 'idle'])
  })

  it('begins at once when Enter comes before the typing has paused, and opens a hit only of the words as they are', async () => {
    const { asked } = pages([page(1, null, 9)])
    search({ text: 'ta', hits: [hit()], status: { kind: 'done' } })
    setSearchText('tax')
    submitSearch()
    expect([getState().search.status.kind, getState().view]).toEqual(['searching', 'review'])
    for (let turn = 0; turn < 200; turn++) await Promise.resolve()
    expect([asked.length, getState().session]).toEqual([1, null])
  })
})

describe('the filter of a search', () => {
  const everything: SearchFilter = { agents: null, kinds: null, workspace: null, path: null, from: null, to: null }

  it('lets everything through where nothing is ticked', () => {
    expect(filterOf(emptyForm)).toEqual(everything)
  })

  it('counts both days in full, in the time of this computer', () => {
    const { from, to } = filterOf({ ...emptyForm, from: '2026-11-30', to: '2026-11-30' })
    expect([from, to]).toEqual([new Date(2026, 10, 30).getTime(), new Date(2026, 11, 1).getTime() - 1])
  })

  it('takes over what is ticked and typed', () => {
    expect(filterOf({ agents: ['codex'], kinds: ['change'], workspace: '/w', path: ' tax.ts ', from: '', to: '' })).toEqual({
      ...everything, agents: ['codex'], kinds: ['change'], workspace: '/w', path: 'tax.ts',
    })
  })
})

describe('opening a hit', () => {
  const opened = (): unknown => {
    const { session, view, changes } = getState()
    return [session?.key, session?.selection.turn, view, changes.selectedPath, changes.goal]
  }

  it('opens its session at the turn', async () => {
    await openHit(hit())
    expect(opened()).toEqual([cartKey, 'p4', 'review', null, null])
  })

  it('goes to the file and hunk of a change', async () => {
    const path = workspacePath('src/cart/total.ts')
    await openHit(hit({ kind: 'change', path, hunk: 3 }))
    expect(opened()).toEqual([cartKey, 'p4', 'review', path, { path, hunk: 3 }])
  })

  it('goes to the call of a command and to the line of a reply in the transcript, with the words marked', async () => {
    const places: unknown[] = []
    for (const one of [hit({ kind: 'command', callId: 'c1' }), hit({ kind: 'reply' })]) {
      await openHit(one)
      const { view, session } = getState()
      places.push([view, session?.transcript?.goal, session?.transcript?.search])
    }
    expect(places).toEqual([
      ['transcript', { kind: 'call', callId: 'c1' }, 'tax'],
      ['transcript', { kind: 'text', text: 'the tax of it' }, 'tax'],
    ])
  })

  it('leaves a session that cannot be opened with its reason on the screen', async () => {
    connectTo({ ...script, 'session.open': () => Promise.reject(new ReviewError('SESSION_UNREADABLE', 'The log cannot be read.')) })
    setState({ view: 'search' })
    await openHit(hit({ session: sessionKey('9'.repeat(16)), kind: 'path', path: workspacePath('a.ts') }))
    expect([getState().view, getState().opening?.error?.code, getState().changes.selectedPath]).toEqual(['review', 'SESSION_UNREADABLE', null])
  })
})
