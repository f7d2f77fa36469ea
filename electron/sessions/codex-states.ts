import { isUtf8 } from 'node:buffer'
import type { ContentSource, UnknownReason } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'

/** The bytes of a file; `null` where there is none. */
export type Bytes = Buffer | null

export interface Known {
  readonly bytes: Bytes
  readonly source: ContentSource
}

/** Something that happened to a file, or a look at one, in the order in which it happened. */
export interface FileEvent {
  /** Order among all that happened. */
  readonly at: number
  /** Number of the turn; a change of turn lets somebody else in. */
  readonly turn: number
  readonly kind:
    | 'add'
    | 'delete'
    /** A diff or a patch; `apply` says what it makes. */
    | 'update'
    /** By something that does not say what it made, or says it as `after`. */
    | 'written'
    /** Certain to be the content at that moment. */
    | 'look'
    /** Certain only where it agrees with something else. */
    | 'unsure look'
  readonly path: WorkspacePath
  /** Where an update puts the file, if elsewhere. */
  readonly movedTo: WorkspacePath | null
  readonly before: Known | null
  readonly after: Known | null
  readonly apply: ((text: string) => string | null) | null
  readonly unapply: ((text: string) => string | null) | null
  /** What a command showed of the file before: the base of the update if it fits to the letter. */
  readonly shown: Known | null
}

/** One file of an event. `before` and `after` are what is certain of itself. */
export interface Touch {
  readonly event: FileEvent
  readonly path: WorkspacePath
  readonly previous: Touch | null
  next: Touch | null
  /** Something may have changed the file since the previous one. */
  readonly isDoubtful: boolean
  before: Known | null
  after: Known | null
}

/** What was worked out of one side of a touch. `steps`: how often somebody else could have come in unseen. */
interface Found extends Known {
  readonly steps: number
}

interface Sides {
  before: Found | null
  after: Found | null
}

export interface Solved {
  readonly touches: readonly Touch[]
  /** What a touched file was; a reason where it is not known. */
  before(touch: Touch): Known | UnknownReason
  after(touch: Touch): Known | UnknownReason
  /** Touches before which somebody else changed the file: what was known did not fit. */
  readonly broken: ReadonlySet<Touch>
  /** Contents that one direction alone suggests: proved if they are found to have existed. */
  readonly suggested: readonly { readonly touch: Touch; readonly side: 'before' | 'after'; readonly known: Known; readonly base: Known | null }[]
}

/** The touches of some files, linked file by file. `isDoubtful` tells whether a file may have been changed between two orders. */
export function touchesOf(events: readonly FileEvent[], isDoubtful: (path: WorkspacePath, from: number, to: number) => boolean): readonly Touch[] {
  const last = new Map<WorkspacePath, Touch>()
  const touches: Touch[] = []
  const touch = (event: FileEvent, path: WorkspacePath, before: Known | null, after: Known | null): void => {
    const previous = last.get(path) ?? null
    const made: Touch = { event, path, previous, next: null, isDoubtful: previous !== null && isDoubtful(path, previous.event.at, event.at), before, after }
    if (previous) previous.next = made
    last.set(path, made)
    touches.push(made)
  }
  for (const event of [...events].sort((one, two) => one.at - two.at)) {
    touch(event, event.path, event.before, isMoved(event) ? { bytes: null, source: 'record' } : event.after)
    if (isMoved(event) && event.movedTo !== null) touch(event, event.movedTo, null, event.after)
  }
  return touches
}

/**
 * Works out what files were around each event: forwards from what is certain, by what each diff makes of it, and backwards; each diff
 * must fit to the letter. Where the two directions meet and agree, looks that were not sure become so.
 */
export function solve(touches: readonly Touch[]): Solved {
  const loose = { forward: forwards(touches, true).sides, backward: backwards(touches, true).sides }
  for (const touch of touches) {
    if (isLook(touch)) continue
    for (const side of ['before', 'after'] as const) {
      const [one, two] = [loose.forward.get(touch)?.[side], loose.backward.get(touch)?.[side]]
      if (one && two && isSame(one, two)) confirm(touch, side, one, loose.forward.get(touch)?.before ?? null)
    }
  }
  const forward = forwards(touches, false)
  const backward = backwards(touches, false)
  const answer = (touch: Touch, side: 'before' | 'after'): Known | UnknownReason => {
    const one = forward.sides.get(touch)?.[side] ?? null
    const two = counts(touch, side, backward.sides.get(touch)?.[side] ?? null, forward.sides.get(touch)?.before ?? null)
    if (one && two && !isSame(one, two)) return one.steps === 0 && two.steps > 0 ? one : two.steps === 0 && one.steps > 0 ? two : 'records-disagree'
    return one ?? two ?? reasonOf(touch, side)
  }
  const suggested = touches.flatMap((touch) =>
    touch.event.kind === 'update' && typeof answer(touch, 'after') === 'string'
      ? [
          { touch, side: 'after' as const, known: loose.forward.get(touch)?.after, base: loose.forward.get(touch)?.before ?? null },
          { touch, side: 'before' as const, known: loose.backward.get(touch)?.before, base: null },
        ].flatMap(({ known, ...rest }) => (known?.bytes ? [{ ...rest, known }] : []))
      : [],
  )
  return {
    touches,
    before: (touch) => answer(touch, 'before'),
    after: (touch) => answer(touch, 'after'),
    broken: new Set([...forward.broken, ...backward.broken]),
    suggested,
  }
}

