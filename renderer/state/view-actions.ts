import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { SessionProblem } from '../../shared/session.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf, type Loadable } from './loadable.js'
import { peekLines } from './peek-lines.js'
import { selectTurn } from './selection-actions.js'
import type { MapCursor, OpenSession, OpenTranscript, Pane, TranscriptGoal, View } from './shell-slice.js'
import { getState, setState } from './store.js'

/** Views that need no open session. */
const freeViews: readonly View[] = ['review', 'approvals', 'policy', 'connect', 'search']

export function setView(view: View): void {
  if (!freeViews.includes(view) && !getState().session) return
  setState({ view })
  if (view === 'map') void loadMap()
}

export function setFocusedPane(focusedPane: Pane): void {
  if (getState().focusedPane !== focusedPane) setState({ focusedPane })
}

export function setSessionFilter(sessionFilter: string | null): void {
  setState({ sessionFilter })
}

export function setTimelineFilter(timelineFilter: string | null): void {
  setState({ timelineFilter })
}

export function setMapCursor(mapCursor: MapCursor | null): void {
  setState({ mapCursor })
}

let mapCall = new AbortController()

/** Fetches the map where it is missing or older than the outline; an older one stays on screen meanwhile. */
export async function loadMap(): Promise<void> {
  const { session } = getState()
  if (!session || session.mapRevision === session.outline.revision) return
  mapCall.abort()
  mapCall = new AbortController()
  const { signal } = mapCall
  const { key, outline } = session
  const put = (map: OpenSession['map'], mapRevision: number): void =>
    setState(({ session: now }) => (now?.key === key && !signal.aborted ? { session: { ...now, map, mapRevision } } : {}))
  put({ kind: 'loading', stale: valueOf(session.map) }, outline.revision)
  try {
    const value = await client().call('session.map', { session: key }, { signal, onProgress: (mapProgress) => setState({ mapProgress }) })
    put({ kind: 'ready', value }, outline.revision)
  } catch (thrown) {
    if (!isCancelled(thrown)) put({ kind: 'error', error: toReviewError(thrown) }, outline.revision)
  }
  if (!signal.aborted) setState({ mapProgress: null })
}

/** Asks for the map once more after it was refused or cancelled. */
export function reloadMap(): void {
  setState(({ session }) => (session ? { session: { ...session, mapRevision: -1 } } : {}))
  void loadMap()
}

/** Stops making the map. */
export function cancelMap(): void {
  mapCall.abort()
  setState(({ session }) => ({ mapProgress: null, ...(session ? { session: { ...session, map: { kind: 'idle' } } } : {}) }))
}

let peeking = new AbortController()

/** Fetches the first changed lines of a file in a turn, for the card beside its cell. Without them the card says less. */
export async function peekChange(promptId: PromptId, path: WorkspacePath): Promise<void> {
  const { session, mapPeek } = getState()
  if (!session || (mapPeek?.promptId === promptId && mapPeek.path === path)) return
  peeking.abort()
  peeking = new AbortController()
  const { signal } = peeking
  try {
    const { before, after } = await client().call(
      'change.read',
      { session: session.key, scope: { kind: 'turn', promptId }, path, showOversized: false },
      { signal },
    )
    if (!signal.aborted) setState({ mapPeek: { path, promptId, lines: peekLines(before, after) } })
  } catch {
    // The card is an aside; opening the file says why it cannot be read.
  }
}

let transcriptCall = new AbortController()

/** Opens the transcript of a turn over the changes, at one call or at the last call that touched a file. */
export async function openTranscript(promptId: PromptId, goal: TranscriptGoal | null = null): Promise<void> {
  if (!getState().session) return
  if (getState().session?.selection.turn !== promptId) selectTurn(promptId)
  setState(({ session }) => {
    if (!session) return {}
    const kept = session.transcript?.promptId === promptId ? session.transcript : null
    const transcript: OpenTranscript = kept
      ? { ...kept, goal }
      : { promptId, entries: { kind: 'idle' }, search: '', goal, outputs: new Map() }
    return { session: { ...session, transcript }, view: 'transcript' }
  })
  await refreshTranscript()
}

