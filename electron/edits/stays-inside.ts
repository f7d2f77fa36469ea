import { endOfPart } from './sed-script.js'

/**
 * Whether a sed script, also one that cannot be simulated, stays with the lines it is given: no `w` file, no `e` command,
 * nothing that is not understood.
 */
export function staysInside(script: string): boolean {
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const length = pattern.exec(script)?.[0].length ?? 0
    at += length
    return length > 0
  }
  const delimited = (parts: number): boolean => {
    const delimiter = script[at++]
    if (delimiter === undefined || /[\\\n]/.test(delimiter)) return false
    for (let part = 0; part < parts; part++) {
      const end = endOfPart(script, at, delimiter)
      if (end < 0) return false
      at = end + 1
    }
    return true
  }
  const address = (): boolean => {
    if (skip(/\d+(~\d+)?|\$|[+~]\d+/y)) return true
    if (script[at] === '/') return delimited(1) && (skip(/[IM]+/y), true)
    return true
  }

  while (at < script.length) {
    if (skip(/[\s;{}]+/y)) continue
    if (!address()) return false
    if (skip(/\s*,\s*/y) && !address()) return false
    skip(/[\s!]+/y)
    const command = script[at++]
    if (command === undefined) return false
    if (command === 's' || command === 'y') {
      if (!delimited(2)) return false
      skip(/[gpIiMm\d]+/y)
    } else if ('aic'.includes(command)) {
      skip(/[^\n]*(\\\n[^\n]*)*/y)
    } else if (command === 'q' || command === 'Q' || command === 'l') {
      skip(/\s*\d+/y)
    } else if (!'pdDPnNhHgGx='.includes(command)) return false
    skip(/[ \t]+/y)
    if (at < script.length && !/[;}\n]/.test(script.charAt(at))) return false
  }
  return true
}
