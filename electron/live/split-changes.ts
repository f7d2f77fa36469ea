import type { FileState } from '../../shared/file-state.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { PathOperation } from '../history/journal.js'
import { isState } from '../history/write-state.js'

/** Part of what changed between two looks, put down to whose it is. Parts of an earlier `place` happened first. */
export interface ChangePart {
  readonly place: number
  readonly cause: 'user' | 'rewind'
  readonly change: LedgerChange
}

/**
 * What others changed at one path between two looks, cut at the operations of ours since the first look (oldest first): each tells
 * exactly what it found and left. What a rewind merged in is typing as well, and stands as such after it.
 *
 * Returns the parts in their order, and how many of the operations had happened before the second look.
 */
export function splitChange({ path, before, after }: LedgerChange, operations: readonly PathOperation[]): { readonly parts: readonly ChangePart[]; readonly used: number } {
  const used = seenOf(after, operations)
  const parts: ChangePart[] = []
  let now = before
  const to = (next: FileState, cause: ChangePart['cause'], place: number): void => {
    if (!isState(next, now)) parts.push({ place, cause, change: { path, before: now, after: next } })
    now = next
  }
  operations.slice(0, used).forEach((operation, at) => {
    to(operation.before, 'user', 3 * at)
    const untyped = operation.kind === 'rewind' ? (operation.untyped?.after ?? null) : null
    const isWithTyping = untyped !== null && !isState(operation.after, untyped)
    if (isWithTyping) to(inModeOf(operation.after, untyped), 'rewind', 3 * at + 1)
    to(operation.after, isWithTyping ? 'user' : 'rewind', 3 * at + 2)
  })
  to(after, 'user', Infinity)
  return { parts, used }
}

/** Such parts of many files as they go into a ledger: what happened first comes first. */
export function inOrder(parts: readonly ChangePart[]): readonly { readonly cause: ChangePart['cause']; readonly changes: readonly LedgerChange[] }[] {
  const places = [...new Set(parts.map(({ place }) => place))].sort((one, two) => one - two)
  return places.flatMap((at) =>
    (['rewind', 'user'] as const).flatMap((cause) => {
      const changes = parts.filter((part) => part.place === at && part.cause === cause).map(({ change }) => change)
      return changes.length === 0 ? [] : [{ cause, changes }]
    }),
  )
}

/** A mode that nobody knew is no change of it. */
function inModeOf(known: FileState, state: FileState): FileState {
  return state.kind === 'file' && known.kind === 'file' && state.mode === null ? { ...state, mode: known.mode } : state
}

/** An operation may end right after the look that found the file as it was before. */
function seenOf(after: FileState, operations: readonly PathOperation[]): number {
  const left = operations.findLastIndex((operation) => isState(after, operation.after))
  if (left >= 0) return left + 1
  const found = operations.findLastIndex((operation) => isState(after, operation.before))
  return found >= 0 ? found : operations.length
}
