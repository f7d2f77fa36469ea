/**
 * The words that bash makes of one word with braces, before it looks at anything else in it.
 *
 * Shape: source text in, source texts out; quotes stay. `null` when they would be more than `limit`.
 */
export function expandBraces(text: string, limit = 64): readonly string[] | null {
  const group = firstGroup(text)
  if (!group) return [text]
  const tails = expandBraces(text.slice(group.end), limit)
  if (!tails) return null
  const words: string[] = []
  for (const alternative of group.alternatives) {
    const middles = expandBraces(alternative, limit)
    if (!middles || words.length + middles.length * tails.length > limit) return null
    for (const middle of middles) for (const tail of tails) words.push(text.slice(0, group.start) + middle + tail)
  }
  return words
}

interface Group {
  readonly start: number
  readonly end: number
  readonly alternatives: readonly string[]
}

function firstGroup(text: string): Group | null {
  for (let at = 0; at < text.length; at = afterPiece(text, at)) {
    if (text[at] !== '{') continue
    const group = groupAt(text, at)
    if (group) return group
  }
  return null
}

function groupAt(text: string, start: number): Group | null {
  const cuts: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at = afterPiece(text, at)) {
    const char = text[at]
    if (char === '{') depth++
    else if (char === ',' && depth === 1) cuts.push(at)
    else if (char === '}' && --depth === 0) {
      const bounds = [start, ...cuts, at]
      const alternatives =
        cuts.length > 0 ? cuts.concat(at).map((cut, index) => text.slice((bounds[index] ?? start) + 1, cut)) : sequence(text.slice(start + 1, at))
      return alternatives && { start, end: at + 1, alternatives }
    }
  }
  return null
}

/** `1..3` and `a..c`, with a step. A long one is given as two words too many, which makes the caller give up. */
function sequence(inner: string): readonly string[] | null {
  const found = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/.exec(inner)
  if (!found) return null
  const [, low, high, first, last, step] = found
  const from = first === undefined ? Number(low) : first.charCodeAt(0)
  const to = last === undefined ? Number(high) : last.charCodeAt(0)
  const by = Math.abs(Number(step ?? 1)) || 1
  const count = Math.min(Math.floor(Math.abs(to - from) / by) + 1, 1000)
  return Array.from({ length: count }, (_, index) => {
    const value = from + (to < from ? -index : index) * by
    return first === undefined ? String(value) : String.fromCharCode(value)
  })
}

/** Index after the quoted text, expansion or character at `at`; what is quoted or expanded holds no braces of the word. */
function afterPiece(text: string, at: number): number {
  const char = text[at]
  if (char === '\\') return at + 2
  if (char === "'" || char === '`') return afterMark(text, at + 1, char, char === '`')
  if (char === '"') return afterMark(text, at + 1, '"', true)
  if (char === '$' && text[at + 1] === "'") return afterMark(text, at + 2, "'", true)
  if (char === '$' && (text[at + 1] === '{' || text[at + 1] === '(')) return afterNested(text, at + 1)
  return at + 1
}

function afterMark(text: string, start: number, mark: string, hasEscapes: boolean): number {
  for (let at = start; at < text.length; at++) {
    if (hasEscapes && text[at] === '\\') at++
    else if (text[at] === mark) return at + 1
  }
  return text.length
}

function afterNested(text: string, start: number): number {
  const open = text[start] ?? ''
  const close = open === '{' ? '}' : ')'
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at + 1
  }
  return text.length
}
