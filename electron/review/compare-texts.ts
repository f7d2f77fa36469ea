import { countChanges, isOnlyBlanks, type DiffStat } from '../../shared/changes.js'

export interface TextComparison {
  readonly stat: DiffStat
  readonly isOnlyBlanks: boolean
}

/** Counts what differs between two texts. */
export function compareTexts(before: string, after: string): TextComparison {
  return { stat: countChanges(before, after), isOnlyBlanks: isOnlyBlanks(before, after) }
}
