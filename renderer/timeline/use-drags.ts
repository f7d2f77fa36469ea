import type { Virtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useRef, type PointerEvent as ReactPointerEvent, type RefObject } from 'react'
import type { PromptId } from '../../shared/ids.js'
import { dragPlayhead, selectRange, selectTurn } from '../state/actions.js'
import { getState } from '../state/store.js'
import { followPointer } from '../ui/follow-pointer.js'
import { previewSlot } from './Playhead.js'
import type { TimelineEntry } from './rows.js'
import { slotsOf } from './slots.js'

interface Surface {
  readonly entries: readonly TimelineEntry[]
  readonly virtual: Virtualizer<HTMLDivElement, Element>
  readonly scroller: RefObject<HTMLDivElement | null>
}

/** Pixels that a press may move and still be a click. */
const clickSlack = 4
const edge = 36

/** What follows the pointer in the timeline: the playhead, and the ends of the bracket. */
export function useDrags(surface: Surface): {
  readonly grabPlayhead: (event: ReactPointerEvent) => void
  readonly grabNode: (event: ReactPointerEvent, row: number) => void
  readonly grabBracket: (event: ReactPointerEvent, fixed: PromptId) => void
} {
  const latest = useRef(surface)
  useEffect(() => {
    latest.current = surface
  })

  const follow = useCallback(
    (start: ReactPointerEvent, onMove: (y: number) => void, onEnd: (isDone: boolean, moved: boolean) => void): void => {
      if (start.button !== 0) return
      start.preventDefault()
      let moved = false
      followPointer(
        (event) => {
          moved ||= Math.abs(event.clientY - start.clientY) > clickSlack
          const scroller = latest.current.scroller.current
          if (!moved || !scroller) return
          const box = scroller.getBoundingClientRect()
          if (event.clientY < box.top + edge) scroller.scrollBy(0, -12)
          else if (event.clientY > box.bottom - edge) scroller.scrollBy(0, 12)
          onMove(event.clientY - box.top + scroller.scrollTop)
        },
        (isDone) => onEnd(isDone, moved),
      )
    },
    [],
  )

  const dropPlayhead = useCallback((isDone: boolean): void => {
    const { session } = getState()
    if (!session || session.dragTo === null) return
    const row = session.dragTo
    dragPlayhead(null)
    if (isDone && row !== session.outline.playhead) previewSlot(slotsOf(session.outline), row)
  }, [])

  const movePlayhead = useCallback((y: number): void => {
    const row = nearestSlot(latest.current, y)
    if (row !== null) dragPlayhead(row)
  }, [])

  return {
    grabPlayhead: useCallback((event) => follow(event, movePlayhead, dropPlayhead), [follow, movePlayhead, dropPlayhead]),
    grabNode: useCallback(
      (event, row) =>
        follow(event, movePlayhead, (isDone, moved) => {
          if (moved) return dropPlayhead(isDone)
          const turn = getState().session?.outline.rows[row]
          if (isDone && turn?.kind === 'turn') selectTurn(turn.promptId)
        }),
      [follow, movePlayhead, dropPlayhead],
    ),
    grabBracket: useCallback(
      (event, fixed) =>
        follow(
          event,
          (y) => {
            const turn = turnAt(latest.current, y)
            if (!turn) return
            if (getState().session?.selection.turn !== fixed) selectTurn(fixed)
            selectRange(turn)
          },
          () => undefined,
        ),
      [follow],
    ),
  }
}

/** The slot that lies nearest to a height: its open gap where it is open, else the top of its row. */
function nearestSlot({ entries, virtual }: Surface, y: number): number | null {
  const { session } = getState()
  if (!session) return null
  const slots = new Set(slotsOf(session.outline).map((slot) => slot.row)).add(session.outline.playhead)
  let best: number | null = null
  let bestDistance = Infinity
  for (const item of virtual.getVirtualItems()) {
    const entry = entries[item.index]
    if (!entry || !slots.has(entry.row) || entry.kind === 'set-aside-turn') continue
    const at = entry.kind === 'playhead' ? (item.start + item.end) / 2 : item.start
    const distance = Math.abs(at - y)
    if (distance < bestDistance) [best, bestDistance] = [entry.row, distance]
  }
  return best
}

/** The turn whose row is at this height. */
function turnAt({ entries, virtual }: Surface, y: number): PromptId | null {
  const item = virtual.getVirtualItemForOffset(y)
  const entry = item && entries.slice(0, item.index + 1).findLast((candidate) => candidate.kind === 'turn')
  return entry?.kind === 'turn' ? entry.turn.promptId : null
}
