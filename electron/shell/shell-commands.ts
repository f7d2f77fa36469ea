import { staysInside } from '../edits/stays-inside.js'
import { mayDelete, namesWritten, writesFreshly } from './inline-scripts.js'
import type { Operand } from './shell-operands.js'
import { isHarmlessGit, isQuietTool, isRead } from './shell-tools.js'

/** A command whose effects its text does not tell: any file may be another one afterwards. */
export interface Unforeseen {
  readonly kind: 'unforeseen'
  readonly reason: string
  /** Whether files may have got an old modification time, which hides the change from a recorder that looks at times. */
  readonly keepsMtime: boolean
  /** Whether it may have deleted files; known tools that check or build do not. */
  readonly deletes: boolean
}

export interface NamedEffect {
  readonly kind: 'file'
  readonly target: Operand
  readonly how: 'written' | 'appended' | 'touched' | 'deleted' | 'mode' | 'link'
  readonly content?: string | null
  readonly mode?: number | null
  readonly isTree?: boolean
  /** Even a command that succeeded need not have done it. */
  readonly isDoubtful?: boolean
  readonly keepsMtime?: boolean
}

/** What one simple command does. */
export interface CommandResult {
  readonly steps: readonly (NamedEffect | Unforeseen)[]
  /** Its exact standard output; `null` where the text does not tell. */
  readonly output: string | null
  /** Where a `cd` leads; `null` for a folder that is not written out. Left out by all other commands. */
  readonly folder?: string | null
  /** A script that it runs, as in `bash -c '…'`. */
  readonly script?: string
}

const harmless: CommandResult = { steps: [], output: null }

/** What a simple command does, by its words and the text that it reads. Unknown programs can do anything. */
export function runCommand(words: readonly Operand[], input: string | null): CommandResult {
  const [first, ...rest] = words
  if (!first) return { steps: [], output: '' }
  if (first.literal === null) return unforeseen('The command runs a program that its text does not name.')
  const name = /^(?:\/usr)?(?:\/local)?\/bin\/([^/]+)$/.exec(first.literal)?.[1] ?? first.literal
  const inner = unwrapped(name, rest)
  if (inner) return runCommand(inner, input)
  const write = writers[name]
  if (write) return write(new Arguments(rest), input)
  if (isRead(name, rest.map((word) => word.literal))) return { steps: [], output: outputOf(name, rest, input) }
  if (isQuietTool(name, rest.map((word) => word.literal))) return quiet(name)
  return unforeseen(`${name.slice(0, 40)} can change any file.`)
}

function unforeseen(reason: string, keepsMtime = true, deletes = true): CommandResult {
  return { steps: [{ kind: 'unforeseen', reason, keepsMtime, deletes }], output: null }
}

function quiet(name: string): CommandResult {
  return unforeseen(`${name.slice(0, 40)} can change files.`, false, false)
}

/** The command inside one that only runs another: `time`, `env A=1`, `timeout 5`, `xargs`. */
function unwrapped(name: string, rest: readonly Operand[]): readonly Operand[] | null {
  const skip = (count: number): readonly Operand[] | null => (rest.length > count ? rest.slice(count) : null)
  const isOption = (word: Operand | undefined): boolean => word?.literal?.startsWith('-') === true
  switch (name) {
    case 'command':
    case 'builtin':
    case 'time':
    case 'exec':
      return isOption(rest[0]) ? null : skip(0)
    case 'env': {
      const first = rest.findIndex((word) => word.literal === null || !/^[A-Za-z_]\w*=/.test(word.literal))
      return first < 0 || isOption(rest[first]) || rest.slice(0, first).some((word) => /^(PATH|LD_|GIT_)/.test(word.literal ?? '')) ? null : skip(first)
    }
    case 'nice':
      return rest[0]?.literal === '-n' ? skip(2) : isOption(rest[0]) ? null : skip(0)
    case 'timeout':
      return isOption(rest[0]) || rest[0]?.literal === null ? null : skip(1)
    default:
      return null
  }
}

function outputOf(name: string, rest: readonly Operand[], input: string | null): string | null {
  const words = rest.map((word) => word.literal)
  if (name === 'true' || name === ':') return ''
  if (name === 'cat') return words.length === 0 || (words.length === 1 && words[0] === '-') ? input : null
  if (words.some((word) => word === null)) return null
  const texts = words.flatMap((word) => (word === null ? [] : [word]))
  if (name === 'echo') {
    const isBare = texts[0] === '-n'
    const shown = isBare ? texts.slice(1) : texts
    // What echo makes of a backslash differs from shell to shell.
    return shown[0]?.startsWith('-') || shown.some((text) => text.includes('\\')) ? null : shown.join(' ') + (isBare ? '' : '\n')
  }
  return name === 'printf' ? printed(texts) : null
}

