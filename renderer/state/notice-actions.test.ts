import { beforeEach, describe, expect, it } from 'vitest'
import { notify } from './notice-actions.js'
import { initialShell, type Notice } from './shell-slice.js'
import { getState, setState } from './store.js'

const done = (title: string, about?: 'last operation'): void => notify({ kind: 'done', title, text: '', action: null, ...(about ? { about } : {}) })
const shown = (): readonly string[] => getState().notices.map((notice: Notice) => (notice.kind === 'error' ? notice.error.message : notice.title))

describe('notices', () => {
  beforeEach(() => setState(initialShell()))

  it('that offer to undo or redo leave when a newer one does, and others stay', () => {
    done('Took it back.', 'last operation')
    done('An agent connected.')
    done('Undid the take-back.', 'last operation')
    done('Redid the take-back.', 'last operation')
    expect(shown()).toEqual(['An agent connected.', 'Redid the take-back.'])
  })

  it('are at most four, each sentence once', () => {
    for (const title of ['a', 'b', 'a', 'c', 'd', 'e']) done(title)
    expect(shown()).toEqual(['a', 'c', 'd', 'e'])
  })
})
