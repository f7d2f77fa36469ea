import { ReviewError } from '../../shared/errors.js'

/** Whether a path (`/` between names) is meant. */
export type PathTest = (path: string) => boolean

/** One piece of the pattern for one name: a fixed character, any one, any number of them, or one of a set. */
type Token = string | typeof anyOne | typeof anyNumber | CharacterSet

interface CharacterSet {
  readonly isNegated: boolean
  /** Inclusive, by code unit. */
  readonly ranges: readonly (readonly [from: number, to: number])[]
}

const anyOne = Symbol('one character')
const anyNumber = Symbol('any characters')
const anyFolders = Symbol('any folders')
const maxAlternatives = 256

/**
 * A glob as a test. `*` and `?` stay within a name, `**` as a whole name spans folders, `[a-z]` and `[!a]` are sets, `\` makes the
 * next character plain; with `hasBraces`, `{a,b}` are alternatives. The whole path must fit.
 *
 * Takes time in proportion to pattern times path for any pattern: patterns come from models and from files of a workspace, and a
 * regular expression of many stars can take years.
 * Errors: INVALID_PARAMS for braces that mean more than 256 patterns.
 */
export function compileGlob(pattern: string, options: { readonly isCaseSensitive: boolean; readonly hasBraces: boolean }): PathTest {
  const folded = options.isCaseSensitive ? pattern : pattern.toLowerCase()
  const tests = (options.hasBraces ? expandBraces(folded) : [folded]).map(compileOne)
  const [only] = tests
  const test = tests.length === 1 && only ? only : (path: string): boolean => tests.some((each) => each(path))
  return options.isCaseSensitive ? test : (path) => test(path.toLowerCase())
}

/** The pattern without `\`, when it has no other special character: it means that one text. */
export function plainText(pattern: string): string | null {
  return /[*?[\]\\]/.test(pattern) ? null : pattern
}

function compileOne(pattern: string): PathTest {
  if (plainText(pattern) !== null) return (path) => path === pattern
  const parts = splitNames(pattern)
  const [first] = parts
  if (parts.length === 1 && first !== undefined && first !== anyFolders) return (path) => !path.includes('/') && first(path)
  return (path) => fitsFolders(parts, path.split('/'))
}

/** Names against parts, going back only to the last `**`: what stood before it has fitted and need not be tried again. */
function fitsFolders(parts: readonly (PathTest | typeof anyFolders)[], names: readonly string[]): boolean {
  let part = 0
  let name = 0
  let backPart = -1
  let backName = 0
  while (name < names.length) {
    const test = parts[part]
    if (test === anyFolders) {
      backPart = part++
      backName = name
      // At the end of a pattern it means what lies below, not the folder itself.
      if (part === parts.length) return true
    } else if (test?.(names[name] ?? '')) {
      part++
      name++
    } else if (backPart >= 0) {
      part = backPart + 1
      name = ++backName
    } else {
      return false
    }
  }
  return part === parts.length
}

function splitNames(pattern: string): readonly (PathTest | typeof anyFolders)[] {
  const parts: (PathTest | typeof anyFolders)[] = []
  for (const name of pattern.split('/')) {
    if (name !== '**') parts.push(compileName(name))
    else if (parts.at(-1) !== anyFolders) parts.push(anyFolders)
  }
  return parts
}

function compileName(pattern: string): PathTest {
  const suffix = pattern.slice(1)
  if (pattern.startsWith('*') && plainText(suffix) !== null) return (name) => name.endsWith(suffix)
  const prefix = pattern.slice(0, -1)
  if (pattern.endsWith('*') && plainText(prefix) !== null) return (name) => name.startsWith(prefix)
  if (plainText(pattern) !== null) return (name) => name === pattern
  const tokens = tokensOf(pattern)
  return (name) => fits(tokens, name)
}

/** Characters against tokens, going back only to the last star. */
function fits(tokens: readonly Token[], name: string): boolean {
  let token = 0
  let at = 0
  let backToken = -1
  let backAt = 0
  while (at < name.length) {
    const wanted = tokens[token]
    if (wanted === anyNumber) {
      backToken = token++
      backAt = at
    } else if (wanted !== undefined && fitsOne(wanted, name, at)) {
      token++
      at++
    } else if (backToken >= 0) {
      token = backToken + 1
      at = ++backAt
    } else {
      return false
    }
  }
  while (tokens[token] === anyNumber) token++
  return token === tokens.length
}

function fitsOne(token: Exclude<Token, typeof anyNumber>, name: string, at: number): boolean {
  if (typeof token === 'string') return name[at] === token
  if (token === anyOne) return true
  const code = name.charCodeAt(at)
  return token.ranges.some(([from, to]) => from <= code && code <= to) !== token.isNegated
}

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at)
    if (character === '*') {
      if (tokens.at(-1) !== anyNumber) tokens.push(anyNumber)
    } else if (character === '?') {
      tokens.push(anyOne)
    } else if (character === '\\' && at + 1 < pattern.length) {
      tokens.push(pattern.charAt(++at))
    } else if (character === '[') {
      const set = setAt(pattern, at)
      tokens.push(set?.set ?? '[')
      at = set?.end ?? at
    } else {
      tokens.push(character)
    }
  }
  return tokens
}

/** The set that begins at a `[`; `null` when nothing closes it, so that the bracket is a plain character. */
function setAt(pattern: string, start: number): { readonly set: CharacterSet; readonly end: number } | null {
  let at = start + 1
  const isNegated = pattern[at] === '!' || pattern[at] === '^'
  if (isNegated) at++
  const ranges: [number, number][] = []
  for (let isFirst = true; at < pattern.length; isFirst = false, at++) {
    if (pattern[at] === ']' && !isFirst) return { set: { isNegated, ranges }, end: at }
    if (pattern[at] === '\\') at++
    const from = pattern.charCodeAt(at)
    const hasEnd = pattern[at + 1] === '-' && at + 2 < pattern.length && pattern[at + 2] !== ']'
    if (hasEnd) at += 2
    ranges.push([from, pattern.charCodeAt(at)])
  }
  return null
}

/** All patterns that one with `{a,b}` stands for; nested ones too. A brace that nothing closes, or without a comma, is plain. */
function expandBraces(pattern: string): readonly string[] {
  let patterns = [pattern]
  for (let isDone = false; !isDone; ) {
    isDone = true
    patterns = patterns.flatMap((each) => {
      const group = innermostBraces(each)
      if (!group) return [each]
      isDone = false
      return group.choices.map((choice) => each.slice(0, group.start) + choice + each.slice(group.end + 1))
    })
    if (patterns.length > maxAlternatives) {
      throw new ReviewError('INVALID_PARAMS', `The braces stand for more than ${maxAlternatives} patterns. Search for fewer at once.`)
    }
  }
  return patterns
}

function innermostBraces(pattern: string): { readonly start: number; readonly end: number; readonly choices: readonly string[] } | null {
  let start = -1
  let hasComma = false
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') {
      start = at
      hasComma = false
    } else if (character === ',') hasComma = true
    else if (character === '}' && start >= 0) {
      if (hasComma) return { start, end: at, choices: pattern.slice(start + 1, at).split(',') }
      start = -1
    }
  }
  return null
}
