// Random sed commands and the files they edit, each from its seed.

import { Random } from './random.js'
import { realisticCase } from './realistic-sed.js'

export const sedGroups = ['re', 'real', 'bytes', 'raw', 'shell', 'multi', 'dense', 'places'] as const
export type SedGroup = (typeof sedGroups)[number]

export interface SedCase {
  readonly seed: number
  readonly group: SedGroup
  /** A shell command that names the file `file`. */
  readonly command: string
  readonly file: string
  readonly before: Uint8Array
}

/** The groups of an ordinary run, by weight. */
const ordinary: readonly SedGroup[] = ['re', 're', 're', 're', 're', 'real', 'bytes', 'raw', 'shell', 'multi']

export function sedCase(seed: number, group: SedGroup | null, file: string): SedCase {
  const random = new Random(seed)
  const chosen = group ?? random.pick(ordinary)
  const { command, before } = makers[chosen](random, file)
  return { seed, group: chosen, command, file, before: typeof before === 'string' ? Buffer.from(before, 'utf8') : before }
}

interface Made {
  readonly command: string
  readonly before: string | Uint8Array
}

const makers: Readonly<Record<SedGroup, (random: Random, file: string) => Made>> = {
  re: (random, file) => {
    const pattern = new RandomPattern(random, random.chance(50), random.pick(['ab', 'ab', 'abc', 'aA', 'ab_']) + someSpecial(random), 3)
    const delimiter = random.pick(delimiters)
    const script = substitution(random, pattern, delimiter, random.below(4))
    return { command: sed(random, pattern.extended, [script], file), before: pattern.lines(random.below(7), 12) }
  },
  real: realisticCase,
  bytes: (random, file) => {
    const extended = random.chance(50)
    const pattern = random.pick(bytesPatterns)
    const flags = random.pick(['', 'g', '2', '2g'])
    const script = `s/${pattern}/${random.pick(['X', '<&>', '', '&&', '\\n', '\\r', 'é', '\\t&'])}/${flags}`
    const lines = random.repeat(0, 6, () => random.repeat(0, 4, () => random.pick(bytesPieces)) + random.pick(['\n', '\n', '\r\n']))
    return { command: sed(random, extended, [script], file), before: lines + (random.chance(30) ? random.pick(bytesPieces) : '') }
  },
  raw: (random, file) => {
    const soup = (): string => random.repeat(1, 6, () => random.pick([...'ab.*[]^$\\(){}+?|-,1n&/', '\\(', '\\)', '\\{', '\\}', '\\/', '[[:alpha:]]', '[a-c]', '[^', '[]', '\\n', '\\.', '\\w', 'é', '*\\', '[\\']))
    const script = `s/${soup()}/${soup()}/${random.pick(['', 'g', '2'])}`
    const before = random.repeat(0, 6, () => random.repeat(0, 6, () => random.pick([...'ab.*[]^$\\(){}+?|-,1'])) + '\n')
    return { command: sed(random, random.chance(50), [script], file), before }
  },
  shell: (random, file) => {
    const pieces = [...'ab.,;:=!#~&|<>()[]{}$*?+-_^%@/ ', "'", '"', '\\', '\t', "'a b'", '"a b"', '\\ ', "'\\''", '"$"', '$/', '"$/"', '\r', 'é', '\u00a0', '`']
    const soup = (most: number): string => random.repeat(0, most, () => random.pick(pieces))
    const quote = random.pick(["'", '"', ''])
    const command = random.chance(50)
      ? `sed -i ${quote}s/${soup(3)}/${soup(3)}/${quote} ${file}`
      : `sed ${random.pick(['-i', "-i''", '-Ei', '-i -r', '-i -e'])} s/${soup(4)}/X${soup(2)}/g ${random.pick([file, `./${file}`, `'${file}'`])}`
    return { command, before: "ab'\"\\ \na.,;:=!#~&|<>()[]{}$*?+-_^%@/ \n$b`a\té\u00a0\na b\n" }
  },
  multi: (random, file) => {
    const extended = random.chance(50)
    const pattern = new RandomPattern(random, extended, 'ab' + random.pick(['c', ' ', '-', '|']), 2)
    const scripts = Array.from({ length: 2 + random.below(2) }, () => substitution(random, new RandomPattern(random, extended, pattern.alphabet, 2), '/', 1))
    const joined = random.chance(50) ? [scripts.join(random.pick([';', '; ', ' ;']))] : scripts
    return { command: sed(random, extended, joined, file), before: pattern.lines(random.below(7), 10) }
  },
  dense: (random, file) => denseCase(random, file, new RandomPattern(random, random.chance(60), random.pick(['ab', 'abc']), 3, 'groups')),
  places: (random, file) => denseCase(random, file, new RandomPattern(random, random.chance(60), random.pick(['ab', 'a-', 'ab-']), 1 + random.below(2), 'places')),
}

