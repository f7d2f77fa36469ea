import { isOpen } from '../../shared/approval.js'
import type { FileSide, Scope } from '../../shared/file-state.js'
import { diffLines } from '../../shared/line-diff.js'
import { workspacePath, type PromptId, type SessionKey, type WorkspacePath } from '../../shared/ids.js'
import { selectedEntry } from './approval-view.js'
import type { OpenFile } from './changes-slice.js'
import { client } from './client-ref.js'
import { isCancelled, toReviewError, valueOf } from './loadable.js'
import { notify } from './notice-actions.js'
import { goToPlace } from './place-actions.js'
import { liveTurns } from './scope.js'
import { summaryOf } from './session-actions.js'
import type { OpenSession } from './shell-slice.js'
import { getState, setState, type AppStore } from './store.js'
import type { LineNow, ShownLine, WhyState } from './why-slice.js'

let asking = new AbortController()

/** Asks who wrote a line of the diff on the screen; the answer is about the file as it is on the disk. */
export async function askWhy(shown: ShownLine): Promise<void> {
  const { session, changes } = getState()
  const file = valueOf(changes.file)
  if (!session || !file || changes.scope === null) return
  const { workspace } = session.header.summary
  if (workspace === null) {
    return notify({ kind: 'unknown', title: 'The folder of this session is not here.', text: 'Attach it to ask why a line is there.', action: null })
  }
  const { path } = file.change
  const { scope } = changes
  await ask(absolute(workspace, path), path, shown, (signal) => lineNow(session, scope, file, shown, signal))
}

/** Whether a line of a file that a question is about is pointed at, on the side that is the disk. */
export function canAskWhyHere({ approvals, ...state }: AppStore): boolean {
  const entry = selectedEntry(approvals)
  return entry !== null && isOpen(entry.state) && approvals.path !== null && approvals.pointed?.side === 'before' && workspaceOf(entry.source.session, state) !== null
}

/** Asks about that line. */
export async function askWhyHere(): Promise<void> {
  const state = getState()
  const { path, pointed } = state.approvals
  const entry = selectedEntry(state.approvals)
  const workspace = entry && workspaceOf(entry.source.session, state)
  if (path === null || pointed === null || workspace === null) return
  await ask(absolute(workspace, path), path, pointed, () => Promise.resolve({ kind: 'same', line: pointed.line }))
}

function workspaceOf(session: SessionKey, { agents }: Pick<AppStore, 'agents'>): string | null {
  return valueOf(agents.list)?.find((agent) => agent.session === session)?.workspace ?? summaryOf(session)?.workspace ?? null
}

/** Whether a text is on the screen of which a line can be asked about. */
export function canAskWhy({ changes }: AppStore): boolean {
  const file = valueOf(changes.file)
  return file !== null && file.change.path === changes.selectedPath && changes.scope !== null && (file.after.kind === 'text' || file.before.kind === 'text') && file.change.kind !== 'refused'
}

/** The line of the diff that is pointed at, else the first line of the change that is looked at; `null` where no text is shown. */
export function lineToAsk(state: AppStore): ShownLine | null {
  const { changes } = state
  const { pointed, selectedPath } = changes
  const file = valueOf(changes.file)
  if (!file || !canAskWhy(state)) return null
  if (pointed?.path === selectedPath) return { side: pointed.side, line: pointed.line }
  if (file.before.kind !== 'text' || file.after.kind !== 'text' || changes.diff === null || changes.diff.count === 0) {
    return file.after.kind === 'text' ? { side: 'after', line: 1 } : null
  }
  const change = diffLines(file.before.text, file.after.text)[changes.diff.current]
  if (!change) return { side: 'after', line: 1 }
  return change.afterEnd > change.afterStart ? { side: 'after', line: change.afterStart + 1 } : { side: 'before', line: change.beforeStart + 1 }
}

async function ask(file: string, path: string, shown: ShownLine, find: (signal: AbortSignal) => Promise<LineNow>): Promise<void> {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const put = (change: Partial<WhyState>): void => {
    if (!signal.aborted) setState(({ why }) => ({ why: why && { ...why, ...change } }))
  }
  setState({ why: { file, path, shown, now: null, answer: { kind: 'loading', stale: null }, progress: null } })
  try {
    const now = await find(signal)
    put({ now, ...(now.kind === 'gone' ? { answer: { kind: 'idle' } } : {}) })
    if (now.kind === 'gone' || signal.aborted) return
    put({ answer: { kind: 'ready', value: await client().call('search.why', { file, line: now.line }, { signal, onProgress: (progress) => put({ progress }) }) } })
  } catch (thrown) {
    if (!isCancelled(thrown)) put({ answer: { kind: 'error', error: toReviewError(thrown) } })
  }
}

