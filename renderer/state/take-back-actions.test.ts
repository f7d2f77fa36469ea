import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { promptId, workspacePath } from '../../shared/ids.js'
import { createClient } from '../api/client.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey } from '../testing/scripted-session.js'
import { diffShown, goToChange, loadChanges } from './changes-actions.js'
import { initialChanges } from './changes-slice.js'
import { setClient } from './client-ref.js'
import { selectTurn } from './selection-actions.js'
import { openSession } from './session-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'
import { applyTakeBack, previewTakeBack, takeBackHindrance } from './take-back-actions.js'

async function openChange(change: number, answers: ScriptedAnswers = {}): Promise<void> {
  setState({ ...initialShell(), changes: initialChanges })
  setClient(createClient(scriptedPort({ ...scriptedAnswers({ isOpen: true, turns: null }), ...answers }), () => undefined))
  await openSession(cartKey)
  selectTurn(promptId('p7'))
  await loadChanges({ kind: 'turn', promptId: promptId('p7') })
  diffShown(workspacePath('src/cart/total.ts'), 6)
  goToChange(change - 1)
}

describe('taking one change back', () => {
  beforeEach(() => openChange(2))

  it('asks about the change on the screen and writes nothing by that', async () => {
    await previewTakeBack()
    const { takingBack } = getState().changes
    expect([takingBack?.hunk, takingBack?.path, takingBack?.plan.kind === 'ready' && takingBack.plan.value.fits]).toEqual([2, 'src/cart/total.ts', true])
  })

  it('says that it is done and offers to undo it', async () => {
    await previewTakeBack()
    await applyTakeBack()
    const notice = getState().notices.at(-1)
    expect([getState().changes.takingBack, notice?.kind === 'done' && [notice.title, notice.action?.label]]).toEqual([null, ['Took back change 2 of src/cart/total.ts.', 'Undo']])
  })

  it('does nothing where the change no longer fits', async () => {
    await openChange(4)
    await previewTakeBack()
    await applyTakeBack()
    expect([getState().changes.takingBack?.plan.kind, getState().notices]).toEqual(['ready', []])
  })

  it('is offered for a single turn only', async () => {
    await loadChanges({ kind: 'session' })
    diffShown(workspacePath('src/cart/total.ts'), 6)
    expect(takeBackHindrance(getState())).toBe('Choose "This turn" to take back a single change.')
  })

  it('makes the preview anew when the file changed meanwhile', async () => {
    let previews = 0
    const plan = scriptedAnswers({ isOpen: true, turns: null })['takeBack.preview']
    await openChange(2, {
      'takeBack.preview': async (params, context) => {
        previews += 1
        if (!plan) throw new ReviewError('INTERNAL', 'The script has no preview.')
        return plan(params, context)
      },
      'takeBack.apply': async () => {
        throw new ReviewError('REWIND_PLAN_STALE', 'Files changed after the preview was made.')
      },
    })
    await previewTakeBack()
    await applyTakeBack()
    expect([previews, getState().changes.takingBack?.error, getState().notices.map((notice) => notice.kind)]).toEqual([2, null, ['warning']])
  })
})
