import type { SessionKey } from '../../shared/ids.js'
import { throwIfAborted } from '../../shared/errors.js'
import type { SessionSummary } from '../../shared/session.js'
import type { Outline, SessionHeader } from '../../shared/timeline.js'
import { initialChanges } from './changes-slice.js'
import { client } from './client-ref.js'
import { keptPlace, keptSelection } from './kept-place.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { setPrefs } from './prefs-actions.js'
import { followSelection } from './scope.js'
import { selectTurn } from './selection-actions.js'
import { isViewOfAll, noSelection, type OpenSession, type View } from './shell-slice.js'
import { getState, setState, useStore, type AppStore } from './store.js'
import { loadMap, refreshTranscript } from './view-actions.js'

/** Asks for the list of sessions; the last one stays on screen meanwhile. */
export async function loadLibrary(): Promise<void> {
  setState(({ library }) => ({ library: { kind: 'loading', stale: valueOf(library) } }))
  try {
    const value = await client().call('session.list', {})
    setState({ library: { kind: 'ready', value } })
  } catch (thrown) {
    if (!isCancelled(thrown)) setState({ library: { kind: 'error', error: toReviewError(thrown) } })
  }
}

/** Opens what the command line named, or else what was open last; otherwise the first screen stays. */
export function openFirstSession(): void {
  const { app, library, prefs } = getState()
  const sessions = valueOf(library)?.sessions ?? []
  const last = sessions.find(({ key }) => key === prefs.lastSession)
  const first = app?.openFirst ?? last?.key
  if (first) void openSession(first, { isAsked: false })
}

let opening = new AbortController()

/**
 * Opens a session. What was open stays on screen until the first turns of the new one are here; then it is looked at, unless
 * the person went to a view of all sessions meanwhile, or is in one and did not ask for this (`isAsked`).
 */
export async function openSession(key: SessionKey, { isAsked = true } = {}): Promise<void> {
  const left = isAsked ? getState().view : null
  opening.abort()
  opening = new AbortController()
  const { signal } = opening
  setState({ opening: { key, title: summaryOf(key)?.title ?? 'Session', progress: null, error: null } })
  let isPeeking = false
  const peek = async (): Promise<void> => {
    if (isPeeking) return
    isPeeking = true
    await adoptSession(key, signal, left).catch(() => undefined)
    isPeeking = false
  }
  try {
    await client().call(
      'session.open',
      { session: key },
      {
        signal,
        onProgress: (progress) => {
          if (signal.aborted) return
          setState(({ opening: now }) => ({ opening: now && { ...now, progress } }))
          void peek()
        },
      },
    )
    await adoptSession(key, signal, left)
    setState({ opening: null })
    setPrefs({ lastSession: key })
  } catch (thrown) {
    if (signal.aborted) return
    setState(({ opening: now }) => ({ opening: now && { ...now, error: toReviewError(thrown) } }))
  }
}

/** Stops reading the session that is being opened; what was read stays. */
export function cancelOpening(): void {
  opening.abort()
  setState({ opening: null })
}

/** Back to the first screen. */
export function closeSession(): void {
  cancelOpening()
  setState({ session: null, view: 'review' })
  setPrefs({ lastSession: null })
}

let isRefreshing = false
let refreshAgain = false

/** Asks for header and outline of the open session anew, once at a time; the selection stays on what it was. */
export async function refreshSession(key: SessionKey | null = getState().session?.key ?? null): Promise<void> {
  if (key === null || getState().session?.key !== key) return
  if (isRefreshing) {
    refreshAgain = true
    return
  }
  isRefreshing = true
  try {
    await adoptSession(key, new AbortController().signal, null)
  } catch (thrown) {
    notifyError(thrown, () => void refreshSession(key))
  }
  isRefreshing = false
  if (refreshAgain) {
    refreshAgain = false
    await refreshSession(key)
  }
}

