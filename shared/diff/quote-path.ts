const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
}

/**
 * A path as git writes it in a patch: in quotes, with C escapes and octal bytes, where it holds control characters,
 * quotes, backslashes or anything beyond ASCII; else as it is.
 */
export function quotePath(path: string): string {
  const quoted = path.replace(
    /[\x00-\x1f"\\\x7f]|[^\x00-\x7f]/gu,
    (character) => escapes[character] ?? octalBytes(character),
  )
  return quoted === path ? path : `"${quoted}"`
}

/** The UTF-8 bytes of a character, each as a backslash and three octal digits. */
function octalBytes(character: string): string {
  return utf8Of(character.codePointAt(0) ?? 0)
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('')
}

function utf8Of(code: number): number[] {
  if (code < 0x80) return [code]
  const tail = (shift: number): number => 0x80 | ((code >> shift) & 0x3f)
  if (code < 0x800) return [0xc0 | (code >> 6), tail(0)]
  if (code < 0x10000) return [0xe0 | (code >> 12), tail(6), tail(0)]
  return [0xf0 | (code >> 18), tail(12), tail(6), tail(0)]
}
