/** Lines under some key, and where each key stands, ascending. */
export interface LineIndex {
  readonly keys: readonly string[]
  readonly linesOf: ReadonlyMap<string, readonly number[]>
}

export function makeIndex(keys: readonly string[]): LineIndex {
  const linesOf = new Map<string, number[]>()
  for (const [line, key] of keys.entries()) {
    const known = linesOf.get(key)
    if (known === undefined) linesOf.set(key, [line])
    else known.push(line)
  }
  return { keys, linesOf }
}

/** The last of ascending lines that is not behind the limit. */
export function lastBefore(lines: readonly number[], limit: number): number | undefined {
  let from = 0
  let to = lines.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((lines[middle] ?? 0) <= limit) from = middle + 1
    else to = middle
  }
  return lines[from - 1]
}
