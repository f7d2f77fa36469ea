/** A character that would be invisible, or that an editor would take for a line end, and what stands for it. */
export interface CharacterMark {
  /** Offset into the display text. */
  readonly offset: number
  readonly name: string
  /** The sign, where the character itself stays in the text and the sign is drawn before it. */
  readonly beside?: string
}

/**
 * A text as an editor shows it. Its lines are those of our diff: only `\n` ends a line, a final one opens no new line,
 * and every character keeps its column.
 */
export interface DisplayText {
  readonly text: string
  /** Lines as our diff counts them; 0 for an empty text, of which an editor shows one. */
  readonly lines: number
  readonly hasFinalNewline: boolean
  readonly marks: readonly CharacterMark[]
}

const signs: Readonly<Record<string, { readonly sign: string; readonly name: string }>> = {
  '\r': { sign: '↵', name: 'Carriage return' },
  '\u0085': { sign: '¬', name: 'Next line U+0085' },
  '\u2028': { sign: '↲', name: 'Line separator U+2028' },
  '\u2029': { sign: '¶', name: 'Paragraph separator U+2029' },
}

/** Above so many signs they are only drawn, without a tooltip each. */
const mostMarks = 2000

/**
 * Two texts side by side. Where both end their lines alike the carriage returns of CRLF are left out; else they are
 * drawn, since they are what differs. An absent side is `null`.
 */
export function displayPair(before: string | null, after: string | null): { readonly before: DisplayText; readonly after: DisplayText } {
  const ends = [before, after].flatMap((text) => (text === null ? [] : [lineEndsOf(text)])).filter((kind) => kind !== 'none')
  const isAlike = ends.every((kind) => kind === ends[0] && kind !== 'mixed')
  return { before: displayText(before ?? '', !isAlike), after: displayText(after ?? '', !isAlike) }
}

/** One text; `drawReturns` shows the carriage return of each CRLF, otherwise only those that stand alone. */
export function displayText(text: string, drawReturns: boolean): DisplayText {
  const hasFinalNewline = text.endsWith('\n')
  let body = hasFinalNewline ? text.slice(0, -1) : text
  const lines = text === '' ? 0 : countLines(body)
  const marks: CharacterMark[] = []
  if (/[\r\u0085\u2028\u2029]/.test(body)) {
    if (!drawReturns) body = hasFinalNewline ? `${body}\n`.replaceAll('\r\n', '\n').slice(0, -1) : body.replaceAll('\r\n', '\n')
    body = body.replace(/[\r\u0085\u2028\u2029]/g, (character, offset: number) => {
      const { sign, name } = signs[character] ?? { sign: '\ufffd', name: 'Unknown character' }
      if (marks.length < mostMarks) marks.push({ offset, name })
      return sign
    })
  }
  return { text: body, lines, hasFinalNewline, marks }
}

/** Marks for characters that stay in a text because it is written in: their signs are drawn before them. */
export function signsBeside(text: string): readonly CharacterMark[] {
  const marks: CharacterMark[] = []
  for (const { 0: character, index } of text.matchAll(/[\u0085\u2028\u2029]/g)) {
    const known = signs[character]
    if (known && marks.length < mostMarks) marks.push({ offset: index, name: known.name, beside: known.sign })
  }
  return marks
}

function lineEndsOf(text: string): 'lf' | 'crlf' | 'mixed' | 'none' {
  const all = count(text, '\n')
  if (all === 0) return 'none'
  const crlf = count(text, '\r\n')
  return crlf === 0 ? 'lf' : crlf === all ? 'crlf' : 'mixed'
}

function countLines(body: string): number {
  return count(body, '\n') + 1
}

function count(text: string, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found++
  return found
}

/** Number of lines of a text as our diff counts them. */
export function lineCount(text: string): number {
  return text === '' ? 0 : count(text, '\n') + (text.endsWith('\n') ? 0 : 1)
}
