import type { WorkspacePath } from '../../shared/ids.js'
import { ReviewError } from '../../shared/errors.js'
import type { RecognisedSed } from '../edits/sed-command.js'
import { keepsLineEnds, leftNoTrace } from '../edits/sed-traits.js'
import { ofBytes, sha256, withMode, type Held } from './held.js'
import { weigh } from './observations.js'
import { disturbs, type PathEvent } from './path-events.js'
import type { SedOutcome } from '../sessions/session-reader.js'
import type { TimelineSteps } from './timeline-steps.js'

/** What is needed to look behind a command. */
export interface SedSources {
  readonly steps: TimelineSteps
  readonly sedOutcome: SedOutcome
}

type ShellEvent = PathEvent & { readonly kind: 'shell' }

/** The `sed -i` that an event is, where it has surely run and ended well. */
export function doneSed({ shell, step }: Pick<ShellEvent, 'shell' | 'step'>): RecognisedSed | null {
  return shell.kind === 'file' && shell.isCertain && step.isDone ? shell.sed : null
}

/**
 * What a file was before a recorded sed, by what it was right after. `null` unless just one content is possible: that of after,
 * since no replacement is in it; or the text that a read of the same turn showed before, from which the command makes the after,
 * and would not have done so with the blanks, line ends or byte order mark that a read hides.
 */
export async function beforeSed(from: SedSources, path: WorkspacePath, event: ShellEvent, after: Held, signal: AbortSignal | undefined): Promise<Held | null> {
  const sed = doneSed(event)
  const { state } = after.content
  if (!sed || state.kind !== 'file') return null
  const bytes = await after.content.read(signal)
  const makesAfter = async (before: Uint8Array | null): Promise<boolean> => {
    const made = before && (await from.sedOutcome(sed, before, signal))
    return made !== null && sha256(made) === state.sha256
  }
  // A command that would have left a trace shows that somebody else changed the file behind it.
  if (leftNoTrace(sed, bytes)) return (await makesAfter(bytes)) ? after : null
  const remake = async (until?: AbortSignal): Promise<Uint8Array | null> => (after.isUtf8 && keepsLineEnds(sed) ? fromRead(from, path, event, until) : null)
  const before = await remake(signal)
  if (!before || !(await makesAfter(before))) return null
  return ofBytes(before, state.mode, 'record', async (until) => {
    const again = await remake(until)
    if (!again) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
    return again
  })
}

/** The text of the last read before a sed in its turn, with the other sed commands between them applied. */
async function fromRead({ steps, sedOutcome }: SedSources, path: WorkspacePath, sed: ShellEvent, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  const { segment } = sed.place
  const events = [...steps.events(path, { segment, step: 0 }, { segment: segment + 1, step: 0 })]
  const between: RecognisedSed[] = []
  for (const event of events.slice(0, events.findIndex((other) => other.kind === 'shell' && other.shell === sed.shell)).reverse()) {
    if (event.kind === 'edit') return null
    if (event.kind === 'seen') {
      const text = (await steps.call(event.place, event.step.at))?.call.seen?.text
      return text === undefined ? null : applyAll(sedOutcome, between, Buffer.from(text), signal)
    }
    const other = doneSed(event)
    if (other && keepsLineEnds(other)) between.unshift(other)
    else if (!other && event.shell.kind === 'file' && event.shell.how === 'mode') continue
    else return null
  }
  return null
}

async function applyAll(outcome: SedOutcome, commands: readonly RecognisedSed[], bytes: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  let now: Uint8Array | null = bytes
  for (const command of commands) now = now && (await outcome(command, now, signal))
  return now
}

/**
 * Takes the recorded sed commands at the end of `events` back, as far as that is certain: what the file was before the first
 * of them, by what it was at the end, and the events that stand before that one.
 */
export async function withoutSeds(
  from: SedSources,
  path: WorkspacePath,
  events: readonly PathEvent[],
  held: Held,
  signal: AbortSignal | undefined,
): Promise<{ readonly held: Held; readonly events: readonly PathEvent[] }> {
  let taken = { held, events }
  let now = held
  for (const [at, event] of [...events.entries()].reverse()) {
    if (event.kind === 'edit') break
    if (event.kind === 'seen') {
      if ((await weigh(from.steps, now, event)) === 'different') break
      continue
    }
    const effect = disturbs(event.shell, now, 'backward')
    if (effect === 'mode') now = withMode(now, null)
    if (effect !== 'content') continue
    const before = await beforeSed(from, path, event, now, signal)
    if (!before) break
    now = before
    taken = { held: before, events: events.slice(0, at) }
  }
  return taken
}
