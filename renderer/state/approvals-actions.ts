import { isOpen } from '../../shared/approval.js'
import type { ApprovalList } from '../../shared/contract.js'
import type { ApprovalId, WorkspacePath } from '../../shared/ids.js'
import { carryDraft, freshDraft, mergeKept, placesOf, withTicks, withTyped, type FileDraft } from './approval-draft.js'
import { orderedEntries, selectedEntry, shownDraft } from './approval-view.js'
import { noDraft, textsKey, type ApprovalsState, type Asking, type Draft } from './approvals-slice.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { getState, setState } from './store.js'

/** Sets parts of the state of the approvals. */
export function setApprovals(change: Partial<ApprovalsState>): void {
  setState(({ approvals }) => ({ approvals: { ...approvals, ...change } }))
}

let isListing = false
let listAgain = false

/** Asks for the list, once at a time; the last one stays on screen meanwhile. */
export async function loadApprovals(): Promise<void> {
  if (isListing) {
    listAgain = true
    return
  }
  isListing = true
  setState(({ approvals }) => ({ approvals: { ...approvals, list: { kind: 'loading', stale: valueOf(approvals.list) } } }))
  try {
    adoptList(await client().call('approval.list', {}))
  } catch (thrown) {
    const stale = valueOf(getState().approvals.list)
    if (isCancelled(thrown)) setApprovals({ list: stale ? { kind: 'ready', value: stale } : { kind: 'idle' } })
    else setApprovals({ list: { kind: 'error', error: toReviewError(thrown) } })
  }
  isListing = false
  if (listAgain) {
    listAgain = false
    await loadApprovals()
  }
}

/** Takes a list over. What the person has made of an entry stays as long as the entry is listed. */
function adoptList(value: ApprovalList): void {
  const { approvals } = getState()
  const before = new Set((valueOf(approvals.list)?.waiting ?? []).map(({ id }) => id))
  const listed = new Set([...value.waiting, ...value.decided].map(({ id }) => id))
  const keep = <Kept>(map: ReadonlyMap<ApprovalId, Kept>): ReadonlyMap<ApprovalId, Kept> => new Map([...map].filter(([id]) => listed.has(id)))
  setApprovals({
    list: { kind: 'ready', value },
    drafts: keep(approvals.drafts),
    problems: keep(approvals.problems),
    texts: new Map([...approvals.texts].filter(([key]) => [...listed].some((id) => key.startsWith(`${id}\n`)))),
  })
  const { selected, tab, asking } = getState().approvals
  if (selected === null || !listed.has(selected)) return selectFirst()
  const isOver = value.decided.some(({ id }) => id === selected)
  const fresh = value.waiting.find(({ id, state }) => isOpen(state) && !before.has(id))
  // What was looked at is decided: a question that comes now is the next one.
  if (isOver && fresh && tab === 'waiting' && asking === null) comeTo(fresh.id)
  else readShown()
}

function selectFirst(): void {
  const first = orderedEntries(getState().approvals)[0]
  if (first) selectEntry(first.id)
  else setApprovals({ selected: null, path: null, asking: null, hunk: 0 })
}

/** Looks at an entry. What was made of the one before stays. */
export function selectEntry(id: ApprovalId): void {
  flushTyping()
  const { approvals } = getState()
  if (approvals.selected === id) return readShown()
  setApprovals({ selected: id, path: null, asking: null, hunk: 0, isJustThere: false, pointed: null })
  setState({ why: null })
  readShown()
}

/** So long an entry that came by itself is not decided: a key pressed twice would decide it unseen. */
const pauseMs = 350
let pause: ReturnType<typeof setTimeout> | undefined

/** Looks at an entry that came by itself. */
export function comeTo(id: ApprovalId): void {
  selectEntry(id)
  setApprovals({ isJustThere: true })
  clearTimeout(pause)
  pause = setTimeout(() => setApprovals({ isJustThere: false }), pauseMs)
}

/** Goes to the next or the previous entry of the list. */
export function stepEntry(step: 1 | -1): void {
  const { approvals } = getState()
  const entries = orderedEntries(approvals)
  const at = entries.findIndex(({ id }) => id === approvals.selected)
  const next = entries[at < 0 ? 0 : at + step]
  if (next) selectEntry(next.id)
}