/** Makes one side certain, and with what an update made also what it made it of. */
export function confirm(touch: Touch, side: 'before' | 'after', known: Known, before: Known | null): void {
  touch[side] ??= { bytes: known.bytes, source: known.source }
  const isMade = side === 'after' && touch.event.kind === 'update' && touch.path === touch.event.path && !isMoved(touch.event)
  if (isMade && before) touch.before ??= { bytes: before.bytes, source: before.source }
}

/**
 * What the next touch found is what this one left; but where nothing of this one can be held against it, somebody may have come between
 * in another turn.
 */
function counts({ event }: Touch, side: 'before' | 'after', found: Found | null, before: Known | null): Found | null {
  const isUnchecked = side === 'after' && (event.kind === 'written' || event.kind === 'update') && event.unapply === null
  return found && isUnchecked && found.steps > 0 && !(before && isSame(before, found)) ? null : found
}

interface Walked {
  readonly sides: ReadonlyMap<Touch, Sides>
  readonly broken: readonly Touch[]
}

function forwards(touches: readonly Touch[], isLoose: boolean): Walked {
  const sides = new Map<Touch, Sides>()
  const broken: Touch[] = []
  touches.forEach((touch, at) => {
    const { event, previous } = touch
    const carried = previous && (isLoose || !touch.isDoubtful) ? carry(sides.get(previous)?.after, previous, touch) : null
    if (event.kind === 'unsure look' && !isLoose) return void sides.set(touch, { before: carried, after: carried })
    const own: Sides = { before: certain(touch.before) ?? carried, after: certain(touch.after) }
    sides.set(touch, own)
    if (touch.path !== event.path) {
      // The other half of a move stands just before.
      const source = touches[at - 1]
      own.after ??= source ? made(event.apply, sides.get(source)?.before ?? null) : null
      return
    }
    if (touch.before && carried && !isSame(touch.before, carried)) broken.push(touch)
    if (event.kind === 'delete' && own.before?.bytes === null) own.before = null
    if (event.kind !== 'update') return
    const shown = made(event.apply, certain(event.shown))
    const after = shown && touch.before === null ? shown : made(event.apply, own.before)
    if (shown && touch.before === null) {
      if (carried && event.shown && !isSame(event.shown, carried)) broken.push(touch)
      own.before = certain(event.shown)
    } else if (!after) {
      if (carried) broken.push(touch)
      own.before = certain(touch.before)
    }
    if (!isMoved(event)) own.after ??= after
  })
  return { sides, broken: isLoose ? [] : broken }
}

function backwards(touches: readonly Touch[], isLoose: boolean): Walked {
  const sides = new Map<Touch, Sides>()
  const broken: Touch[] = []
  for (const [at, touch] of [...touches.entries()].reverse()) {
    const { event, next } = touch
    const carried = next && (isLoose || !next.isDoubtful) ? carry(sides.get(next)?.before, next, touch) : null
    if (event.kind === 'unsure look' && !isLoose) {
      sides.set(touch, { before: carried, after: carried })
      continue
    }
    const own: Sides = { before: certain(touch.before), after: certain(touch.after) ?? carried }
    sides.set(touch, own)
    if (touch.after && carried && next && !isSame(touch.after, carried)) broken.push(next)
    if (event.kind !== 'update' || touch.path !== event.path) continue
    const target = isMoved(event) ? touches[at + 1] : touch
    const left = target && sides.get(target)
    if (!target || !left?.after || !event.unapply) continue
    const before = made(event.unapply, left.after)
    if (before) {
      own.before ??= before
    } else {
      if (target.next && !target.after) broken.push(target.next)
      left.after = certain(target.after)
    }
  }
  return { sides, broken: isLoose ? [] : broken }
}

/** What one touch leaves to its neighbour. */
function carry(found: Found | null | undefined, from: Touch, to: Touch): Found | null {
  return found ? { ...found, steps: found.steps + (from.event.turn === to.event.turn ? 0 : 1) } : null
}

function isMoved({ path, movedTo }: FileEvent): boolean {
  return movedTo !== null && movedTo !== path
}

function certain(known: Known | null): Found | null {
  return known && { ...known, steps: 0 }
}

function made(change: ((text: string) => string | null) | null, from: Found | null): Found | null {
  if (!change || !from?.bytes || !isUtf8(from.bytes)) return null
  const text = change(from.bytes.toString('utf8'))
  return text === null ? null : { bytes: Buffer.from(text), source: 'edit', steps: from.steps }
}

function isLook({ event }: Touch): boolean {
  return event.kind === 'look' || event.kind === 'unsure look'
}

export function isSame(one: Known, two: Known): boolean {
  return one.bytes === null || two.bytes === null ? one.bytes === two.bytes : one.bytes.equals(two.bytes)
}

function reasonOf(touch: Touch, side: 'before' | 'after'): UnknownReason {
  if (side === 'after' && touch.event.kind === 'written') return 'changed-by-command'
  return touch.isDoubtful ? 'changed-by-command' : 'no-record'
}