/** `left`: the view that the session takes the place of; `null` for one that nobody left for it. */
async function adoptSession(key: SessionKey, signal: AbortSignal, left: View | null): Promise<void> {
  const [header, outline] = await Promise.all([
    client().call('session.header', { session: key }, { signal }),
    client().call('session.outline', { session: key }, { signal }),
  ])
  throwIfAborted(signal)
  const { session, view, changes } = getState()
  if (session?.key === key) {
    setState({ session: renewed(session, header, outline) })
    tellNewTurns(session, outline)
  } else {
    setState({
      session: fresh(key, header, outline),
      changes: { ...initialChanges, scopeKind: keptPlace(key)?.scopeKind ?? changes.scopeKind },
      why: null,
      ...(isViewOfAll(view) && view !== left ? {} : { view: 'review', focusedPane: 'timeline' }),
      mapCursor: null,
      rawLines: null,
      timelineFilter: null,
    })
  }
  if (session?.key === key && view === 'map') void loadMap()
  if (session?.key === key && view === 'transcript' && session.transcript) void refreshTranscript()
}

function fresh(key: SessionKey, header: SessionHeader, outline: Outline): OpenSession {
  const session: OpenSession = {
    key,
    header,
    outline,
    details: new Map(),
    detailsRevision: new Map(),
    selection: noSelection,
    openFolds: new Set(),
    dragTo: null,
    map: { kind: 'idle' },
    mapRevision: -1,
    transcript: null,
  }
  return header.loading ? session : { ...session, selection: firstSelection(key, outline) }
}

function renewed(session: OpenSession, header: SessionHeader, outline: Outline): OpenSession {
  const isSame = outline.revision === session.outline.revision
  const selection = isSame ? session.selection : followSelection(session, outline)
  return {
    ...session,
    header,
    outline: isSame ? session.outline : outline,
    selection: selection.rowIndex < 0 && !header.loading ? firstSelection(session.key, outline) : selection,
    dragTo: isSame ? session.dragTo : null,
  }
}

/** Turns that came while the session was looked at: the selection stays, so that nobody is taken away from what they read. */
function tellNewTurns({ header, outline: before }: OpenSession, outline: Outline): void {
  const isFirstLook = header.loading !== null || !before.rows.some(({ kind }) => kind === 'turn')
  if (isFirstLook || outline.revision === before.revision) return
  const known = new Set(before.rows.flatMap((row) => (row.kind === 'turn' ? [row.promptId] : [])))
  const lastKnown = outline.rows.findLastIndex((row) => row.kind === 'turn' && known.has(row.promptId))
  const came = outline.rows.slice(lastKnown + 1).flatMap((row) => (row.kind === 'turn' && row.index !== null ? [row] : []))
  const [first] = came
  const last = came.at(-1)
  if (!first || !last) return
  const title = first === last ? `Turn ${last.index} came.` : `Turns ${first.index} to ${last.index} came.`
  notify({ kind: 'news', about: 'new turns', title, text: last.prompt.slice(0, 120), action: { label: 'Go there', key: null, run: () => selectTurn(last.promptId) } })
}

/** Where one was before the window was loaded anew, else the newest turn. */
function firstSelection(key: SessionKey, outline: Outline): OpenSession['selection'] {
  const kept = keptPlace(key)
  const selection = kept && keptSelection(kept, outline)
  if (selection) return selection

  const rowIndex = outline.rows.findLastIndex((row) => row.kind === 'turn')
  const row = outline.rows[rowIndex]
  return row?.kind === 'turn' ? { ...noSelection, turn: row.promptId, rowIndex } : noSelection
}

export function summaryOf(key: SessionKey, state: AppStore = getState()): SessionSummary | null {
  return valueOf(state.library)?.sessions.find((session) => session.key === key) ?? null
}

/** The summary of the open session: the list's, which follows its log, or where it is not listed the one it was opened with. */
export function useOpenSummary({ key, header }: OpenSession): SessionSummary {
  return useStore((state) => summaryOf(key, state)) ?? header.summary
}
