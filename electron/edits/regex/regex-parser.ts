import { decline } from '../decline.js'
import type { SedLocale } from '../locale.js'
import { readBracket } from './bracket.js'
import { anyChar, literal, negated, spaceChars, wordChars, type CharSet } from './char-set.js'
import type { Place, RegexTree } from './regex-tree.js'

/** How a pattern is written. */
export interface RegexSyntax {
  readonly extended: boolean
  readonly delimiter: string
  readonly locale: SedLocale
}

export interface ParsedRegex {
  readonly tree: RegexTree
  readonly groupCount: number
}

/** Reads a POSIX basic or extended pattern with GNU's additions. Declines what is an error or not certain. */
export function parseRegex(pattern: string, syntax: RegexSyntax): ParsedRegex {
  if (pattern === '') decline('the pattern is empty')
  if (pattern.length > maxLength) decline('the pattern is very long')
  return new RegexParser(pattern, syntax).parse()
}

const maxLength = 2000

/** One lexical unit outside brackets. */
type Token =
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'operator'; readonly operator: Operator }
type Operator = '|' | '(' | ')' | '*' | '+' | '?' | '{'

const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' }
const wordPlaces: Readonly<Record<string, Place>> = { '<': 'wordStart', '>': 'wordEnd', b: 'wordEdge' }
const namedSets: Readonly<Record<string, CharSet>> = {
  w: wordChars,
  W: negated(wordChars),
  s: spaceChars,
  S: negated(spaceChars),
}
/** As delimiters these change their meaning when a backslash protects them. */
const specialDelimiters = "|.*[]^$+?(){}<>'`"

class RegexParser {
  readonly #chars: readonly string[]
  readonly #syntax: RegexSyntax
  #at = 0
  #groupCount = 0
  #depth = 0

  constructor(pattern: string, syntax: RegexSyntax) {
    this.#syntax = syntax
    this.#chars = charactersOf(pattern, syntax.locale)
  }