export function showTab(tab: ApprovalsState['tab']): void {
  flushTyping()
  setApprovals({ tab, asking: null })
  const { approvals } = getState()
  if (!orderedEntries(approvals).some(({ id }) => id === approvals.selected)) selectFirst()
}

/** Looks at one file of a patch. */
export function selectPath(path: WorkspacePath): void {
  flushTyping()
  setApprovals({ path, hunk: 0 })
  readShown()
}

/** Reads what is on the screen, where it is not there in the entry's present revision. */
function readShown(): void {
  const { approvals } = getState()
  const entry = selectedEntry(approvals)
  if (entry?.subject.kind !== 'edit') return
  const { files } = entry.subject
  const path = files.find((file) => file.path === approvals.path)?.path ?? files[0]?.path ?? null
  if (path !== approvals.path) setApprovals({ path, hunk: 0 })
  if (path === null) return
  const texts = approvals.texts.get(textsKey(entry.id, path))
  if (texts?.kind === 'ready' && texts.value.revision === entry.revision) return
  if (texts?.kind !== 'loading') void readTexts(entry.id, path)
}

/** Reads both sides of a file, and lays what the person has made of it over them. */
export async function readTexts(id: ApprovalId, path: WorkspacePath): Promise<void> {
  const key = textsKey(id, path)
  const put = (texts: ApprovalsState['texts'] extends ReadonlyMap<string, infer Texts> ? Texts : never): void =>
    setState(({ approvals }) => ({ approvals: { ...approvals, texts: new Map(approvals.texts).set(key, texts) } }))
  put({ kind: 'loading', stale: valueOf(getState().approvals.texts.get(key) ?? { kind: 'idle' }) })
  try {
    const value = await client().call('approval.read', { approval: id, path, showOversized: getState().approvals.expanded.has(key) })
    flushTyping()
    const before = value.before.kind === 'text' ? value.before.text : value.before.kind === 'absent' ? '' : null
    if (before !== null && value.after.kind === 'text') {
      const { text: after } = value.after
      changeDraft(id, (draft) => {
        const old = draft.files.get(path)
        const next = old ? carryDraft(old, value.revision, before, after) : freshDraft(value.revision, before, after)
        return { ...draft, files: new Map(draft.files).set(path, next) }
      })
    }
    put({ kind: 'ready', value })
    const { approvals } = getState()
    const entry = selectedEntry(approvals)
    if (entry?.id === id && entry.revision !== value.revision) void loadApprovals()
  } catch (thrown) {
    put(isCancelled(thrown) ? { kind: 'idle' } : { kind: 'error', error: toReviewError(thrown) })
  }
}

/** Shows what is held back because it is long or oversized. */
export function showInFull(): void {
  const { selected, path, expanded } = getState().approvals
  if (selected === null || path === null) return
  setApprovals({ expanded: new Set([...expanded, textsKey(selected, path)]) })
  void readTexts(selected, path)
}

function changeDraft(id: ApprovalId, change: (draft: Draft) => Draft): void {
  setState(({ approvals }) => ({
    approvals: { ...approvals, drafts: new Map(approvals.drafts).set(id, change(approvals.drafts.get(id) ?? noDraft)) },
  }))
}

function changeShown(change: (draft: FileDraft) => FileDraft): void {
  const { selected, path } = getState().approvals
  if (selected === null || path === null || !isSelectedOpen()) return
  changeDraft(selected, (draft) => {
    const made = draft.files.get(path)
    return made ? { ...draft, files: new Map(draft.files).set(path, change(made)) } : draft
  })
}

function isSelectedOpen(): boolean {
  const entry = selectedEntry(getState().approvals)
  return entry !== null && isOpen(entry.state)
}

/** Goes to the next or previous hunk, and at the end of a file to the one beside it. */
export function stepHunk(step: 1 | -1): void {
  const { approvals } = getState()
  const entry = selectedEntry(approvals)
  const count = shownDraft(approvals)?.hunks.length ?? 0
  const next = approvals.hunk + step
  if (next >= 0 && next < count) return setApprovals({ hunk: next })
  if (entry?.subject.kind !== 'edit') return
  const { files } = entry.subject
  const file = files[files.findIndex(({ path }) => path === approvals.path) + step]
  if (!file) return
  selectPath(file.path)
  setApprovals({ hunk: step > 0 ? 0 : Math.max(0, file.hunks - 1) })
}

