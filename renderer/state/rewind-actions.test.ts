import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { promptId, workspacePath, type PromptId } from '../../shared/ids.js'
import type { RewindChoices } from '../../shared/rewind.js'
import { createClient } from '../api/client.js'
import { scriptedChanges, type ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey } from '../testing/scripted-session.js'
import { setClient } from './client-ref.js'
import { valueOf } from './loadable.js'
import { applyRewind, countPlan, startRewind, stepTarget, stopRunning, toggleIncluded } from './rewind-actions.js'
import { initialRewind } from './rewind-slice.js'
import { acceptDraft, chooseSide, clearResolution, draftResult } from './rewind-texts-actions.js'
import { openSession } from './session-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState, useStore } from './store.js'

const total = workspacePath('src/cart/total.ts')

const turnId = (turn: number): PromptId => promptId(`p${turn}`)

async function openScripted(answers: ScriptedAnswers = {}): Promise<void> {
  setState({ ...initialShell(), rewind: initialRewind })
  setClient(createClient(scriptedPort({ ...scriptedAnswers({ isOpen: true, turns: null }), ...answers }), () => undefined))
  await openSession(cartKey)
  startRewind({ kind: 'start', promptId: turnId(4) })
  await settled()
}

/** Waits until the preview and the texts of its selected file are there. */
async function settled(): Promise<void> {
  const isSettled = (): boolean => {
    const { plan, texts } = getState().rewind
    return plan.kind === 'ready' && texts.kind === 'ready'
  }
  if (isSettled()) return
  await new Promise<void>((resolve) => {
    const stop = useStore.subscribe(() => {
      if (!isSettled()) return
      stop()
      resolve()
    })
  })
}

describe('the preview of a rewind', () => {
  beforeEach(() => openScripted())

  it('puts what needs an answer first and counts what will be written', () => {
    const { rewind, view } = getState()
    expect([view, [...rewind.known.keys()].slice(0, 3), countPlan(rewind)]).toEqual([
      'rewind',
      ['src/cart/total.ts', 'data/prices.csv', 'src/orders/date.ts'],
      { written: 14, left: 2 },
    ])
  })

  it('keeps a file that is left out in the list and counts it as left', async () => {
    toggleIncluded(workspacePath('src/money.ts'))
    await settled()
    expect([getState().rewind.known.has(workspacePath('src/money.ts')), countPlan(getState().rewind)]).toEqual([true, { written: 13, left: 3 }])
    toggleIncluded(workspacePath('src/money.ts'))
    await settled()
    expect(countPlan(getState().rewind)).toEqual({ written: 14, left: 2 })
  })

  it('makes the chosen side of the last conflict the resolution of the file, in its place in the list', async () => {
    chooseSide('mine')
    await settled()
    const { rewind } = getState()
    const resolution = rewind.resolutions[total]
    expect([resolution?.kind === 'text' && resolution.text.includes('rate(land)'), [...rewind.known.keys()][0], countPlan(rewind)]).toEqual([true, total, { written: 15, left: 1 }])
  })

  it('lets a choice be changed and taken back', async () => {
    chooseSide('mine')
    await settled()
    chooseSide('old')
    await settled()
    const resolution = getState().rewind.resolutions[total]
    expect(resolution?.kind === 'text' && resolution.text.includes('Math.round(net * TAX_RATE)')).toBe(true)
    clearResolution()
    await settled()
    expect([getState().rewind.resolutions, countPlan(getState().rewind)]).toEqual([{}, { written: 14, left: 2 }])
  })

  it('counts a typed text only once it is used', async () => {
    draftResult('typed\n')
    const before = countPlan(getState().rewind)
    acceptDraft()
    await settled()
    expect([before, getState().rewind.resolutions[total], countPlan(getState().rewind)]).toEqual([{ written: 14, left: 2 }, { kind: 'text', text: 'typed\n' }, { written: 15, left: 1 }])
  })

  it('steps to earlier and later turns, the end of the last one included', async () => {
    const targets = []
    for (const step of [-1, 1, 1, 1, 1, 1, 1, 1] as const) {
      stepTarget(step)
      await settled()
      targets.push(getState().rewind.target)
    }
    expect(targets.map((target) => `${target?.kind} ${target?.promptId}`)).toEqual([
      `start ${turnId(3)}`,
      ...[4, 5, 6, 7, 8, 9].map((turn) => `start ${turnId(turn)}`),
      `end ${turnId(9)}`,
    ])
  })
})

describe('doing a rewind', () => {
  it('asks for exactly what was shown and ends at the receipt', async () => {
    const asked: RewindChoices[] = []
    const script = scriptedChanges()
    await openScripted({
      'rewind.apply': async (params, context) => {
        asked.push(params.choices)
        const receipt = await script['rewind.apply']?.(params, context)
        if (!receipt) throw new ReviewError('INTERNAL', 'The script has no receipt.')
        return receipt
      },
    })
    toggleIncluded(workspacePath('src/money.ts'))
    await settled()
    await applyRewind()
    const { view, rewind } = getState()
    const files = rewind.receipt ? (valueOf(rewind.receipt.loaded)?.files ?? []) : []
    expect([view, asked[0]?.paths?.includes(workspacePath('src/money.ts')), asked[0]?.paths?.length, files.slice(0, 3).map(({ path, result }) => `${result} ${path}`)]).toEqual([
      'receipt',
      false,
      15,
      ['left src/cart/total.ts', 'left data/prices.csv', 'merged src/orders/date.ts'],
    ])
  })

  it('writes nothing when the plan is stale, shows a fresh one and says so', async () => {
    await openScripted({
      'rewind.apply': async () => {
        throw new ReviewError('REWIND_PLAN_STALE', 'Files changed after the preview was made.')
      },
    })
    await applyRewind()
    await settled()
    expect([getState().view, getState().notices.map((notice) => notice.kind === 'warning' && notice.title)]).toEqual(['rewind', ['Files changed after you opened the preview.']])
  })

  it('stops on demand and tells what the host says of the files', async () => {
    await openScripted({
      'rewind.apply': (_params, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new ReviewError('CANCELLED', 'Cancelled. 1 of 2 files could not be put back; look at them.', { details: { paths: ['a.ts'] } })))
        }),
    })
    const applying = applyRewind()
    stopRunning()
    await applying
    expect(getState().notices.map((notice) => notice.kind !== 'error' && [notice.kind, notice.text])).toEqual([['warning', '1 of 2 files could not be put back; look at them.']])
  })
})
