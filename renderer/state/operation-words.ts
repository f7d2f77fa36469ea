/**
 * What an undo took back, or a redo did again: "the rewind to the start of turn 4". Its label is the one of the operation
 * that it is about: a place for a rewind, "change 1 of a.ts in turn 2" for a take-back.
 */
export function reversedWords(label: string): string {
  return label.startsWith('the ') ? `the rewind to ${label}` : `the take-back of ${label}`
}
