import { decline, orElse } from './decline.js'
import { readLocale } from './locale.js'
import { compile } from './sed-program.js'
import { readScript, type Substitution } from './sed-script.js'
import { readShellWords, type ShellWord } from './shell-words.js'

export type Recognised = RecognisedSed | { readonly simulated: false; readonly reason: string }

/** A `sed -i` that can be simulated: its first `s` command, and the file it edits. */
export interface RecognisedSed extends Substitution {
  readonly simulated: true
  /** As the command names it: relative to where the command runs, or absolute. */
  readonly path: string
  readonly extended: boolean
  /** Further `s` commands, applied to each line one after the other. */
  readonly followedBy: readonly Substitution[]
  /** Written as `-i ''`: meant for the sed of macOS; GNU sed fails on it. */
  readonly isMacForm: boolean
}

/**
 * Tells whether a shell command is a `sed -i` whose effect is known to the byte, and what it does. Pure.
 *
 * Shape: `reason` is a fragment in lower case, to be shown after "Runs in the shell: ".
 * What it cannot know, the caller must: the file (a link, missing, not text), the environment (POSIXLY_CORRECT, another
 * sed than GNU 4) and the content, for which `apply` may still decline.
 */
export function recognise(command: string): Recognised {
  return orElse<Recognised>(
    () => readCommand(command),
    (reason) => ({ simulated: false, reason }),
  )
}

function readCommand(command: string): RecognisedSed {
  const [name, ...words] = readShellWords(command)
  if (name?.text !== 'sed' || !name.isPlain) decline('it is not a plain sed command')
  const { isInPlace, extended, isMacForm, scripts, operands } = readArguments(words)
  if (!isInPlace) decline('it does not edit in place')
  const [path, ...others] = scripts.length > 0 ? operands : operands.slice(1)
  if (path === undefined) return decline('it names no file')
  if (others.length > 0) decline('it names several files')
  if (path === '' || path === '-' || path.endsWith('/')) decline('it names no ordinary file')
  const substitutions = (scripts.length > 0 ? scripts : operands.slice(0, 1)).flatMap(readScript)
  const [first, ...followedBy] = substitutions
  if (first === undefined) return decline('the script is empty')
  if (isMacForm) assertPortable(substitutions)
  const recognised = { simulated: true, ...first, path, extended, followedBy, isMacForm } as const
  compile(recognised, readLocale('C.UTF-8'))
  return recognised
}

interface Arguments {
  readonly isInPlace: boolean
  readonly extended: boolean
  readonly isMacForm: boolean
  readonly scripts: readonly string[]
  readonly operands: readonly string[]
}

function readArguments(words: readonly ShellWord[]): Arguments {
  let isInPlace = false
  let extended = false
  let isMacForm = false
  const scripts: string[] = []
  const operands: string[] = []
  const rest = words.map((word) => word.text)
  const setExtended = (): void => {
    // GNU sed compiles each -e at once, so that a later -E does not reach it.
    if (scripts.length > 0) decline('-E comes after -e')
    extended = true
  }
  const takeScript = (script: string | undefined): void => {
    scripts.push(script ?? decline('-e has no script'))
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (isMacForm && operands.length > 0 && word.startsWith('-')) {
      decline('an option comes after the script, which macOS refuses')
    }
    if (word === '--') {
      operands.push(...rest.splice(0))
    } else if (word.startsWith('--')) {
      if (isMacForm) decline(`${word} is not known on macOS`)
      const [option, value] = splitOnce(word, '=')
      if (option === '--in-place' && (value ?? '') === '') isInPlace = true
      else if (word === '--regexp-extended') setExtended()
      else if (option === '--expression') takeScript(value ?? rest.shift())
      else decline(`it has the option ${option}`)
    } else if (word.startsWith('-') && word !== '-') {
      const cluster = /^-([Er]*)(?:(i)|(e)(.*))?$/s.exec(word)
      if (cluster === null) return decline(`it has the option ${word}`)
      if (cluster[1] !== '') setExtended()
      if (cluster[2] !== undefined) {
        isInPlace = true
        if (rest[0] === '') {
          rest.shift()
          isMacForm = true
        }
      }
      if (cluster[3] !== undefined) takeScript(cluster[4] === '' ? rest.shift() : cluster[4])
    } else {
      operands.push(word)
    }
  }
  return { isInPlace, extended, isMacForm, scripts, operands }
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** What GNU sed and the sed of macOS read alike: no escapes of GNU's, one command, no number beside g. */
function assertPortable(substitutions: readonly Substitution[]): void {
  if (substitutions.length > 1) decline('the macOS form has several commands')
  for (const { pattern, replacement, occurrence, global } of substitutions) {
    if (/\\[A-Za-z+?|<>]/.test(pattern) || /\[[^\]]*\\|\{,/.test(pattern)) {
      decline('the pattern means something else on macOS')
    }
    if (/\\[^1-9&\\/]/.test(replacement)) decline('the replacement means something else on macOS')
    if (global && occurrence > 1) decline('macOS refuses a number beside g')
  }
}
