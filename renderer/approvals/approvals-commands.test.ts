import { beforeEach, describe, expect, it } from 'vitest'
import type { ApprovalList } from '../../shared/contract.js'
import { footHints, commandFor } from '../shell/keyboard.js'
import { commands } from '../shell/shell-commands.js'
import { freshDraft } from '../state/approval-draft.js'
import { initialApprovals, type Asking } from '../state/approvals-slice.js'
import { initialShell } from '../state/shell-slice.js'
import { getState, setState, type AppStore } from '../state/store.js'
import { scriptedApprovals } from '../testing/scripted-approvals.js'

let list: ApprovalList = { waiting: [], decided: [] }

const stateAt = (index: number, asking: Asking | null = null): AppStore => {
  const entry = list.waiting[index]
  const path = entry?.subject.kind === 'edit' ? (entry.subject.files[0]?.path ?? null) : null
  const drafts = entry && path ? new Map([[entry.id, { files: new Map([[path, freshDraft(1, 'a\n', 'b\n')]]), leftOut: new Set<never>() }]]) : new Map()
  return { ...getState(), view: 'approvals', approvals: { ...initialApprovals, list: { kind: 'ready', value: list }, selected: entry?.id ?? null, path, drafts, asking } }
}

const ids = (state: AppStore, keys: readonly string[]): readonly (string | null)[] => keys.map((key) => commandFor(key, commands, state)?.id ?? null)

beforeEach(async () => {
  setState(initialShell())
  const asked = await scriptedApprovals({ hasAgents: true, extra: false, lines: null, isScattered: false }, () => undefined)['approval.list']?.({}, { signal: new AbortController().signal, progress: () => undefined })
  list = asked ?? list
})

describe('the keys of the approvals', () => {
  it('decide about an edit', () => {
    expect(ids(stateAt(0), ['J', 'K', 'N', 'P', 'Space', 'E', 'A', 'Shift+A', 'X', 'Shift+R', 'Z', '3', '?'])).toEqual([
      'approvals.next', 'approvals.previous', 'approvals.next-hunk', 'approvals.previous-hunk', 'approvals.toggle', 'approvals.edit', 'approvals.approve', 'approvals.approve-all',
      'approvals.reject', 'approvals.rest', 'approvals.undo', 'window.approvals', 'window.keys',
    ])
  })

  it('know no hunk and no editor of a command', () => {
    expect(ids(stateAt(1), ['A', 'X', 'N', 'Space', 'E', 'Shift+R'])).toEqual(['approvals.approve', 'approvals.reject', null, null, null, null])
  })

  it('decide nothing while something is asked back', () => {
    const state = stateAt(0, { kind: 'rest-of-turn' })
    expect(ids(state, ['A', 'Shift+A', 'X', 'J', 'Z', 'Mod+Enter', 'Escape'])).toEqual([null, null, null, null, null, 'approvals.confirm', 'approvals.close-asking'])
    expect(ids(stateAt(0, { kind: 'reject', text: '' }), ['Mod+Enter', 'Escape'])).toEqual([null, 'approvals.close-asking'])
  })

  it('decide nothing about what is over, or in another view', () => {
    const over = stateAt(0)
    const decided = list.decided[1]
    const state: AppStore = { ...over, approvals: { ...over.approvals, tab: 'decided', selected: decided?.id ?? null } }
    expect(ids(state, ['A', 'Shift+A', 'X', 'Space', 'E'])).toEqual([null, null, null, null, null])
    expect(ids({ ...over, view: 'policy' }, ['A', 'X', 'J', 'Escape'])).toEqual([null, null, null, 'approvals.back'])
  })

  it('do not rewind the open session', () => {
    expect(ids(stateAt(0), ['R', 'Mod+Z', 'T', 'D'])).toEqual([null, null, null, null])
  })

  it('stand in the foot bar as in the picture', () => {
    expect(footHints(commands, stateAt(0)).map(({ words, keys }) => `${keys.join(' ')} ${words}`)).toEqual([
      'J K entry', 'N P hunk', 'Space include hunk', 'E edit right side', 'A approve', 'X reject', 'Z undo decision', '? all keys',
    ])
  })
})
