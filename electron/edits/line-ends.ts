import { TextLines } from '../../shared/diff/text-lines.js'
import { diffLines } from '../../shared/line-diff.js'

/** A line without its end, and the end: `\n`, `\r\n`, or nothing behind a last line. */
export interface SplitLine {
  readonly content: string
  readonly end: '\n' | '\r\n' | ''
}

export function splitLine(line: string): SplitLine {
  if (line.endsWith('\r\n')) return { content: line.slice(0, -2), end: '\r\n' }
  if (line.endsWith('\n')) return { content: line.slice(0, -1), end: '\n' }
  return { content: line, end: '' }
}

/** The text with `\n` for each `\r\n`. A lone `\r` stays. */
export function withNewlines(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text
}

/** The line end in use at a place: that of its own line, or else of the line before it, or else `\n`. */
export function lineEndAt(text: string, place: number): '\n' | '\r\n' {
  const next = text.indexOf('\n', place)
  const newline = next >= 0 ? next : text.lastIndexOf('\n', place)
  return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n'
}

/**
 * `text` with the line ends of `model`, which it replaces: a line that stays keeps its own, a changed one takes that of
 * the line in whose place it stands. `text` has `\n` only; `otherwise` is for a model without line ends.
 */
export function takeLineEnds(text: string, model: string, otherwise: '\n' | '\r\n'): string {
  const { count, crlf } = countLineEnds(model)
  if (crlf === 0) return count > 0 || otherwise === '\n' ? text : text.replaceAll('\n', '\r\n')
  if (crlf === count) return text.replaceAll('\n', '\r\n')

  const ends = new TextLines(model).list(0, count).map((line) => splitLine(line).end)
  const endOf = (line: number): string => ends[Math.min(Math.max(line, 0), count - 1)] ?? otherwise
  const lines = new TextLines(text)
  const result: string[] = []
  let modelLine = 0
  const put = (line: number, end: string): void => {
    const { content, end: own } = splitLine(lines.line(line))
    result.push(content, own === '' ? '' : end)
  }
  let next = 0
  for (const change of diffLines(withNewlines(model), text)) {
    for (; next < change.afterStart; next++) put(next, endOf(modelLine++))
    for (let index = 0; next < change.afterEnd; next++, index++)
      put(next, endOf(Math.min(change.beforeStart + index, Math.max(change.beforeEnd - 1, change.beforeStart - 1))))
    modelLine = change.beforeEnd
  }
  for (; next < lines.count; next++) put(next, endOf(modelLine++))
  return result.join('')
}

function countLineEnds(text: string): { readonly count: number; readonly crlf: number } {
  let count = 0
  let crlf = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    count++
    if (at > 0 && text[at - 1] === '\r') crlf++
  }
  return { count, crlf }
}
