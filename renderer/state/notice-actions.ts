import { isCancelled, toReviewError } from './loadable.js'
import type { Notice } from './shell-slice.js'
import { getState, setState } from './store.js'

type Plain = Exclude<Notice, { kind: 'error' }>

let nextId = 1

/** Shows what happened, until it is dismissed or the same sentence comes again. */
export function notify(notice: Omit<Plain, 'id'>): void {
  put({ ...notice, id: nextId++ })
}

/** Shows an error with its sentence and what to do next. A cancelled call is no error and shows nothing. */
export function notifyError(thrown: unknown, retry: (() => void) | null = null): void {
  if (isCancelled(thrown)) return
  put({ kind: 'error', id: nextId++, error: toReviewError(thrown), retry })
}

export function dismissNotice(id: number): void {
  setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))
}

export function dismissNewestNotice(): void {
  const newest = getState().notices.at(-1)
  if (newest) dismissNotice(newest.id)
}

/** At most four at once, and never the same one twice: the window's edge is no log. */
function put(notice: Notice): void {
  const isOutdated = (shown: Notice): boolean => textOf(shown) === textOf(notice) || (aboutOf(shown) !== undefined && aboutOf(shown) === aboutOf(notice))
  setState(({ notices }) => ({ notices: [...notices.filter((shown) => !isOutdated(shown)), notice].slice(-4) }))
}

function aboutOf(notice: Notice): Plain['about'] {
  return notice.kind === 'error' ? undefined : notice.about
}

function textOf(notice: Notice): string {
  return notice.kind === 'error' ? `${notice.error.code} ${notice.error.message}` : `${notice.title} ${notice.text}`
}
