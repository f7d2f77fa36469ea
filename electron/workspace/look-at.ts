import { lstatSync, type Stats } from 'node:fs'
import { isMissing } from '../base/disk-errors.js'

/**
 * What lies at a path, the link itself for a link; `null` for nothing there.
 *
 * Made in place and not by a thread: a look costs 3 microseconds, a hop to a thread and back ten times that.
 */
export function lookAt(absolute: string): Stats | null {
  try {
    return lstatSync(absolute, { throwIfNoEntry: false }) ?? null
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}
