import type { WorkspacePath } from '../../shared/ids.js'
import { beforeSed, type SedSources } from './before-sed.js'
import { compare, type Held } from './held.js'
import { weigh } from './observations.js'
import { beginning, disturbs, startOf } from './path-events.js'

/**
 * How a content stands to the last record of the path before a turn, looking back to the turn `since`. `changed`: something
 * could have changed the file after the last record, and not in a way that can be taken back.
 */
export async function lastObservation(
  from: SedSources,
  turn: number,
  path: WorkspacePath,
  held: Held,
  since: number,
  signal: AbortSignal | undefined,
): Promise<'none' | 'same' | 'different' | 'changed'> {
  const { steps } = from
  await steps.load(since === 0 ? beginning : startOf(since), startOf(turn), signal)
  let now = held
  for (const event of steps.eventsBefore(path, startOf(turn))) {
    if (event.place.segment < startOf(since).segment) return 'none'
    if (event.kind === 'shell') {
      if (disturbs(event.shell, now, 'backward') !== 'content') continue
      const before = await beforeSed(from, path, event, now, signal)
      if (!before) return 'changed'
      now = before
      continue
    }
    const after = event.kind === 'edit' && event.step.isSure ? event.step.after : null
    const verdict = after ? compare(now, after) : event.kind === 'seen' ? await weigh(steps, now, event) : 'unsure'
    if (verdict !== 'unsure') return verdict
    if (event.kind === 'edit') return 'changed'
  }
  return 'none'
}