/** What printf writes, for the formats that agents use to write files. */
function printed(texts: readonly string[]): string | null {
  const [format, ...values] = texts
  if (format === undefined || format.startsWith('-')) return null
  if (format === '%s' || format === '%s\\n') return values.length === 0 ? null : values.map((value) => value + (format === '%s' ? '' : '\n')).join('')
  if (values.length > 0 || /%(?!%)/.test(format.replaceAll('%%', '')) || /\\[^nt\\]|\\$/.test(format.replaceAll('\\\\', ''))) return null
  return format.replaceAll('%%', '%').replace(/\\([nt\\])/g, (_all, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : '\\'))
}

/** Options and operands of a command in the GNU manner. */
class Arguments {
  readonly operands: readonly Operand[]
  private readonly options: readonly string[]

  constructor(readonly words: readonly Operand[]) {
    const stop = words.findIndex((word) => word.literal === '--')
    const head = stop < 0 ? words : words.slice(0, stop)
    const isOption = (word: Operand): boolean => word.literal !== null && word.literal.length > 1 && word.literal.startsWith('-')
    this.options = head.flatMap((word) => (isOption(word) && word.literal !== null ? [word.literal] : []))
    this.operands = [...head.filter((word) => !isOption(word)), ...(stop < 0 ? [] : words.slice(stop + 1))]
  }

  /** Whether one of the letters, or one of the long options, is given. */
  has(letters: string, ...long: readonly string[]): boolean {
    return this.options.some((option) =>
      option.startsWith('--') ? long.some((name) => option === name || option.startsWith(`${name}=`)) : [...letters].some((letter) => option.slice(1).includes(letter)),
    )
  }
}

type Writer = (given: Arguments, input: string | null) => CommandResult

const done = (steps: readonly NamedEffect[]): CommandResult => ({ steps, output: null })
const each = (targets: readonly Operand[], effect: Omit<NamedEffect, 'kind' | 'target'>): CommandResult =>
  done(targets.map((target) => ({ kind: 'file', target, ...effect })))

const writers: Readonly<Record<string, Writer>> = {
  cd: ({ words }) => {
    const [target, ...more] = words
    return { ...harmless, folder: more.length > 0 || !target || target.literal === '-' ? null : target.literal }
  },
  rm: (given) => each(given.operands, { how: 'deleted', isTree: given.has('rR', '--recursive'), isDoubtful: given.has('iId', '--interactive', '--dir') }),
  unlink: (given) => each(given.operands, { how: 'deleted' }),
  rmdir: () => harmless,
  mkdir: () => harmless,
  touch: (given) => {
    const takesValue = (word: Operand | undefined): boolean => /^-[acmh]*[dtr]$|^--(date|reference|time)$/.test(word?.literal ?? '')
    const files = given.operands.filter((word) => !takesValue(given.words[given.words.indexOf(word) - 1]))
    const keepsMtime = given.has('dtr', '--date', '--reference', '--time')
    return each(files, { how: 'touched', keepsMtime, isDoubtful: given.has('c', '--no-create') })
  },
  mv: (given) => moved(given),
  cp: (given) => copied(given),
  ln: (given) => linked(given),
  chmod: (given) => {
    const [mode, ...targets] = given.operands
    const bits = /^0?[0-7]{3}$/.test(mode?.literal ?? '') ? Number.parseInt(mode?.literal ?? '', 8) : null
    // A mode such as -x looks like an option; then the first operand is a file already.
    const isOdd = given.words.some((word) => /^-[rwxXst]/.test(word.literal ?? ''))
    return each(isOdd ? given.operands : targets, { how: 'mode', mode: isOdd ? null : bits, isTree: given.has('R', '--recursive') })
  },
  chown: () => harmless,
  chgrp: () => harmless,
  tee: (given, input) => each(given.operands, { how: given.has('a', '--append') ? 'appended' : 'written', content: input }),
  truncate: (given) => {
    const isEmptied = given.words.some((word, at) => word.literal === '-s0' || word.literal === '--size=0' || (word.literal === '-s' && given.words[at + 1]?.literal === '0'))
    const targets = given.operands.filter((word) => given.words[given.words.indexOf(word) - 1]?.literal !== '-s')
    return each(targets, { how: 'written', content: isEmptied ? '' : null })
  },
  sed: (given) => edited(given),
  dd: ({ words }) => each(words.flatMap((word) => (word.literal?.startsWith('of=') ? [{ literal: word.literal.slice(3), within: null }] : [])), { how: 'written' }),
  git: ({ words }) => (isHarmlessGit(words.map((word) => word.literal)) ? harmless : unforeseen('git can change files.', false)),
  bash: (given, input) => shell(given, input),
  sh: (given, input) => shell(given, input),
  python: (given, input) => interpreted('python', given, input),
  python3: (given, input) => interpreted('python', given, input),
  node: (given, input) => interpreted('node', given, input),
  xargs: ({ words }) => {
    const inner = words.filter((word) => !/^-[0rt]$|^-(?:I|n|P|L).+|^\{\}$/.test(word.literal ?? ''))
    const [program, ...rest] = inner.map((word) => word.literal)
    return typeof program === 'string' && isRead(program, rest) ? harmless : unforeseen('xargs runs a command on names that are not written out.')
  },
}