export function closeWhy(): void {
  asking.abort()
  setState({ why: null })
}

/** Asks the same again, after it failed. */
export function askWhyAgain(): void {
  const { why, view } = getState()
  if (!why) return
  if (view === 'review') void askWhy(why.shown)
  else void ask(why.file, why.path, why.shown, () => Promise.resolve(why.now ?? { kind: 'unknown', line: why.shown.line }))
}

/** Opens the turn that wrote the line, at its change. */
export async function goToWriter(): Promise<void> {
  const { why, session: open } = getState()
  const answer = why && valueOf(why.answer)
  if (!why || answer?.kind !== 'written') return
  const { session, promptId, hunk } = answer
  const summary = summaryOf(session) ?? (open?.key === session ? open.header.summary : null)
  const folder = summary?.workspace ?? summary?.recordedFolder ?? null
  const inFolder = folder === null ? null : relative(folder, why.file)
  closeWhy()
  await goToPlace(inFolder === null ? { kind: 'turn', session, promptId } : { kind: 'file', session, promptId, path: inFolder, hunk })
}

/** Where a line of the screen stands in the file on the disk. */
async function lineNow(session: OpenSession, scope: Scope, file: OpenFile, shown: ShownLine, signal: AbortSignal): Promise<LineNow> {
  const side = file[shown.side]
  if (side.kind !== 'text') return { kind: 'unknown', line: shown.line }
  const isDisk = shown.side === 'after' && (scope.kind === 'to-disk' || scope.kind === 'since-reviewed')
  if (isDisk) return { kind: 'same', line: shown.line }
  const disk = await diskSide(session, scope, file, signal)
  if (disk === null) return { kind: 'unknown', line: shown.line }
  return disk.kind === 'text' ? followLine(side.text, disk.text, shown.line) : { kind: 'gone' }
}

/** The file as it is on the disk; `null` where it cannot be read beside this scope. */
async function diskSide(session: OpenSession, scope: Scope, file: OpenFile, signal: AbortSignal): Promise<FileSide | null> {
  const promptId = firstTurn(session, scope)
  if (promptId === null) return null
  try {
    const { after } = await client().call('change.read', { session: session.key, scope: { kind: 'to-disk', promptId }, path: file.change.path, showOversized: true }, { signal })
    return after
  } catch (thrown) {
    const { code } = toReviewError(thrown)
    // The disk holds what the file was at that turn's start, so there is no change to read.
    if (code === 'FILE_NOT_FOUND') return scope.kind === 'by-user' || scope.kind === 'user-in-turn' || scope.kind === 'operation' ? null : file.before
    if (isCancelled(thrown)) throw thrown
    return null
  }
}

function firstTurn(session: OpenSession, scope: Scope): PromptId | null {
  const turns = liveTurns(session)
  const live = (id: PromptId): PromptId | null => turns.find(({ promptId }) => promptId === id)?.promptId ?? null
  switch (scope.kind) {
    case 'turn':
    case 'user-in-turn':
    case 'to-disk':
      return live(scope.promptId)
    case 'range':
      return live(scope.from)
    case 'by-user':
      return live(scope.after)
    case 'session':
    case 'base':
    case 'since-reviewed':
    case 'operation':
      return turns[0]?.promptId ?? null
  }
}

/** Where a line of one text stands in a later one, as long as it is the same line there. `line` from 1. */
export function followLine(text: string, later: string, line: number): LineNow {
  let moved = 0
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(text, later)) {
    if (line <= beforeStart) break
    if (line <= beforeEnd) return { kind: 'gone' }
    moved += afterEnd - afterStart - (beforeEnd - beforeStart)
  }
  return { kind: 'same', line: line + moved }
}

/** The path of a file inside a folder; `null` where it lies elsewhere. */
function relative(folder: string, file: string): WorkspacePath | null {
  const root = folder.replace(/[\\/]+$/, '')
  if (!file.startsWith(root) || !/^[\\/]/.test(file.slice(root.length))) return null
  const rest = file.slice(root.length + 1)
  return workspacePath(root.startsWith('/') ? rest : rest.replaceAll('\\', '/'))
}

function absolute(workspace: string, path: string): string {
  const slash = workspace.includes('\\') && !workspace.includes('/') ? '\\' : '/'
  return `${workspace.replace(/[\\/]+$/, '')}${slash}${slash === '\\' ? path.replaceAll('/', slash) : path}`
}