  parse(): ParsedRegex {
    const tree = this.#parseChoice()
    if (this.#at < this.#chars.length) decline('the pattern closes a group that is not open')
    return { tree, groupCount: this.#groupCount }
  }

  /** `a|b|c` is ((a|b)|c). */
  #parseChoice(): RegexTree {
    let tree = this.#parseSequence()
    while (this.#takeOperator('|')) tree = { kind: 'choice', first: tree, second: this.#parseSequence() }
    return tree
  }

  #parseSequence(): RegexTree {
    const parts: RegexTree[] = []
    while (this.#at < this.#chars.length) {
      const before = this.#at
      const token = this.#readToken(parts.at(-1))
      if (token.kind === 'operator' && (token.operator === '|' || token.operator === ')')) {
        this.#at = before
        break
      }
      parts.push(this.#parseRepeat(this.#parseAtom(token, parts.at(-1))))
    }
    const [only, ...others] = parts
    if (only === undefined) return { kind: 'empty' }
    return others.length === 0 ? only : { kind: 'sequence', parts }
  }

  #parseAtom(token: Token, previous: RegexTree | undefined): RegexTree {
    if (token.kind !== 'operator') return token
    if (token.operator === '(') return this.#parseGroup()
    const isLiteralStar =
      token.operator === '*' &&
      !this.#syntax.extended &&
      (previous === undefined || (previous.kind === 'place' && previous.place === 'spaceStart'))
    return isLiteralStar
      ? { kind: 'char', set: literal(0x2a) }
      : decline('a repetition in the pattern has nothing to repeat')
  }

  #parseGroup(): RegexTree {
    const number = ++this.#groupCount
    if (++this.#depth > 50) decline('the pattern has too many groups in one another')
    const body = this.#parseChoice()
    if (!this.#takeOperator(')')) decline('a group in the pattern is not closed')
    this.#depth--
    return { kind: 'group', number, body }
  }

  #parseRepeat(body: RegexTree): RegexTree {
    // In a basic pattern the star of ^* is a literal.
    if (!this.#syntax.extended && body.kind === 'place' && this.#chars[this.#at] === '*') return body
    const range = this.#readRepetition()
    if (range === null) return body
    if (body.kind === 'place') decline('the pattern repeats a place')
    if (this.#readRepetition() !== null) decline('the pattern has two repetitions in a row')
    const [min, max] = range
    if (max !== null && (max === 0 || max < min)) decline('the pattern repeats something no times')
    if (Math.max(min, max ?? 0) > 255) decline('the pattern repeats something very often')
    return { kind: 'repeat', body, min, max }
  }

  /** The counts of the repetition that stands here, or `null`. */
  #readRepetition(): readonly [number, number | null] | null {
    if (this.#at === this.#chars.length) return null
    const before = this.#at
    const token = this.#readToken({ kind: 'empty' })
    if (token.kind === 'operator') {
      if (token.operator === '*') return [0, null]
      if (token.operator === '+') return [1, null]
      if (token.operator === '?') return [0, 1]
      if (token.operator === '{') return this.#readCounts()
    }
    this.#at = before
    return null
  }

  #readCounts(): readonly [number, number | null] {
    const close = this.#syntax.extended ? '}' : '\\}'
    const rest = this.#chars.slice(this.#at, this.#at + 12).join('')
    const match = /^(\d{1,3})?(,)?(\d{1,3})?(\\?\})/.exec(rest)
    if (match === null || match[4] !== close || (match[1] === undefined && match[3] === undefined)) {
      return decline('a count in the pattern is not certain')
    }
    this.#at += match[0].length
    const min = Number(match[1] ?? 0)
    if (match[2] === undefined) {
      return match[3] === undefined ? [min, min] : decline('a count in the pattern is not certain')
    }
    return [min, match[3] === undefined ? null : Number(match[3])]
  }

  #takeOperator(operator: Operator): boolean {
    if (this.#at === this.#chars.length) return false
    const before = this.#at
    const token = this.#readToken({ kind: 'empty' })
    if (token.kind === 'operator' && token.operator === operator) return true
    this.#at = before
    return false
  }

  /** `previous` is what stands before in the same branch: it decides whether a basic pattern's `^` is a place. */
  #readToken(previous: RegexTree | undefined): Token {
    const char = this.#next()
    if (char === '\\') return this.#readEscape()
    if (char === '.') return { kind: 'char', set: anyChar }
    if (char === '[') {
      const { set, end } = readBracket(this.#chars, this.#at, this.#syntax)
      this.#at = end
      return { kind: 'char', set }
    }
    if (char === '^' && (this.#syntax.extended || previous === undefined)) return { kind: 'place', place: 'spaceStart' }
    if (char === '^' && previous?.kind === 'place') decline('a ^ in the pattern is not certain')
    if (char === '$' && (this.#syntax.extended || this.#isBranchEnd())) return { kind: 'place', place: 'spaceEnd' }
    if (char === '*') return { kind: 'operator', operator: char }
    if (this.#syntax.extended && isOperator(char)) return { kind: 'operator', operator: char }
    return { kind: 'char', set: literal(codeOf(char)) }
  }

  #readEscape(): Token {
    const char = this.#next()
    if (char === this.#syntax.delimiter) {
      if (specialDelimiters.includes(char)) decline('the delimiter of s is escaped and special')
      return { kind: 'char', set: literal(codeOf(char)) }
    }
    const place = wordPlaces[char]
    if (place !== undefined) return { kind: 'place', place }
    const set = namedSets[char]
    if (set !== undefined) return { kind: 'char', set }
    const control = controls[char]
    if (control !== undefined) return { kind: 'char', set: literal(codeOf(control)) }
    if (!this.#syntax.extended && isOperator(char)) return { kind: 'operator', operator: char }
    const isLiteral = /[!-/:-@[-`{-~ ]/.test(char) && !"'`".includes(char) && (this.#syntax.extended || char !== '}')
    return isLiteral ? { kind: 'char', set: literal(codeOf(char)) } : decline(`the pattern has the escape \\${char}`)
  }

  /** In a basic pattern `$` is a place only where a branch ends. */
  #isBranchEnd(): boolean {
    const rest = this.#chars.slice(this.#at, this.#at + 2).join('')
    return rest === '' || rest === '\\)' || rest === '\\|'
  }

  #next(): string {
    return this.#chars[this.#at++] ?? decline('the pattern ends with a backslash')
  }
}

function isOperator(char: string): char is '|' | '(' | ')' | '+' | '?' | '{' {
  return char.length === 1 && '|()+?{'.includes(char)
}

/** One string for each character of the locale; a byte above 127 of the C locale is the code point of its value. */
function charactersOf(text: string, locale: SedLocale): readonly string[] {
  return locale.kind === 'utf8' ? [...text] : [...Buffer.from(text, 'utf8').toString('latin1')]
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0
}
