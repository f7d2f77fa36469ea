import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { sessionKey } from '../../shared/ids.js'
import type { SearchFilter, SearchHit, SearchPage } from '../../shared/search.js'
import { createPace } from '../history/pace.js'
import { createLogScan } from './log-scan.js'
import { needleOf } from './needle.js'
import { atFirst, searchSteps, type SearchPlace, type SearchStep } from './search-steps.js'
import type { SearchWatch, SessionSource } from './searched-session.js'

/** A page is told after this time with what it has. */
const pageMs = 200
/** A search that nobody goes on with is dropped after this time. */
const idleMs = 30_000
/** Of more searches that nobody goes on with the oldest are dropped. */
const mostWaiting = 4

export interface SearchRequest {
  readonly text: string
  readonly filter: SearchFilter
  /** `next` of the page before; `null` begins. */
  readonly cursor: string | null
  readonly limit: number
}

/** Finds a text in all sessions. */
export interface FindEverywhere {
  /**
   * One page: as many hits as were asked for, or what was found after a moment, which may be nothing; `next` goes on.
   * Errors: INVALID_PARAMS for a cursor that is none, CANCELLED.
   */
  find(request: SearchRequest, watch?: SearchWatch): Promise<SearchPage>
  close(): void
}

/** A search between two pages. What it works on goes on to the end of its step, and no further. */
interface Running {
  readonly steps: AsyncGenerator<SearchStep, void, undefined>
  readonly stop: AbortController
  /** The step under way. */
  pending: Promise<IteratorResult<SearchStep, void>> | null
  /** The newest step, with its hits that no page has told yet. */
  latest: SearchStep | null
  idle: NodeJS.Timeout | null
}

/**
 * Pages over `searchSteps`. A running search is kept under its cursor, so that nothing is opened twice; a cursor whose search is gone
 * (after a restart, or long after) begins again at its place.
 */
export function createFindEverywhere(source: SessionSource): FindEverywhere {
  const waiting = new Map<string, Running>()
  let count = 0

  const end = (running: Running): void => {
    if (running.idle) clearTimeout(running.idle)
    running.stop.abort()
    // It closes its session as it ends; that a step was cut off nobody needs to know.
    running.steps.return().catch(() => undefined)
  }

  const begin = ({ text, filter }: SearchRequest, from: SearchPlace, unreadable: number): Running => {
    const needle = needleOf(text)
    const stop = new AbortController()
    const steps = searchSteps(source, { needle, scan: createLogScan(needle), filter, from, unreadable, pace: createPace(), signal: stop.signal })
    return { steps, stop, pending: null, latest: null, idle: null }
  }

  const take = (request: SearchRequest): Running => {
    const { cursor } = request
    if (cursor === null) return begin(request, atFirst, 0)
    const key = waitingKey(cursor, request)
    const kept = waiting.get(key)
    waiting.delete(key)
    if (kept?.idle) clearTimeout(kept.idle)
    const { place, unreadable } = readCursor(cursor)
    return kept ?? begin(request, place, unreadable)
  }

  const keep = (running: Running, request: SearchRequest, place: SearchPlace, unreadable: number): string => {
    const cursor = writeCursor(++count, place, unreadable)
    const key = waitingKey(cursor, request)
    running.idle = setTimeout(() => {
      waiting.delete(key)
      end(running)
    }, idleMs).unref()
    waiting.set(key, running)
    const [oldest] = waiting
    if (oldest && waiting.size > mostWaiting) {
      waiting.delete(oldest[0])
      end(oldest[1])
    }
    return cursor
  }

  return {
    find: async (request, { signal, onProgress } = {}) => {
      throwIfAborted(signal)
      const running = take(request)
      const clock = alarm(pageMs, signal)
      const hits: SearchHit[] = []
      let isDone = false
      try {
        while (!isDone && hits.length < request.limit && !clock.hasRung()) {
          if (running.latest && running.latest.hits.length > 0) {
            const { latest } = running
            const told = latest.hits.slice(0, request.limit - hits.length)
            hits.push(...told)
            running.latest = { ...latest, hits: latest.hits.slice(told.length), place: { ...latest.place, skip: latest.place.skip + told.length } }
            continue
          }
          running.pending ??= nextOf(running.steps)
          const result = await Promise.race([running.pending, clock.rings])
          throwIfAborted(signal)
          if (result === null) break
          running.pending = null
          if (result.done) isDone = true
          else running.latest = result.value
          if (running.latest) onProgress?.(running.latest.searchedSessions, running.latest.sessions)
        }
      } catch (thrown) {
        end(running)
        throw thrown
      } finally {
        clock.stop()
      }
      const { latest } = running
      const place = latest?.place ?? (request.cursor === null ? atFirst : readCursor(request.cursor).place)
      if (isDone) end(running)
      return {
        hits,
        next: isDone ? null : keep(running, request, place, latest?.unreadable ?? 0),
        searchedSessions: latest?.searchedSessions ?? 0,
        sessions: latest?.sessions ?? 0,
        unreadable: latest?.unreadable ?? 0,
      }
    },
    close: () => {
      for (const running of waiting.values()) end(running)
      waiting.clear()
    },
  }
}

/** The next step. It may fail while nobody waits for it; whoever asks for the next page is told. */
function nextOf(steps: Running['steps']): Promise<IteratorResult<SearchStep, void>> {
  const next = steps.next()
  next.catch(() => undefined)
  return next
}

/** Rings after a time, or when the signal fires. */
function alarm(ms: number, signal: AbortSignal | undefined): { readonly rings: Promise<null>; readonly hasRung: () => boolean; readonly stop: () => void } {
  const endsAt = performance.now() + ms
  let ring = (): void => undefined
  const rings = new Promise<null>((resolve) => {
    ring = () => resolve(null)
  })
  const timer = setTimeout(ring, ms)
  signal?.addEventListener('abort', ring, { once: true })
  return {
    rings,
    hasRung: () => performance.now() >= endsAt,
    stop: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', ring)
    },
  }
}

/** A cursor goes on with just the search that it came from. */
function waitingKey(cursor: string, { text, filter }: SearchRequest): string {
  return JSON.stringify([cursor, text, filter])
}

const cursorShape = /^(\d+)\.([0-9a-f]{16})?\.(-?\d*)\.(\d*)\.(\d+)\.(\d+)$/

function writeCursor(number: number, { session, turn, skip }: SearchPlace, unreadable: number): string {
  return [number, session?.key ?? '', session?.lastActiveAt ?? '', turn ?? '', skip, unreadable].join('.')
}

function readCursor(cursor: string): { readonly place: SearchPlace; readonly unreadable: number } {
  const [, , key, activeAt = '', turn = '', skip, unreadable] = cursorShape.exec(cursor) ?? []
  if (skip === undefined) throw new ReviewError('INVALID_PARAMS', 'This search cannot go on. Search again.', { details: { field: 'cursor' } })
  const session = key === undefined ? null : { key: sessionKey(key), lastActiveAt: activeAt === '' ? null : Number(activeAt) }
  return { place: { session, turn: turn === '' ? null : Number(turn), skip: Number(skip) }, unreadable: Number(unreadable) }
}
