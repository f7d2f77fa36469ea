import { randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ChangeCause, FileState } from '../../shared/file-state.js'
import { promptId, workspacePath, type PromptId, type WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { SessionSummary } from '../../shared/session.js'
import { silentLog } from '../base/log.js'
import { openFileHistory, type FileHistory } from '../history/file-history.js'
import type { SessionHistory } from '../history/session-history.js'
import { resumeOf } from '../live/resume-session.js'
import { openSessionLog, type LoggedResult, type SessionLog } from '../history/session-log.js'
import { inOrder, splitChange } from '../live/split-changes.js'
import { createDiskView } from '../review/disk-view.js'
import { createOpenedSession, type OpenedSession } from '../review/opened-session.js'
import { openReviewMarks } from '../review/review-marks.js'
import { createTextComparer } from '../review/text-comparer.js'
import { openQwenSession } from '../sessions/qwen-code.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { sha256Of } from '../workspace/text-files.js'
import { tempHistory, testSession, type TempHistory, type TestContent } from './temp-history.js'

/** What a file of the workspace is, as the disk says. */
type Tree = ReadonlyMap<WorkspacePath, FileState>

export interface LiveSession {
  readonly summary: () => SessionSummary
  readonly temp: TempHistory
  log: SessionLog
  files: FileHistory
  readonly turns: PromptId[]
  /** A prompt; what changed on the disk since the last call is put down to somebody else first. */
  turn(text: string): Promise<PromptId>
  /** One call of an edit tool: several files at once are a patch. */
  edit(files: Readonly<Record<string, TestContent>>, options?: { readonly tool?: string; readonly cause?: ChangeCause; readonly args?: unknown }): Promise<string>
  /** One command, whatever it does. */
  command(text: string, effect: () => void, exitCode?: number): Promise<string>
  /** A call to which a person said no. */
  refuse(name: string, args: unknown, reason: string): Promise<void>
  /** What changed since the last look is noted: in the middle of a turn, or as what came before the present one. */
  settle(cause: ChangeCause, isBeforeTurn: boolean): Promise<void>
  /** The host ends and starts again, on the same log. */
  restart(): Promise<void>
  /** The session as any other is reviewed. */
  review(): Promise<{ readonly recorded: RecordedSession; readonly review: OpenedSession; readonly history: SessionHistory }>
  dispose(): void
}

/** A session under us on a temporary workspace: a real log, file history and ledger, as the tool runtime makes them. */
export async function liveSession(files: Readonly<Record<string, TestContent>> = {}): Promise<LiveSession> {
  const sessionId = randomUUID()
  const closers: (() => void)[] = []
  let calls = 0
  // A clock that only moves forward, so that no two things happen at once.
  let clock = Date.now() - 3_600_000
  const now = (): number => ++clock
  const temp = await tempHistory(files, now)
  const noted = new Map<WorkspacePath, number>()

  const openLog = (): Promise<SessionLog> => openSessionLog({ dataFolder: temp.data, sessionId, folder: temp.root, version: '1.0.0', branch: 'main', client: { name: 'test-agent', version: '2' }, now })
  const openHistory = (record: SessionLog['snapshot'], earlier: Parameters<typeof openFileHistory>[0]['earlier'] = []): Promise<FileHistory> =>
    openFileHistory({ workspace: temp.workspace, store: temp.store, disk: createDiskStates(), history: temp.history, record, log: silentLog, earlier, now })

  const log = await openLog()
  let known = await lookAround(temp)

  const session: LiveSession = {
    summary: () => summary,
    temp,
    log,
    files: await openHistory(log.snapshot),
    turns: [],
    turn: async (text) => {
      const id = promptId(`${sessionId}########${session.turns.length + 1}`)
      session.turns.push(id)
      await session.log.prompt(text, id, now())
      await session.settle('user', true)
      await session.files.makeSnapshot(id)
      return id
    },
    edit: async (contents, { tool, cause = 'edit', args } = {}) => {
      const paths = Object.keys(contents)
      const name = tool ?? (paths.length === 1 ? 'write_file' : 'apply_patch')
      const callId = await begin(name, args ?? (paths.length === 1 ? { path: paths[0] } : { patch: paths.map((path) => `*** Update File: ${path}`).join('\n') }))
      await session.settle('user', false)
      for (const path of paths) await session.files.trackEdit(workspacePath(path))
      for (const path of paths) temp.put(path, contents[path] ?? null)
      for (const path of paths) await session.files.recordWritten(workspacePath(path))
      await note(cause, callId, false)
      await end(name, callId, 'done', 'Done.', { kind: 'none' })
      return callId
    },
    command: async (text, effect, exitCode = 0) => {
      const callId = await begin('run_command', { command: text })
      await session.settle('user', false)
      effect()
      await note('command', callId, false)
      await end('run_command', callId, 'done', `Exit code ${exitCode}`, { kind: 'command', command: text, directory: temp.root, exitCode, signal: null, outcome: 'completed', output: '', isCut: false })
      return callId
    },
    refuse: async (name, args, reason) => end(name, await begin(name, args), 'refused', reason, { kind: 'none' }),
    settle: (cause, isBeforeTurn) => note(cause, null, isBeforeTurn),
    restart: async () => {
      const { snapshots } = await resumeOf(session.log.file)
      session.log = await openLog()
      session.files = await openHistory(session.log.snapshot, snapshots)
    },
    review: async () => {
      const recorded = await openQwenSession({ file: session.log.file, agent: 'overturn', indexFile: null, backupHomes: [], store: temp.store, isFollowed: false, log: silentLog })
      await recorded.whenLoaded()
      const history = await temp.reopen()
      const review = createOpenedSession({
        session: recorded,
        summary: () => summary,
        attached: { history, disk: createDiskView(temp.workspace, createDiskStates()) },
        store: temp.store,
        marks: await openReviewMarks(temp.data, testSession),
        comparer: createTextComparer(null),
        onChanged: () => undefined,
      })
      closers.push(() => review.close())
      return { recorded, review, history }
    },
    dispose: () => {
      for (const close of closers) close()
      temp.dispose()
    },
  }
  return session

  async function begin(name: string, args: unknown): Promise<string> {
    const callId = `call-${++calls}`
    await session.log.call({ callId, name, args, request: null, at: now() })
    return callId
  }

  function end(name: string, callId: string, status: LoggedResult['status'], text: string, display: LoggedResult['display']): Promise<void> {
    return session.log.result({ callId, name, status, text, display, durationMs: 5, at: now() })
  }

  async function note(cause: ChangeCause, callId: string | null, isBeforeTurn: boolean): Promise<void> {
    const seen = await lookAround(temp)
    const changes = changesBetween(known, seen)
    known = seen
    const id = session.turns.at(-1)
    if (changes.length === 0 || !id) return
    const { journal } = temp.history
    await journal.refresh()
    const parts = changes.flatMap((change) => splitChange(change, journal.ofPath(change.path).slice(noted.get(change.path) ?? 0)).parts)
    for (const { path } of changes) noted.set(path, journal.ofPath(path).length)
    for (const entry of cause === 'user' ? inOrder(parts) : [{ cause, changes }]) await session.log.ledger({ promptId: id, isBeforeTurn, callId, at: now(), limits: [], ...entry })
  }
}

const summary: SessionSummary = {
  key: testSession, id: 'id', agent: 'overturn', title: 'A session', recordedFolder: null, workspace: null, branch: null, model: null, file: '', sizeBytes: 0,
  startedAt: null, lastActiveAt: null, turns: null, stat: null, files: null, usage: null, end: null, problems: 0, isLive: false, isSample: false, client: 'test-agent',
}

/** Everything in the workspace, empty folders too, its bytes kept. */
async function lookAround({ root, store }: TempHistory): Promise<Tree> {
  const tree = new Map<WorkspacePath, FileState>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const absolute = join(entry.parentPath, entry.name)
    const path = workspacePath(relative(root, absolute))
    if (entry.isSymbolicLink()) tree.set(path, { kind: 'link', target: readlinkSync(absolute) })
    else if (entry.isFile()) tree.set(path, await fileAt(absolute, store))
    else if (entry.isDirectory() && readdirSync(absolute).length === 0) tree.set(path, { kind: 'folder' })
  }
  return tree
}

async function fileAt(absolute: string, store: TempHistory['store']): Promise<FileState> {
  const bytes = readFileSync(absolute)
  await store.put(bytes)
  return { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode: lstatSync(absolute).mode & 0o777 }
}

function changesBetween(before: Tree, after: Tree): readonly LedgerChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort()
  const absent: FileState = { kind: 'absent' }
  return paths.flatMap((path) => {
    const [one, two] = [before.get(path) ?? absent, after.get(path) ?? absent]
    // A folder that was filled or emptied is still there, which its files tell.
    const isStill = [one, two].some(({ kind }) => kind === 'folder') && [...(one.kind === 'folder' ? after : before).keys()].some((each) => each.startsWith(`${path}/`))
    return isStill || JSON.stringify(one) === JSON.stringify(two) ? [] : [{ path, before: one, after: two }]
  })
}
