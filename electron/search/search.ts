import { createFindEverywhere, type FindEverywhere } from './find-everywhere.js'
import type { MovesDeps } from './file-moves.js'
import { createWhyLine, type WhyLine } from './why-line.js'

/** Questions about all sessions at once. Nothing that is open in the window is disturbed. */
export interface Search extends FindEverywhere, WhyLine {}

export function createSearch(deps: MovesDeps): Search {
  return { ...createFindEverywhere(deps), ...createWhyLine(deps) }
}
