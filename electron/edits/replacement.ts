import { decline } from './decline.js'
import type { Substitution } from './sed-script.js'

/** A piece of a replacement: bytes as they are, or a group of the match (0 is all of it). */
export type ReplacementPart =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'group'; readonly number: number }

const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' }

/** Reads `&`, `\1` and the escapes. Declines case conversion, character codes and references to missing groups. */
export function readReplacement(
  { replacement, delimiter }: Substitution,
  groupCount: number,
): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = []
  let text = ''
  const pushGroup = (number: number): void => {
    if (number > groupCount) decline('the replacement refers to a group that the pattern does not have')
    if (text !== '') parts.push({ kind: 'bytes', bytes: Buffer.from(text, 'utf8') })
    text = ''
    parts.push({ kind: 'group', number })
  }
  for (let at = 0; at < replacement.length; at++) {
    const char = replacement.charAt(at)
    if (char === '&') {
      pushGroup(0)
    } else if (char !== '\\') {
      text += char
    } else {
      const escaped = replacement.charAt(++at)
      if (/\d/.test(escaped)) pushGroup(Number(escaped))
      else if (escaped === delimiter || /[!-/:-@[-`{-~ ]/.test(escaped)) text += escaped
      else text += controls[escaped] ?? decline(`the replacement has the escape \\${escaped}`)
    }
  }
  if (text !== '') parts.push({ kind: 'bytes', bytes: Buffer.from(text, 'utf8') })
  return parts
}
