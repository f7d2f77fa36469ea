import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { throwIfAborted } from '../../shared/errors.js'
import type { ChangeCause } from '../../shared/file-state.js'
import { workspacePath, type SessionKey, type WorkspacePath } from '../../shared/ids.js'
import type { SessionSummary, TranscriptEntry, Turn } from '../../shared/session.js'
import { storedContent } from '../history/backup-store.js'
import type { Journal } from '../history/journal.js'
import { endOf, isOutside, startOf, type PathEvent } from '../review/path-events.js'
import { recordedSides, causeOf } from '../review/turn-files.js'
import { comparable } from './line-passage.js'
import type { LogScan } from './log-scan.js'
import { recordFilesOf } from './record-files.js'
import { openSearched, passUnreadable, type SearchedSession, type SearchWatch, type SessionSource } from './searched-session.js'
import { knownText } from './turn-changes.js'

/** Something that changed a file, or may have. Texts are `comparable`, `''` where there was no file, `null` where not known. */
export type FileMove =
  | {
      readonly kind: 'turn'
      readonly at: number
      /** Time of its last entry. */
      readonly endedAt: number
      readonly before: string | null
      readonly after: string | null
      /** Both as they are; for the hunks that a diff of the turn shows. */
      readonly shown: { readonly before: string; readonly after: string } | null
      /** `after` is what the turn ended with, and not just what its last edit wrote. */
      readonly isEndKnown: boolean
      /** Whether `after` may hold what somebody else wrote in the middle of the turn or right behind it. */
      readonly isShared: boolean
      readonly cause: ChangeCause
      readonly session: SearchedSession
      readonly path: WorkspacePath
      readonly turn: Turn
      readonly entries: readonly TranscriptEntry[]
      readonly events: readonly PathEvent[]
    }
  /** A rewind or take-back of ours. */
  | { readonly kind: 'operation'; readonly at: number; readonly before: string | null; readonly after: string | null }

export type TurnMove = Extract<FileMove, { readonly kind: 'turn' }>

export interface MovesDeps extends SessionSource {
  /** What our operations did in a session's folder (its real path). */
  readonly journalOf: (key: SessionKey, folder: string) => Promise<Journal>
}

export interface MovesWatch extends SearchWatch {
  /** Told of each session that cannot be read. */
  readonly onUnreadable: () => void
}

/** The moves of one session, newest first. */
interface Moves {
  readonly session: SearchedSession
  /** What is left, oldest first. */
  readonly left: { readonly at: number; readonly read: () => Promise<FileMove | null> }[]
}

/**
 * What all sessions did to a file, newest first. A session is open only while the walk is in its time; one that does not name the file
 * is closed at once.
 */
export async function* movesBack(deps: MovesDeps, file: string, scan: LogScan | null, { signal, onProgress, onUnreadable }: MovesWatch): AsyncGenerator<FileMove, void, undefined> {
  const waiting = await sessionsAround(await deps.list(signal), file)
  const total = waiting.length
  const open: Moves[] = []
  const newest = (): Moves | undefined => open.reduce<Moves | undefined>((best, each) => (timeOf(each) > (best ? timeOf(best) : -Infinity) ? each : best), undefined)
  try {
    for (;;) {
      throwIfAborted(signal)
      const first = newest()
      const [next] = waiting
      if (next && (!first || (next.summary.lastActiveAt ?? Infinity) >= timeOf(first))) {
        waiting.shift()
        const moves = await movesOf(deps, next, scan, signal).catch((thrown: unknown) => {
          passUnreadable(deps, next.summary, thrown, signal)
          onUnreadable()
          return null
        })
        if (moves) open.push(moves)
        onProgress?.(total - waiting.length, total)
        continue
      }
      if (!first) return
      const move = await first.left.pop()?.read()
      if (move) yield move
      if (first.left.length > 0) continue
      open.splice(open.indexOf(first), 1)
      first.session.close()
    }
  } finally {
    for (const { session } of open) session.close()
  }
}

function timeOf({ left }: Moves): number {
  return left.at(-1)?.at ?? -Infinity
}

interface Around {
  readonly summary: SessionSummary
  /** Real path of its folder. */
  readonly folder: string
  /** The file as the session names it. */
  readonly path: WorkspacePath
}

