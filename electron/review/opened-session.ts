import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { FileChange, FileState, Moment, ReadChange, Scope } from '../../shared/file-state.js'
import type { OperationId, PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RewindChoices, RewindTarget } from '../../shared/rewind.js'
import type { SessionSummary, TranscriptEntry } from '../../shared/session.js'
import type { Hit, Outline, SessionHeader, SessionMap, TurnDetails } from '../../shared/timeline.js'
import { inParallel } from '../base/pool.js'
import type { SedRunner } from '../edits/sed-runner.js'
import { storedContent, type BackupStore } from '../history/backup-store.js'
import { operationOf, type StackEntry } from '../history/journal.js'
import type { SessionHistory, SessionRewind } from '../history/session-history.js'
import type { TakeBackRequest } from '../history/take-back.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import type { BaseTree } from './base-tree.js'
import { createContents, type Contents, type DiskView } from './contents.js'
import { createDiskComparison } from './disk-comparison.js'
import { findInSession } from './find.js'
import type { Held } from './held.js'
import { buildOutline } from './outline.js'
import { RecentAnswers } from './recent.js'
import type { ReviewMarks } from './review-marks.js'
import { filesForRewind, leftLast, type OurOperations } from './rewind-files.js'
import { createScopes } from './scopes.js'
import type { MarkedContents, PairSources, PairWatch } from './scoped-pairs.js'
import { buildSessionMap, type TurnColumn } from './session-map.js'
import type { TextComparer } from './text-comparer.js'
import { buildTurnDetails } from './turn-details.js'

export interface OpenedSessionDeps {
  readonly session: RecordedSession
  readonly summary: () => SessionSummary
  /** The attached folder with what our operations did in it; `null` while there is none. */
  readonly attached: { readonly history: SessionHistory; readonly disk: DiskView } | null
  /** The worktree of ours that the session works in. */
  readonly worktree?: { readonly base: BaseTree; readonly branch: () => string | null } | null
  readonly store: BackupStore
  readonly marks: ReviewMarks
  readonly comparer: TextComparer
  /** Without it what a recorded sed wrote stays unknown. */
  readonly sed?: SedRunner
  readonly now?: () => number
  /** Something that these answers show has changed. */
  readonly onChanged: () => void
}

/** One file at one moment, for the command line. */
export interface FileAt {
  readonly path: WorkspacePath
  readonly held: Held
}

/** One opened session, joined with the disk and our own operations. Each function answers one call of the contract. */
export interface OpenedSession {
  header(): Promise<SessionHeader>
  outline(): Promise<Outline>
  /** Errors: TURN_NOT_FOUND. */
  turns(promptIds: readonly PromptId[], signal?: AbortSignal): Promise<readonly TurnDetails[]>
  transcript(promptId: PromptId, signal?: AbortSignal): Promise<readonly TranscriptEntry[]>
  toolOutput(promptId: PromptId, callId: string, signal?: AbortSignal): Promise<string>
  rawLines(lines: readonly number[], signal?: AbortSignal): ReturnType<RecordedSession['rawLines']>
  map(watch?: PairWatch): Promise<SessionMap>
  find(text: string, limit: number, signal?: AbortSignal): Promise<readonly Hit[]>
  list(scope: Scope, watch?: PairWatch): Promise<readonly FileChange[]>
  /** Errors: FILE_NOT_FOUND where the scope does not show the path. */
  read(scope: Scope, path: WorkspacePath, showOversized: boolean, signal?: AbortSignal): Promise<ReadChange>
  /** Errors: FILE_CHANGED_SINCE_READ where the scope no longer shows that content. */
  mark(scope: Scope, path: WorkspacePath, contentKey: string, isReviewed: boolean): Promise<void>
  /** What every known path was at a moment, in path order. */
  filesAt(moment: Moment, watch?: PairWatch): Promise<readonly FileAt[]>
  contentAt(moment: Moment, path: WorkspacePath, signal?: AbortSignal): Promise<Held>
  /** What the history needs for a rewind. Errors: WORKSPACE_MISSING, TURN_NOT_FOUND, TURN_SET_ASIDE. */
  rewindTo(target: RewindTarget, choices: RewindChoices, watch?: PairWatch): Promise<SessionRewind>
  /** What the history needs to take one change of a turn back. Errors as above. */
  takeBackOf(promptId: PromptId, path: WorkspacePath, hunk: number, signal?: AbortSignal): Promise<TakeBackRequest>
  /** Call it when our own operations have changed files. */
  operationsChanged(): void
  readonly contents: Contents
  close(): void
}

