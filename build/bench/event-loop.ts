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
