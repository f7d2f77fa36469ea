import { throwIfAborted } from '../../shared/errors.js'
import type { OperationId, WorkspacePath } from '../../shared/ids.js'
import type { FileResult, PlannedFile, Receipt, RewindChoices, RewindPlan, RewindTarget } from '../../shared/rewind.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify, notifyError } from './notice-actions.js'
import { reversedWords } from './operation-words.js'
import { initialRewind, type RewindState } from './rewind-slice.js'
import { liveTurns } from './scope.js'
import { selectRow } from './selection-actions.js'
import { refreshSession } from './session-actions.js'
import { loadTexts } from './rewind-texts-actions.js'
import { getState, setState } from './store.js'

let planning = new AbortController()
let running = new AbortController()

export function setRewind(change: Partial<RewindState>): void {
  setState(({ rewind }) => ({ rewind: { ...rewind, ...change } }))
}

/** Opens the preview of a rewind; `path` is the file to look at first. Nothing is written by it. */
export function startRewind(target: RewindTarget, path: WorkspacePath | null = null): void {
  const { session } = getState()
  if (!session) return
  const { canRewind } = session.header
  if (canRewind.kind === 'no') return notify({ kind: 'warning', title: 'Files cannot be rewound here.', text: canRewind.reason, action: null })
  setState({ view: 'rewind', session: { ...session, dragTo: null }, rewind: { ...initialRewind, receipt: getState().rewind.receipt, target, selectedPath: path } })
  void loadPlan()
}

/** Opens the preview for the selected turn's start. */
export function rewindToSelected(): void {
  const { session } = getState()
  if (session?.selection.turn) startRewind({ kind: 'start', promptId: session.selection.turn })
}

/** Leaves the preview. Nothing has been written. */
export function closeRewind(): void {
  planning.abort()
  setState(({ rewind }) => ({ view: 'review', rewind: { ...initialRewind, receipt: rewind.receipt } }))
}

/** The choices as the host wants them. */
export function choicesOf(rewind: RewindState): RewindChoices {
  const paths = rewind.leftOut.size === 0 ? null : [...rewind.known.keys()].filter((path) => !rewind.leftOut.has(path))
  return { paths, resolutions: rewind.resolutions }
}

/** Makes the plan for the present target and choices; the one before stays on screen meanwhile. */
export async function loadPlan(): Promise<void> {
  planning.abort()
  planning = new AbortController()
  const { signal } = planning
  const { session, rewind } = getState()
  const { target } = rewind
  if (!session || !target) return
  setRewind({ plan: { kind: 'loading', stale: valueOf(rewind.plan) }, progress: null })
  try {
    const plan = await client().call('rewind.preview', { session: session.key, target, choices: choicesOf(rewind) }, {
      signal,
      onProgress: (progress) => {
        if (!signal.aborted) setRewind({ progress })
      },
    })
    throwIfAborted(signal)
    adoptPlan(plan)
    await loadTexts()
  } catch (thrown) {
    if (!signal.aborted && !isCancelled(thrown)) setRewind({ plan: { kind: 'error', error: toReviewError(thrown) }, progress: null })
  }
}

/** Files keep the place they had first, also when a choice turns a conflict into something else. */
function adoptPlan(plan: RewindPlan): void {
  const { rewind } = getState()
  const known = new Map(rewind.known)
  for (const file of [...plan.files].sort(byUrgency)) {
    const isListed = known.has(file.path) || file.action !== 'unchanged'
    if (isListed && !rewind.leftOut.has(file.path)) known.set(file.path, file)
  }
  const selectedPath = rewind.selectedPath !== null && known.has(rewind.selectedPath) ? rewind.selectedPath : ([...known.keys()][0] ?? null)
  setRewind({ plan: { kind: 'ready', value: plan }, progress: null, known, selectedPath })
}

type Urgent = Pick<PlannedFile, 'action' | 'path'>

const urgency: readonly PlannedFile['action'][] = ['conflict', 'cannot', 'merge', 'recreate', 'restore', 'delete']

function byUrgency(a: Urgent, b: Urgent): number {
  return urgency.indexOf(a.action) - urgency.indexOf(b.action) || (a.path < b.path ? -1 : 1)
}

/** Leaves a file out of the rewind, or takes it in again. */
export function toggleIncluded(path: WorkspacePath | null = getState().rewind.selectedPath): void {
  const { rewind } = getState()
  const file = path === null ? undefined : rewind.known.get(path)
  if (!file || file.action === 'cannot') return
  const leftOut = new Set(rewind.leftOut)
  if (!leftOut.delete(file.path)) leftOut.add(file.path)
  setRewind({ leftOut })
  void loadPlan()
}

