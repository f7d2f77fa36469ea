/** A piece of a text that another program wrote; `isSign` stands for a character that would not be seen, or would move others. */
export interface TextPiece {
  readonly text: string
  readonly isSign: boolean
}

/** Controls, marks of direction, invisible and tag characters, line and paragraph separators. Line feed and tab are left to the caller. */
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff]/g

const names: Readonly<Record<number, string>> = { 0x1b: 'ESC', 0x0d: 'CR', 0x00: 'NUL', 0x07: 'BEL', 0x08: 'BS', 0x7f: 'DEL' }

/** The text cut so that what cannot be seen is told by name. */
export function textPieces(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let done = 0
  for (const match of text.matchAll(unseen)) {
    if (match.index > done) pieces.push({ text: text.slice(done, match.index), isSign: false })
    pieces.push({ text: signOf(match[0]), isSign: true })
    done = match.index + match[0].length
  }
  if (done < text.length) pieces.push({ text: text.slice(done), isSign: false })
  return pieces
}

/** A text of one line in which nothing hides: for names, paths and titles. */
export function visibleText(text: string): string {
  return textPieces(text.replaceAll('\n', '⏎').replaceAll('\t', '⇥'))
    .map((piece) => (piece.isSign ? `‹${piece.text}›` : piece.text))
    .join('')
}

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return names[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
