/** One hunk of a unified diff; its lines keep their ends. Starts count lines from 0. */
interface Hunk {
  readonly oldStart: number
  readonly newStart: number
  readonly lines: readonly { readonly kind: 'kept' | 'removed' | 'added'; readonly text: string }[]
}

export type UnifiedDiff = readonly Hunk[]

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const noEnd = '\\ No newline at end of file'

/**
 * Reads a unified diff without file headers, to the letter.
 *
 * Returns: `null` where a line, a count or an order is not as a tool writes it, and for texts with a carriage return inside a line,
 * whose lines the recorder counts in another way.
 * Source: Codex records updates so, with one line of context and line ends as they are in the file.
 */
export function parseUnifiedDiff(diff: string): UnifiedDiff | null {
  if (hasLoneReturn(diff)) return null
  const lines = linesOf(diff)
  const hunks: Hunk[] = []
  for (let at = 0; at < lines.length; ) {
    const head = header.exec(lines[at] ?? '')
    if (!head) return null
    const [oldCount, newCount] = [Number(head[2] ?? 1), Number(head[4] ?? 1)]
    const found: { kind: 'kept' | 'removed' | 'added'; text: string }[] = []
    let [old, added] = [0, 0]
    for (at++; at < lines.length && (old < oldCount || added < newCount || isNoEnd(lines[at])); at++) {
      const line = lines[at] ?? ''
      const last = found.at(-1)
      if (isNoEnd(line)) {
        if (!last?.text.endsWith('\n')) return null
        found[found.length - 1] = { ...last, text: last.text.slice(0, -1) }
        continue
      }
      const kind = line[0] === ' ' ? 'kept' : line[0] === '-' ? 'removed' : line[0] === '+' ? 'added' : null
      if (kind === null || !line.endsWith('\n')) return null
      if (kind !== 'added') old++
      if (kind !== 'removed') added++
      found.push({ kind, text: line.slice(1) })
    }
    if (old !== oldCount || added !== newCount) return null
    hunks.push({ oldStart: startOf(head[1], oldCount), newStart: startOf(head[3], newCount), lines: found })
  }
  return hunks.length > 0 && isInOrder(hunks) ? hunks : null
}

/** What the diff makes of a text; `null` where a kept or removed line is not exactly at its place. */
export function applyDiff(diff: UnifiedDiff, before: string): string | null {
  return replace(diff, before, 'removed')
}

/** What a text was before the diff; `null` where a kept or added line is not exactly at its place. */
export function unapplyDiff(diff: UnifiedDiff, after: string): string | null {
  return replace(diff, after, 'added')
}

/** The lines of a text with their ends. */
export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Whether a carriage return stands anywhere but before a line feed. */
export function hasLoneReturn(text: string): boolean {
  return /\r(?!\n)/.test(text)
}

function replace(diff: UnifiedDiff, text: string, gone: 'removed' | 'added'): string | null {
  if (hasLoneReturn(text)) return null
  const lines = linesOf(text)
  const parts: string[] = []
  let done = 0
  for (const hunk of diff) {
    const start = gone === 'removed' ? hunk.oldStart : hunk.newStart
    const end = gone === 'removed' ? hunk.newStart : hunk.oldStart
    // What came before must bring this hunk to the place that it names on the other side.
    if (start < done || start > lines.length) return null
    for (; done < start; done++) parts.push(lines[done] ?? '')
    if (parts.length !== end) return null
    for (const line of hunk.lines) {
      const isHere = line.kind === 'kept' || line.kind === gone
      if (isHere && lines[done++] !== line.text) return null
      if (line.kind !== gone) parts.push(line.text)
    }
    // A change without a line beside it stands at the edge of the file.
    const [first, last] = [hunk.lines[0], hunk.lines.at(-1)]
    if ((first?.kind !== 'kept' && start !== 0) || (last?.kind !== 'kept' && done !== lines.length)) return null
  }
  for (; done < lines.length; done++) parts.push(lines[done] ?? '')
  // A line without end may only be the last one.
  return parts.slice(0, -1).every((line) => line.endsWith('\n')) ? parts.join('') : null
}

function startOf(line: string | undefined, count: number): number {
  const start = Number(line ?? 0)
  return count === 0 ? start : Math.max(0, start - 1)
}

function isNoEnd(line: string | undefined): boolean {
  return line?.startsWith(noEnd) === true
}

function isInOrder(hunks: UnifiedDiff): boolean {
  return hunks.every(({ oldStart }, at) => at === 0 || oldStart >= endOf(hunks[at - 1]))
}

function endOf(hunk: Hunk | undefined): number {
  return hunk ? hunk.oldStart + hunk.lines.filter(({ kind }) => kind !== 'added').length : 0
}
