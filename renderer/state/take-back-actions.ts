import { client } from './client-ref.js'
import { setChanges } from './changes-actions.js'
import { isCancelled, toReviewError } from './loadable.js'
import { notify } from './notice-actions.js'
import { undoOperation } from './rewind-actions.js'
import { refreshSession } from './session-actions.js'
import { getState } from './store.js'
import type { AppStore } from './store.js'

let previewing = new AbortController()

/** Why the change on the screen cannot be taken back now, in one sentence; `null` where it can. */
export function takeBackHindrance(state: AppStore): string | null {
  const { session, changes } = state
  if (!session || !changes.diff || changes.diff.count === 0) return 'There is no change to take back.'
  if (changes.scope?.kind !== 'turn') return 'Choose "This turn" to take back a single change.'
  return session.header.canRewind.kind === 'no' ? session.header.canRewind.reason : null
}

/** Asks what taking back the change on the screen would do to the present text; nothing is written. */
export async function previewTakeBack(): Promise<void> {
  const state = getState()
  const { session, changes } = state
  const hindrance = takeBackHindrance(state)
  if (hindrance !== null) return notify({ kind: 'unknown', title: 'This change cannot be taken back.', text: hindrance, action: null })
  if (!session || changes.scope?.kind !== 'turn' || !changes.diff) return
  const asked = { promptId: changes.scope.promptId, path: changes.diff.path, hunk: changes.diff.current + 1 }
  previewing.abort()
  previewing = new AbortController()
  const { signal } = previewing
  setChanges({ takingBack: { ...asked, plan: { kind: 'loading', stale: null }, isRunning: false, error: null } })
  try {
    const value = await client().call('takeBack.preview', { session: session.key, ...asked }, { signal })
    if (!signal.aborted) setChanges({ takingBack: { ...asked, plan: { kind: 'ready', value }, isRunning: false, error: null } })
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) {
      setChanges({ takingBack: { ...asked, plan: { kind: 'error', error: toReviewError(thrown) }, isRunning: false, error: null } })
    }
  }
}

/** Takes the previewed change back. A plan that has become stale is previewed again, with the reason on show. */
export async function applyTakeBack(): Promise<void> {
  const { session, changes } = getState()
  const { takingBack } = changes
  if (!session || takingBack?.plan.kind !== 'ready' || !takingBack.plan.value.fits || takingBack.isRunning) return
  const { promptId, path, hunk } = takingBack
  const { planHash } = takingBack.plan.value
  setChanges({ takingBack: { ...takingBack, isRunning: true, error: null } })
  try {
    const receipt = await client().call('takeBack.apply', { session: session.key, promptId, path, hunk, planHash })
    const failed = receipt.files.find(({ result }) => result === 'failed')
    setChanges({ takingBack: null })
    notify({
      ...(failed ? {} : { about: 'last operation' }),
      kind: failed ? 'warning' : 'done',
      title: failed ? `Change ${hunk} of ${path} was not taken back.` : `Took back change ${hunk} of ${path}.`,
      text: failed?.reason ?? 'All later changes stay.',
      action: failed ? null : { label: 'Undo', key: 'Mod+Z', run: () => void undoOperation(receipt.operationId) },
    })
    await refreshSession()
  } catch (thrown) {
    const error = toReviewError(thrown)
    setChanges({ takingBack: { ...takingBack, isRunning: false, error } })
    if (error.code === 'REWIND_PLAN_STALE') {
      await previewTakeBack()
      notify({ kind: 'warning', title: `${path} changed after you opened it.`, text: 'Nothing was written. The preview is fresh now.', action: null })
    }
  }
}

export function closeTakeBack(): void {
  previewing.abort()
  setChanges({ takingBack: null })
}
