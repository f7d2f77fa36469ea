import { throwIfAborted } from '../../shared/errors.js'
import type { SearchFilter, SearchHit } from '../../shared/search.js'
import type { SessionSummary, Turn } from '../../shared/session.js'
import type { Pace } from '../history/pace.js'
import type { LogScan } from './log-scan.js'
import type { Needle } from './needle.js'
import { recordFilesOf } from './record-files.js'
import { openSearched, passUnreadable, type SearchedSession, type SessionSource } from './searched-session.js'
import { hitsInTurn } from './turn-hits.js'

/** How far a search has come: what is to be looked at next. */
export interface SearchPlace {
  /** The session, and when it was active: others stand behind it by that. `null` before the first. */
  readonly session: Pick<SessionSummary, 'key' | 'lastActiveAt'> | null
  /** The turn, counted from the oldest of its session, set aside ones included; `null` for the newest. */
  readonly turn: number | null
  /** So many hits of that turn were told already. */
  readonly skip: number
}

export const atFirst: SearchPlace = { session: null, turn: null, skip: 0 }

/** What one step found. `place` is that of the step, from which it can be done again. */
export interface SearchStep {
  readonly place: SearchPlace
  readonly hits: readonly SearchHit[]
  readonly searchedSessions: number
  readonly sessions: number
  readonly unreadable: number
}

export interface SearchPlan {
  readonly needle: Needle
  readonly scan: LogScan | null
  readonly filter: SearchFilter
  readonly from: SearchPlace
  /** Sessions that could not be read before `from`. */
  readonly unreadable: number
  readonly pace: Pace
  readonly signal: AbortSignal
}

/** Looks through all sessions in small steps, newest sessions and in each the newest turns first. One session is open at a time. */
export async function* searchSteps(source: SessionSource, plan: SearchPlan): AsyncGenerator<SearchStep, void, undefined> {
  const { signal, pace, from } = plan
  const sessions = (await source.list(signal)).filter((session) => isWanted(session, plan.filter))
  let { unreadable } = plan
  const first = placeIn(sessions, from)
  const step = (at: number, place: SearchPlace, hits: readonly SearchHit[] = []): SearchStep => ({ place, hits, searchedSessions: at, sessions: sessions.length, unreadable })

  for (let at = first; at < sessions.length; at++) {
    const session = sessions[at]
    if (!session) return
    throwIfAborted(signal)
    await pace()
    const isFirst = session.key === from.session?.key
    const place: SearchPlace = { session, turn: isFirst ? from.turn : null, skip: isFirst ? from.skip : 0 }
    yield step(at, place)
    if (!(await mayHold(session, plan))) continue
    let opened: SearchedSession | null = null
    try {
      opened = await openSearched(source, session, signal)
      const turns = turnsOf(opened)
      for (let turn = Math.min(place.turn ?? Infinity, turns.length - 1); turn >= 0; turn--) {
        const looked = turns[turn]
        if (!looked) continue
        const hits = await hitsInTurn({ session: opened, needle: plan.needle, filter: plan.filter, pace, signal }, looked)
        const skip = turn === place.turn ? place.skip : 0
        yield step(at, { session, turn, skip }, hits.slice(skip))
        throwIfAborted(signal)
      }
    } catch (thrown) {
      passUnreadable(source, session, thrown, signal)
      unreadable++
    } finally {
      opened?.close()
    }
  }
  yield step(sessions.length, { ...atFirst, session: sessions.at(-1) ?? null })
}

async function mayHold(session: SessionSummary, { scan, filter, signal }: SearchPlan): Promise<boolean> {
  // What commands changed while a session ran under us lies in our store, and in no record.
  const isElsewhere = session.agent === 'overturn' && (filter.kinds?.includes('change') ?? true)
  if (!scan || isElsewhere) return true
  const files = await recordFilesOf(session)
  if (!files) return true
  return scan.mayHold(files, signal)
}

function isWanted({ agent, workspace, recordedFolder, lastActiveAt, startedAt }: SessionSummary, filter: SearchFilter): boolean {
  const folder = filter.workspace?.replace(/(?<=.)[/\\]+$/, '') ?? null
  const isThere = (place: string | null): boolean => folder !== null && place !== null && (place === folder || place.startsWith(`${folder}/`))
  return (
    (filter.agents?.includes(agent) ?? true) &&
    (folder === null || isThere(workspace) || isThere(recordedFolder)) &&
    (filter.from === null || (lastActiveAt ?? Infinity) >= filter.from) &&
    (filter.to === null || (startedAt ?? -Infinity) <= filter.to)
  )
}

/** Where in the list a search goes on. A session that is gone, or went on and stands elsewhere now, is passed by its time. */
function placeIn(sessions: readonly SessionSummary[], { session }: SearchPlace): number {
  if (session === null) return 0
  const at = sessions.findIndex(({ key, lastActiveAt }) => key === session.key && lastActiveAt === session.lastActiveAt)
  if (at >= 0) return at
  const behind = sessions.findIndex(({ lastActiveAt }) => (lastActiveAt ?? 0) <= (session.lastActiveAt ?? 0))
  return behind < 0 ? sessions.length : behind
}

/** Oldest first; a branch that was set aside stands before the live turns. */
function turnsOf({ recorded }: SearchedSession): readonly Turn[] {
  return [...recorded.setAside.flatMap(({ turns }) => turns), ...recorded.turns].sort((one, two) => one.startedAt - two.startedAt)
}