const delimiters = ['/', '/', '/', '/', '|', '#', ',', '@', '!', '%', '~', ':', '+', '_']
const bytesPatterns = [
  'a', 'é', '.', '$', '^', '\\s', '\\w', '\\W', '\\S', '^.', 'a$', 'a*', 'foo', '[^a]', '[é日]', '[[:alpha:]]', '[[:space:]]', '[[:punct:]]',
  '\\bfoo', 'foo\\b', '\\<', '[a-z]', '.$', '\\r$', '[^[:space:]]', 'é*', '日本', '.*', '\\n', 'a\\t', '[[:upper:]]', '[^é]*$', '^[^a]', '\\s*$',
]
const bytesPieces = [
  'a', 'foo', 'é', '日本', '😀', '\u00a0', '\u2028', '\u0085', '\ufeff', 'ª', '²', 'Å', '\u3000', 'e\u0301', '—foo—', '“foo”', 'a\tb', ' foo ', '\r', 'ß', 'Ж',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'İ', '\u200b', 'Ａ',
]

function someSpecial(random: Random): string {
  const specials = ['.', '*', '[', ']', '^', '$', '\\', '/', '|', '+', '?', '(', ')', '{', '}', '-', ' ', '1', '_', '&', '\t', 'é', '😀', ',', ';']
  return random.repeat(0, 2, () => random.pick(specials))
}

/** A pattern on all short texts, with all its groups in the replacement. */
function denseCase(random: Random, file: string, pattern: RandomPattern): Made {
  const groups = Array.from({ length: Math.min(pattern.groupCount, 9) }, (_, index) => `<\\${index + 1}>`).join('')
  const script = random.chance(20) ? substitution(random, pattern, '/', 3) : `s/${pattern.text}/[&]${groups}/${random.pick(['', 'g', '2'])}`
  return { command: sed(random, pattern.extended, [script], file), before: shuffled(random, denseLines).join('\n') + '\n' }
}

/** All texts over a, b, c of up to four characters, and some with other characters between. */
const denseLines = (() => {
  const lines = ['']
  for (let index = 0; (lines[index] ?? '').length < 4; index++) lines.push(...[...'abc'].map((char) => lines[index] + char))
  return lines.concat('ab ab', 'a-b', '-ab-', 'ba abba', 'a-a', '-a', 'a-', '--', 'a--b', 'b-a-b', '-b-', 'aa-bb', 'ab-ba', 'bb--a', '-', 'a-b-a', 'aab-b', 'abcabcabc', 'cab bac', 'aaaaaaaa', 'abababab')
})()

/** In another order each time: the real matcher has a memory that outlives a line. */
function shuffled(random: Random, lines: readonly string[]): readonly string[] {
  return lines.map((line) => ({ line, rank: random.below(1_000_000) })).sort((a, b) => a.rank - b.rank).map(({ line }) => line)
}

/** A sed command line in one of its spellings; the scripts hold no single quote. */
function sed(random: Random, extended: boolean, scripts: readonly string[], file: string): string {
  const flag = extended ? random.pick(['-E', '-r', '--regexp-extended']) : ''
  const inPlace = random.pick(['-i', '-i', '-i', '--in-place'])
  const quoted = scripts.map((script) => `'${script.replaceAll("'", "'\\''")}'`)
  const each = quoted.length > 1 || random.chance(25) ? quoted.map((script) => `-e ${script}`) : quoted
  return ['sed', ...(random.chance(50) ? [inPlace, flag] : [flag, inPlace]), ...each, file].filter((word) => word !== '').join(' ')
}

function substitution(random: Random, pattern: RandomPattern, delimiter: string, maxReferences: number): string {
  const text = pattern.text.replaceAll('\n', '').replaceAll(delimiter, `\\${delimiter}`)
  const references = Array.from({ length: Math.min(maxReferences, pattern.groupCount) }, () => `[\\${1 + random.below(pattern.groupCount)}]`)
  const pieces = ['&', 'X', '', '\\&', '\\n', '-', '$', '1', '\\\\', '.', ' ', ...references, ...references]
  const replacement = random.repeat(1, 3, () => random.pick(pieces)).replaceAll(delimiter, `\\${delimiter}`)
  const flags = random.pick(['', '', 'g', 'g', 'g', '2', '3', '2g', 'g2', '1'])
  return `s${delimiter}${text}${delimiter}${replacement}${delimiter}${flags}`
}

