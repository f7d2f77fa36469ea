import type { SearchHit, SearchKind } from '../../shared/search.js'
import type { SessionKey } from '../../shared/ids.js'
import type { IconName } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'

/** A line of the results: the session over its hits, or one hit with its index in the list of all. */
export type SearchRow =
  | { readonly kind: 'session'; readonly first: SearchHit; readonly hits: number }
  | { readonly kind: 'hit'; readonly hit: SearchHit; readonly index: number }

/** Hits below their sessions, in the order in which these were found. */
export function searchRows(hits: readonly SearchHit[]): readonly SearchRow[] {
  const sessions = new Map<SessionKey, SearchRow[]>()
  const counts = new Map<SessionKey, number>()
  for (const [index, hit] of hits.entries()) {
    const rows = sessions.get(hit.session) ?? []
    rows.push({ kind: 'hit', hit, index })
    sessions.set(hit.session, rows)
    counts.set(hit.session, rows.length)
  }
  return [...sessions.values()].flatMap((rows) => {
    const first = rows[0]
    return first?.kind === 'hit' ? [{ kind: 'session' as const, first: first.hit, hits: counts.get(first.hit.session) ?? 0 }, ...rows] : rows
  })
}

/** The hits in the order in which they are shown, as indexes into the list of all. */
export function shownOrder(rows: readonly SearchRow[]): readonly number[] {
  return rows.flatMap((row) => (row.kind === 'hit' ? [row.index] : []))
}

/** So much of a line stays in front of the match; the rest of a long beginning is left out. */
const lead = 48

/** The line of a hit in three parts, its match in the middle. Nothing in it hides. */
export function hitParts({ text, start, end }: Pick<SearchHit, 'text' | 'start' | 'end'>): readonly [before: string, match: string, after: string] {
  const beginning = text.slice(0, start).trimStart()
  const isLong = beginning.length > lead + 16
  const before = isLong ? `…${beginning.slice(-lead)}` : beginning
  return [visibleText(before), visibleText(text.slice(start, end)), visibleText(text.slice(end).trimEnd())]
}

/** What a hit of each kind is called, alone and in the filter. */
export const kindWords: Readonly<Record<SearchKind, { readonly one: string; readonly many: string; readonly icon: IconName }>> = {
  prompt: { one: 'prompt', many: 'Prompts', icon: 'person' },
  reply: { one: 'reply', many: 'Replies', icon: 'lines' },
  command: { one: 'command', many: 'Commands', icon: 'command' },
  path: { one: 'path', many: 'Paths', icon: 'file' },
  change: { one: 'changed text', many: 'Changed text', icon: 'pencil' },
}

export function turnWords(turn: number | null): string {
  return turn === null ? 'set aside' : `turn ${turn}`
}

/** What a screen reader says of a hit. */
export function hitLabel(hit: SearchHit): string {
  const [before, match, after] = hitParts(hit)
  const place = [kindWords[hit.kind].one, turnWords(hit.turn), ...(hit.path === null ? [] : [visibleText(hit.path)])]
  return `${before}${match}${after}, ${place.join(', ')}, in ${visibleText(hit.title)}`
}
