import { join } from 'node:path'
import type { FileState } from '../../shared/file-state.js'
import { ReviewError } from '../../shared/errors.js'
import type { OperationId, SessionKey, WorkspacePath } from '../../shared/ids.js'
import type { OperationAction } from '../../shared/timeline.js'
import { makeDataFolder } from '../base/data-files.js'
import { dataFolderError } from '../base/disk-errors.js'
import { appendJsonLine, logSize, readJsonLines } from '../base/json-lines.js'
import type { Log } from '../base/log.js'
import { isChange, parseJournalRecord, type Intent, type JournalRecord, type OperationFile, type Outcome } from './operation.js'

/** An operation as the journal knows it. `end` is `null` while it runs, or when a crash cut it off. */
export interface Operation {
  readonly intent: Intent
  readonly action: OperationAction
  readonly end: Outcome | null
  /** The files that it changed. */
  readonly changed: readonly OperationFile[]
}

/** A rewind or take-back on the undo or redo stack, and the operation that last did or undid it: that one is to be reversed. */
export interface StackEntry {
  readonly root: Operation
  readonly latest: Operation
}

/** What our newest operation left at a path. */
export interface LastLeft {
  readonly state: FileState
  /** The same without what a person had typed; `null` where that is not known. */
  readonly untyped: FileState | null
  /** False where no operation has settled `untyped` yet, so that it still is what the agent left. */
  readonly isUntypedOurs: boolean
  readonly at: number
  readonly operationId: OperationId
}

/** An ended operation at one of the paths that it changed. */
export interface PathOperation extends OperationFile {
  readonly operationId: OperationId
  readonly kind: OperationAction
  readonly at: number
}

/**
 * The operations of one session, from an append-only log in our data folder. Nothing of the recording agent is touched.
 * All but `refresh`, `begin` and `finish` answer from memory.
 */
export interface Journal {
  /** Takes in what another process has appended; whether that was anything. A damaged line is skipped and logged; later ones count. */
  refresh(): Promise<boolean>
  /** In the order in which they began. */
  operations(): readonly Operation[]
  find(id: OperationId): Operation | null
  /** Cut off by a crash, or running in another process. */
  pending(): readonly Operation[]
  /** Newest last. */
  undoStack(): readonly StackEntry[]
  /** Next one last. */
  redoStack(): readonly StackEntry[]
  lastLeft(path: WorkspacePath): LastLeft | null
  /** Every operation that changed a path, oldest first. */
  ofPath(path: WorkspacePath): readonly PathOperation[]
  /** Hashes of all blobs that an undo, a redo, a recovery or a later merge may need. */
  neededBlobs(): ReadonlySet<string>
  /** Durable when it resolves; only then may files be touched. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE. */
  begin(intent: Intent): Promise<void>
  /** Not synced: an intent that lost its outcome in a power failure is ended by the files themselves. */
  finish(outcome: Outcome): Promise<void>
}

export function operationsFolder(dataFolder: string): string {
  return join(dataFolder, 'operations')
}

/**
 * Opens the journal of a session; a session without operations has no file. Only operations in this workspace (its real path;
 * `null` for all) count: the same session may be attached to several folders, and one folder's undo is none of another's business.
 */
