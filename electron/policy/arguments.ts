import { anyName, literalOf, unknownText, type Field } from './shell-fields.js'

export interface Option {
  /** One letter, or a long name without its dashes. */
  readonly name: string
  /** Written with two dashes: one letter behind them is a long name cut short. */
  readonly isLong: boolean
  readonly value: Field | null
}

/** Which options of a command take a value that may stand as the next word: letters, and long names after a blank. */
export interface Valued {
  readonly letters: string
  readonly long: readonly string[]
  /** Letters whose value can only stand in the same word. */
  readonly attached?: string
}

/** `valued('nC', 'lines directory')` */
export function valued(letters: string, long = ''): Valued {
  return { letters, long: long.split(' ').filter((name) => name !== '') }
}

/**
 * The options and operands of a command, read as GNU's getopt reads them. A value in a word of its own that looks like an option
 * is taken as an option too: no table of values then hides one.
 */
export class Given {
  readonly options: readonly Option[]
  readonly operands: readonly Field[]

  /** `stopsAtOperand`: what follows the first operand are no options, as with `env` or `xargs`. */
  constructor(words: readonly Field[], takes: Valued = valued(''), stopsAtOperand = false) {
    const options: Option[] = []
    const operands: Field[] = []
    let at = 0
    let isValue = -1
    const nextWord = (): Field | null => {
      const next = words[at + 1]
      // What may be a value itself takes no word away from the operands.
      if (next && at !== isValue) {
        if (/^-(?!-?$)/s.test(next.text)) isValue = at + 1
        else at++
      }
      return next ?? null
    }
    for (; at < words.length; at++) {
      const word = words[at]
      if (!word) break
      const { text } = word
      if (text === '--') {
        at++
        break
      }
      if (text.startsWith('--')) {
        const cut = text.indexOf('=')
        const name = text.slice(2, cut < 0 ? undefined : cut)
        const isLong = true
        if (cut >= 0) options.push({ name, isLong, value: rest(word, cut + 1) })
        else options.push({ name, isLong, value: takes.long.some((long) => long.startsWith(name)) ? nextWord() : null })
      } else if (text.startsWith('-') && text.length > 1) {
        for (let letter = 1; letter < text.length; letter++) {
          const name = text.charAt(letter)
          const isLong = false
          if (takes.attached?.includes(name)) {
            options.push({ name, isLong, value: letter + 1 < text.length ? rest(word, letter + 1) : null })
            break
          }
          if (!takes.letters.includes(name)) {
            options.push({ name, isLong, value: null })
            continue
          }
          options.push({ name, isLong, value: letter + 1 < text.length ? rest(word, letter + 1) : nextWord() })
          break
        }
      } else {
        if (stopsAtOperand) break
        operands.push(word)
      }
    }
    this.options = options
    this.operands = [...operands, ...words.slice(at)]
  }

  /** Whether one of the letters is given, or one of the long options, which may be cut short. */
  has(letters: string, ...long: readonly string[]): boolean {
    return this.options.some((option) => isOneOf(option, letters, long))
  }

  /** The values of these options. */
  values(letters: string, ...long: readonly string[]): readonly Field[] {
    return this.options.flatMap((option) => (option.value && isOneOf(option, letters, long) ? [option.value] : []))
  }
}

function isOneOf(option: Option, letters: string, long: readonly string[]): boolean {
  if (option.name.includes(unknownText) || option.name.includes(anyName)) return true
  return option.isLong ? option.name !== '' && long.some((name) => name.startsWith(option.name)) : letters.includes(option.name)
}

function rest(word: Field, start: number): Field {
  return { ...word, text: word.text.slice(start), whenEmpty: word.whenEmpty.slice(Math.min(start, word.whenEmpty.length)) }
}

/** The exact texts of words, those that are not known left out. */
export function literals(words: readonly Field[]): readonly string[] {
  return words.flatMap((word) => literalOf(word) ?? [])
}