function moved(given: Arguments): CommandResult {
  if (given.has('t', '--target-directory')) return unforeseen('mv moves into a folder that stands before the names.')
  const target = given.operands[given.operands.length - 1]
  const sources = given.operands.slice(0, -1)
  if (!target || sources.length === 0) return harmless
  const isDoubtful = given.has('niub', '--no-clobber', '--interactive', '--update', '--backup')
  return done([
    ...sources.map((source): NamedEffect => ({ kind: 'file', target: source, how: 'deleted', isTree: true, isDoubtful })),
    { kind: 'file', target, how: 'written', isTree: true, isDoubtful: true, keepsMtime: true },
  ])
}

function copied(given: Arguments): CommandResult {
  if (given.has('t', '--target-directory')) return unforeseen('cp copies into a folder that stands before the names.')
  const target = given.operands[given.operands.length - 1]
  if (!target || given.operands.length < 2) return harmless
  const keepsMtime = given.has('apls', '--archive', '--preserve', '--link', '--symbolic-link')
  return done([{ kind: 'file', target, how: given.has('s', '--symbolic-link') ? 'link' : 'written', isTree: true, isDoubtful: true, keepsMtime }])
}

function linked(given: Arguments): CommandResult {
  const target = given.operands[given.operands.length - 1]
  if (!target || given.operands.length < 2 || given.has('t', '--target-directory')) return unforeseen('ln makes a link whose name is not written out.')
  return done([{ kind: 'file', target, how: given.has('s', '--symbolic') ? 'link' : 'written', isTree: true, isDoubtful: true, keepsMtime: true }])
}

/** sed prints, unless it edits in place or its script writes files. */
function edited(given: Arguments): CommandResult {
  const scripts: Operand[] = []
  const files: Operand[] = []
  let suffix: string | null = null
  for (let at = 0; at < given.words.length; at++) {
    const word = given.words[at]
    const option = word?.literal ?? ''
    const short = /^-[nErsuz]*i(.*)$/.exec(option)
    if (!word) continue
    if (option === '-e' || option === '--expression') scripts.push(given.words[++at] ?? word)
    else if (/^-e.|^--expression=/.test(option)) scripts.push({ literal: option.replace(/^-e|^--expression=/, ''), within: null })
    else if (short) {
      suffix = short[1] ?? ''
      // On macOS the suffix is a word of its own.
      if (suffix === '' && given.words[at + 1]?.literal === '') at++
    }
    else if (option.startsWith('--in-place')) suffix = option.replace(/^--in-place=?/, '')
    else if (/^-[nErsuz]+$|^--(quiet|silent|regexp-extended|separate|null-data|unbuffered)$/.test(option)) continue
    else if (option.startsWith('-') && option.length > 1) return unforeseen('sed is called with options that are not followed.')
    else files.push(word)
  }
  if (scripts.length === 0) scripts.push(...files.splice(0, 1))
  if (!scripts.every((script) => script.literal !== null && staysInside(script.literal))) return unforeseen('The sed script may write files or run commands.')
  if (suffix === null) return harmless
  const copies = suffix === '' ? [] : files.map((file) => ({ literal: file.literal === null ? null : `${file.literal}${suffix}`, within: file.within }))
  return each([...files, ...copies], { how: 'written' })
}

function shell(given: Arguments, input: string | null): CommandResult {
  const at = given.words.findIndex((word) => /^-[leux]*c$/.test(word.literal ?? ''))
  const script = at < 0 ? (given.words.length === 0 ? input : null) : (given.words[at + 1]?.literal ?? null)
  return script === null ? unforeseen('A shell script can change any file.') : { steps: [], output: null, script }
}

function interpreted(language: 'python' | 'node', given: Arguments, input: string | null): CommandResult {
  const literals = given.words.map((word) => word.literal)
  if (literals.length === 1 && /^(-v|-V|--version|--help|-h)$/.test(literals[0] ?? '')) return harmless
  if (language === 'node' && literals[0] === '--test') return quiet('node --test')
  if (language === 'python' && literals[0] === '-m' && isQuietTool(literals[1] ?? '', literals.slice(2))) return quiet(`python -m ${literals[1]}`)
  const flag = language === 'python' ? '-c' : '-e'
  const program = literals[0] === flag ? (literals[1] ?? null) : literals.length === 0 || (literals.length === 1 && literals[0] === '-') ? input : null
  if (program === null) return unforeseen(`A ${language} program can change any file.`)
  const isFresh = writesFreshly(language, program)
  const named = namesWritten(language, program).map((name): NamedEffect => ({ kind: 'file', target: { literal: name, within: null }, how: 'written', isDoubtful: true }))
  const { steps } = unforeseen(`A ${language} program can change any file.`, !isFresh, mayDelete(program) || !isFresh)
  return { steps: [...named, ...steps], output: null }
}
