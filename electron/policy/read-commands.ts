import { literals, Given, valued, type Valued } from './arguments.js'
import { outcome, type Call, type Judge } from './call.js'
import { allows, asks, asksToRead, type Finding } from './findings.js'
import { reading, writing } from './places.js'
import { anyName, literalOf, plainField, type Field } from './shell-fields.js'

/** A command that only reads unless one of these options is given. */
interface Reader {
  readonly takes?: Valued
  /** Options that write, run something or are not understood well enough: letters, and long names. */
  readonly unsafe?: readonly [letters: string, ...long: string[]]
  /** How many operands in front are no paths. */
  readonly skip?: number
  /** Options whose value is a file to read. */
  readonly files?: readonly [letters: string, ...long: string[]]
  /** More operands than this would be written to. */
  readonly most?: number
}

const readers: Readonly<Record<string, Reader>> = {
  ls: { takes: valued('IwT') },
  cat: {},
  head: { takes: valued('nc', 'lines bytes') },
  tail: { takes: valued('nc', 'lines bytes pid') },
  wc: {},
  nl: { takes: valued('bdfhilnsvw') },
  tac: { takes: valued('s') },
  rev: {},
  fold: { takes: valued('w') },
  fmt: { takes: valued('wp') },
  paste: { takes: valued('d') },
  join: { takes: valued('12aetvojo') },
  cut: { takes: valued('bcdf', 'delimiter fields bytes characters output-delimiter') },
  comm: {},
  cmp: { takes: valued('in') },
  diff: { takes: valued('UCWxILF'), unsafe: ['', 'paginate'] },
  od: { takes: valued('AjNtS') },
  hexdump: { takes: valued('ens') },
  uniq: { takes: valued('fsw', 'skip-fields skip-chars check-chars'), most: 1 },
  sort: {
    takes: valued('kStTo', 'key field-separator buffer-size output files0-from'),
    files: ['', 'files0-from'],
    unsafe: ['oT', 'output', 'compress-program', 'temporary-directory'],
  },
  grep: {
    takes: valued('ABCmefdD', 'include exclude exclude-dir regexp file max-count context after-context before-context'),
    files: ['f', 'file', 'exclude-from'],
  },
  rg: {
    takes: valued(
      'ABCEMTdefgjmrt',
      'glob iglob type type-not regexp file ignore-file max-count context after-context before-context max-depth sort replace',
    ),
    unsafe: ['z', 'pre', 'hostname-bin', 'search-zip'],
    files: ['f', 'file', 'ignore-file'],
  },
  stat: { takes: valued('c', 'format') },
  file: { takes: valued('fF', 'files-from'), files: ['f', 'files-from'], unsafe: ['Cm', 'compile', 'magic-file'] },
  du: { takes: valued('Bdt', 'max-depth exclude') },
  basename: { takes: valued('s', 'suffix'), skip: 9 },
  dirname: { skip: 99 },
  realpath: {},
  readlink: {},
  tree: { takes: valued('LIPH'), unsafe: ['oR', 'output'] },
  column: { takes: valued('csoNRWHEp') },
  base64: { takes: valued('w', 'wrap'), unsafe: ['o', 'output'] },
  md5sum: {},
  sha1sum: {},
  sha256sum: {},
  sha512sum: {},
  cksum: {},
  tr: { skip: 99 },
  seq: { takes: valued('fs', 'format separator'), skip: 99 },
  expr: { skip: 99 },
  sleep: { skip: 99 },
  nproc: { skip: 99 },
  whoami: { most: 0 },
  id: { skip: 99 },
  uname: { most: 0 },
  hostname: { unsafe: ['bFy', 'file', 'boot'], most: 0 },
  pwd: { skip: 99 },
  which: { skip: 99 },
  type: { skip: 99 },
  true: { skip: 99 },
  false: { skip: 99 },
  ':': { skip: 99 },
  exit: { skip: 99 },
  return: { skip: 99 },
  break: { skip: 99 },
  continue: { skip: 99 },
  shift: { skip: 99 },
}

const jqReader: Reader = { takes: valued('fL', 'indent'), unsafe: ['fL', 'from-file', 'rawfile', 'slurpfile', 'run-tests'], skip: 1 }

