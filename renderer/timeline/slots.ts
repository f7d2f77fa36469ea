import type { RewindTarget } from '../../shared/rewind.js'
import type { Outline } from '../../shared/timeline.js'

/** A place where the playhead can be put: before a row of the outline, and what a rewind to it means. */
export interface Slot {
  readonly row: number
  readonly target: RewindTarget
  /** "the start of turn 4" */
  readonly label: string
}

/** Every place to rewind to, from the top: the start of each live turn, and the end of the last one. */
export function slotsOf(outline: Outline): readonly Slot[] {
  const known = slotsByOutline.get(outline)
  if (known) return known
  const slots: Slot[] = []
  outline.rows.forEach((row, at) => {
    if (row.kind === 'turn')
      slots.push({ row: at, target: { kind: 'start', promptId: row.promptId }, label: `the start of turn ${row.index}` })
  })
  const last = outline.rows.findLast((row) => row.kind === 'turn')
  const end = outline.rows.findIndex((row) => row.kind === 'end')
  if (last) {
    const row = end < 0 ? outline.rows.length : end
    slots.push({ row, target: { kind: 'end', promptId: last.promptId }, label: `the end of turn ${last.index}` })
  }
  slotsByOutline.set(outline, slots)
  return slots
}

const slotsByOutline = new WeakMap<Outline, readonly Slot[]>()

/** Where the playhead is drawn for a target; `null` where the turn is not in the outline. */
export function rowOfTarget(outline: Outline, target: RewindTarget): number | null {
  const at = outline.rows.findIndex((row) => row.kind === 'turn' && row.promptId === target.promptId)
  if (at < 0) return null
  if (target.kind === 'start') return at
  return slotsOf(outline).find((slot) => slot.row > at)?.row ?? null
}

/** The slot next to a row in one direction; the last one there is at the ends. `null` where there are no slots. */
export function stepSlot(slots: readonly Slot[], row: number, delta: 1 | -1): Slot | null {
  const next = delta > 0 ? slots.find((slot) => slot.row > row) : slots.findLast((slot) => slot.row < row)
  return next ?? (delta > 0 ? slots.at(-1) : slots[0]) ?? null
}
