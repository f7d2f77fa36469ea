// Characters that look like an ASCII one and that models and editors exchange for it; each stands for one character.

const hyphens = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g
const blanks = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g
const singleQuotes = /[\u2018-\u201b\u2032\u02bc]/g
const doubleQuotes = /[\u201c-\u201f\u2033]/g
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u0300-\u036f\u02bc\u1680\u2000-\u206f\u2212\u3000\ufe58\ufe63\ufeff\uff0d]/g

export function plainHyphens(text: string): string {
  return text.replace(hyphens, '-')
}

export function plainBlanks(text: string): string {
  return text.replace(blanks, ' ')
}

export function plainQuotes(text: string): string {
  return text.replace(singleQuotes, "'").replace(doubleQuotes, '"')
}

/** The text in composed form (NFC, which never changes what it means) with plain hyphens, blanks and quotes. */
export function plain(text: string): string {
  return isAscii(text) ? text : plainQuotes(plainBlanks(plainHyphens(text.normalize('NFC'))))
}

/** The text in quotes on one line, cut to `most` characters, with a code where a character cannot be told by its looks. */
export function quote(text: string, most = 120): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text
  return JSON.stringify(shown).replace(invisible, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}