/** Sessions whose folder holds the file, newest first. */
async function sessionsAround(sessions: readonly SessionSummary[], file: string): Promise<Around[]> {
  const folders = new Map<string, string | null>()
  const around: Around[] = []
  for (const summary of sessions) {
    const { workspace } = summary
    if (workspace === null) continue
    const folder = folders.get(workspace) ?? (await realpath(workspace).catch(() => null))
    folders.set(workspace, folder)
    const path = folder === null ? null : workspacePath(relative(folder, file).split(sep).join('/'))
    if (folder !== null && path !== null && path !== '' && !isOutside(path)) around.push({ summary, folder, path })
  }
  return around
}

/** `null` for a session whose records do not name the file. */
async function movesOf(deps: MovesDeps, { summary, folder, path: asked }: Around, scan: LogScan | null, signal: AbortSignal | undefined): Promise<Moves | null> {
  const files = scan && (await recordFilesOf(summary))
  if (scan && files && !(await scan.mayHold(files, signal))) return null
  const session = await openSearched(deps, summary, signal)
  let isWanted = false
  try {
    const touched = await session.contents.pathsTouched(signal)
    const path = touched.find((each) => each === asked) ?? touched.find((each) => each.normalize('NFC') === asked.normalize('NFC'))
    if (path === undefined) return null
    const turns = (await turnsAbout(session, path)).map((turn) => ({ at: turn.startedAt, read: () => moveOfTurn(session, turn, path, signal) }))
    const left = [...turns, ...(await operationsOn(deps, summary.key, folder, path))].sort((one, two) => one.at - two.at)
    isWanted = left.length > 0
    return isWanted ? { session, left } : null
  } finally {
    if (!isWanted) session.close()
  }
}

/** Live turns in which something may have changed the file, or at whose start it was seen. */
async function turnsAbout({ recorded, contents }: SearchedSession, path: WorkspacePath): Promise<readonly Turn[]> {
  const { steps, history } = contents.now()
  const pages = await recorded.ledger?.pages()
  const seen = new Set<number | null>([
    ...((await history()).get(path) ?? []).map(({ turn }) => turn),
    ...(pages?.ofPath(path) ?? []).map(({ promptId }) => steps.indexOf(promptId)),
  ])
  return steps.turns.filter((_, at) => seen.has(at) || eventsIn(steps, path, at).length > 0)
}

function eventsIn(steps: ReturnType<SearchedSession['contents']['now']>['steps'], path: WorkspacePath, turn: number): readonly PathEvent[] {
  return [...steps.events(path, startOf(turn), endOf(turn))].filter(({ kind }) => kind !== 'seen')
}

async function moveOfTurn(session: SearchedSession, turn: Turn, path: WorkspacePath, signal: AbortSignal | undefined): Promise<FileMove | null> {
  const { contents, recorded } = session
  const { promptId } = turn
  const { steps } = contents.now()
  const start = await contents.contentAt({ kind: 'start', promptId }, path, signal)
  const end = await contents.endOf(promptId, path, signal)
  const events = eventsIn(steps, path, steps.indexOf(promptId) ?? -1)
  const entries = await recorded.readTurn(promptId, signal)
  const known = { before: await knownText(start.content, signal), after: await knownText(end.held.content, signal) }
  const told = recordedSides(entries, path)
  const before = known.before ?? (told?.isNewFile ? '' : told?.before?.isWhole ? told.before.text : null)
  const after = known.after ?? (told?.isDeleted ? '' : told?.after?.isWhole ? told.after.text : null)
  // A command was not computed, but seen by what stood there next: what was typed right behind it cannot be told from it.
  const isGuessed = (end.by === 'next' || end.by === 'disk') && events.some(({ kind }) => kind === 'shell')
  return {
    kind: 'turn',
    at: turn.startedAt,
    endedAt: (await steps.digest(turn)).endedAt,
    before: before === null ? null : comparable(before),
    after: after === null ? null : comparable(after),
    shown: before === null || after === null ? null : { before, after },
    isEndKnown: known.after !== null,
    isShared: isGuessed || (end.isContradicted && end.by !== 'steps'),
    cause: causeOf(events, path),
    session,
    path,
    turn,
    entries,
    events,
  }
}

async function operationsOn(deps: MovesDeps, key: SessionKey, folder: string, path: WorkspacePath): Promise<Moves['left']> {
  const journal = await deps.journalOf(key, folder)
  return journal.operations().flatMap(({ intent, changed }) => {
    const file = changed.find((each) => each.path === path)
    if (!file) return []
    const read = async (): Promise<FileMove> => {
      const texts = await Promise.all([file.before, file.after].map((state) => knownText(storedContent(deps.store, state))))
      const [before = null, after = null] = texts.map((text) => (text === null ? null : comparable(text)))
      return { kind: 'operation', at: intent.at, before, after }
    }
    return [{ at: intent.at, read }]
  })
}
