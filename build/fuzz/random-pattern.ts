import type { Random } from './random.js'

/**
 * What a pattern has most of: `groups` inside one another, `places` between characters, or a guard `(^|x)` before and
 * `(x|$)` after it; `mixed` has some of everything and odd characters.
 */
export type PatternKind = 'mixed' | 'groups' | 'places' | 'guards'

const placesPerThousand: Readonly<Record<PatternKind, number>> = { mixed: 30, groups: 4, places: 120, guards: 0 }
const places = ['\\b', '\\<', '\\>', '^', '$', '\\b', '\\<', '\\>', '\\B']

/** A pattern that is mostly valid, over a small alphabet, so that it often matches. */
export class RandomPattern {
  readonly extended: boolean
  readonly alphabet: string
  readonly text: string
  groupCount = 0
  readonly #random: Random
  readonly #kind: PatternKind

  constructor(random: Random, extended: boolean, alphabet: string, depth: number, kind: PatternKind = 'mixed') {
    this.#random = random
    this.extended = extended
    this.alphabet = alphabet
    this.#kind = kind
    this.text =
      kind === 'guards' ? this.#guard('^') + this.#sequence(depth, false) + this.#guard('$') : this.#choice(depth, true)
  }

  /** Lines of its own characters; the last one may lack its newline. */
  lines(count: number, length: number): string {
    const chars = [...this.alphabet, ...this.alphabet, 'a', 'b']
    const lines = Array.from({ length: count }, () => this.#random.repeat(0, length, () => this.#random.pick(chars)))
    return lines.join('\n') + (this.#random.chance(85) ? '\n' : '')
  }

  get #isDense(): boolean {
    return this.#kind !== 'mixed'
  }

  #operator(operator: string): string {
    return this.extended ? operator : `\\${operator}`
  }

  #inGroup(body: string): string {
    return this.#operator('(') + body + this.#operator(')')
  }

  #choice(depth: number, isTop: boolean): string {
    const isSplit = this.#random.chance(isTop && !this.#isDense ? 20 : 40)
    const branches = Array.from({ length: isSplit ? 2 + this.#random.below(2) : 1 }, () => this.#sequence(depth, isTop))
    return branches.join(this.#operator('|'))
  }

  #guard(place: string): string {
    const random = this.#random
    if (random.chance(30)) return ''
    this.groupCount++
    const branches = [place, random.pick(['a', 'b', '-', '.', '[^a]', '\\W', '\\s', '[ab]'])]
    return this.#inGroup((random.chance(60) ? branches : branches.reverse()).join(this.#operator('|')))
  }

  #sequence(depth: number, isTop: boolean): string {
    const random = this.#random
    if (!isTop && random.chance(4)) return ''
    const start = isTop && random.chance(this.#isDense ? 5 : 15) ? '^' : ''
    const end = isTop && random.chance(this.#isDense ? 5 : 15) ? '$' : ''
    return start + random.repeat(1, this.#kind === 'groups' ? 4 : 3, () => this.#piece(depth)) + end
  }

  #piece(depth: number): string {
    const random = this.#random
    if (random.below(1000) < placesPerThousand[this.#kind]) return random.pick(places)
    const isGroup = depth > 0 && random.chance(this.#isDense ? 45 : 25)
    const atom = isGroup ? this.#group(depth) : this.#atom()
    return atom + (random.chance(this.#isDense ? 45 : 35) ? this.#quantifier() : '')
  }

  #group(depth: number): string {
    this.groupCount++
    return this.#inGroup(this.#choice(depth - 1, false))
  }

  #quantifier(): string {
    const random = this.#random
    const count = (): string => String(random.chance(5) ? 0 : 1 + random.below(3))
    const range = random.pick([count(), `${count()},`, `,${count()}`, `${random.below(2)},${1 + random.below(3)}`])
    const simple = ['*', '*', '*', this.#operator('+'), this.#operator('?'), this.#operator('?')]
    return random.chance(15) ? this.#operator('{') + range + this.#operator('}') : random.pick(simple)
  }

  #atom(): string {
    const random = this.#random
    const char = random.pick([...this.alphabet])
    if (this.#isDense) return random.pick([char, char, char, char, '.', '[ab]', '[^a]', '[a-]', '\\w', '\\W'])
    if (random.chance(12)) return '.'
    if (random.chance(14)) return this.#bracket()
    if (random.chance(6)) return random.pick(['\\w', '\\W', '\\s', '\\S', '\\n', '\\t'])
    if (/[A-Za-z0-9_ é😀\t]/u.test(char)) return char
    const isSpecial = '.*[]^$\\'.includes(char) || (this.extended && '+?(){}|'.includes(char))
    return isSpecial && random.chance(75) ? `\\${char}` : char
  }

  #bracket(): string {
    const random = this.#random
    const fixed = 'a b a-c A-Z 0-9 [:alpha:] [:space:] [:punct:] [:upper:] . * \\n \\t \\ \\\\ [ ^ +-b \\a é'.split(' ')
    const members = [...fixed, ...this.alphabet.replace(']', '')]
    const inner = random.repeat(1, 3, () => random.pick(members))
    return `[${random.chance(35) ? '^' : ''}${random.chance(8) ? ']' : ''}${inner}${random.chance(8) ? '-' : ''}]`
  }
}
