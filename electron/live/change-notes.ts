import { ReviewError } from '../../shared/errors.js'
import type { ChangeCause, FileState } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange, LedgerEntry } from '../../shared/ledger.js'
import type { Log } from '../base/log.js'
import type { Journal } from '../history/journal.js'
import type { SessionLog } from '../history/session-log.js'
import type { DiskChange, WorkspaceIndex } from '../history/workspace-index.js'
import { isState } from '../history/write-state.js'
import type { CommandWatch } from '../tools/tool-session.js'
import { inOrder, splitChange, type ChangePart } from './split-changes.js'

/** Who changed what in a session's workspace, as it goes into the ledger. */
export interface ChangeNotes {
  /** Whether the first look at the workspace is done: what changes later is found. */
  readonly isReady: () => boolean
  /** Finds what somebody else changed, and keeps it until `noteFound`. Errors: WORKSPACE_MISSING, CANCELLED at the session's end. */
  readonly look: () => Promise<void>
  /**
   * Finds what became of the files that an earlier session had changed, and keeps it until `noteFound`; where a command was cut off,
   * it is noted as that command's. Never rejects.
   */
  readonly lookBack: () => Promise<void>
  /** Notes what was found; returns its paths. Where the log cannot be written it is kept, and comes with the next note. */
  readonly noteFound: (isBeforeTurn: boolean) => Promise<readonly WorkspacePath[]>
  /** As `ToolSession.noteTyping`. */
  readonly noteTyping: () => Promise<void>
  /** As `ToolSession.beginCommand`. */
  readonly beginCommand: () => Promise<CommandWatch>
  /** As `ToolSession.noteWritten`. Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE; then it is not noted. */
  readonly noteWritten: (callId: string, cause: ChangeCause, changes: readonly LedgerChange[]) => Promise<void>
  /** Everything that changed so far, the first state and the last of each file. */
  readonly changed: ReadonlyMap<WorkspacePath, { readonly before: FileState; readonly after: FileState }>
  /** What of the workspace is not looked at, or not kept: sentences of the last look. */
  readonly limits: () => readonly string[]
}

export interface ChangeNotesParts {
  readonly index: WorkspaceIndex
  readonly journal: Journal
  readonly openedLog: () => Promise<SessionLog>
  /** The turn that runs. */
  readonly turn: () => PromptId
  readonly ended: AbortSignal
  readonly log: Log
  readonly now: () => number
  readonly onChanged: () => void
  /** What an earlier session changed that goes on. */
  readonly earlier: ChangeNotes['changed']
  /** Its commands that were cut off, whose changes are not noted yet: identities of calls. */
  readonly cutOff: readonly string[]
  /** When that was last written to; `null` for a new session. */
  readonly earlierAt: number | null
  /** In the middle of a turn a person rewound files, which the agent does not know. */
  readonly onRewound: (paths: readonly WorkspacePath[]) => void
  /** The state of a file now; its bytes are in the store then. */
  readonly lookAt: (path: WorkspacePath) => Promise<FileState>
}

/** Longer than this a command does not wait for copies of what it may change. */
const copiesWaitMs = 3_000

