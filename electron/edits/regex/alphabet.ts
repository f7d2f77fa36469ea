import { decline } from '../decline.js'
import type { SedLocale } from '../locale.js'
import { isMember, wordChars, type CharSet } from './char-set.js'

/** What stands at a side of a place: no character, one that is not of a word, one that is. */
export type Side = 0 | 1 | 2
export const edgeSide: Side = 0
export const wordSide: Side = 2

/** Symbol that stands for "no character": the start or the end of the pattern space. */
export const edge = 0

/**
 * Puts characters that no set of a pattern tells apart into one symbol, so that an automaton has few transitions.
 * Non-ASCII characters get theirs when they are first met: only then is a class asked that may have to be declined.
 */
export class Alphabet {
  /** Symbol of each byte that is a character of its own: all in the C locale, ASCII in a UTF-8 one. */
  readonly symbolOfByte: Uint8Array
  /** Whether a character can have several bytes. */
  readonly isWide: boolean
  readonly #sets: readonly CharSet[]
  readonly #looksAtWords: boolean
  readonly #locale: SedLocale
  /** For each symbol, which sets hold it, as text of 0 and 1. */
  readonly #members: string[] = ['']
  readonly #sides: Side[] = [edgeSide]
  readonly #symbolOfMembers = new Map<string, number>()
  readonly #symbolOfChar = new Map<number, number>()
  #capacity = 255

  /** `looksAtWords`: the pattern has a place that tells characters of words from others. */
  constructor(sets: readonly CharSet[], looksAtWords: boolean, locale: SedLocale) {
    this.#sets = sets
    this.#looksAtWords = looksAtWords
    this.#locale = locale
    this.isWide = locale.kind === 'utf8'
    this.symbolOfByte = Uint8Array.from({ length: this.isWide ? 0x80 : 0x100 }, (_, byte) => this.#classify(byte))
    const named = new Set(sets.flatMap((set) => [...set.singles]).filter((char) => char >= 0x80))
    this.#capacity = Math.min(255, this.#members.length + named.size + 32)
  }

  /** Symbols are below this number. */
  get capacity(): number {
    return this.#capacity
  }

  /** Symbol of a character beyond ASCII. */
  symbolOf(char: number): number {
    const known = this.#symbolOfChar.get(char)
    if (known !== undefined) return known
    const symbol = this.#classify(char)
    this.#symbolOfChar.set(char, symbol)
    return symbol
  }

  isIn(symbol: number, set: number): boolean {
    return this.#members[symbol]?.[set] === '1'
  }

  sideOf(symbol: number): Side {
    return this.#sides[symbol] ?? edgeSide
  }

  #classify(char: number): number {
    const isWord = this.#looksAtWords && isMember(wordChars, char, this.#locale)
    const members =
      this.#sets.map((set) => (isMember(set, char, this.#locale) ? '1' : '0')).join('') + (isWord ? 'w' : '')
    const known = this.#symbolOfMembers.get(members)
    if (known !== undefined) return known
    if (this.#members.length >= this.#capacity) decline('the pattern tells too many characters apart')
    this.#sides.push(isWord ? wordSide : 1)
    this.#symbolOfMembers.set(members, this.#members.length)
    return this.#members.push(members) - 1
  }
}
