import { decline } from './decline.js'

/** One `s` command as it is written; `pattern` and `replacement` are the raw text between the delimiters. */
export interface Substitution {
  readonly delimiter: string
  readonly pattern: string
  readonly replacement: string
  /** The first match of a line that is replaced, from 1. */
  readonly occurrence: number
  /** That match and all later ones. */
  readonly global: boolean
}

/** The `s` commands of a script, separated by `;`. Declines every other command, address and flag. */
export function readScript(script: string): readonly Substitution[] {
  const found: Substitution[] = []
  let rest = script
  while (true) {
    rest = rest.replace(/^[ \t;]+/, '')
    if (rest === '') break
    const { substitution, length } = readSubstitution(rest)
    found.push(substitution)
    rest = rest.slice(length)
  }
  return found.length > 0 ? found : decline('the script is empty')
}

function readSubstitution(script: string): { readonly substitution: Substitution; readonly length: number } {
  if (script[0] !== 's') decline('the script has an address or a command other than s')
  const delimiter = script.charAt(1)
  if (!/[!-/:-@[\]-`{-~]/.test(delimiter) || delimiter === '&') decline('the delimiter of s is unusual')
  const patternEnd = findDelimiter(script, 2, delimiter)
  const replacementEnd = findDelimiter(script, patternEnd + 1, delimiter)
  const flags = /^([1-9]\d{0,8})?(g)?([1-9]\d{0,8})?[ \t]*(?=;|$)/.exec(script.slice(replacementEnd + 1))
  if (flags === null || (flags[1] !== undefined && flags[3] !== undefined)) {
    return decline('s has a flag other than g and one number')
  }
  return {
    substitution: {
      delimiter,
      pattern: script.slice(2, patternEnd),
      replacement: script.slice(patternEnd + 1, replacementEnd),
      occurrence: Number(flags[1] ?? flags[3] ?? 1),
      global: flags[2] !== undefined,
    },
    length: replacementEnd + 1 + flags[0].length,
  }
}

function findDelimiter(script: string, start: number, delimiter: string): number {
  const end = endOfPart(script, start, delimiter)
  return end < 0 ? decline('s is not finished') : end
}

/**
 * Index of the delimiter that ends the part of a script which begins at `start`; -1 where there is none. A delimiter ends it
 * even inside a bracket expression; only a backslash protects it.
 */
export function endOfPart(script: string, start: number, delimiter: string): number {
  for (let at = start; at < script.length; at++) {
    if (script[at] === '\\') at++
    else if (script[at] === delimiter) return at
  }
  return -1
}
