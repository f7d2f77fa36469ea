import { diffLines } from '../../shared/line-diff.js'
import { displayText, signsBeside, type DisplayText } from './display-text.js'

/** Stand for a carriage return that ends no line; the first one that the text itself does not hold is taken. */
const returnSigns = ['↵', '␍', '\ue00d']

/** A text as it is laid into a field to be typed in: only `\n` ends a line, and every other character is the file's own. */
export function typingText(text: string): DisplayText {
  const plain = text.replaceAll('\r\n', '\n').replaceAll('\r', returnSign(text))
  const { lines, hasFinalNewline } = displayText(text, false)
  const shown = hasFinalNewline ? plain.slice(0, -1) : plain
  return { text: shown, lines, hasFinalNewline, marks: signsBeside(shown) }
}

/**
 * The whole text after somebody typed into `typingText(original)`: lines that were left alone keep their own line end and
 * every character, new ones end as most of the old ones do. Whether the last line has an end stays as it was.
 */
export function restoreTyped(original: string, typed: string): string {
  const shown = typingText(original).text
  if (typed === shown) return original
  const originals = original.match(/[^\n]*\n|[^\n]+/g) ?? []
  const untouched = untouchedLines(originals, shown, typed)
  const sign = returnSign(original)
  const end = usualEnd(originals)
  const hasFinalNewline = original === '' || original.endsWith('\n')
  const written = typed.split('\n')
  return written
    .map((line, index) => {
      const own = untouched.get(index)
      const body = own === undefined ? line.replaceAll(sign, '\r') : own.replace(/\r?\n$/, '')
      if (index === written.length - 1 && !hasFinalNewline) return body
      return body + (own === undefined ? end : (/\r?\n$/.exec(own)?.[0] ?? end))
    })
    .join('')
}

/** For each line of the typed text that nobody touched, the original line. */
function untouchedLines(originals: readonly string[], shown: string, typed: string): ReadonlyMap<number, string> {
  const untouched = new Map<number, string>()
  let from = 0
  let to = 0
  const keepUntil = (end: number): void => {
    for (; from < end; from++, to++) {
      const line = originals[from]
      if (line !== undefined) untouched.set(to, line)
    }
  }
  for (const change of diffLines(`${shown}\n`, `${typed}\n`)) {
    keepUntil(change.beforeStart)
    from = change.beforeEnd
    to = change.afterEnd
  }
  keepUntil(originals.length)
  return untouched
}

function returnSign(text: string): string {
  return returnSigns.find((sign) => !text.includes(sign)) ?? '\ufffd'
}

function usualEnd(lines: readonly string[]): '\n' | '\r\n' {
  const crlf = lines.filter((line) => line.endsWith('\r\n')).length
  return crlf * 2 > lines.length ? '\r\n' : '\n'
}
