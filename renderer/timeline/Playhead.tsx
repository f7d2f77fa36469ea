import type { KeyboardEvent, PointerEvent } from 'react'
import type { Outline } from '../../shared/timeline.js'
import { dragPlayhead } from '../state/actions.js'
import { startRewind } from '../state/rewind-actions.js'
import type { RailRow } from './rail.js'
import { RailSvg } from './RailSvg.js'
import { slotsOf, stepSlot, type Slot } from './slots.js'

interface Props {
  readonly outline: Outline
  /** Pixels from the top of the list. */
  readonly top: number
  readonly place: 'at' | 'held' | 'left'
  /** A log without file contents has a playhead that cannot be moved, and says why. */
  readonly fixedReason: string | null
  readonly row: number
  readonly text: string
  readonly onGrab: (event: PointerEvent) => void
}

/** Where the disk stands: a slider from turn to turn. Moving it writes nothing; Enter, or letting go, opens the preview. */
export function Playhead({ outline, top, place, fixedReason, row, text, onGrab }: Props) {
  const slots = slotsOf(outline)
  if (place === 'left') {
    return (
      <div className="ph ghost" style={{ top }} aria-hidden="true">
        <Knob look="left" />
        <span className="ph-grab">Disk is here now</span>
      </div>
    )
  }
  const isHeld = place === 'held'
  return (
    <div
      className={`ph${isHeld ? ' held' : ''}${fixedReason ? ' fixed' : ''}`}
      style={{ top }}
      role="slider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label="Where the disk stands"
      aria-disabled={fixedReason !== null}
      aria-valuemin={0}
      aria-valuemax={slots.length}
      aria-valuenow={slots.filter((slot) => slot.row < row).length}
      aria-valuetext={fixedReason ? `${text}. ${fixedReason}` : text}
      title={fixedReason ?? undefined}
      onKeyDown={fixedReason ? undefined : (event) => handleKey(event, slots, row, isHeld)}
      onPointerDown={fixedReason ? undefined : onGrab}
    >
      <Knob look={fixedReason ? 'open' : 'solid'} />
      <span className="ph-grab">
        {!fixedReason && <i className="grain" />}
        {isHeld ? 'Rewind to here' : 'Disk is here'}
      </span>
    </div>
  )
}

function handleKey(event: KeyboardEvent, slots: readonly Slot[], row: number, isHeld: boolean): void {
  const move = (slot: Slot | null | undefined): void => {
    if (slot) dragPlayhead(slot.row)
  }
  if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') move(stepSlot(slots, row, -1))
  else if (event.key === 'ArrowDown' || event.key === 'ArrowRight') move(stepSlot(slots, row, 1))
  else if (event.key === 'Home') move(slots[0])
  else if (event.key === 'End') move(slots.at(-1))
  else if (event.key === 'Enter' && isHeld) previewSlot(slots, row)
  else if (event.key === 'Escape' && isHeld) dragPlayhead(null)
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Lets go of the playhead in a slot: the preview opens there. */
export function previewSlot(slots: readonly Slot[], row: number): void {
  const slot = slots.find((candidate) => candidate.row === row)
  dragPlayhead(null)
  if (slot) startRewind(slot.target)
}

function Knob({ look }: { readonly look: 'solid' | 'open' | 'left' }) {
  return (
    <svg className="ph-knob" width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true">
      {look === 'left' && <circle cx="9" cy="9" r="6.5" fill="var(--bg)" stroke="var(--mark)" strokeWidth="1.5" strokeDasharray="2.5 2" />}
      {look === 'open' && <circle cx="9" cy="9" r="7" fill="var(--bg)" stroke="var(--accent)" strokeWidth="2" />}
      {look === 'solid' && (
        <>
          <circle cx="9" cy="9" r="9" fill="var(--accent)" />
          <path d="M5.5 6.5h7M5.5 9h7M5.5 11.5h7" stroke="var(--accent-ink)" strokeWidth="1.3" />
        </>
      )}
    </svg>
  )
}

/** The room that the playhead takes between two rows. */
export function PlayheadGap({
  place,
  rail,
  isLast,
}: {
  readonly place: 'at' | 'held' | 'left'
  readonly rail: RailRow
  readonly isLast: boolean
}) {
  const height = place === 'held' ? 32 : 44
  return (
    <div className="ph-gap" style={{ height }}>
      <RailSvg rail={isLast ? { ...rail, below: 'none' } : rail} nodeY={height / 2} ground="var(--bg)" isPlayhead />
    </div>
  )
}
