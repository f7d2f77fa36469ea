import { hunksOf } from '../../shared/changes.js'
import { TextLines } from '../../shared/diff/text-lines.js'
import { diffLines, diffTextLines } from '../../shared/line-diff.js'
import type { Piece } from './patch-pieces.js'

/** What became of a line on its way back from one text to an older one; lines count from 0. */
export type Passage =
  | { readonly kind: 'kept'; readonly line: number }
  /** It was changed or added. `before` is the line that stood in its place, where there was one. */
  | { readonly kind: 'changed'; readonly before: string | null }

/** A text as lines are compared: line ends alike, the last line ended, so that just what stands in a line counts. */
export function comparable(text: string): string {
  const plain = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text
  return plain === '' || plain.endsWith('\n') ? plain : `${plain}\n`
}

/** Follows a line of `after` back into `before`. Both as `comparable` gives them. */
export function passageOf(before: string, after: string, line: number): Passage {
  if (before === after) return { kind: 'kept', line }
  let shift = 0
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(before, after)) {
    if (line < afterStart) break
    if (line < afterEnd) {
      const at = beforeStart + line - afterStart
      return { kind: 'changed', before: at < beforeEnd ? (lineOf(before, at) ?? null) : null }
    }
    shift = beforeEnd - afterEnd
  }
  return { kind: 'kept', line: line + shift }
}

/** A line without its end; `null` where there is none of that number. */
export function lineOf(text: string, line: number): string | null {
  let start = 0
  for (let at = 0; at < line; at++) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return null
  }
  if (start >= text.length) return null
  const end = text.indexOf('\n', start)
  return text.slice(start, end < 0 ? undefined : end).replace(/\r$/, '')
}

/** The 1-based hunk, among those that a diff of two texts shows, that adds a line of the second; `null` where none does. */
export function hunkWith(before: string, after: string, line: number): number | null {
  const at = hunksOf(before, after).findIndex(({ lines, afterStart }) => {
    let number = afterStart
    return lines.some(({ kind }) => kind !== 'removed' && number++ === line && kind === 'added')
  })
  return at < 0 ? null : at + 1
}

/** Whether a change brought in a line of just these characters. */
export function bringsIn({ before, after }: Piece, text: string): boolean {
  const wanted = `${text}\n`
  const whole = comparable(after)
  if (!`\n${whole}`.includes(`\n${wanted}`)) return false
  const lines = new TextLines(whole)
  return diffTextLines(new TextLines(comparable(before)), lines).some(({ afterStart, afterEnd }) => lines.list(afterStart, afterEnd).includes(wanted))
}

export function takesAway({ before, after }: Piece, text: string): boolean {
  return bringsIn({ before: after, after: before }, text)
}

/** Whether a piece stands in a text just once, with the given line among those that it brought in. */
export function bringsInAt({ before, after }: Piece, text: string, line: number): boolean {
  const block = comparable(after)
  const whole = `\n${text}`
  const at = whole.indexOf(`\n${block}`)
  if (block === '' || at < 0 || whole.indexOf(`\n${block}`, at + 1) >= 0) return false
  const first = text.slice(0, at).split('\n').length - 1
  const inside = line - first
  return lineOf(block, inside) !== null && inside >= 0 && passageOf(comparable(before), block, inside).kind === 'changed'
}

/** Whether no other line of a text is the same. */
export function isOnlyOne(text: string, line: string): boolean {
  const whole = `\n${text}`
  const wanted = `\n${line}\n`
  const first = whole.indexOf(wanted)
  return first >= 0 && whole.indexOf(wanted, first + 1) < 0
}
