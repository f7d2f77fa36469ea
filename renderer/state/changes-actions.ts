import type { FileChange, Scope } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { OpenFile } from './changes-slice.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { setPrefs } from './prefs-actions.js'
import { rangeOf, scopeOf, type ScopeKind } from './scope.js'
import type { ChangesState } from './changes-slice.js'
import { getState, setState } from './store.js'
import { openTranscript } from './view-actions.js'

let listing = new AbortController()
let reading = new AbortController()

/** Sets parts of the changes pane's state. */
export function setChanges(change: Partial<ChangesState>): void {
  setState(({ changes }) => ({ changes: { ...changes, ...change } }))
}

/**
 * Asks for the files of a scope. While the same scope is asked again its last list stays on screen; of another scope
 * nothing is shown. The selected file stays where it is still in the list.
 */
export async function loadChanges(scope: Scope | null): Promise<void> {
  listing.abort()
  listing = new AbortController()
  const { signal } = listing
  const { session, changes } = getState()
  const isSame = JSON.stringify(scope) === JSON.stringify(changes.scope)
  if (!isSame) setState({ why: null })
  if (!session || scope === null) {
    reading.abort()
    return setChanges({ scope: null, list: { kind: 'idle' }, progress: null, selectedPath: null, file: { kind: 'idle' }, diff: null })
  }
  setChanges({
    scope,
    list: { kind: 'loading', stale: isSame ? valueOf(changes.list) : null },
    progress: null,
    takingBack: isSame ? changes.takingBack : null,
    expanded: isSame ? changes.expanded : new Set(),
    ...(isSame ? {} : { file: { kind: 'idle' }, diff: null }),
  })
  try {
    const value = await client().call('change.list', { session: session.key, scope }, {
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) setChanges({ progress })
      },
    })
    if (signal.aborted) return
    setChanges({ list: { kind: 'ready', value }, progress: null })
    await settleSelection(value, isSame)
  } catch (thrown) {
    if (!signal.aborted) setChanges({ list: { kind: 'error', error: toReviewError(thrown) }, progress: null })
  }
}

/** Stops the running list; "Look again" asks for it anew. */
export function cancelChanges(): void {
  const { list } = getState().changes
  if (list.kind !== 'loading') return
  listing.abort()
  setChanges({ list: { kind: 'idle' }, progress: null })
}

/** Asks for the same scope again. */
export function reloadChanges(): void {
  void loadChanges(getState().changes.scope)
}

/** Shows the selected file again only where its content has become another. */
async function settleSelection(files: readonly FileChange[], isSameScope: boolean): Promise<void> {
  const { selectedPath, file } = getState().changes
  const still = files.find(({ path }) => path === selectedPath)
  const shown = valueOf(file)?.change
  if (still && isSameScope && shown?.path === still.path && shown.contentKey !== null && shown.contentKey === still.contentKey) return
  await selectFile(still?.path ?? firstToReview(files)?.path ?? null)
}

function firstToReview(files: readonly FileChange[]): FileChange | undefined {
  return files.find(({ kind, review }) => kind !== 'refused' && review !== 'reviewed') ?? files[0]
}

/** Selects a file and reads both its sides; the call for the file before is aborted. */
export async function selectFile(path: WorkspacePath | null, arriveAt: 'first' | 'last' = 'first'): Promise<void> {
  reading.abort()
  reading = new AbortController()
  const { signal } = reading
  const { session, changes } = getState()
  const { scope, expanded } = changes
  if (!session || scope === null || path === null) return setChanges({ selectedPath: null, file: { kind: 'idle' }, diff: null })
  const refused = valueOf(changes.list)?.find((change) => change.path === path && change.kind === 'refused')
  // Of the same file the editor counts its changes anew only where the text is another.
  const diff = changes.diff?.path === path ? changes.diff : null
  if (changes.selectedPath !== path) setState({ why: null })
  setChanges({ selectedPath: path, file: { kind: 'loading', stale: valueOf(changes.file) }, diff, arriveAt, takingBack: null })
  if (refused) return setChanges({ file: { kind: 'ready', value: nothingWritten(refused) } })
  try {
    const value = await client().call('change.read', { session: session.key, scope, path, showOversized: expanded.has(path) }, { signal })
    if (!signal.aborted) setChanges({ file: { kind: 'ready', value } })
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) setChanges({ file: { kind: 'error', error: toReviewError(thrown) } })
  }
}

/** Goes to a file of the selected turn, and to one of its changes, whether its list is here already or still on its way. */
export function openFile(path: WorkspacePath, hunk: number | null = null): void {
  setScopeKind('turn')
  setChanges({ selectedPath: path, goal: hunk === null ? null : { path, hunk } })
  const { session, changes } = getState()
  const isListed = session !== null && JSON.stringify(scopeOf(session, 'turn')) === JSON.stringify(changes.scope)
  if (!isListed || !valueOf(changes.list)?.some((change) => change.path === path)) return
  // What stands on the screen already is not counted anew.
  if (hunk !== null && changes.diff?.path === path) {
    setChanges({ goal: null })
    goToChange(Math.min(hunk, changes.diff.count) - 1)
  }
  void selectFile(path)
}

/** A refused edit wrote nothing, so there is nothing to read. */
function nothingWritten(change: FileChange): OpenFile {
  return { change, before: { kind: 'absent' }, after: { kind: 'absent' }, edits: [] }
}

