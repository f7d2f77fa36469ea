import type { WorkspacePath } from '../../shared/ids.js'
import { agreesWithSeen } from '../sessions/seen-text.js'
import { compare, type Held, type Observation, type Verdict } from './held.js'
import { disturbs, endOf, startOf, type PathEvent, type Place } from './path-events.js'
import type { TimelineSteps } from './timeline-steps.js'

/** A record of a path, and the event that holds it. */
export interface Early {
  readonly event: PathEvent
  readonly what: Observation
}

/**
 * Weighs a content against an event. What a read showed may have text of a hook behind it; where that is all that differs,
 * nobody can tell, since the file may have had those lines itself.
 */
export async function weigh(steps: TimelineSteps, held: Held, event: PathEvent): Promise<Verdict> {
  const what = observationOf(event)
  const verdict = what ? compare(held, what) : 'unsure'
  if (verdict !== 'different' || event.kind !== 'seen' || held.content.state.kind !== 'file') return verdict
  const seen = (await steps.call(event.place, event.step.at))?.call.seen?.text
  const text = new TextDecoder().decode(await held.content.read())
  return seen !== undefined && agreesWithSeen(text, seen) ? 'unsure' : 'different'
}

/** The first record of the path in a turn, before anything could have changed it. */
export function firstObservation(events: Iterable<PathEvent>, held: Held): Early | null {
  for (const event of events) {
    const what = observationOf(event)
    if (what) return { event, what }
    if (event.kind === 'edit' || (event.kind === 'shell' && disturbs(event.shell, held, 'backward') === 'content')) return null
  }
  return null
}

/** What an event shows of the path as it was just then. */
export function observationOf(event: PathEvent): Observation | null {
  if (event.kind === 'seen') return event.step.what
  return event.kind === 'edit' ? event.step.before : null
}

/**
 * Where in a turn the recorder must have copied the file at the latest: before the first edit that was surely done. Where there is
 * none, a failed one may have made it copy at any time.
 */
export function captureIn(steps: TimelineSteps, turn: number, path: WorkspacePath): { readonly place: Place; readonly isSure: boolean } {
  for (const event of steps.events(path, startOf(turn), endOf(turn))) {
    if (event.kind === 'edit' && event.step.isSure) return { place: event.place, isSure: true }
  }
  return { place: { segment: startOf(turn).segment, step: Number.MAX_SAFE_INTEGER - 1 }, isSure: false }
}
