import { beforeEach, describe, expect, it } from 'vitest'
import type { Approval, Decision } from '../../shared/approval.js'
import type { ApprovalList } from '../../shared/contract.js'
import { ReviewError } from '../../shared/errors.js'
import { approvalId, workspacePath } from '../../shared/ids.js'
import { createClient } from '../api/client.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { approvalHindrance, selectedEntry, shownDraft } from './approval-view.js'
import { flushTyping, loadApprovals, readTexts, selectEntry, stepEntry, takeKept, toggleFile, toggleHunk, typedSoon } from './approvals-actions.js'
import { initialApprovals } from './approvals-slice.js'
import { setClient } from './client-ref.js'
import { approveAll, approveAlways, approveChosen, rejectSelected, undoDecision } from './decision-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'

const [tax, command, patch] = [approvalId('a1'), approvalId('a2'), approvalId('a5')]
const taxPath = workspacePath('src/checkout/tax.ts')

interface Sent {
  readonly approval: string
  readonly revision: number
  readonly decision: Decision
}

let sent: Sent[] = []
let answers: ScriptedAnswers = {}

function connectTo(next: ScriptedAnswers): void {
  answers = next
  setClient(createClient(scriptedPort(next), () => undefined))
}

/** The script, with each decision noted. */
function noting(script: ScriptedAnswers): ScriptedAnswers {
  return {
    ...script,
    'approval.decide': async (params, context) => {
      sent.push(params)
      const decide = script['approval.decide']
      if (!decide) throw new Error('The script decides nothing.')
      return decide(params, context)
    },
  }
}

