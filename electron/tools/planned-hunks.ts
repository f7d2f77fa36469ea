import { hunksOf, type DiffStat, type Hunk } from '../../shared/changes.js'
import type { PlannedFile } from './edit-plan.js'

type Texts = NonNullable<PlannedFile['texts']>

const found = new WeakMap<Texts, readonly Hunk[]>()

/** The hunks between both sides of a planned file. Found once: the person, the model and the log are all told of them. */
export function plannedHunks(texts: Texts): readonly Hunk[] {
  const known = found.get(texts)
  if (known) return known
  const hunks = hunksOf(texts.before, texts.after)
  found.set(texts, hunks)
  return hunks
}

/** Lines that they add and remove. */
export function plannedStat(texts: Texts): DiffStat {
  let insertions = 0
  let deletions = 0
  for (const { lines } of plannedHunks(texts)) {
    for (const { kind } of lines) {
      if (kind === 'added') insertions++
      else if (kind === 'removed') deletions++
    }
  }
  return { insertions, deletions }
}