export function goToHunk(hunk: number): void {
  if (getState().approvals.hunk !== hunk) setApprovals({ hunk })
}

/** Takes a hunk in or leaves it out; without a number the one that the keys are about, or the file where it has no hunks. */
export function toggleHunk(number: number | null = null): void {
  flushTyping()
  const { approvals } = getState()
  const draft = shownDraft(approvals)
  if (!draft || draft.hunks.length === 0) {
    if (approvals.path !== null) toggleFile(approvals.path)
    return
  }
  const chosen = number ?? Math.min(approvals.hunk, draft.hunks.length - 1) + 1
  changeShown((made) => withTicks(made, [chosen], made.leftOut.has(chosen)))
  // A hunk that is taken in takes its file in.
  if (approvals.path !== null && approvals.selected !== null && draft.leftOut.has(chosen)) setFileOut(approvals.selected, approvals.path, false)
}

/** Takes a file in, with all its hunks, or leaves it out. */
export function toggleFile(path: WorkspacePath): void {
  flushTyping()
  const { approvals } = getState()
  const { selected } = approvals
  if (selected === null || !isSelectedOpen()) return
  const draft = approvals.drafts.get(selected) ?? noDraft
  const made = draft.files.get(path)
  const isOut = draft.leftOut.has(path) || (made !== undefined && made.hunks.length > 0 && made.leftOut.size === made.hunks.length)
  setFileOut(selected, path, !isOut)
  if (isOut && made) changeDraft(selected, (now) => ({ ...now, files: new Map(now.files).set(path, { ...made, leftOut: new Set() }) }))
}

function setFileOut(id: ApprovalId, path: WorkspacePath, isOut: boolean): void {
  changeDraft(id, (draft) => {
    const leftOut = new Set(draft.leftOut)
    if (isOut) leftOut.add(path)
    else leftOut.delete(path)
    return { ...draft, leftOut }
  })
}

let pending: { readonly id: ApprovalId; readonly path: WorkspacePath; readonly read: () => string; readonly timer: ReturnType<typeof setTimeout> } | null = null
const typingPauseMs = 120

/** Takes over what is being typed once the person pauses, so that no key waits for it. `read` gives the whole text. */
export function typedSoon(read: () => string): void {
  const { selected, path } = getState().approvals
  if (selected === null || path === null) return
  if (pending) clearTimeout(pending.timer)
  pending = { id: selected, path, read, timer: setTimeout(flushTyping, typingPauseMs) }
}

/** Takes over now what was typed; called before anything that looks at the text. */
export function flushTyping(): void {
  if (!pending) return
  const { id, path, read, timer } = pending
  clearTimeout(timer)
  pending = null
  const text = read()
  changeDraft(id, (draft) => {
    const made = draft.files.get(path)
    return made && text !== (made.typed ?? made.after) ? { ...draft, files: new Map(draft.files).set(path, withTyped(made, text)) } : draft
  })
}

/** Puts the proposal back in the place of what was typed. */
export function discardTyped(): void {
  flushTyping()
  changeShown((draft) => ({ ...draft, typed: null, edits: [], edition: draft.edition + 1 }))
}

/** Lays the kept text over the fresh proposal; `whole` takes it as it was, without what has changed since. */
export function takeKept(how: 'merged' | 'whole'): void {
  changeShown((draft) => {
    const text = how === 'merged' ? mergeKept(draft) : (draft.kept?.typed ?? null)
    return text === null ? draft : { ...withTyped(draft, text), edition: draft.edition + 1, kept: null }
  })
}

export function dropKept(): void {
  changeShown((draft) => ({ ...draft, kept: null }))
}

/** Moves the focus into the editable side. */
export function startTyping(): void {
  setApprovals({ focusCount: getState().approvals.focusCount + 1 })
}

/** Opens a field or a question over the buttons; `null` closes it. */
export function setAsking(asking: Asking | null): void {
  setApprovals({ asking })
}

/** The hunk in whose lines the cursor of the right side was put. */
export function chooseHunkAt(line: number): void {
  const draft = shownDraft(getState().approvals)
  const place = draft && placesOf(draft).find(({ shownStart, shownEnd }) => line >= shownStart && line < shownEnd)
  if (place) goToHunk(place.number - 1)
}

