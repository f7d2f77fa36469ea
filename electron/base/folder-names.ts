import { readdirSync } from 'node:fs'
import { isMissing } from './disk-errors.js'

/** Names in a folder; none where it is not there. Errors: those of the system. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}
