import { throwIfAborted } from '../../shared/errors.js'
import type { SessionKey } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { closeSession, loadLibrary, openSession, summaryOf } from './session-actions.js'
import type { Dialog } from './shell-slice.js'
import { getState, setState } from './store.js'

/** Opens the sample that comes with the app. */
export async function openSample(): Promise<void> {
  try {
    const key = await client().call('session.openSample', {})
    await loadLibrary()
    await openSession(key)
  } catch (thrown) {
    notifyError(thrown, () => void openSample())
  }
}

/** Asks for a log or a folder of logs: with the host's own dialog, or a field for its path where it has none. */
export async function chooseLog(): Promise<void> {
  if (!getState().app?.abilities.canPickFile) return setState({ dialog: { kind: 'open', busy: false, error: null } })
  try {
    const location = await client().call('session.pick', { what: 'log' })
    if (location !== null) openAdded(await addLocation(location, new AbortController().signal), location)
  } catch (thrown) {
    notifyError(thrown, () => void chooseLog())
  }
}

/** Asks for the folder that a session belongs to. */
export async function chooseWorkspace(key: SessionKey): Promise<void> {
  const session = summaryOf(key) ?? getState().session?.header.summary
  if (!session) return
  if (!getState().app?.abilities.canPickFolder) return setState({ dialog: { kind: 'attach', session, busy: false, error: null } })
  try {
    const folder = await client().call('session.pick', { what: 'workspace' })
    if (folder !== null) await attach(session, folder)
  } catch (thrown) {
    notifyError(thrown, () => void chooseWorkspace(key))
  }
}

let submitting = new AbortController()

/** Sends the path typed into the open dialog; a refusal is shown in it. */
export async function submitPath(path: string): Promise<void> {
  const { dialog } = getState()
  if (dialog?.kind !== 'open' && dialog?.kind !== 'attach') return
  submitting.abort()
  submitting = new AbortController()
  const { signal } = submitting
  setState({ dialog: { ...dialog, busy: true, error: null } })
  try {
    const added = dialog.kind === 'open' ? await addLocation(path, signal) : null
    if (dialog.kind === 'attach') await attach(dialog.session, path)
    throwIfAborted(signal)
    setState({ dialog: null })
    if (added) openAdded(added, path)
  } catch (thrown) {
    if (signal.aborted) return
    setState({ dialog: { ...dialog, busy: false, error: isCancelled(thrown) ? null : toReviewError(thrown) } })
  }
}

export function openDialog(dialog: Dialog): void {
  setState({ dialog })
}

export function closeDialog(): void {
  submitting.abort()
  setState({ dialog: null })
}

async function addLocation(location: string, signal: AbortSignal): Promise<readonly SessionKey[]> {
  const { added } = await client().call('session.add', { location }, { signal })
  await loadLibrary()
  return added
}

/** Takes off a place that was added; it can be added again. */
export async function removePlace(location: string): Promise<void> {
  try {
    await client().call('session.removePlace', { location })
    await loadLibrary()
    const { session, library } = getState()
    if (session && !valueOf(library)?.sessions.some(({ key }) => key === session.key)) closeSession()
    const addAgain = (): void => void addLocation(location, new AbortController().signal).catch((thrown: unknown) => notifyError(thrown))
    notify({ kind: 'done', title: 'The place was taken off the list.', text: `Nothing in it was changed: ${location}`, action: { label: 'Add again', key: null, run: addAgain } })
  } catch (thrown) {
    notifyError(thrown)
  }
}

function openAdded(added: readonly SessionKey[], location: string): void {
  const first = added[0]
  if (first) void openSession(first)
  else notify({ kind: 'unknown', title: 'No session was found there.', text: location, action: null })
}

async function attach(session: SessionSummary, workspace: string): Promise<void> {
  await client().call('session.attach', { session: session.key, workspace })
  await loadLibrary()
  if (getState().session?.key === session.key) await openSession(session.key)
}
