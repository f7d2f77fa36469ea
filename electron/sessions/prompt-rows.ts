import type { LogIndex } from './log-index.js'
import type { RecordKind } from './record-sniff.js'

/**
 * All rows by the prompt that they belong to, whatever branch within the turn they are on: for agents that answer several calls side
 * by side, so that the parents of the last record miss the other answers. Made once for a revision of the log.
 */
export class PromptRows {
  /** Where the rows of each prompt end in `sorted`. */
  private readonly ends: Int32Array
  private readonly sorted: Int32Array

  constructor(
    private readonly index: LogIndex,
    isLeftOut: (kind: RecordKind) => boolean,
  ) {
    const { rows, prompts } = index
    const isTaken = (row: number): boolean => rows.promptOf(row) >= 0 && !rows.isFragment(row) && !isLeftOut(rows.kindOf(row))
    const ends = new Int32Array(prompts.length)
    let taken = 0
    for (let row = 0; row < rows.count; row++) {
      if (!isTaken(row)) continue
      const prompt = rows.promptOf(row)
      ends[prompt] = (ends[prompt] ?? 0) + 1
      taken++
    }
    for (let prompt = 1; prompt < ends.length; prompt++) ends[prompt] = (ends[prompt] ?? 0) + (ends[prompt - 1] ?? 0)
    const next = Int32Array.from(ends, (_, prompt) => (prompt === 0 ? 0 : (ends[prompt - 1] ?? 0)))
    this.sorted = new Int32Array(taken)
    for (let row = 0; row < rows.count; row++) {
      if (!isTaken(row)) continue
      const prompt = rows.promptOf(row)
      const at = next[prompt] ?? 0
      this.sorted[at] = row
      next[prompt] = at + 1
    }
    this.ends = ends
  }

  /** The rows of a prompt in file order, but none before its parent: files are not always in order. */
  of(prompt: number): readonly number[] {
    const { rows } = this.index
    const own = this.sorted.subarray(prompt === 0 ? 0 : this.ends[prompt - 1], this.ends[prompt])
    const isWaitedFor = new Set(own)
    const waiting = new Map<number, number[]>()
    const ordered: number[] = []
    const give = (first: number): void => {
      for (const ready = [first]; ready.length > 0; ) {
        const row = ready.shift() ?? -1
        ordered.push(row)
        isWaitedFor.delete(row)
        ready.unshift(...(waiting.get(row) ?? []))
        waiting.delete(row)
      }
    }
    for (const row of own) {
      const parent = rows.parentOf(row)
      const isEarly = parent > row && isWaitedFor.has(parent)
      if (!isEarly) give(row)
      else waiting.set(parent, [...(waiting.get(parent) ?? []), row])
    }
    // Parents in a circle.
    for (const rest of waiting.values()) ordered.push(...rest)
    return ordered
  }
}