/** Goes to the next (1) or previous (-1) file of the list. Returns whether there was one. */
export function stepFile(step: 1 | -1, arriveAt: 'first' | 'last' = 'first'): boolean {
  const { list, selectedPath } = getState().changes
  const files = valueOf(list) ?? []
  const at = files.findIndex(({ path }) => path === selectedPath)
  const next = files[at < 0 ? 0 : at + step]
  if (!next) return false
  void selectFile(next.path, arriveAt)
  return true
}

/** Shows what is held back because it is long or oversized. */
export function showAnyway(path: WorkspacePath): void {
  setChanges({ expanded: new Set([...getState().changes.expanded, path]) })
  if (isOversized(valueOf(getState().changes.file))) void selectFile(path)
}

function isOversized(file: OpenFile | null): boolean {
  return file?.before.kind === 'oversized' || file?.after.kind === 'oversized'
}

/** The editor has counted the changes of the file on the screen. */
export function diffShown(path: WorkspacePath, count: number): void {
  const { selectedPath, arriveAt, goal, diff } = getState().changes
  if (selectedPath !== path) return
  if (goal?.path === path) return setChanges({ goal: null, diff: { path, count, current: Math.max(0, Math.min(goal.hunk, count) - 1) } })
  const kept = diff?.path === path ? Math.min(diff.current, Math.max(0, count - 1)) : null
  setChanges({ diff: { path, count, current: kept ?? (arriveAt === 'last' ? Math.max(0, count - 1) : 0) } })
}

export function goToChange(current: number): void {
  const { diff } = getState().changes
  if (diff && current >= 0 && current < diff.count && current !== diff.current) setChanges({ diff: { ...diff, current } })
}

/** Goes to the next or previous change, and at the end of a file to the one beside it. While a file comes, it waits. */
export function stepChange(step: 1 | -1): void {
  const { diff, file } = getState().changes
  if (!diff && file.kind !== 'error') return
  const next = (diff?.current ?? 0) + step
  if (diff && next >= 0 && next < diff.count) goToChange(next)
  else stepFile(step, step > 0 ? 'first' : 'last')
}

/**
 * Puts the reviewed mark on a file or takes it off. It shows at once and goes back where the host refuses.
 * A file whose content is not known has nothing that a mark could be bound to.
 */
export async function toggleReviewed(path: WorkspacePath | null = getState().changes.selectedPath): Promise<void> {
  const { session, changes } = getState()
  const change = valueOf(changes.list)?.find((candidate) => candidate.path === path)
  if (!session || !change || changes.scope === null || change.kind === 'refused') return
  if (change.contentKey === null) {
    return notify({ kind: 'unknown', title: 'This file cannot be marked as reviewed.', text: 'A mark is bound to content, and its content is not known.', action: null })
  }
  const isReviewed = change.review !== 'reviewed'
  putReview(change, isReviewed ? 'reviewed' : 'none')
  try {
    await client().call('change.review', { session: session.key, scope: changes.scope, path: change.path, contentKey: change.contentKey, isReviewed })
  } catch (thrown) {
    putReview(change, change.review)
    notifyError(thrown, () => void toggleReviewed(change.path))
  }
}

function putReview(change: FileChange, review: FileChange['review']): void {
  setState(({ changes }) => {
    if (changes.list.kind === 'idle' || changes.list.kind === 'error') return {}
    const put = (files: readonly FileChange[]): readonly FileChange[] =>
      files.map((file) => (file.path === change.path && file.contentKey === change.contentKey ? { ...file, review } : file))
    const list = changes.list.kind === 'ready' ? { ...changes.list, value: put(changes.list.value) } : { ...changes.list, stale: changes.list.stale && put(changes.list.stale) }
    return { changes: { ...changes, list } }
  })
}

/** Chooses what is compared; a range that was drawn is let go unless it is what was chosen. */
export function setScopeKind(scopeKind: ScopeKind): void {
  setChanges({ scopeKind })
  const { session } = getState()
  if (session && scopeKind !== 'range') setState({ session: { ...session, selection: { ...session.selection, rangeTo: null } } })
}

/** The kinds that the switch offers now, in its order. */
export function scopeKindsOf(hasRange: boolean, hasBase: boolean): readonly ScopeKind[] {
  return ['turn', 'to-disk', 'session', ...(hasRange ? (['range'] as const) : []), 'since-reviewed', ...(hasBase ? (['base'] as const) : [])]
}

export function nextScope(): void {
  const { session, changes } = getState()
  if (!session) return
  const hasRange = rangeOf(session) !== null
  const kinds = scopeKindsOf(hasRange, session.header.base !== null)
  const at = kinds.indexOf(hasRange ? 'range' : changes.scopeKind)
  setScopeKind(kinds[(at + 1) % kinds.length] ?? 'turn')
}

/** Whether the transcript of one turn can tell how the selected file came about. */
export function hasTranscript({ scope, selectedPath }: ChangesState): boolean {
  return scope?.kind === 'turn' && selectedPath !== null
}

/** Opens the transcript at the last call that touched the selected file. */
export function showInTranscript(): void {
  const { scope, selectedPath } = getState().changes
  if (scope?.kind === 'turn' && selectedPath !== null) void openTranscript(scope.promptId, { kind: 'file', path: selectedPath })
}

export function toggleDiffLayout(): void {
  setPrefs({ diffLayout: getState().prefs.diffLayout === 'side' ? 'inline' : 'side' })
}

export function toggleWrap(): void {
  setPrefs({ wrap: !getState().prefs.wrap })
}
