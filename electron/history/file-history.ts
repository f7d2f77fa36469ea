import { ReviewError } from '../../shared/errors.js'
import type { FileState } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { Receipt, Resolution } from '../../shared/rewind.js'
import type { PromptSnapshot } from '../../shared/snapshot.js'
import type { Log } from '../base/log.js'
import { breathe, inParallel } from '../base/pool.js'
import type { DiskStates } from '../workspace/disk-states.js'
import { lookAt } from '../workspace/look-at.js'
import { isUntouched, readBytes } from '../workspace/text-files.js'
import type { Place, Workspace } from '../workspace/workspace.js'
import { backUp, failedBackup, isSameState, stateOf, type Made } from './back-up.js'
import { storedContent, type BackupStore } from './backup-store.js'
import type { KnownContent } from './content.js'
import type { Watch } from './history-parts.js'
import { createPace } from './pace.js'
import type { RewindInput } from './rewind.js'
import type { SessionHistory } from './session-history.js'
import type { LoggedBackup, LoggedSnapshot, SnapshotRecorder } from './snapshot-log.js'

/** The history of a session that runs under us: backups before each turn and each edit, and the way back. */
export interface FileHistory {
  /**
   * A prompt begins: every tracked file that changed since the last one is backed up. Resolves when all were read; they are in the
   * store, and the log says so, before the next edit is let through. Failures are recorded, never thrown.
   */
  makeSnapshot(promptId: PromptId): Promise<void>
  /** Resolves when the latest snapshot is on the disk. */
  settled(): Promise<void>
  /**
   * A file is about to be written: its bytes are in the store, and the log says so, when this resolves. Does nothing where the
   * prompt has a good backup already. A failure is recorded and never thrown: it must not stop the edit.
   */
  trackEdit(path: WorkspacePath): Promise<void>
  /** What the agent left, right after its write; what differs from it later was typed by somebody else. */
  recordWritten(path: WorkspacePath): Promise<void>
  /**
   * Takes every tracked file back to the start of a prompt, also those first touched later. Where nobody told what the agent left,
   * the disk counts as the agent's. `otherwise` says what becomes of files that somebody else changed.
   * Errors: TURN_NOT_FOUND, and those of `SessionHistory.apply`.
   */
  rewind(promptId: PromptId, otherwise?: Resolution, watch?: Watch): Promise<Receipt>
  /** Writes the closing record: all tracked paths, unless the last record has them. */
  close(): Promise<void>
}

export interface FileHistoryOptions {
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly disk: DiskStates
  readonly history: SessionHistory
  readonly record: SnapshotRecorder
  readonly log: Log
  /** Snapshots of the session's log, folded, when it goes on after a restart. */
  readonly earlier?: readonly PromptSnapshot[]
  readonly now?: () => number
}

/** A backup, valid from a prompt on until the path's next entry. */
interface Entry extends LoggedBackup {
  readonly from: number
  readonly state: FileState
  /** Where it was found; `null` for one from before a restart, and for a path that may not be touched. */
  readonly place: Place | null
  /** What the disk showed when it was last found in this state, if its times could tell. */
  stats: Place['stats']
}

/** Above this, a record with all paths at each prompt would make the log grow with files times prompts. */
const wholeMapFiles = 64
/** Prompts from one whole record to the next; more where many files are tracked, so that they stay a small part of the log. */
const wholeMapEvery = 50
/** What a snapshot reads beyond these bytes goes into the store at once, so that memory stays small. */
const mostWaitingBytes = 32 * 1024 * 1024