/** Asks for the open transcript anew; what is there stays on screen meanwhile. */
export async function refreshTranscript(): Promise<void> {
  const { session } = getState()
  if (!session?.transcript) return
  const { promptId } = session.transcript
  transcriptCall.abort()
  transcriptCall = new AbortController()
  changeTranscript(promptId, (now) => ({ ...now, entries: { kind: 'loading', stale: valueOf(now.entries) } }))
  try {
    const value = await client().call('session.transcript', { session: session.key, promptId }, { signal: transcriptCall.signal })
    changeTranscript(promptId, (now) => ({ ...now, entries: { kind: 'ready', value } }))
  } catch (thrown) {
    if (!isCancelled(thrown)) changeTranscript(promptId, (now) => ({ ...now, entries: { kind: 'error', error: toReviewError(thrown) } }))
  }
}

export function setTranscriptSearch(search: string): void {
  const promptId = getState().session?.transcript?.promptId
  if (promptId) changeTranscript(promptId, (now) => ({ ...now, search }))
}

/** Fetches the whole output of a call that the transcript holds cut. */
export async function loadOutput(callId: string): Promise<void> {
  const { session } = getState()
  const promptId = session?.transcript?.promptId
  if (!session || !promptId) return
  const put = (output: Loadable<string>): void =>
    changeTranscript(promptId, (now) => ({ ...now, outputs: new Map(now.outputs).set(callId, output) }))
  put({ kind: 'loading', stale: null })
  try {
    put({ kind: 'ready', value: await client().call('session.toolOutput', { session: session.key, promptId, callId }) })
  } catch (thrown) {
    put({ kind: 'error', error: toReviewError(thrown) })
  }
}

function changeTranscript(promptId: PromptId, change: (now: OpenTranscript) => OpenTranscript): void {
  setState(({ session }) =>
    session?.transcript?.promptId === promptId ? { session: { ...session, transcript: change(session.transcript) } } : {},
  )
}

/** Fetches the lines of the log that a problem is about. */
export async function loadRawLines(problem: SessionProblem): Promise<void> {
  const { session } = getState()
  if (!session) return
  setState({ rawLines: { problem: problem.kind, lines: { kind: 'loading', stale: null } } })
  try {
    const value = await client().call('session.rawLines', { session: session.key, lines: [...problem.lines].slice(0, 50) })
    setState(({ rawLines }) => (rawLines?.problem === problem.kind ? { rawLines: { ...rawLines, lines: { kind: 'ready', value } } } : {}))
  } catch (thrown) {
    setState(({ rawLines }) =>
      rawLines?.problem === problem.kind ? { rawLines: { ...rawLines, lines: { kind: 'error', error: toReviewError(thrown) } } } : {},
    )
  }
}

let finding = new AbortController()

/** Looks for files, turns and commands of the open session; a newer search ends the one before. */
export async function findInSession(text: string): Promise<void> {
  finding.abort()
  finding = new AbortController()
  const { signal } = finding
  const { session, dialog } = getState()
  if (dialog?.kind !== 'palette') return
  if (!session || text.trim() === '') return setState({ dialog: { kind: 'palette', text, hits: { kind: 'idle' } } })
  setState({ dialog: { kind: 'palette', text, hits: { kind: 'loading', stale: valueOf(dialog.hits) } } })
  const put = (hits: typeof dialog.hits): void =>
    setState(({ dialog: now }) => (now?.kind === 'palette' && now.text === text ? { dialog: { ...now, hits } } : {}))
  try {
    put({ kind: 'ready', value: await client().call('session.find', { session: session.key, text: text.trim(), limit: 40 }, { signal }) })
  } catch (thrown) {
    if (!isCancelled(thrown)) put({ kind: 'error', error: toReviewError(thrown) })
  }
}