const rememberedDetails = 2_000

export function createOpenedSession(deps: OpenedSessionDeps): OpenedSession {
  const { session, attached, store, marks, comparer, now = Date.now } = deps
  const disk = (): DiskView | null => attached?.disk ?? null
  const contents = createContents({ session, disk, store, sed: deps.sed })
  const ours: OurOperations | null = attached && { journal: attached.history.journal, contentOf: (state: FileState) => storedContent(store, state) }
  const scopes = createScopes({
    contents,
    disk,
    comparer,
    readTurn: (promptId, signal) => session.readTurn(promptId, signal),
    operationFiles: (id) => operationFiles(ours, id),
    marked: () => markedContents(marks, store),
    base: deps.worktree?.base ?? null,
    reviewOf: marks.reviewOf,
    leftLast: async (path, signal) => {
      const left = await leftLast(contents, ours, path, signal)
      return left.isCertain ? left : null
    },
  })
  const byUser = createDiskComparison(() => {
    const last = session.turns.at(-1)
    return last ? scopes.list({ kind: 'by-user', after: last.promptId }) : Promise.resolve([])
  }, now, deps.onChanged)
  let revision = 1
  let details = new RecentAnswers<TurnDetails>(rememberedDetails)
  const isLive = (promptId: PromptId): boolean => contents.now().steps.indexOf(promptId) !== null

  const forgetAnswers = (): void => {
    revision++
    details = new RecentAnswers(rememberedDetails)
    byUser.forget()
  }
  const changed = (): void => {
    forgetAnswers()
    deps.onChanged()
  }
  /** Another process, such as the command line, may have rewound files of this session. */
  const followOperations = async (): Promise<void> => {
    if (await attached?.history.journal.refresh()) forgetAnswers()
  }
  const stopListening = session.onChange(() => {
    contents.refresh()
    changed()
  })

  const detailsOf = async (promptId: PromptId): Promise<TurnDetails> => {
    const entries = await session.readTurn(promptId)
    const turn = [...session.turns, ...session.setAside.flatMap((branch) => branch.turns)].find((each) => each.promptId === promptId)
    const { steps } = turn ? await contents.now().steps.digest(turn) : { steps: [] }
    const at = contents.now().steps.indexOf(promptId)
    const limits = at === null ? [] : ((await contents.now().ledger())?.limits(at) ?? [])
    const isLast = session.turns.at(-1)?.promptId === promptId
    const between = isLive(promptId) && !isLast ? await scopes.list({ kind: 'by-user', after: promptId }) : []
    const inside = isLive(promptId) ? await scopes.list({ kind: 'user-in-turn', promptId }) : []
    return buildTurnDetails({ promptId, entries, steps, changes: await scopes.list({ kind: 'turn', promptId }), between, inside, usage: await session.usage(promptId), limits })
  }

  const headerNow = (): SessionHeader => ({
    summary: deps.summary(),
    turns: session.turns.length,
    setAside: session.setAside.reduce((sum, branch) => sum + branch.turns.length, 0),
    problems: session.problems,
    loading: session.loading,
    newestPrompts: session.loading ? session.newestPrompts : [],
    canRewind: canRewind(session, attached !== null),
    undo: stackTop(attached?.history.journal.undoStack()),
    redo: stackTop(attached?.history.journal.redoStack()),
    byUser: attached && !session.loading ? byUser.latest() : null,
    base: deps.worktree ? { commit: deps.worktree.base.commit, branch: deps.worktree.branch() } : null,
    recovered: attached?.history.recovered() ?? null,
  })

  return {
    contents,
    header: async () => {
      await followOperations()
      return headerNow()
    },
    outline: async () => {
      await followOperations()
      const { turns, setAside, rewinds } = session
      return buildOutline({ revision, turns, setAside, rewinds, operations: attached?.history.journal.operations() ?? [] })
    },
    turns: async (promptIds, signal) => {
      const answers: TurnDetails[] = []
      await inParallel(promptIds, async (promptId, at) => {
        throwIfAborted(signal)
        answers[at] = await details.get(promptId, () => detailsOf(promptId))
      })
      return answers
    },
    transcript: (promptId, signal) => session.readTurn(promptId, signal),
    toolOutput: (promptId, callId, signal) => session.readOutput(promptId, callId, signal),
    rawLines: (lines, signal) => session.rawLines(lines, signal),
    map: async (watch = {}) => {
      const columns: TurnColumn[] = []
      const { turns } = contents.now().steps
      for (const turn of turns) {
        columns.push({ turn, changes: await scopes.list({ kind: 'turn', promptId: turn.promptId }, { signal: watch.signal }) })
        watch.onProgress?.(columns.length, turns.length)
      }
      const last = turns.at(-1)
      const since = attached && last ? await scopes.list({ kind: 'by-user', after: last.promptId }, { signal: watch.signal }) : []
      return buildSessionMap(columns, since)
    },
    find: (text, limit, signal) => findInSession(contents, session.setAside.flatMap((branch) => branch.turns), text, limit, signal),
    list: (scope, watch) => scopes.list(scope, watch),
    read: async (scope, path, showOversized, signal) => {
      const change = await scopes.read(scope, path, showOversized, signal)
      if (!change) throw new ReviewError('FILE_NOT_FOUND', 'This file is not among the changes any more. Look at the list again.')
      return change
    },
    mark: async (scope, path, contentKey, isReviewed) => {
      if (!isReviewed) await marks.unmark(scope, path, contentKey)
      else await putMark(scope, path, contentKey)
      deps.onChanged()
    },
    filesAt: async (moment, { signal, onProgress } = {}) => {
      const paths = await contents.pathsTouched(signal)
      const files: FileAt[] = []
      let done = 0
      await inParallel(paths, async (path, at) => {
        files[at] = { path, held: await contents.contentAt(moment, path, signal) }
        onProgress?.(++done, paths.length)
      })
      return files
    },
    contentAt: (moment, path, signal) => contents.contentAt(moment, path, signal),
    rewindTo: async (target, choices, watch) => {
      needFolder()
      const turn = `turn ${(contents.now().steps.indexOf(target.promptId) ?? 0) + 1}`
      return { target, turn, choices, files: await filesForRewind(contents, ours, target, choices.paths, watch) }
    },
    takeBackOf: async (promptId, path, hunk, signal) => {
      needFolder()
      const start = await contents.contentAt({ kind: 'start', promptId }, path, signal)
      const at = contents.now().steps.indexOf(promptId) ?? 0
      const before = (await (await contents.now().ledger(signal))?.withoutAgent(path, at, 'start', at))?.held ?? start
      const after = await contents.contentAt({ kind: 'end', promptId }, path, signal)
      return { promptId, turn: `turn ${at + 1}`, path, hunk, before: before.content, after: after.content }
    },
    operationsChanged: changed,
    close: () => {
      stopListening()
      session.close()
    },
  }

  function needFolder(): void {
    if (!attached) throw new ReviewError('WORKSPACE_MISSING', 'The folder of this session is not here. Attach it to rewind.')
  }

  async function putMark(scope: Scope, path: WorkspacePath, contentKey: string): Promise<void> {
    const found = await scopes.markable(scope, path)
    if (found?.contentKey !== contentKey) throw new ReviewError('FILE_CHANGED_SINCE_READ', 'The file has changed since you looked at it. Look again, then mark it.')
    const { state } = found.after
    if (state.kind === 'file') await store.put(await found.after.read())
    await marks.mark({ scope, path, contentKey, after: state, markedAt: now() })
  }
}