/** Opens the history of a running session; with `earlier`, where it had stopped. */
export async function openFileHistory(options: FileHistoryOptions): Promise<FileHistory> {
  const { workspace, store, disk, history, record, log, now = Date.now } = options
  const prompts: { readonly promptId: PromptId; readonly takenAt: number }[] = []
  const entries = new Map<WorkspacePath, Entry[]>()
  const running = new Map<WorkspacePath, Promise<void>>()
  /** The latest snapshot on its way to the disk; never rejects. */
  let settling: Promise<void> = Promise.resolve()
  /** When an agent's write was announced, and what it left. */
  const announcedAt = new Map<WorkspacePath, number>()
  const written = new Map<WorkspacePath, { readonly state: FileState; readonly at: number; readonly prompt: number }>()
  let sinceWhole = 0
  let hasDeltas = false
  let deltaEntries = 0
  /** Deltas have grown so far that a whole record beside them makes the log little longer, and much shorter to read. */
  const isWorthWhole = (): boolean => deltaEntries >= 2 * entries.size
  for (const snapshot of options.earlier ?? []) await restore(snapshot)
  /** What was cut off by a crash is whole again with the first record. */
  let isHealing = prompts.length > 0

  const latest = (path: WorkspacePath): Entry | undefined => entries.get(path)?.at(-1)

  const add = (path: WorkspacePath, { backup, state, place }: Made): Entry => {
    const list = entries.get(path) ?? []
    const version = (list.at(-1)?.version ?? 0) + 1
    const entry: Entry = { from: prompts.length - 1, backup: backup.kind === 'stored' ? { ...backup, version } : backup, state, place, stats: null, version, at: now() }
    // A second entry of one prompt heals the first.
    if (list.at(-1)?.from === entry.from) list.pop()
    entries.set(path, [...list, entry])
    return entry
  }

  const write = async (kind: LoggedSnapshot['kind'], changed: ReadonlyMap<WorkspacePath, LoggedBackup>): Promise<void> => {
    const prompt = prompts.at(-1)
    if (!prompt) return
    const isWhole = kind === 'whole' || entries.size <= wholeMapFiles
    const backups = isWhole ? new Map([...entries].flatMap(([path, list]) => list.slice(-1).map((entry) => [path, entry] as const))) : changed
    if (!isWhole && backups.size === 0 && kind === 'added') return
    try {
      await record({ kind: isWhole ? 'whole' : kind, ...prompt, backups })
      hasDeltas = !isWhole
      deltaEntries = isWhole ? 0 : deltaEntries + backups.size
      if (isWhole) sinceWhole = 0
    } catch (thrown) {
      log.error('history.record-not-written', thrown, { promptId: prompt.promptId })
    }
  }

  const makeSnapshot = async (promptId: PromptId): Promise<void> => {
    await settling
    prompts.push({ promptId, takenAt: now() })
    sinceWhole++
    const resolve = workspace.pass()
    const doubtful: WorkspacePath[] = []
    const pace = createPace()
    let looked = 0
    for (const [path, list] of entries) {
      // Most files are as they were: a look each, without a promise each.
      if (++looked % 64 === 0) await pace()
      if (!isAsBefore(resolve, path, list.at(-1))) doubtful.push(path)
    }
    const batch = store.batch('quick')
    const changed = new Map<WorkspacePath, Entry>()
    const waiting: (readonly [sha256: string, bytes: Uint8Array])[] = []
    let waitingBytes = 0
    const keep = (sha256: string, bytes: Uint8Array): Promise<void> | void => {
      waitingBytes += bytes.length
      if (waitingBytes > mostWaitingBytes) return batch.add(sha256, bytes)
      waiting.push([sha256, bytes])
    }
    await inParallel(doubtful, async (path) => {
      const made = await backUp(path, latest(path), { disk, log, now, resolve, keep })
      if (made !== 'same') changed.set(path, add(path, made))
    })
    const isWholeDue = isHealing || sinceWhole >= Math.max(wholeMapEvery, entries.size / 2) || isWorthWhole()
    isHealing = false
    const seal = async (): Promise<void> => {
      const packing = createPace()
      for (const each of waiting) {
        await batch.add(...each)
        await packing()
      }
      await batch.seal()
    }
    // Backups and the record become durable together, while the agent thinks: whatever changes a file waits for them.
    const keeping = Promise.allSettled([breathe().then(seal), write(isWholeDue ? 'whole' : 'start', changed)])
    settling = keeping.then(async ([sealed]) => {
      if (sealed.status === 'fulfilled') return
      await batch.discard()
      await fail([...changed].flatMap(([path, { backup }]) => (backup.kind === 'stored' ? [path] : [])), sealed.reason)
    })
  }

  const trackEdit = async (path: WorkspacePath): Promise<void> => {
    announcedAt.set(path, now())
    await settling
    return trackNow(path)
  }

  const trackNow = (path: WorkspacePath): Promise<void> => {
    const last = latest(path)
    const isPastHealing = written.get(path)?.prompt === prompts.length - 1
    if (prompts.length === 0 || (last && (last.backup.kind !== 'failed' || isPastHealing))) return running.get(path) ?? Promise.resolve()
    const already = running.get(path)
    if (already) return already
    const work = (async () => {
      let keeping: Promise<unknown> = Promise.resolve()
      const made = await backUp(path, undefined, {
        disk,
        log,
        now,
        resolve: (each) => workspace.resolveInside(each),
        keep: (sha256, bytes) => {
          keeping = store.put(bytes, sha256)
          keeping.catch(() => undefined)
        },
      })
      if (made === 'same') return
      const entry = add(path, made)
      // A delta never overwrites, so a healed entry needs a whole record.
      const [kept] = await Promise.allSettled([keeping, write(last ? 'whole' : 'added', new Map([[path, entry]]))])
      if (kept.status === 'rejected') await fail([path], kept.reason)
    })().finally(() => running.delete(path))
    running.set(path, work)
    return work
  }

  /** Entries whose bytes could not be kept: the record that names them is overruled. */
  const fail = async (paths: readonly WorkspacePath[], thrown: unknown): Promise<void> => {
    if (paths.length === 0) return
    for (const path of paths) {
      log.error('history.backup-failed', thrown, { path })
      add(path, failedBackup(thrown, latest(path)?.place ?? null))
    }
    await write('whole', new Map())
  }

  /** Whether one look tells that a path is as its last entry says. */
  const isAsBefore = (resolve: (path: string) => Place, path: WorkspacePath, last: Entry | undefined): boolean => {
    if (!last || last.backup.kind === 'failed') return false
    // The very file, untouched, needs no look at the folders on the way to it.
    if (last.state.kind === 'file' && last.place) {
      const stats = lookAt(last.place.absolute)
      if (last.stats && isUntouched(last.stats, stats)) return true
      const seen = disk.known({ ...last.place, stats })
      if (!seen || !isSameState(last.state, seen.state)) return false
      last.stats = seen.stats
      return true
    }
    try {
      const seen = disk.known(resolve(path))
      return seen !== null && isSameState(last.state, seen.state)
    } catch (thrown) {
      if (thrown instanceof ReviewError) return false
      throw thrown
    }
  }

  const isKnownAs = (state: FileState, place: Place | null): boolean => {
    const seen = place && disk.known({ ...place, stats: lookAt(place.absolute) })
    return seen !== null && isSameState(seen.state, state)
  }

  const inputOf = (path: WorkspacePath, target: FileState): { readonly input: RewindInput; readonly isAgents: boolean } => {
    const left = history.journal.lastLeft(path)
    const note = written.get(path)
    const newest = note && note.at >= (left?.at ?? 0) ? note : left
    const isAgents = !newest || (announcedAt.get(path) ?? 0) > newest.at
    const untold: FileState = { kind: 'unknown', reason: 'no-record' }
    // What was typed before one of our operations, and merged in by it, is typing still.
    const ours = newest === left && left?.isUntypedOurs ? (left.untyped ?? untold) : newest?.state
    const base: KnownContent = storedContent(store, isAgents ? untold : (ours ?? untold))
    return { isAgents, input: { path, target: storedContent(store, target), base, turn: null } }
  }

  return {
    makeSnapshot,
    trackEdit,
    settled: () => settling,
    recordWritten: async (path) => {
      try {
        const place = workspace.resolveInside(path)
        const { state, bytes } = await disk.lookAndKeep(place)
        if (state.kind === 'file') await (bytes ? store.put(bytes, state.sha256) : store.put((await readBytes(place, path)).bytes))
        written.set(path, { state, at: now(), prompt: prompts.length - 1 })
      } catch (thrown) {
        log.error('history.written-not-kept', thrown, { path })
      }
    },
    rewind: async (promptId, otherwise = { kind: 'merge' }, watch = {}) => {
      const prompt = prompts.map((each) => each.promptId).lastIndexOf(promptId)
      if (prompt < 0) throw new ReviewError('TURN_NOT_FOUND', 'This session has no such turn. Choose one from the timeline.')
      await settling
      await Promise.all(running.values())
      await history.journal.refresh()
      const inputs: ReturnType<typeof inputOf>[] = []
      for (const [path, list] of entries) {
        const target = stateAtPrompt(list, prompt)
        // Most tracked files are as they were; one look tells, and they need no plan.
        if (!isKnownAs(target, list.at(-1)?.place ?? null)) inputs.push(inputOf(path, target))
      }
      const resolutions = inputs.map(({ input, isAgents }) => [input.path, isAgents ? { kind: 'old' as const } : otherwise] as const)
      const choices = { paths: null, resolutions: Object.fromEntries(resolutions) }
      return history.apply({ target: { kind: 'start', promptId }, turn: `turn ${prompt + 1}`, files: inputs.map(({ input }) => input), choices }, null, watch)
    },
    close: async () => {
      await settling
      await Promise.all(running.values())
      if (hasDeltas) await write('whole', new Map())
    },
  }

  async function restore({ promptId, takenAt, backups }: PromptSnapshot): Promise<void> {
    prompts.push({ promptId, takenAt })
    for (const [path, backup] of backups) {
      const list = entries.get(path) ?? []
      if (JSON.stringify(list.at(-1)?.backup) === JSON.stringify(backup)) continue
      const version = backup.kind === 'stored' ? backup.version : (list.at(-1)?.version ?? 0) + 1
      entries.set(path, [...list, { from: prompts.length - 1, backup, version, state: await stateOf(store, backup), place: null, stats: null, at: takenAt }])
    }
  }
}

/** As the prompt began; for a path first touched later, as it was then: before that, nobody of ours had changed it. */
function stateAtPrompt(list: readonly Entry[], prompt: number): FileState {
  let state: FileState | undefined
  for (const entry of list) if (entry.from <= prompt) state = entry.state
  return state ?? list[0]?.state ?? { kind: 'unknown', reason: 'no-record' }
}
