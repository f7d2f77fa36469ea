import { PatchFault } from './patch-file.js'

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }
const timestamp = /\s+\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?( [-+]\d{4})?\s*$/
/** What GNU diff gives a file that is not there. */
const epoch = /^(1970-01-01 (0\d|1[0-4]):\d\d|1969-12-31 (1\d|2[0-3]):\d\d):00(\.0+)?( [-+]\d{4})?\s*$/
/** What git puts before the two names, by its settings. */
const prefixes = new Set(['a', 'b', 'c', 'i', 'o', 'w', 'h'])
const copySuffix = /(\.orig|\.old|\.bak|\.new|~)$/

export const nowhere = '/dev/null'

/** A name, and whether its time says that there is no such file. */
export interface NamedSide {
  readonly name: string
  readonly isEpoch: boolean
}

/** The name in a `--- ` or `+++ ` line, without what follows it. */
export function sideName(rest: string, line: number): NamedSide {
  if (rest.startsWith('"')) {
    const { name, end } = readQuoted(rest, line)
    return { name, isEpoch: epoch.test(rest.slice(end).trim()) }
  }
  const tab = rest.indexOf('\t')
  if (tab >= 0) return { name: rest.slice(0, tab), isEpoch: epoch.test(rest.slice(tab + 1)) }
  // A time is short; and a pattern that is sought along a hostile line takes its length squared.
  const tail = Math.max(0, rest.length - 60)
  const time = timestamp.exec(rest.slice(tail))
  return { name: rest.slice(0, time === null ? rest.length : tail + time.index).trimEnd(), isEpoch: epoch.test(time?.[0].trim() ?? '') }
}

/** A name that takes a whole line, as behind `rename from `. */
export function wholeName(rest: string, line: number): string {
  return rest.startsWith('"') ? readQuoted(rest, line).name : rest
}

/** The two names behind `diff --git `, or null where only other lines can tell where the first one ends. */
export function gitNames(rest: string, line: number): readonly [string, string] | null {
  if (rest.startsWith('"')) {
    const { name, end } = readQuoted(rest, line)
    return [name, wholeName(rest.slice(end + 1), line)]
  }
  const quote = rest.endsWith('"') ? rest.indexOf(' "') : -1
  if (quote > 0) return [rest.slice(0, quote), readQuoted(rest.slice(quote + 1), line).name]
  const middle = (rest.length - 1) / 2
  if (rest[middle] !== ' ') return null
  const names = [rest.slice(0, middle), rest.slice(middle + 1)] as const
  const [before, after] = stripPrefixes(...names)
  return before === after ? names : null
}

/** Both names without git's prefixes, where both have one, and not the same; `/dev/null` goes with any. */
export function stripPrefixes(before: string, after: string): readonly [string, string] {
  const [oldRest, newRest] = [withoutPrefix(before), withoutPrefix(after)]
  if (before === nowhere) return [before, newRest !== null && after.startsWith('b/') ? newRest : after]
  if (after === nowhere) return [oldRest !== null && before.startsWith('a/') ? oldRest : before, after]
  const areBoth = oldRest !== null && newRest !== null && before.charAt(0) !== after.charAt(0)
  return areBoth ? [oldRest, newRest] : [before, after]
}

/** What follows one of the letters, and a slash, that git puts before a name; null where there is none. */
export function withoutPrefix(name: string): string | null {
  return name.length > 2 && name[1] === '/' && prefixes.has(name.charAt(0)) ? name.slice(2) : null
}

/** The one file that two names of a plain diff stand for, or null where that is open. */
export function oneName(before: string, after: string): string | null {
  const [first, second] = stripPrefixes(before, after)
  if (first === second) return first
  if (first.replace(copySuffix, '') === second) return second
  if (second.replace(copySuffix, '') === first) return first
  const inTree = (name: string): string => name.slice(name.indexOf('/') + 1)
  const isRelative = (name: string): boolean => name.indexOf('/') > 0
  return isRelative(first) && isRelative(second) && inTree(first) === inTree(second) ? inTree(first) : null
}

/** A name in quotes with C escapes, each octal one a byte of UTF-8, and where it ends in `text`. */
function readQuoted(text: string, line: number): { readonly name: string; readonly end: number } {
  const bytes: number[] = []
  const encoder = new TextEncoder()
  let at = 1
  while (text[at] !== '"') {
    const unit = text.codePointAt(at)
    if (unit === undefined) throw new PatchFault('A quoted file name has no closing quote', line)
    if (unit !== 92) {
      bytes.push(...encoder.encode(String.fromCodePoint(unit)))
      at += unit > 0xffff ? 2 : 1
      continue
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0]
    const escaped = octal === undefined ? escapes[text.charAt(at + 1)] : Number.parseInt(octal, 8)
    if (escaped === undefined) throw new PatchFault('A quoted file name holds an escape that does not exist', line)
    bytes.push(escaped)
    at += octal === undefined ? 2 : 4
  }
  try {
    return { name: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes)), end: at + 1 }
  } catch (cause) {
    throw new PatchFault('A quoted file name is not UTF-8', line, { cause })
  }
}