export function selectPlanned(path: WorkspacePath): void {
  if (getState().rewind.selectedPath === path) return
  setRewind({ selectedPath: path, detail: 'texts', editRequests: 0 })
  void loadTexts()
}

export function stepPlanned(step: 1 | -1): void {
  const { known, selectedPath } = getState().rewind
  const paths = [...known.keys()]
  const next = paths[paths.findIndex((path) => path === selectedPath) + step]
  if (next !== undefined) selectPlanned(next)
}

/** All places that a rewind can go to, in order: the start of each live turn, and the end of the last one. */
export function targetsOf(state: { readonly session: Parameters<typeof liveTurns>[0] | null }): readonly RewindTarget[] {
  const turns = state.session ? liveTurns(state.session) : []
  const starts = turns.map(({ promptId }): RewindTarget => ({ kind: 'start', promptId }))
  const last = turns.at(-1)
  return last ? [...starts, { kind: 'end', promptId: last.promptId }] : starts
}

/** Moves the target to the earlier (-1) or later (1) turn; choices made for the old one are let go. */
export function stepTarget(step: 1 | -1): void {
  const state = getState()
  const { target } = state.rewind
  if (!target || state.rewind.running) return
  const targets = targetsOf(state)
  const at = targets.findIndex(({ kind, promptId }) => kind === target.kind && promptId === target.promptId)
  const next = targets[at < 0 && step < 0 ? targets.length - 1 : at + step]
  if (next) startRewind(next, state.rewind.selectedPath)
}

/** What will be written and what stays, as the primary button says it. */
export function countPlan({ known, leftOut }: RewindState): { readonly written: number; readonly left: number } {
  const stays: readonly PlannedFile['action'][] = ['conflict', 'cannot', 'unchanged']
  const written = [...known.values()].filter(({ path, action }) => !stays.includes(action) && !leftOut.has(path)).length
  return { written, left: known.size - written }
}

/** Does what the primary button says. A plan that has become stale is made again and shown instead. */
export async function applyRewind(): Promise<void> {
  const { session, rewind } = getState()
  const { target, plan } = rewind
  if (!session || !target || plan.kind !== 'ready' || rewind.running || countPlan(rewind).written === 0) return
  const params = { session: session.key, target, choices: choicesOf(rewind), planHash: plan.value.planHash }
  try {
    const receipt = await run('rewind', (options) => client().call('rewind.apply', params, options))
    showReceipt(receipt, target)
    await refreshSession()
  } catch (thrown) {
    await failRewind(thrown)
  }
}

async function failRewind(thrown: unknown): Promise<void> {
  const error = toReviewError(thrown)
  if (error.code === 'CANCELLED') {
    notify({ kind: error.details['paths'] === undefined ? 'done' : 'warning', title: 'The rewind was stopped.', text: error.message.replace(/^Cancelled\. /, ''), action: null })
    await loadPlan()
    return refreshSession()
  }
  if (error.code === 'REWIND_PLAN_STALE') {
    await loadPlan()
    return notify({ kind: 'warning', title: 'Files changed after you opened the preview.', text: 'Nothing was written. The preview is fresh now.', action: null })
  }
  notifyError(thrown, () => void applyRewind())
  await refreshSession()
}

/** Stops the running rewind; the host puts back what was written. */
export function stopRunning(): void {
  const { running: now } = getState().rewind
  if (!now) return
  running.abort()
  setRewind({ running: { ...now, isStopping: true } })
}

/** Undoes the last operation that is not undone, wherever it was started. */
export function undoLast(): void {
  const undo = getState().session?.header.undo
  if (undo) void undoOperation(undo.operationId)
}

export async function undoOperation(operationId: OperationId): Promise<void> {
  await reverse('undo', operationId)
}

export function redoLast(): void {
  const redo = getState().session?.header.redo
  if (redo) void reverse('redo', redo.operationId)
}

async function reverse(action: 'undo' | 'redo', operationId: OperationId): Promise<void> {
  const { session, rewind } = getState()
  if (!session || rewind.running) return
  try {
    const receipt = await run(action, (options) => client().call(action === 'undo' ? 'rewind.undo' : 'rewind.redo', { session: session.key, operationId }, options))
    if (getState().view === 'receipt') showReceipt(receipt, null)
    notifyReversed(action, receipt)
    await refreshSession()
  } catch (thrown) {
    notifyError(thrown, () => void reverse(action, operationId))
  }
}