/** A pattern that is mostly valid, over a small alphabet, so that it often matches. */
class RandomPattern {
  readonly extended: boolean
  readonly alphabet: string
  readonly text: string
  groupCount = 0
  readonly #random: Random
  readonly #kind: 'mixed' | 'groups' | 'places'

  constructor(random: Random, extended: boolean, alphabet: string, depth: number, kind: 'mixed' | 'groups' | 'places' = 'mixed') {
    this.#random = random
    this.extended = extended
    this.alphabet = alphabet
    this.#kind = kind
    this.text = this.#choice(depth, true)
  }

  lines(count: number, length: number): string {
    const chars = [...this.alphabet, ...this.alphabet, 'a', 'b'].filter((char) => char !== '\n')
    const lines = Array.from({ length: count }, () => this.#random.repeat(0, length, () => this.#random.pick(chars)))
    return lines.join('\n') + (this.#random.chance(85) ? '\n' : '')
  }

  get #isDense(): boolean {
    return this.#kind !== 'mixed'
  }

  #escape(operator: string): string {
    return this.extended ? operator : `\\${operator}`
  }

  #choice(depth: number, isTop: boolean): string {
    const isSplit = this.#random.chance(isTop && !this.#isDense ? 20 : 40)
    const branches = Array.from({ length: isSplit ? 2 + this.#random.below(2) : 1 }, () => this.#sequence(depth, isTop))
    return branches.join(this.#escape('|'))
  }

  #sequence(depth: number, isTop: boolean): string {
    const random = this.#random
    if (!isTop && random.chance(4)) return ''
    const start = isTop && random.chance(this.#isDense ? 5 : 15) ? '^' : ''
    const end = isTop && random.chance(this.#isDense ? 5 : 15) ? '$' : ''
    return start + random.repeat(1, { mixed: 3, groups: 4, places: 3 }[this.#kind], () => this.#piece(depth)) + end
  }

  #piece(depth: number): string {
    const random = this.#random
    if (random.below(1000) < { mixed: 30, groups: 4, places: 120 }[this.#kind]) return random.pick(['\\b', '\\<', '\\>', '^', '$', '\\b', '\\<', '\\>', '\\B'])
    const isGroup = depth > 0 && random.chance(this.#isDense ? 45 : 25)
    const atom = isGroup ? this.#group(depth) : this.#atom()
    return atom + (random.chance(this.#isDense ? 45 : 35) ? this.#quantifier() : '')
  }

  #group(depth: number): string {
    this.groupCount++
    return this.#escape('(') + this.#choice(depth - 1, false) + this.#escape(')')
  }

  #quantifier(): string {
    const random = this.#random
    const count = (): string => String(random.chance(5) ? 0 : 1 + random.below(3))
    const range = random.pick([count(), `${count()},`, `,${count()}`, `${random.below(2)},${1 + random.below(3)}`])
    const simple = ['*', '*', '*', this.#escape('+'), this.#escape('?'), this.#escape('?')]
    return random.chance(15) ? `${this.#escape('{')}${range}${this.#escape('}')}` : random.pick(simple)
  }

  #atom(): string {
    const random = this.#random
    const char = random.pick([...this.alphabet])
    if (this.#isDense) return random.pick([char, char, char, char, '.', '[ab]', '[^a]', '[a-]', '\\w', '\\W'])
    if (random.chance(12)) return '.'
    if (random.chance(14)) return this.#bracket()
    if (random.chance(6)) return random.pick(['\\w', '\\W', '\\s', '\\S', '\\n', '\\t'])
    if (/[A-Za-z0-9_ é😀\t]/u.test(char)) return char
    return random.chance(75) ? this.#literal(char) : char
  }

  #literal(char: string): string {
    return '.*[]^$\\'.includes(char) || (this.extended && '+?(){}|'.includes(char)) ? `\\${char}` : char
  }

  #bracket(): string {
    const random = this.#random
    const members = ['a', 'b', 'a-c', 'A-Z', '0-9', '[:alpha:]', '[:space:]', '[:punct:]', '[:upper:]', '.', '*', '\\n', '\\t', '\\', '\\\\', '[', '^', '+-b', '\\a', 'é', ...this.alphabet.replace(']', '')]
    const inner = random.repeat(1, 3, () => random.pick(members))
    return `[${random.chance(35) ? '^' : ''}${random.chance(8) ? ']' : ''}${inner}${random.chance(8) ? '-' : ''}]`
  }
}
