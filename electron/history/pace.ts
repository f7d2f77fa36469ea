import { breathe } from '../base/pool.js'

/** Lets other work run when the present slice is over; to be awaited between small pieces of long work. */
export type Pace = () => Promise<void> | undefined

export function createPace(sliceMs = 5): Pace {
  let sliceEnd = performance.now() + sliceMs
  return () => {
    if (performance.now() < sliceEnd) return undefined
    return breathe().then(() => {
      sliceEnd = performance.now() + sliceMs
    })
  }
}