function notifyReversed(action: 'undo' | 'redo', receipt: Receipt): void {
  const missed = receipt.files.filter(({ result }) => result === 'failed' || result === 'left').length
  const done = receipt.files.filter(({ result }) => result !== 'failed' && result !== 'left' && result !== 'unchanged').length
  const files = (count: number): string => `${count.toLocaleString('en-US')} file${count === 1 ? '' : 's'}`
  notify({
    about: 'last operation',
    kind: missed > 0 ? 'warning' : 'done',
    title: `${action === 'undo' ? 'Undid' : 'Redid'} ${reversedWords(receipt.label)}.`,
    text: missed > 0 ? `${files(done)} changed, ${files(missed)} could not be.` : `${files(done)} changed ${action === 'undo' ? 'back' : 'again'} and read again.`,
    action:
      missed > 0
        ? { label: 'Show the receipt', key: null, run: () => void openReceipt(receipt.operationId) }
        : action === 'undo'
          ? { label: 'Redo', key: 'Mod+Shift+Z', run: redoLast }
          : { label: 'Undo', key: 'Mod+Z', run: () => void undoOperation(receipt.operationId) },
  })
}

type RunOptions = NonNullable<Parameters<ReturnType<typeof client>['call']>[2]>

async function run(action: 'rewind' | 'undo' | 'redo', call: (options: RunOptions) => Promise<Receipt>): Promise<Receipt> {
  running = new AbortController()
  setRewind({ running: { action, progress: null, isStopping: false } })
  try {
    return await call({
      signal: running.signal,
      onProgress: (progress) => setState(({ rewind }) => ({ rewind: { ...rewind, running: rewind.running && { ...rewind.running, progress } } })),
    })
  } finally {
    setRewind({ running: null })
  }
}

const resultOrder: readonly FileResult[] = ['failed', 'left', 'merged', 'recreated', 'restored', 'deleted', 'unchanged']

/** The files of a receipt with those first that were not done. */
function sortReceipt(receipt: Receipt): Receipt {
  const files = [...receipt.files].sort((a, b) => resultOrder.indexOf(a.result) - resultOrder.indexOf(b.result) || byUrgency(a, b))
  return { ...receipt, files }
}

function showReceipt(unsorted: Receipt, target: RewindTarget | null): void {
  const receipt = sortReceipt(unsorted)
  setState({
    view: 'receipt',
    rewind: { ...initialRewind, receipt: { operationId: receipt.operationId, loaded: { kind: 'ready', value: receipt }, target }, receiptPath: receipt.files[0]?.path ?? null },
  })
}

/** Shows the receipt of an operation of the timeline. */
export async function openReceipt(operationId: OperationId): Promise<void> {
  const { session } = getState()
  if (!session) return
  const put = (loaded: NonNullable<RewindState['receipt']>['loaded']): void => setRewind({ receipt: { operationId, loaded, target: null } })
  put({ kind: 'loading', stale: null })
  setState({ view: 'receipt' })
  try {
    const value = sortReceipt(await client().call('rewind.receipt', { session: session.key, operationId }))
    put({ kind: 'ready', value })
    setRewind({ receiptPath: value.files[0]?.path ?? null })
  } catch (thrown) {
    put({ kind: 'error', error: toReviewError(thrown) })
  }
}

export function closeReceipt(): void {
  setState({ view: 'review' })
}

export function selectReceiptFile(receiptPath: WorkspacePath): void {
  setRewind({ receiptPath })
}

export function stepReceiptFile(step: 1 | -1): void {
  const { receipt, receiptPath } = getState().rewind
  const files = receipt ? (valueOf(receipt.loaded)?.files ?? []) : []
  const next = files[files.findIndex(({ path }) => path === receiptPath) + step]
  if (next) selectReceiptFile(next.path)
}

/** Shows what the operation of the receipt did to the selected file, as a diff among the changes. */
export function showReceiptDiff(): void {
  const { session, rewind } = getState()
  const { receipt, receiptPath } = rewind
  const row = session?.outline.rows.findIndex((entry) => entry.kind === 'operation' && entry.operationId === receipt?.operationId) ?? -1
  if (row < 0 || receiptPath === null) return
  selectRow(row)
  setState(({ changes }) => ({ view: 'review', changes: { ...changes, scopeKind: 'turn', selectedPath: receiptPath } }))
}
