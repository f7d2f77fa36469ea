import type { WorkspacePath } from '../../shared/ids.js'
import type { Resolution } from '../../shared/rewind.js'
import { client } from './client-ref.js'
import { composeResult } from './conflict-text.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { choicesOf, loadPlan, setRewind } from './rewind-actions.js'
import type { ConflictChoice, OpenTexts } from './rewind-slice.js'
import { getState } from './store.js'

let reading = new AbortController()

/** Reads the texts of the selected file: as the target had them, as the agent left them, as the disk has them, and the result. */
export async function loadTexts(): Promise<void> {
  reading.abort()
  reading = new AbortController()
  const { signal } = reading
  const { session, rewind } = getState()
  const { target, selectedPath: path } = rewind
  if (!session || !target || path === null) return setRewind({ texts: { kind: 'idle' } })
  const shown = valueOf(rewind.texts)
  const stale = shown?.texts.path === path ? shown : null
  setRewind({ texts: { kind: 'loading', stale } })
  // Without the file's own resolution the conflicts stay listed, so that a choice can still be changed.
  const { [path]: _own, ...resolutions } = rewind.resolutions
  const choices = { ...choicesOf(rewind), resolutions }
  try {
    const texts = await client().call('rewind.file', { session: session.key, target, path, choices }, { signal })
    if (signal.aborted) return
    const chosen = stale && stale.chosen.length === texts.conflicts.length ? stale.chosen : texts.conflicts.map(() => null)
    const current = Math.min(stale?.current ?? 0, Math.max(0, chosen.length - 1))
    setRewind({ texts: { kind: 'ready', value: { texts, chosen, current, draft: stale?.draft ?? null, edition: stale?.edition ?? 0 } } })
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) setRewind({ texts: { kind: 'error', error: toReviewError(thrown) } })
  }
}

function setTexts(change: Partial<OpenTexts>): OpenTexts | null {
  const shown = valueOf(getState().rewind.texts)
  if (!shown) return null
  const value = { ...shown, ...change }
  setRewind({ texts: { kind: 'ready', value } })
  return value
}

/**
 * Keeps mine or takes the old one, for the conflict that is looked at; then goes to the next open one. Once none is
 * open the composed text is the file's resolution. A file without text has one choice for the whole of it.
 */
export function chooseSide(side: Exclude<ConflictChoice, null>): void {
  const open = valueOf(getState().rewind.texts)
  if (!open) return
  if (open.chosen.length === 0 || composeResult(open.texts, open.chosen) === null) {
    return resolve(open.texts.path, side === 'mine' ? { kind: 'keep' } : { kind: 'old' })
  }
  const chosen = open.chosen.map((choice, index) => (index === open.current ? side : choice))
  const nextOpen = chosen.indexOf(null)
  setTexts({ chosen, draft: null, edition: open.edition + 1, current: nextOpen < 0 ? open.current : nextOpen })
  const composed = composeResult(open.texts, chosen)
  if (nextOpen < 0 && composed) resolve(open.texts.path, { kind: 'text', text: composed.text })
}

/** Looks at another conflict of the same file. */
export function stepConflict(step: 1 | -1): void {
  const open = valueOf(getState().rewind.texts)
  const next = (open?.current ?? 0) + step
  if (open && next >= 0 && next < open.chosen.length) setTexts({ current: next })
}

/** Moves the focus into the result, where it can be typed into. */
export function editInPlace(): void {
  const { rewind } = getState()
  if (canEdit(valueOf(rewind.texts))) setRewind({ detail: 'texts', editRequests: rewind.editRequests + 1 })
}

/** Whether the file has three texts and a result that can be typed into. */
export function canEdit(open: OpenTexts | null): boolean {
  return open?.texts.result?.kind === 'text' && open.texts.target.kind === 'text' && open.texts.disk.kind === 'text'
}

/** Remembers what is typed into the result; it counts once it is used. */
export function draftResult(draft: string | null): void {
  setTexts({ draft })
}

/** Makes the typed text the file's resolution. */
export function acceptDraft(): void {
  const open = valueOf(getState().rewind.texts)
  if (open && open.draft !== null) resolve(open.texts.path, { kind: 'text', text: open.draft })
}

/** Lets go of every choice for the file. */
export function clearResolution(): void {
  const open = valueOf(getState().rewind.texts)
  if (!open) return
  setTexts({ chosen: open.texts.conflicts.map(() => null), draft: null, edition: open.edition + 1, current: 0 })
  resolve(open.texts.path, null)
}

function resolve(path: WorkspacePath, resolution: Resolution | null): void {
  const { rewind } = getState()
  const { [path]: _gone, ...others } = rewind.resolutions
  const leftOut = new Set(rewind.leftOut)
  leftOut.delete(path)
  setRewind({ resolutions: resolution ? { ...others, [path]: resolution } : others, leftOut })
  void loadPlan()
}

export function toggleDetail(): void {
  setRewind({ detail: getState().rewind.detail === 'texts' ? 'diff' : 'texts', editRequests: 0 })
}
