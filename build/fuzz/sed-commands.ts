// Random sed commands and the files they edit, each from its seed.

import { Random } from './random.js'
import { RandomPattern, type PatternKind } from './random-pattern.js'
import { realisticCase } from './realistic-sed.js'

export const sedGroups = ['re', 'real', 'bytes', 'raw', 'shell', 'multi', 'dense', 'places', 'guards'] as const
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

/** The case of a seed; without a group, of an ordinary one that the seed chooses. */
export function sedCase(seed: number, group: SedGroup | null, file: string): SedCase {
  const random = new Random(seed)
  const chosen = group ?? random.pick(ordinary)
  const { command, before } = makers[chosen](random, file)
  return { seed, group: chosen, command, file, before: Buffer.from(before, 'utf8') }
}

interface Made {
  readonly command: string
  readonly before: string
}

const makers: Readonly<Record<SedGroup, (random: Random, file: string) => Made>> = {
  re: patternCase,
  real: realisticCase,
  bytes: bytesCase,
  raw: rawCase,
  shell: shellCase,
  multi: multiCase,
  dense: (random, file) => denseCase(random, file, 'groups', 3, ['ab', 'abc']),
  places: (random, file) => denseCase(random, file, 'places', 1 + random.below(2), ['ab', 'a-', 'ab-']),
  guards: (random, file) => denseCase(random, file, 'guards', 2, ['ab', 'abc', 'ab-']),
}

/** A pattern with odd characters and delimiters, on lines of its own characters. */
function patternCase(random: Random, file: string): Made {
  const odd = [...'.*[]^$\\/|+?(){}- 1_&\t,;é😀']
  const alphabet = random.pick(['ab', 'ab', 'abc', 'aA', 'ab_']) + random.repeat(0, 2, () => random.pick(odd))
  const pattern = new RandomPattern(random, random.chance(50), alphabet, 3)
  const script = substitution(random, pattern, random.pick([...'////|#,@!%~:+_']), random.below(4))
  return { command: sed(random, pattern.extended, [script], file), before: pattern.lines(random.below(7), 12) }
}

/** Short patterns on characters beyond ASCII and odd line ends. */
function bytesCase(random: Random, file: string): Made {
  const patterns =
    'a é . $ ^ \\s \\w \\W \\S ^. a$ a* foo [^a] [é日] [[:alpha:]] [[:space:]] [[:punct:]] \\bfoo foo\\b \\< [a-z] .$ ' +
    '\\r$ [^[:space:]] é* 日本 .* \\n a\\t [[:upper:]] [^é]*$ ^[^a] \\s*$'
  const odd = [
    '\u00a0',
    '\u2028',
    '\u0085',
    '\ufeff',
    '\u3000',
    '\u200b',
    'e\u0301',
    'a\tb',
    ' foo ',
    '\r',
    'a'.repeat(50),
  ]
  const pieces = [...odd, ...'a foo é 日本 😀 ª ² Å —foo— “foo” ß Ж İ Ａ'.split(' ')]
  const replacement = random.pick(['X', '<&>', '', '&&', '\\n', '\\r', 'é', '\\t&'])
  const script = `s/${random.pick(patterns.split(' '))}/${replacement}/${random.pick(['', 'g', '2', '2g'])}`
  const line = (): string => random.repeat(0, 4, () => random.pick(pieces)) + random.pick(['\n', '\n', '\r\n'])
  const before = random.repeat(0, 6, line) + (random.chance(30) ? random.pick(pieces) : '')
  return { command: sed(random, random.chance(50), [script], file), before }
}

/** Any characters between the delimiters: mostly errors. */
function rawCase(random: Random, file: string): Made {
  const chars = [...'ab.*[]^$\\(){}+?|-,1']
  const pieces = [...chars, ...'n & / \\( \\) \\{ \\} \\/ [[:alpha:]] [a-c] [^ [] \\n \\. \\w é *\\ [\\'.split(' ')]
  const soup = (): string => random.repeat(1, 6, () => random.pick(pieces))
  const script = `s/${soup()}/${soup()}/${random.pick(['', 'g', '2'])}`
  const before = random.repeat(0, 6, () => `${random.repeat(0, 6, () => random.pick(chars))}\n`)
  return { command: sed(random, random.chance(50), [script], file), before }
}

