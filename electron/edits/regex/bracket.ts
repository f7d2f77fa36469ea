import { decline } from '../decline.js'
import { charClasses, type CharClass, type CharSet } from './char-set.js'
import type { RegexSyntax } from './regex-parser.js'

/** In brackets sed turns these escapes into one character; before anything else the backslash is a member. */
const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' }

/**
 * Reads a bracket expression; `start` is after its `[`, `end` after its `]`.
 *
 * Declines collating symbols, unknown classes, ranges with an end that is not ASCII or not plain, and `[:name:]` without
 * its outer brackets.
 */
export function readBracket(
  chars: readonly string[],
  start: number,
  syntax: RegexSyntax,
): { readonly set: CharSet; readonly end: number } {
  const singles = new Set<number>()
  const ranges: (readonly [number, number])[] = []
  const classes: CharClass[] = []
  const isNegated = chars[start] === '^'
  const first = isNegated ? start + 1 : start
  let at = first
  while (at === first || chars[at] !== ']') {
    const char = chars[at] ?? decline('a bracket in the pattern is not closed')
    const next = chars[at + 1]
    if (char === '[' && next !== undefined && '.=:'.includes(next)) {
      const name = charClasses.find((known) => chars.slice(at, at + known.length + 4).join('') === `[:${known}:]`)
      classes.push(name ?? decline('the pattern has a class or a symbol of collation that is not certain'))
      at += (name?.length ?? 0) + 4
      if (isDashInside(chars, at)) decline('a dash in brackets is not certain')
    } else if (char === '\\' && next !== undefined && /[nrtfvadoxc\\]/.test(next)) {
      const control = next === '\\' ? next : controls[next]
      singles.add(codeOf(control ?? decline(`the pattern has the escape \\${next} in brackets`)))
      at += 2
      if (isDashInside(chars, at)) decline('a dash in brackets is not certain')
    } else if (char === '\\' && next === syntax.delimiter) {
      if (']^-'.includes(next) || hasOtherOddBracket(chars, start)) {
        decline('an escaped delimiter in brackets is not certain')
      }
      singles.add(codeOf(char)).add(codeOf(next))
      at += 2
      if (isDashInside(chars, at)) decline('a dash in brackets is not certain')
    } else if (isDashInside(chars, at + 1)) {
      const last = chars[at + 2] ?? ''
      ranges.push(readRange(char, last, syntax))
      at += 3
      if (isDashInside(chars, at) || (last === '[' && /[.=:]/.test(chars[at] ?? ''))) {
        decline('a dash in brackets is not certain')
      }
    } else {
      singles.add(codeOf(char))
      at += 1
    }
  }
  if (chars[first] === ':' && chars[at - 1] === ':') decline('a class stands in single brackets')
  return { set: { singles, ranges, classes, isNegated }, end: at + 1 }
}

/** A dash that is not the last member. */
function isDashInside(chars: readonly string[], at: number): boolean {
  return chars[at] === '-' && chars[at + 1] !== ']'
}

function readRange(low: string, high: string, { locale }: RegexSyntax): readonly [number, number] {
  const ends = low + high
  if (ends.length !== 2 || /[^ -~]|[-\\]/.test(ends)) decline('a range in brackets is not certain')
  if (low > high) decline('a range in brackets is backwards')
  const isOrdered =
    locale.kind === 'bytes' || locale.order === 'codePoint' || /^([0-9]{2}|[a-z]{2}|[A-Z]{2})$/.test(ends)
  if (!isOrdered) decline('a range in brackets depends on the language')
  return [codeOf(low), codeOf(high)]
}

/**
 * Whether the pattern has a bracket before or after this one with a backslash, a `[` or a leading `]` in it: then sed does
 * not see well where brackets end, and an escaped delimiter inside keeps or loses its backslash.
 */
function hasOtherOddBracket(chars: readonly string[], start: number): boolean {
  const before = chars.slice(0, start - 1).join('')
  const after = chars
    .slice(start)
    .join('')
    .replace(/^\^?\]?[^\]]*\]/, '')
  return [before, after].some((text) => /\[(\^?\]|[^\]]*[\\[])/.test(text))
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0
}
