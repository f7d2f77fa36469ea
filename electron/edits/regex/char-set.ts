import { decline } from '../decline.js'
import type { SedLocale } from '../locale.js'

/** The classes of `[[:name:]]`. */
export const charClasses = [
  'alnum',
  'alpha',
  'blank',
  'cntrl',
  'digit',
  'graph',
  'lower',
  'print',
  'punct',
  'space',
  'upper',
  'xdigit',
] as const
export type CharClass = (typeof charClasses)[number]

/** One character of a pattern: a literal, `.`, a bracket expression, `\w`. Code points, or bytes in the C locale. */
export interface CharSet {
  readonly singles: ReadonlySet<number>
  /** Both ends are ASCII and belong to the range. */
  readonly ranges: readonly (readonly [number, number])[]
  readonly classes: readonly CharClass[]
  readonly isNegated: boolean
}

export const anyChar: CharSet = { singles: new Set(), ranges: [], classes: [], isNegated: true }
/** What `\w` takes, and what `\b`, `\<` and `\>` look at. */
export const wordChars: CharSet = { singles: new Set([0x5f]), ranges: [], classes: ['alnum'], isNegated: false }
export const spaceChars: CharSet = { singles: new Set(), ranges: [], classes: ['space'], isNegated: false }

export function literal(char: number): CharSet {
  return { singles: new Set([char]), ranges: [], classes: [], isNegated: false }
}

export function negated(set: CharSet): CharSet {
  return { ...set, isNegated: !set.isNegated }
}

/** The character that is the only member, or `null`. */
export function onlyMember(set: CharSet): number | null {
  if (set.isNegated || set.ranges.length > 0 || set.classes.length > 0 || set.singles.size !== 1) return null
  return [...set.singles][0] ?? null
}

/** Declines where the answer depends on the C library's version or on the order of a language. */
export function isMember(set: CharSet, char: number, locale: SedLocale): boolean {
  return isListed(set, char, locale) !== set.isNegated
}

function isListed(set: CharSet, char: number, locale: SedLocale): boolean {
  if (set.singles.has(char)) return true
  if (char < 0x80) {
    return (
      set.ranges.some(([low, high]) => low <= char && char <= high) ||
      set.classes.some((name) => ascii[name].test(ch(char)))
    )
  }
  if (locale.kind === 'bytes') return false
  if (set.ranges.length > 0 && locale.order === 'language') {
    return decline(`whether a range holds ${ch(char)} depends on the language`)
  }
  return set.classes.some((name) => isInClass(name, char))
}

const ascii: Readonly<Record<CharClass, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
}

/** The same for the other characters, as glibc has it; `space`, `blank`, `digit` and `xdigit` hold for every character. */
const beyondAscii: Readonly<Record<CharClass, RegExp>> = {
  alnum: /[\p{Alphabetic}\p{Nd}]/u,
  alpha: /[\p{Alphabetic}\p{Nd}]/u,
  blank: /[^\P{Zs}\u00a0\u2007\u202f]/u,
  cntrl: /[\p{Cc}\u2028\u2029]/u,
  digit: /[^\s\S]/u,
  graph: /[^\p{Cc}\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/u,
  lower: /\p{Lowercase}/u,
  print: /[^\p{Cc}\u2028\u2029]/u,
  punct: /[^\p{Cc}\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000\p{Alphabetic}\p{Nd}]/u,
  space: /[^\P{White_Space}\u0085\u00a0\u2007\u202f]/u,
  upper: /\p{Uppercase}/u,
  xdigit: /[^\s\S]/u,
}

const certainForAll: readonly CharClass[] = ['space', 'blank', 'digit', 'xdigit']

/** Blocks in which the C library and JavaScript were found to agree on every assigned character. */
const agreed =
  /[\u0080-\u01c4\u01c7\u01ca\u01cc-\u01f1\u01f3-\u0294\u0296-\u02ff\u0370-\u052f\u1e00-\u1eff\u2000-\u20bf\u2100-\u23ff\u2440-\u27bf\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fa5\uac00-\ud7a3\ufe00-\ufe0f\ufeff\uff00-\uffef\ufffd\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6d2}]/u

function isInClass(name: CharClass, char: number): boolean {
  const text = ch(char)
  if (!certainForAll.includes(name) && (!agreed.test(text) || /\p{Cn}/u.test(text))) {
    return decline(`whether ${text} is in [:${name}:] depends on the version of the C library`)
  }
  return beyondAscii[name].test(text)
}

function ch(char: number): string {
  return String.fromCodePoint(char)
}