export async function openJournal(dataFolder: string, session: SessionKey, workspace: string | null, log: Log): Promise<Journal> {
  const folder = operationsFolder(dataFolder)
  const file = join(folder, `${session}.jsonl`)
  const operations = new Map<OperationId, Operation>()
  const left = new Map<WorkspacePath, LastLeft>()
  const ofPath = new Map<WorkspacePath, readonly PathOperation[]>()
  let offset = 0

  const take = (record: JournalRecord): void => {
    if (record.type === 'intent') {
      if (workspace !== null && record.workspace !== workspace) return
      const known = operations.get(record.id)
      operations.set(record.id, known ?? { intent: record, action: record.subject.kind, end: null, changed: [] })
      return
    }
    const begun = operations.get(record.id)
    if (!begun) return
    const results = new Map(record.receipt.files.map((each) => [each.path, each.result]))
    const changed = begun.intent.files.filter((each) => isChange(results.get(each.path) ?? 'left'))
    operations.set(record.id, { ...begun, end: record, changed })
    const at = begun.intent.at + record.receipt.durationMs
    for (const file of changed) {
      const { path, after, untyped } = file
      const others = (ofPath.get(path) ?? []).filter(({ operationId }) => operationId !== record.id)
      ofPath.set(path, [...others, { ...file, operationId: record.id, kind: begun.action, at }])
      const known = untyped ? untyped.after : left.get(path)?.untyped
      left.set(path, { state: after, untyped: known ?? null, at, operationId: record.id, isUntypedOurs: untyped !== undefined || left.get(path)?.isUntypedOurs === true })
    }
  }

  let working: Promise<unknown> = Promise.resolve()
  /** One after the other: each line is taken in once, our own as well. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = working.then(work, work)
    working = next
    return next
  }
  const refresh = (): Promise<boolean> => inTurn(takeAppended)

  const takeAppended = async (): Promise<boolean> => {
    if (logSize(file) <= offset) return false
    const read = await readJsonLines(file, offset)
    offset = read.nextOffset
    let bad = read.badLines
    for (const value of read.records) {
      const record = parseJournalRecord(value)
      if (record) take(record)
      else bad++
    }
    if (bad > 0) log.warn('journal.lines-skipped', { session, lines: bad })
    return true
  }

  const append = (record: JournalRecord, durability: 'synced' | 'may-be-lost'): Promise<void> => inTurn(() => appendNow(record, durability))

  const appendNow = async (record: JournalRecord, durability: 'synced' | 'may-be-lost'): Promise<void> => {
    try {
      makeDataFolder(folder)
      const { from, to } = await appendJsonLine(file, record, durability)
      if (from === offset) offset = to
    } catch (thrown) {
      throw dataFolderError(thrown, 'the journal in it')
    }
    take(record)
  }

  const stacks = (): { readonly undo: StackEntry[]; readonly redo: StackEntry[] } => stacksOf([...operations.values()])

  await refresh()
  return {
    refresh,
    operations: () => [...operations.values()],
    find: (id) => operations.get(id) ?? null,
    pending: () => [...operations.values()].filter((operation) => operation.end === null),
    undoStack: () => stacks().undo,
    redoStack: () => stacks().redo,
    lastLeft: (path) => left.get(path) ?? null,
    ofPath: (path) => ofPath.get(path) ?? [],
    neededBlobs: () => {
      const { undo, redo } = stacks()
      const kept = [...undo, ...redo].flatMap((entry) => entry.latest.changed)
      const cutOff = [...operations.values()].filter((operation) => !operation.end).flatMap((operation) => operation.intent.files)
      const newest = [...left.values()].flatMap((each) => (each.untyped ? [each.state, each.untyped] : [each.state]))
      return new Set([...[...kept, ...cutOff].flatMap((each) => [each.before, each.after, ...(each.untyped ? [each.untyped.before, each.untyped.after] : [])]), ...newest].filter((each) => each !== null).flatMap(hashOf))
    },
    begin: (intent) => append({ type: 'intent', ...intent }, 'synced'),
    finish: (outcome) => append({ type: 'outcome', ...outcome }, 'may-be-lost'),
  }
}

/** Errors: NOTHING_TO_UNDO when it is none of the session's operations. */
export function operationOf(journal: Journal, id: OperationId): Operation {
  const operation = journal.find(id)
  if (!operation) throw new ReviewError('NOTHING_TO_UNDO', 'There is no such operation in the history of this session. Look at the timeline again.')
  return operation
}

/**
 * The stacks of an editor: a change that did something goes on the undo stack and empties the redo stack; an undo moves the
 * newest one over, a redo moves it back. An undo that could do nothing because every file was in its way moves nothing.
 */
function stacksOf(operations: readonly Operation[]): { readonly undo: StackEntry[]; readonly redo: StackEntry[] } {
  const undo: StackEntry[] = []
  let redo: StackEntry[] = []
  for (const operation of operations) {
    const { subject } = operation.intent
    if (!operation.end || !counts(operation, operation.end)) continue
    if (subject.kind === 'rewind' || subject.kind === 'take-back') {
      undo.push({ root: operation, latest: operation })
      redo = []
      continue
    }
    const [from, to] = subject.kind === 'undo' ? [undo, redo] : [redo, undo]
    const at = from.findIndex((entry) => entry.root.intent.id === subject.root)
    const [entry] = at < 0 ? [] : from.splice(at, 1)
    if (entry) to.push({ root: entry.root, latest: operation })
  }
  return { undo, redo }
}

function counts(operation: Operation, end: Outcome): boolean {
  if (operation.changed.length > 0) return true
  const isStep = operation.action === 'undo' || operation.action === 'redo'
  const isStuck = end.receipt.files.some((file) => file.result === 'failed' || (file.result === 'left' && file.action !== 'unchanged'))
  return isStep && end.outcome !== 'interrupted' && !isStuck
}

function hashOf(state: FileState): readonly string[] {
  return state.kind === 'file' ? [state.sha256] : []
}