function canRewind(session: RecordedSession, isAttached: boolean): SessionHeader['canRewind'] {
  if (!session.loading && !session.ledger && !session.turns.some((turn) => turn.hasSnapshot)) {
    return { kind: 'no', reason: 'This log holds no prompt snapshots, so its files cannot be restored.' }
  }
  return isAttached ? { kind: 'yes' } : { kind: 'no', reason: 'The folder of this session is not here. To rewind, attach the folder it belongs to.' }
}

function stackTop(stack: readonly StackEntry[] | undefined): SessionHeader['undo'] {
  const top = stack?.at(-1)
  return top ? { operationId: top.root.intent.id, label: top.root.intent.label } : null
}

function operationFiles(ours: OurOperations | null, id: OperationId): ReturnType<PairSources['operationFiles']> {
  if (!ours) return []
  return operationOf(ours.journal, id).changed.map(({ path, before, after }) => ({ path, before: ours.contentOf(before), after: ours.contentOf(after) }))
}

function markedContents(marks: ReviewMarks, store: BackupStore): MarkedContents {
  const latest = marks.latest()
  const byPath = new Map([...latest].map(([path, { after }]) => [path, storedContent(store, after)]))
  return { byPath, newestAt: [...latest.values()].reduce<number | null>((newest, { markedAt }) => Math.max(newest ?? markedAt, markedAt), null) }
}