/** jq's programs can read the environment, and other files as modules. */
const jq: Judge = (call) => {
  const plain = judgeReader(jqReader)(call)
  // A key may have these names: `.include`, `."import"`.
  if (call.words.some((word) => /(?<![.\w$"])(?:import|include)\b|\b(?:modulemeta|get_search_list)\b/.test(word.text)))
    return outcome(asksToRead('Its jq program may read other files'), ...plain.findings)
  return call.words.some((word) => /\benv\b|\$ENV|input_filename|\$__prog/.test(word.text))
    ? outcome(asksToRead('Shows the environment, which may hold secrets'), ...plain.findings)
    : plain
}

function judgeReader(reader: Reader): Judge {
  return ({ name, words, ground }) => {
    const given = new Given(words, reader.takes)
    if (reader.unsafe && given.has(...reader.unsafe)) {
      const written = given.values('o', 'output').map((field) => writing(field, ground))
      return outcome(asks(`${name} with an option that may write or run something`), ...written)
    }
    // A pattern may stand for several.
    const isSeveral = given.operands.some((field) => field.canSplit || field.text.includes(anyName))
    if (given.operands.length + (isSeveral ? 1 : 0) > (reader.most ?? Infinity))
      return outcome(...given.operands.slice(reader.most).map((field) => writing(field, ground)), asks(`${name} may change something`))
    const named = reader.files ? given.values(...reader.files) : []
    return outcome(
      ...readingOperands(given, ground, skipped(name, given, reader)),
      ...named.map((field) => reading(field, ground)),
      ...readingOptions(words, ground),
    )
  }
}

/** A word `@file` stands for the words in that file, wherever it is. */
const strings: Judge = (call) => {
  const plain = judgeReader({ takes: valued('nte') })(call)
  const isOpen = call.words.some((word) => /^[@\0\u0001]/.test(word.text))
  return isOpen ? outcome(asksToRead('Takes its options from a file'), ...plain.findings) : plain
}

/** grep and rg: the first operand is the pattern unless an option gives it. */
function skipped(name: string, given: Given, reader: Reader): number {
  if (name === 'grep' || name === 'rg') return given.has('ef', 'regexp', 'file', 'files') ? 0 : 1
  return reader.skip ?? 0
}

function readingOperands(given: Given, ground: Call['ground'], skip: number): readonly Finding[] {
  const paths = given.operands.slice(skip).map((field) => reading(field, ground))
  // A word that nobody knows may be an option too.
  const isOpen = skip < 9 && given.operands.slice(0, skip).some((field) => field.text.startsWith('\0'))
  return isOpen ? [...paths, asksToRead('Reads what its text does not tell')] : paths
}

/** Options may name files too, as in `-f/etc/shadow` and `--files0-from=../list`. */
export function readingOptions(words: readonly Field[], ground: Call['ground']): readonly Finding[] {
  return words.flatMap((word) => {
    if (!word.text.startsWith('-')) return []
    if (word.text.includes('\0')) return [asksToRead('Has an option that its text does not tell')]
    const path = /(?:^--?[\w-]+=|^-[A-Za-z]+?)(~?\/.*|.*\.\.(?:\/.*)?$)/.exec(word.text)?.[1]
    return path === undefined ? [] : [reading(plainField(path.replace(/^~/, ground.home)), ground)]
  })
}

const echo: Judge = ({ words }) => outcome(...(words.every((word) => isShowable(word.raw)) ? [] : [asksToRead('Shows variables of the environment')]))

/** Variables that are no secret, or were set in this line. */
export function isShowable(raw: string): boolean {
  return (
    !/\$\{?(?!(?:HOME|PWD|OLDPWD|USER|SHELL|PATH|LANG|TERM|HOSTNAME|RANDOM|SECONDS|LINENO|IFS|TMPDIR)\b)[A-Z_0-9]*(?:KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE)/i.test(
      raw,
    ) && !/\$\{!|@[PEA]\}/.test(raw)
  )
}

const printf: Judge = (call) => {
  const [format] = call.words
  // The first word may be gone, or be `-v`, which works out an index.
  const isOpen = format !== undefined && (format.canSplit || /^[-\0\u0001]/.test(format.text))
  return isOpen ? outcome(asks('printf with an option that sets a variable')) : echo(call)
}

/** `test` and `[`: reads no contents, only asks about names. `-v` works out an index, which can run commands. */
const testing: Judge = ({ words }) => {
  const mayRun = words.some(
    ({ text, raw }, at) =>
      /^-[vR]$/.test(text) ||
      /\[.*[$`]/s.test(text) ||
      /^-[\0\u0001]/.test(text) ||
      (text.startsWith(anyName) && !/^"[^"]*"$/.test(raw)) ||
      (/^[\0\u0001]/.test(text) && !isBetween(words[at + 1], words[at - 1])),
  )
  return outcome(...(mayRun ? [asks('test works out an expression that may run commands')] : []))
}

/** Whether a word cannot be an operator, by what stands beside it. */
function isBetween(after: Field | undefined, before: Field | undefined): boolean {
  if (after === undefined || /^(?:\]|=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(after.text)) return true
  return /^(?:-[a-zA-Z]|=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(before?.text ?? '') && /^-[ao]$/.test(after.text)
}

/** `wait -p` sets a variable, and may work out its index. */
const wait: Judge = ({ words }) => {
  const isPlain = words.every((word) => /^%?\d+$/.test(word.text) || /^"?\$!"?$/.test(word.raw))
  return outcome(...(isPlain ? [] : [asks('wait with words that may set a variable')]))
}

/** xxd cuts its options short in ways of its own, and writes to its second operand. */
const xxd: Judge = ({ words, ground }) => {
  let at = 0
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? ''
    if (/^-[cgls]$/.test(text) && /^\+?(?:0x)?[\da-f]+$/.test(words[at + 1]?.text ?? '')) at++
    else if (!/^-[abeipu]$/.test(text)) break
  }
  const [file, ...more] = words.slice(at)
  const isOne = more.length === 0 && (!file || (!/^[-\0]/.test(file.text) && !file.text.includes(anyName)))
  if (isOne) return outcome(...(file ? [reading(file, ground)] : []))
  return outcome(...more.map((field) => writing(field, ground)), asks('xxd with words that may write'))
}

const date: Judge = ({ words, ground }) => {
  const given = new Given(words, { ...valued('dfr', 'date file reference'), attached: 'I' })
  const sets = given.has('s', 'set') || given.operands.some((word) => !word.text.startsWith('+'))
  return outcome(...(sets ? [asks('Sets the clock')] : given.values('fr', 'file', 'reference').map((field) => reading(field, ground))))
}

/**
 * Text up to a delimiter. In brackets a delimiter would not end it, so there may be none; a bracket must be plainly closed: sed
 * takes a `]` in front, as in `[^]/]`, for a member.
 */
const until = (delimiter: string): string => {
  const member = String.raw`(?:(?!${delimiter})[^\\\n[\]]|\[:[a-z]+:\])`
  return String.raw`(?:(?!${delimiter})[^\\\n[]|\\[^\n]|\[\^?(?!\^)${member}+\])*`
}
const untilSlash = until('/')
const untilSame = until(String.raw`\1`)
const sedAddress = String.raw`(?:\d+|\$|/${untilSlash}/)`
const sedStep = String.raw`\s*(?:${sedAddress}(?:\s*,\s*(?:${sedAddress}|[+~]\d+))?\s*!?)?\s*(?:[pdqDPNnGhHxgl=]|s([/|,#])${untilSame}\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI0-9]*)\s*(?:;|\n|$)`
const harmlessSed = new RegExp(`^(?:${sedStep})+$`)

/** sed prints, unless it edits in place, or its script writes, reads or runs something. */
const sed: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('efl', 'expression file line-length'))
  const scripts = given.values('e', 'expression')
  const files = scripts.length > 0 || given.has('f', 'file') ? given.operands : given.operands.slice(1)
  const programs = scripts.length > 0 ? scripts : given.operands.slice(0, 1)
  if (given.has('i', 'in-place'))
    return outcome(
      ...files.map((file) => writing(file, ground, 'Edits')),
      ...programs.filter((program) => !isHarmlessSed(program)).map(() => asks('Its sed script may write files or run commands')),
    )
  const odd = given.has('f', 'file') || !programs.every(isHarmlessSed)
  return outcome(...(odd ? [asks('Its sed script may write files or run commands')] : []), ...files.map((file) => reading(file, ground)))
}

function isHarmlessSed(program: Field): boolean {
  const text = literalOf(program)
  return text !== null && harmlessSed.test(text)
}

/** awk programs can run commands and write files. */
const awk: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('Fvfeil', 'field-separator assign file source include load'), true)
  const [program, ...files] = given.operands
  const text = literalOf(program)
  const isOdd =
    text === null ||
    given.has('feilEDo', 'file', 'source', 'include', 'load', 'exec', 'debug', 'pretty-print', 'profile', 'dump-variables') ||
    given.has('pd') ||
    given.options.some((option) => !/^(?:[Fv]|field-separator|assign)$/.test(option.name)) ||
    /system|getline|[|@>]|ENVIRON|PROCINFO|ARGV|close|fflush/.test(text)
  if (isOdd) return outcome(asks('Its awk program may write files or run commands'))
  return outcome(...files.filter((file) => !/^[A-Za-z_]\w*=/.test(file.text)).map((file) => reading(file, ground)))
}

const df: Judge = () => outcome()

/** `-v` and `-V` only look a name up; without them it runs the command. Used by the wrappers. */
export function isLookUp(words: readonly Field[]): boolean {
  return /^-[pvV]*[vV][pvV]*$/.test(words[0]?.text ?? '')
}

const set: Judge = ({ words }) => {
  const texts = literals(words)
  if (words.length === 0) return outcome(asksToRead('Shows all variables, which may hold secrets'))
  const isPlain =
    texts.length === words.length &&
    texts.every(
      (text, at) =>
        /^[-+][eux]+$|^[-+]e?u?x?o$/.test(text) || (/^[-+]\w*o$/.test(texts[at - 1] ?? '') && /^(?:pipefail|errexit|nounset|xtrace)$/.test(text)),
    )
  return outcome(...(isPlain ? [allows()] : [asks('Changes how the shell works')]))
}

const environment: Judge = () => outcome(asksToRead('Shows the environment, which may hold secrets'))

export const readJudges: readonly (readonly [string, Judge])[] = [
  ...Object.entries(readers).map(([name, reader]): readonly [string, Judge] => [name, judgeReader(reader)]),
  ['egrep', judgeReader(readers['grep'] ?? {})],
  ['fgrep', judgeReader(readers['grep'] ?? {})],
  ['strings', strings],
  ['echo', echo],
  ['printf', printf],
  ['test', testing],
  ['[', testing],
  ['wait', wait],
  ['xxd', xxd],
  ['jq', jq],
  ['date', date],
  ['sed', sed],
  ['gsed', sed],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['nawk', awk],
  ['df', df],
  ['set', set],
  ['printenv', environment],
]
