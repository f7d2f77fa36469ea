import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { promptId, workspacePath, type PromptId } from '../../shared/ids.js'
import { createClient } from '../api/client.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { diffShown, loadChanges, nextScope, selectFile, stepChange, toggleReviewed } from './changes-actions.js'
import { initialChanges } from './changes-slice.js'
import { setClient } from './client-ref.js'
import { valueOf } from './loadable.js'
import { scopeOf } from './scope.js'
import { selectRange, selectTurn } from './selection-actions.js'
import { openSession } from './session-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'
import { cartKey } from '../testing/scripted-session.js'

const turnId = (turn: number): PromptId => promptId(`p${turn}`)

async function openScripted(answers: ScriptedAnswers = {}): Promise<void> {
  setState({ ...initialShell(), changes: initialChanges })
  setClient(createClient(scriptedPort({ ...scriptedAnswers({ isOpen: true, turns: null }), ...answers }), () => undefined))
  await openSession(cartKey)
  selectTurn(turnId(7))
}

async function load(): Promise<void> {
  const { session, changes } = getState()
  await loadChanges(session && scopeOf(session, changes.scopeKind))
}

const selected = (): string | null => getState().changes.selectedPath
const reviewOf = (path: string): string | undefined => valueOf(getState().changes.list)?.find((change) => change.path === path)?.review

describe('changes of a turn', () => {
  beforeEach(() => openScripted())

  it('opens at the first file that is still to be reviewed, with both its sides', async () => {
    await load()
    expect([selected(), valueOf(getState().changes.file)?.before.kind]).toEqual(['src/cart/total.ts', 'text'])
  })

  it('keeps the selected file when the same scope is asked again, and reads it anew only where its content changed', async () => {
    await load()
    await selectFile(workspacePath('config/printer.ini'))
    const file = getState().changes.file
    await load()
    expect([selected(), getState().changes.file === file]).toEqual(['config/printer.ini', true])
  })

  it('runs on to the next file behind the last change, and back to the last change of the file before', async () => {
    await load()
    diffShown(workspacePath('src/cart/total.ts'), 2)
    stepChange(1)
    expect(getState().changes.diff?.current).toBe(1)
    stepChange(1)
    expect([selected(), getState().changes.diff]).toEqual(['src/checkout/summary.ts', null])
    diffShown(workspacePath('src/checkout/summary.ts'), 1)
    stepChange(-1)
    diffShown(workspacePath('src/cart/total.ts'), 2)
    expect([selected(), getState().changes.diff?.current]).toEqual(['src/cart/total.ts', 1])
  })

  it('keeps its place in the file when that is chosen again', async () => {
    await load()
    diffShown(workspacePath('src/cart/total.ts'), 2)
    stepChange(1)
    await selectFile(workspacePath('src/cart/total.ts'))
    expect(getState().changes.diff).toEqual({ path: 'src/cart/total.ts', count: 2, current: 1 })
  })

  it('does not skip a file while its diff is still on its way', async () => {
    await load()
    stepChange(1)
    stepChange(1)
    expect(selected()).toBe('src/cart/total.ts')
  })

  it('lets go of a range when another comparison is chosen', async () => {
    selectRange(turnId(9))
    nextScope()
    expect([getState().session?.selection.rangeTo, getState().changes.scopeKind]).toEqual([null, 'since-reviewed'])
  })
})

describe('a reviewed mark', () => {
  it('is put and taken off', async () => {
    await openScripted()
    await load()
    await toggleReviewed()
    const put = reviewOf('src/cart/total.ts')
    await toggleReviewed()
    expect([put, reviewOf('src/cart/total.ts')]).toEqual(['reviewed', 'none'])
  })

  it('goes back where the host refuses it', async () => {
    await openScripted({
      'change.review': async () => {
        throw new ReviewError('DATA_FOLDER_UNWRITABLE', 'The data folder cannot be written.')
      },
    })
    await load()
    await toggleReviewed()
    expect([reviewOf('src/cart/total.ts'), getState().notices.map((notice) => notice.kind)]).toEqual(['none', ['error']])
  })

  it('is not put on a file whose content is not known, and says why', async () => {
    await openScripted()
    await load()
    await toggleReviewed(workspacePath('data/prices.csv'))
    expect([reviewOf('data/prices.csv'), getState().notices.map((notice) => notice.kind)]).toEqual(['none', ['unknown']])
  })
})

describe('reading a file', () => {
  it('aborts the call for the file that was chosen before', async () => {
    const aborted: string[] = []
    await openScripted({
      'change.read': ({ path }, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted.push(path)
            reject(new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.'))
          })
          if (path === 'config/printer.ini') reject(new ReviewError('FILE_UNREADABLE', 'The file cannot be read.'))
        }),
    })
    const list = load()
    while (selected() === null) await Promise.resolve()
    await selectFile(workspacePath('config/printer.ini'))
    await list
    expect([aborted, getState().changes.file.kind]).toEqual([['src/cart/total.ts'], 'error'])
  })
})
