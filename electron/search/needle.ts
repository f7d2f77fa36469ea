/** A line that holds what was looked for: at most 400 characters of it, and where the match lies in them. */
export interface Excerpt {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A text that is looked for. */
export interface Needle {
  /** In the composed Unicode form (NFC). */
  readonly text: string
  readonly isCaseSensitive: boolean
  /** Whether a text holds it. */
  isIn(text: string): boolean
  /** The first line that it begins in; `null` where a text does not hold it. */
  excerptOf(text: string): Excerpt | null
}

const longestExcerpt = 400
/** So much of a long line is shown before the match. */
const lead = 80

/**
 * Plain text, composed forms of characters alike; in any case, unless it has a capital letter itself.
 * A letter whose other case has another length, such as `İ`, counts as it is.
 */
export function needleOf(wanted: string): Needle {
  const text = wanted.normalize('NFC')
  const isCaseSensitive = /\p{Lu}|\p{Lt}/u.test(text)
  const form = (given: string): string => (isCaseSensitive ? given : folded(given))
  const sought = form(text)
  return {
    text,
    isCaseSensitive,
    isIn: (given) => form(given.normalize('NFC')).includes(sought),
    excerptOf: (given) => {
      const composed = given.normalize('NFC')
      const at = form(composed).indexOf(sought)
      return at < 0 ? null : excerptAt(composed, at, sought.length)
    },
  }
}

/** The small letters of a text, at the places of its own. */
function folded(text: string): string {
  const small = text.toLowerCase()
  const kept = small.length === text.length ? small : Array.from(text, smallLetter).join('')
  // A sigma at the end of a word is the same letter.
  return kept.includes('ς') ? kept.replaceAll('ς', 'σ') : kept
}

function smallLetter(letter: string): string {
  const small = letter.toLowerCase()
  return small.length === letter.length ? small : letter
}

function excerptAt(text: string, at: number, length: number): Excerpt {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  const newline = text.indexOf('\n', at)
  const rawEnd = newline < 0 ? text.length : newline
  const lineEnd = rawEnd > lineStart && text[rawEnd - 1] === '\r' ? rawEnd - 1 : rawEnd
  const isLong = lineEnd - lineStart > longestExcerpt
  const from = isLong ? wholeCharacter(text, Math.max(lineStart, Math.min(at - lead, lineEnd - longestExcerpt))) : lineStart
  const shown = text.slice(from, wholeCharacter(text, Math.min(lineEnd, from + longestExcerpt)))
  const start = Math.min(at - from, shown.length)
  return { text: shown, start, end: Math.min(start + length, shown.length) }
}

/** A place that does not lie within a pair of surrogates. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