export function createChangeNotes({ index, journal, openedLog, turn, ended, log, now, onChanged, earlier, earlierAt, cutOff, onRewound, lookAt }: ChangeNotesParts): ChangeNotes {
  const changed = new Map(earlier)
  /** How many commands had begun when a file was last seen to be what `changed` says. */
  const seenAfter = new Map<WorkspacePath, number>()
  let found: readonly DiskChange[] = []
  let limits: readonly string[] = []
  /** How many operations of ours are part of what was noted of a file. */
  const noted = new Map<WorkspacePath, number>()
  /** What could not be noted yet, in its order. */
  let held: readonly LedgerEntry[] = []
  let writing: Promise<unknown> = Promise.resolve()
  let running = 0
  let begun = 0
  let overlaps = 0
  let isReady = false
  index.whenReady(ended).then(() => (isReady = true), () => undefined)

  const entryOf = (entry: Omit<LedgerEntry, 'promptId' | 'at'>): LedgerEntry => ({ promptId: turn(), at: now(), ...entry })

  /** Appends what was held back, then the entries. What was found on the disk is kept where that fails, and `mustStand` is not. */
  const append = (entries: readonly LedgerEntry[], mustStand: LedgerEntry | null): Promise<void> => {
    const next = writing.then(async () => {
      held = [...held, ...entries]
      const written = await openedLog()
      const add = async (entry: LedgerEntry): Promise<void> => {
        await written.ledger(entry)
        for (const { path, before, after } of entry.changes) changed.set(path, { before: changed.get(path)?.before ?? before, after })
        for (const { path } of entry.changes) seenAfter.set(path, running > 0 ? -1 : begun)
      }
      for (let first = held[0]; first; first = held[0]) {
        await add(first)
        held = held.slice(1)
      }
      if (mustStand) await add(mustStand)
      onChanged()
    })
    writing = next.catch(() => undefined)
    return next
  }

  const refreshJournal = (): Promise<void> => journal.refresh().then(
    () => undefined,
    (thrown: unknown) => log.error('session.journal-not-read', thrown),
  )

  const isNoted = (path: WorkspacePath): number => noted.get(path) ?? journal.ofPath(path).filter(({ at }) => at <= (earlierAt ?? -Infinity)).length

  /** What is noted next of these files comes after all that we did there. */
  const takeAsNoted = (changes: readonly LedgerChange[]): void => {
    for (const { path } of changes) noted.set(path, journal.ofPath(path).length)
  }

  /** What operations of ours did is told from what somebody typed before, between and after them. */
  const byOthers = (changes: readonly LedgerChange[], isBeforeTurn: boolean, sentences: readonly string[]): readonly LedgerEntry[] => {
    const parts = changes.flatMap((change): readonly ChangePart[] => {
      const { path, after } = change
      const from = isNoted(path)
      const since = journal.ofPath(path).slice(from)
      const left = journal.lastLeft(path)
      // A look and an operation at the same time: it may be taken as noted before it is found.
      if (since.length === 0 && left !== null && isState(after, left.state)) return [{ place: 0, cause: 'rewind', change }]
      const { parts: found, used } = splitChange(change, since)
      noted.set(path, from + used)
      return found
    })
    const ordered = inOrder(parts)
    const firstTyped = ordered.find(({ cause }) => cause === 'user')
    return ordered.map((each) => entryOf({ isBeforeTurn, callId: null, ...each, limits: each === firstTyped ? sentences : [] }))
  }

  /** What no look finds, since the file is not followed: the edit found another text than was left there, and no command ran since. */
  const unseenBefore = (written: readonly LedgerChange[]): readonly LedgerChange[] =>
    written.flatMap(({ path, before }) => {
      const last = changed.get(path)?.after
      const isTyped = last && last.kind !== 'unknown' && before.kind !== 'unknown' && running === 0 && seenAfter.get(path) === begun && !isState(before, last)
      return isTyped ? [{ path, before: last, after: before }] : []
    })

  const look = async (): Promise<void> => {
    // What changes while a command runs is its own, as far as can be told; it is looked at when it ends.
    if (running > 0) return
    const { changes, limits: sentences } = await index.settle(ended)
    found = [...found, ...changes]
    limits = sentences
  }

  const noteFound = async (isBeforeTurn: boolean): Promise<readonly WorkspacePath[]> => {
    const changes = found
    found = []
    if (changes.length === 0 && held.length === 0) return []
    await refreshJournal()
    const entries = byOthers(changes, isBeforeTurn, limits)
    const rewound = isBeforeTurn ? [] : entries.flatMap(({ cause, changes: some }) => (cause === 'rewind' ? some.map(({ path }) => path) : []))
    if (rewound.length > 0) onRewound([...new Set(rewound)])
    await append(entries, null).catch((thrown: unknown) => log.error('session.changes-not-noted', thrown))
    return changes.map(({ path }) => path)
  }

  /** What was found may be the work of a command of which nobody saw the end, and is then never put down to a person. */
  const noteCutOff = async (): Promise<void> => {
    await refreshJournal()
    const isRewound = new Set(found.flatMap(({ path }) => (journal.ofPath(path).length > isNoted(path) ? [path] : [])))
    const changes = found.filter(({ path }) => !isRewound.has(path))
    found = found.filter(({ path }) => isRewound.has(path))
    const entries = cutOff.map((callId, at) => {
      const isLast = at === cutOff.length - 1
      const others = isLast ? 'what you typed meanwhile may be among these' : 'what it changed is among the changes of the command after it'
      return entryOf({ isBeforeTurn: false, callId, cause: 'command', changes: isLast ? changes : [], limits: [`The command was cut off; ${others}.`, 'What it did to files that this session had not changed before is not known.'] })
    })
    await append(entries, null).catch((thrown: unknown) => log.error('session.changes-not-noted', thrown))
  }

  /** Best effort: only what ends the work itself gets out. */
  const lookBefore = async (): Promise<readonly string[]> => {
    try {
      await look()
      return []
    } catch (thrown) {
      if (thrown instanceof ReviewError && (thrown.code === 'WORKSPACE_MISSING' || thrown.code === 'CANCELLED')) throw thrown
      log.error('session.not-looked', thrown)
      return ['The workspace could not be looked at before the command: what others changed may be among its changes.']
    }
  }

  const afterCommand = async (callId: string, cause: ChangeCause, told: readonly string[]): ReturnType<CommandWatch['end']> => {
    let changes: readonly DiskChange[]
    try {
      // Not cut off by the session's end: what the command did is to be known.
      const settled = await index.settle()
      changes = settled.changes
      limits = settled.limits
    } catch (thrown) {
      log.error('session.not-looked', thrown, { callId })
      const isGone = thrown instanceof ReviewError && thrown.code === 'WORKSPACE_MISSING'
      return { entry: null, limits: [...told, isGone ? 'The workspace folder is gone.' : 'The workspace could not be looked at afterwards: what the command changed is found later.'] }
    }
    const sentences = [...told, ...limits]
    await refreshJournal()
    takeAsNoted(changes)
    if (changes.length === 0 && sentences.length === 0) return { entry: null, limits: [] }
    const entry = entryOf({ isBeforeTurn: false, callId, cause, changes, limits: sentences })
    try {
      await append([entry], null)
      return { entry, limits: sentences }
    } catch (thrown) {
      log.error('session.changes-not-noted', thrown, { callId })
      return { entry, limits: [...sentences, 'The log of this session cannot be written now; the changes are noted as soon as it can.'] }
    }
  }

  return {
    isReady: () => isReady,
    look,
    lookBack: async () => {
      for (const [path, { after: before }] of earlier) {
        if (before.kind === 'unknown' || ended.aborted) continue
        const after = await lookAt(path)
        if (isState(after, before)) continue
        found = [...found, { path, before, after }]
        index.adopt(path, after)
      }
      if (cutOff.length > 0) await noteCutOff()
    },
    noteFound,
    noteTyping: async () => {
      if (!isReady || ended.aborted) return
      try {
        await look()
        await noteFound(false)
      } catch (thrown) {
        log.error('session.not-looked', thrown)
      }
    },
    beginCommand: async () => {
      await index.whenReady(ended)
      const copied = new AbortController()
      const timer = setTimeout(() => copied.abort(), copiesWaitMs)
      await index.whenCopied(copied.signal).catch(() => undefined)
      clearTimeout(timer)
      const told = await lookBefore()
      await noteFound(false)
      const overlapsBefore = running > 0 ? -1 : overlaps
      begun++
      if (running++ > 0) overlaps++
      const wasAlone = (): boolean => overlaps === overlapsBefore
      let isOver = false
      const over = (): void => {
        if (!isOver) running--
        isOver = true
      }
      return {
        cancel: over,
        end: async (callId, cause) => {
          over()
          return afterCommand(callId, cause, wasAlone() ? told : [...told, 'Another command ran at the same time; its changes may be among these.'])
        },
      }
    },
    noteWritten: async (callId, cause, changes) => {
      const unseen = unseenBefore(changes)
      if (unseen.length > 0) await refreshJournal()
      await append(byOthers(unseen, false, []), entryOf({ isBeforeTurn: false, callId, cause, changes, limits: [] }))
      takeAsNoted(changes)
      for (const { path, after } of changes) index.adopt(path, after)
    },
    changed,
    limits: () => limits,
  }
}
