/**
 * Runs `work` over all items, started in their order, with at most 16 units in flight; `weigh` says how many units an item takes
 * (1 unless told). The first failure stops new starts, waits for those that run, and is thrown.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<void>,
  weigh: (item: Item) => number = () => 1,
): Promise<void> {
  let next = 0
  let units = 0
  const failures: unknown[] = []
  await new Promise<void>((resolve) => {
    const finished = (weight: number): void => {
      units -= weight
      start()
    }
    const start = (): void => {
      while (next < items.length && failures.length === 0) {
        const index = next
        const item = items[index] as Item
        const weight = Math.min(unitsInFlight, Math.max(1, weigh(item)))
        if (units + weight > unitsInFlight) return
        next++
        units += weight
        work(item, index)
          .catch((thrown: unknown) => void failures.push(thrown))
          .finally(() => finished(weight))
      }
      if (units === 0) resolve()
    }
    start()
  })
  if (failures.length > 0) throw failures[0]
}

/** Weight of a file in a pool: one unit for each 4 MiB, so that large files do not fill the memory. */
export function weightOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / (4 * 1024 * 1024))
}

/** Durable writes in flight: enough for the disk to gather them, few enough to keep memory small. */
const unitsInFlight = 16

/** Lets other work of this process run; for loops that do much in place. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