async function listed(): Promise<ApprovalList> {
  const list = await answers['approval.list']?.({}, { signal: new AbortController().signal, progress: () => undefined })
  if (!list) throw new Error('The script lists nothing.')
  return list
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    if (tries > 2_000) throw new Error('It did not come to that.')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const isRead = (): boolean => approvalHindrance(getState()) === null

beforeEach(async () => {
  sent = []
  setState({ ...initialShell(), connection: { kind: 'open' }, approvals: initialApprovals })
  connectTo(noting(scriptedAnswers({ isOpen: false, turns: null, approvals: 'picture' })))
  await loadApprovals()
  await until(isRead)
})

describe('the list of approvals', () => {
  it('selects the question that has waited first, and reads it', () => {
    const { approvals } = getState()
    expect([approvals.selected, approvals.path, shownDraft(approvals)?.hunks.length]).toEqual([tax, taxPath, 3])
  })

  it('is asked for once more when it changed while it was asked for', async () => {
    let calls = 0
    connectTo({ ...answers, 'approval.list': async () => (calls++, { waiting: [], decided: [] }) })
    await Promise.all([loadApprovals(), loadApprovals(), loadApprovals()])
    expect(calls).toBe(2)
  })

  it('goes through the entries session by session', () => {
    const order = [getState().approvals.selected]
    for (let at = 0; at < 5; at++) {
      stepEntry(1)
      order.push(getState().approvals.selected)
    }
    expect(order).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a5'])
  })
})

describe('what a person made of a question', () => {
  it('stays while the list comes anew, and while another one is looked at', async () => {
    toggleHunk(3)
    const own = shownDraft(getState().approvals)?.after.replace('const rate =', 'const own =') ?? ''
    typedSoon(() => own)
    selectEntry(command)
    await loadApprovals()
    selectEntry(tax)
    const draft = shownDraft(getState().approvals)
    expect([[...(draft?.leftOut ?? [])], draft?.typed]).toEqual([[3], own])
  })

  it('is offered over the fresh diff when the file changed under it', async () => {
    const draft = shownDraft(getState().approvals)
    if (!draft) throw new Error('Nothing is shown.')
    typedSoon(() => draft.after.replace('const rate =', 'const own ='))
    const list = await listed()
    const changed = { revision: 2, before: { kind: 'text' as const, text: `// new\n${draft.before}`, sizeBytes: 1 }, after: { kind: 'text' as const, text: `// new\n${draft.after}`, sizeBytes: 1 } }
    const stale = (approval: Approval): Approval => (approval.id === tax ? { ...approval, state: 'stale', revision: 2 } : approval)
    connectTo({ ...answers, 'approval.list': async () => ({ ...list, waiting: list.waiting.map(stale) }), 'approval.read': async () => changed })
    await loadApprovals()
    await until(isRead)
    const fresh = shownDraft(getState().approvals)
    expect([fresh?.revision, fresh?.typed, fresh?.kept?.typed.includes('const own =')]).toEqual([2, null, true])
    takeKept('merged')
    expect(shownDraft(getState().approvals)?.typed).toBe(`// new\n${draft.after.replace('const rate =', 'const own =')}`)
  })

  it('is forgotten with a question that is not listed any more', async () => {
    toggleHunk(1)
    connectTo({ ...answers, 'approval.list': async () => ({ waiting: [], decided: [] }) })
    await loadApprovals()
    expect([getState().approvals.drafts.size, getState().approvals.selected]).toEqual([0, null])
  })
})

describe('a decision', () => {
  it('names the revision that was seen and the hunks that were ticked, and the next question comes', async () => {
    toggleHunk(2)
    await approveChosen()
    expect(sent).toEqual([{ approval: 'a1', revision: 1, decision: { kind: 'approve', files: [{ path: taxPath, hunks: [1, 3], text: null }], comment: '', isForRestOfTurn: false, alwaysRules: [] } }])
    expect([getState().approvals.selected, getState().approvals.list.kind]).toEqual([command, 'ready'])
  })

  it('takes the text over that was typed a moment ago', async () => {
    typedSoon(() => 'own\n')
    await approveAll()
    expect(sent[0]?.decision).toMatchObject({ files: [{ path: taxPath, hunks: null, text: 'own\n' }] })
  })

  it('is not taken for the next question by a key pressed twice', async () => {
    await approveChosen()
    await approveChosen()
    expect(sent.map(({ approval }) => approval)).toEqual(['a1'])
  })

  it('cannot be made while the content is not on the screen', async () => {
    let finish = (): void => undefined
    const read = answers['approval.read']
    connectTo({
      ...answers,
      'approval.read': async (params, context) => {
        await new Promise<void>((resolve) => (finish = resolve))
        if (!read) throw new Error('The script reads nothing.')
        return read(params, context)
      },
    })
    selectEntry(patch)
    await approveAll()
    const early = [sent.length, approvalHindrance(getState())]
    finish()
    await until(isRead)
    expect([...early, approvalHindrance(getState())]).toEqual([0, 'The content is still being read.', null])
  })

  it('cannot be made of content that cannot be shown, but it can be rejected', async () => {
    connectTo({
      ...answers,
      'approval.read': async () => {
        throw new ReviewError('FILE_UNREADABLE', 'The file cannot be read.')
      },
    })
    await readTexts(tax, taxPath)
    await approveAll()
    expect(sent).toEqual([])
    await rejectSelected(' not now ')
    expect(sent).toEqual([{ approval: 'a1', revision: 1, decision: { kind: 'reject', reason: 'not now' } }])
  })

  it('leaves out whole files of a patch', async () => {
    selectEntry(patch)
    await until(isRead)
    toggleFile(workspacePath('assets/logo.png'))
    await approveChosen()
    expect(sent[0]).toMatchObject({ approval: 'a5', revision: 2, decision: { files: [{ path: 'assets/logo.png', hunks: [], text: null }] } })
  })

  it('is not sent where nothing is ticked', async () => {
    for (const number of [1, 2, 3]) toggleHunk(number)
    await approveChosen()
    expect(sent).toEqual([])
  })

  it('stores a rule only of the exact text that a part offers', async () => {
    selectEntry(command)
    await approveAlways('npm install *')
    await approveAlways('npm install --save-exact vat-rates@4.2.0')
    expect(sent.map(({ decision }) => decision)).toMatchObject([{ alwaysRules: ['npm install --save-exact vat-rates@4.2.0'] }])
  })

  it('that was refused stays on the entry, which stays selected', async () => {
    connectTo({
      ...answers,
      'approval.decide': async () => {
        throw new ReviewError('APPROVAL_NOT_WAITING', 'This question does not wait any more.')
      },
    })
    await approveAll()
    const { approvals } = getState()
    expect([approvals.selected, approvals.problems.get(tax)?.code, approvals.busy.size]).toEqual([tax, 'APPROVAL_NOT_WAITING', 0])
  })

  it('can be undone once', async () => {
    await undoDecision()
    await undoDecision()
    const { decided } = await listed()
    expect([decided.find(({ id }) => id === 'd1')?.outcome, decided.some(({ canUndo }) => canUndo)]).toEqual(['Undone: the files were put back and read again.', false])
  })

  it('is impossible without a connection', async () => {
    setState({ connection: { kind: 'lost', retryAt: null, tries: 1, isRefused: false } })
    await approveAll()
    await rejectSelected('no')
    expect(sent).toEqual([])
  })
})

describe('a question that ended while it was looked at', () => {
  it('stays on the screen and cannot be decided', async () => {
    const list = await listed()
    const [first] = list.waiting
    if (!first) throw new Error('Nothing waits.')
    const gone: Approval = { ...first, state: 'cancelled', decidedAt: 1, decidedBy: 'nobody', outcome: 'The agent gave up.' }
    connectTo({ ...answers, 'approval.list': async () => ({ waiting: list.waiting.slice(1), decided: [gone, ...list.decided] }) })
    await loadApprovals()
    await approveAll()
    flushTyping()
    expect([selectedEntry(getState().approvals)?.state, approvalHindrance(getState()), sent]).toEqual(['cancelled', 'This question does not wait any more.', []])
  })
})
