import { plain } from './look-alikes.js'

/** Lines `first` to `last`, 0-based, both included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** The search ends behind this many units and lines of the text. */
const longestSearched = 16_000_000
const mostSearchedLines = 1_000_000
const mostWantedLines = 400
const mostWords = 400
/** How often one wanted line may vote; lines such as `}` say little about the place. */
const mostVotesPerLine = 4

/**
 * The places most similar to the wanted text: where most of its lines stand at the right distances, or else the lines
 * that share most of its words. `starts` is where each line of the text starts.
 */
export function similarPlaces(text: string, starts: readonly number[], wanted: string, most: number): readonly LineRange[] {
  const wantedLines = wanted.slice(0, 40 * mostWantedLines).split('\n')
  if (wantedLines.at(-1) === '') wantedLines.pop()
  const lines = wantedLines.slice(0, mostWantedLines)
  const range = (first: number): LineRange => {
    const from = Math.min(Math.max(first, 0), starts.length - 1)
    return { first: from, last: Math.min(from + lines.length - 1, starts.length - 1) }
  }
  const byLines = bestByLines(text, starts, lines)
  const best = byLines.length > 0 ? byLines : bestByWords(text, starts, lines)
  return best.slice(0, most).map(range)
}

/** First lines of the places where wanted lines stand at their distances; at least two do, or the only one. */
function bestByLines(text: string, starts: readonly number[], lines: readonly string[]): readonly number[] {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) {
    const key = keyOf(line)
    if (!/[\p{L}\p{N}]/u.test(key)) continue
    const known = indexes.get(key)
    if (known === undefined) indexes.set(key, [index])
    else if (known.length < mostVotesPerLine) known.push(index)
  }
  if (indexes.size === 0) return []
  const lengths = new Set(Array.from(indexes.keys(), (key) => key.length))
  const votes = new Map<number, number>()
  forEachLine(text, starts, (line, number) => {
    const key = keyOf(line)
    if (!lengths.has(key.length)) return
    for (const index of indexes.get(key) ?? []) votes.set(number - index, (votes.get(number - index) ?? 0) + 1)
  })
  return topOf(votes)
}

/** First lines of the places whose first line shares most of its words with the longest wanted line. */
function bestByWords(text: string, starts: readonly number[], lines: readonly string[]): readonly number[] {
  const longest = lines.reduce((found, line, index) => (line.trim().length > (lines[found] ?? '').trim().length ? index : found), 0)
  const words = wordsOf(lines[longest] ?? '')
  if (words.size === 0) return []
  const scores = new Map<number, number>()
  forEachLine(text, starts, (line, number) => {
    const own = wordsOf(line)
    let shared = 0
    for (const word of own) if (words.has(word)) shared++
    const score = (2 * shared) / (own.size + words.size)
    if (score >= 0.4) scores.set(number - longest, score)
  })
  return topOf(scores)
}

/** The keys with the highest score, of equal ones the lower; only those at least half as good as the best. */
function topOf(scores: ReadonlyMap<number, number>): readonly number[] {
  let top: (readonly [number, number])[] = []
  for (const entry of scores) {
    if (top.length === 5 && entry[1] <= (top[4]?.[1] ?? 0)) continue
    top = [...top, entry].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 5)
  }
  const best = top[0]?.[1] ?? 0
  return top.filter(([, score]) => score * 2 >= best).map(([key]) => key)
}

/** Calls back with the beginning of each line; that of a line as long as a file says enough. */
function forEachLine(text: string, starts: readonly number[], visit: (line: string, number: number) => void): void {
  for (let number = 0; number < Math.min(starts.length, mostSearchedLines); number++) {
    const start = starts[number] ?? 0
    if (start > longestSearched) return
    visit(text.slice(start, Math.min((starts[number + 1] ?? text.length + 1) - 1, start + 1000)), number)
  }
}

function keyOf(line: string): string {
  return plain(line.trim()).toLowerCase()
}

function wordsOf(line: string): ReadonlySet<string> {
  const words = line.slice(0, 1000).toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return new Set(words.slice(0, mostWords))
}
