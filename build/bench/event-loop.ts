import { closeSync, openSync, readSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long this process could not do anything else, and how much its memory grew, while `run` was at work. */
export async function watched<Result>(run: () => Promise<Result>): Promise<{ readonly result: Result; readonly longestBlockMs: number; readonly grownBytes: number }> {
  const before = process.memoryUsage().rss
  let longestBlockMs = 0
  let highest = before
  let last = performance.now()
  const look = (): void => {
    longestBlockMs = Math.max(longestBlockMs, performance.now() - last - tickMs)
    highest = Math.max(highest, process.memoryUsage().rss)
    last = performance.now()
  }
  const ticker = setInterval(look, tickMs)
  try {
    const result = await run()
    look()
    return { result, longestBlockMs, grownBytes: highest - before }
  } finally {
    clearInterval(ticker)
  }
}

const tickMs = 5

/**
 * The longest piece of `run` that gave nobody else a turn, milliseconds: of processor where the system tells, since by the clock
 * it also counts what other programs took.
 */
export async function longestPieceOf<Result>(run: () => Promise<Result>): Promise<{ readonly result: Result; readonly pieceMs: number }> {
  const clock = openThreadClock()
  let pieceMs = 0
  let isOver = false
  const watching = (async () => {
    for (let last = clock.now(); !isOver; ) {
      await nextTurn()
      const now = clock.now()
      pieceMs = Math.max(pieceMs, now - last)
      last = now
    }
  })()
  try {
    const result = await run()
    return { result, pieceMs }
  } finally {
    isOver = true
    await watching
    clock.close()
  }
}

/** Time that this thread, the first of its process, has had; by the clock where the system does not tell. */
function openThreadClock(): { readonly now: () => number; readonly close: () => void } {
  if (process.platform !== 'linux') return { now: () => performance.now(), close: () => undefined }
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = Buffer.alloc(100)
  return { now: () => parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0))) / 1e6, close: () => closeSync(file) }
}
