import { rangeOf } from '../state/scope.js'
import type { OpenSession } from '../state/shell-slice.js'
import type { useDrags } from './use-drags.js'
import type { TimelineModel } from './use-timeline.js'

interface Props {
  readonly session: OpenSession
  readonly model: TimelineModel
  readonly topOf: (index: number) => number
  readonly onGrab: ReturnType<typeof useDrags>['grabBracket']
}

/** The two ends of the bracket, to drag. Shift+J and Shift+K do the same. */
export function BracketGrips({ session, model, topOf, onGrab }: Props) {
  const range = rangeOf(session)
  const turn = session.selection.turn
  const head = model.rails.findIndex(({ bracket }) => bracket === 'head' || bracket === 'both')
  const foot = model.rails.findLastIndex(({ bracket }) => bracket === 'foot')
  if (turn === null || head < 0) return null
  return (
    <>
      <span className="bracket-grip" style={{ top: topOf(head) + 6 }} onPointerDown={(event) => onGrab(event, range?.to ?? turn)} />
      {foot > head && (
        <span className="bracket-grip" style={{ top: topOf(foot) + 6 }} onPointerDown={(event) => onGrab(event, range?.from ?? turn)} />
      )}
    </>
  )
}