/** Any characters and quotes in the command line. */
function shellCase(random: Random, file: string): Made {
  const pieces = [
    ...'ab.,;:=!#~&|<>()[]{}$*?+-_^%@/ \'"\\\t\ré\u00a0`',
    "'a b'",
    '"a b"',
    '\\ ',
    "'\\''",
    '"$"',
    '$/',
    '"$/"',
  ]
  const soup = (most: number): string => random.repeat(0, most, () => random.pick(pieces))
  const quote = random.pick(["'", '"', ''])
  const options = random.pick(['-i', "-i''", '-Ei', '-i -r', '-i -e'])
  const command = random.chance(50)
    ? `sed -i ${quote}s/${soup(3)}/${soup(3)}/${quote} ${file}`
    : `sed ${options} s/${soup(4)}/X${soup(2)}/g ${random.pick([file, `./${file}`, `'${file}'`])}`
  return { command, before: 'ab\'"\\ \na.,;:=!#~&|<>()[]{}$*?+-_^%@/ \n$b`a\té\u00a0\na b\n' }
}

/** Several commands, one after the other on each line. */
function multiCase(random: Random, file: string): Made {
  const extended = random.chance(50)
  const alphabet = `ab${random.pick([...'c -|'])}`
  const patterns = Array.from({ length: 2 + random.below(2) }, () => new RandomPattern(random, extended, alphabet, 2))
  const scripts = patterns.map((pattern) => substitution(random, pattern, '/', 1))
  const joined = random.chance(50) ? [scripts.join(random.pick([';', '; ', ' ;']))] : scripts
  const before = patterns.map((pattern) => pattern.lines(random.below(4), 10)).join('')
  return { command: sed(random, extended, joined, file), before }
}

/** A pattern on all short texts, mostly with all its groups in the replacement. */
function denseCase(random: Random, file: string, kind: PatternKind, depth: number, alphabets: readonly string[]): Made {
  const pattern = new RandomPattern(random, random.chance(60), random.pick(alphabets), depth, kind)
  const numbers = Array.from({ length: Math.min(pattern.groupCount, 9) }, (_, index) => index + 1)
  const replacement = `[&]${numbers.map((number) => `<\\${number}>`).join('')}`
  const script = random.chance(20)
    ? substitution(random, pattern, '/', 3)
    : `s/${pattern.text}/${replacement}/${random.pick(['', 'g', '2'])}`
  return {
    command: sed(random, pattern.extended, [script], file),
    before: shuffled(random, denseLines).join('\n') + '\n',
  }
}

/** All texts over a, b, c of up to four characters, and some with other characters between. */
const denseLines = (() => {
  const lines = ['']
  for (let index = 0; (lines[index] ?? '').length < 4; index++)
    lines.push(...[...'abc'].map((char) => lines[index] + char))
  const others = 'a-b -ab- a-a -a a- -- --- a--b b-a-b -b- aa-bb ab-ba bb--a - a-b-a aab-b abcabcabc aaaaaaaa abababab'
  return [...lines, ...others.split(' '), 'ab ab', 'ba abba', 'cab bac', '-- ab --']
})()

/** In another order each time: the real matcher has a memory that outlives a line. */
function shuffled(random: Random, lines: readonly string[]): readonly string[] {
  const ranked = lines.map((line) => ({ line, rank: random.below(1_000_000) }))
  return ranked.sort((a, b) => a.rank - b.rank).map(({ line }) => line)
}

/** A sed command line in one of its spellings. */
function sed(random: Random, extended: boolean, scripts: readonly string[], file: string): string {
  const flag = extended ? random.pick(['-E', '-r', '--regexp-extended']) : ''
  const inPlace = random.pick(['-i', '-i', '-i', '--in-place'])
  const quoted = scripts.map((script) => `'${script.replaceAll("'", "'\\''")}'`)
  const each = quoted.length > 1 || random.chance(25) ? quoted.map((script) => `-e ${script}`) : quoted
  const options = random.chance(50) ? [inPlace, flag] : [flag, inPlace]
  return ['sed', ...options, ...each, file].filter((word) => word !== '').join(' ')
}

function substitution(random: Random, pattern: RandomPattern, delimiter: string, maxReferences: number): string {
  const references = Array.from(
    { length: Math.min(maxReferences, pattern.groupCount) },
    () => `[\\${1 + random.below(Math.min(pattern.groupCount, 9))}]`,
  )
  const pieces = ['&', 'X', '', '\\&', '\\n', '-', '$', '1', '\\\\', '.', ' ', ...references, ...references]
  const replacement = random.repeat(1, 3, () => random.pick(pieces))
  const flags = random.pick(['', '', 'g', 'g', 'g', '2', '3', '2g', 'g2', '1'])
  const texts = [pattern.text, replacement].map((text) => text.replaceAll(delimiter, `\\${delimiter}`))
  return ['s', ...texts, flags].join(delimiter)
}
