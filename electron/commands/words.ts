import type { SessionEnd } from '../../shared/session.js'
import { UsageError, type CommandLine } from './arguments.js'

/** The session that a command names as its first word. Errors: UsageError. */
export function session(line: CommandLine): string {
  const name = line.words[0]
  if (name === undefined || name === '') throw new UsageError('Name a session: its id or its log file. "overturn sessions" lists them.')
  return name
}

/** An option that must be there. Errors: UsageError. */
export function needed(line: CommandLine, option: string, meaning: string): string {
  const value = line.text(option)
  if (value === null) throw new UsageError(`--${option} is missing: ${meaning}.`)
  return value
}

/** JSON in which what a terminal would obey is written as escapes: the value stays the same. */
export function asJson(value: unknown): string {
  const escaped = (text: string): string => Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
  return `${JSON.stringify(value, null, 2).replace(obeyed, (text) => (text === '\n' ? text : escaped(text)))}\n`
}

/** Characters that a terminal obeys, or that turn the order of a line. */
const obeyed = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Text of several lines for a terminal: nothing in it can move the cursor, colour, or turn the order of a line. */
export function visible(text: string): string {
  return text.replace(obeyed, (character) => (character === '\t' || character === '\n' ? character : '·'))
}

/** Recorded text on one line of a terminal: nothing in it can move the cursor, colour, or end the line. */
export function plain(text: string, longest = 120): string {
  const first = text.split('\n', 1)[0] ?? ''
  const clean = first.replace(obeyed, '·')
  return clean.length > longest || first.length < text.length ? `${clean.slice(0, longest - 1)}…` : clean
}

export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `+3 −1`, or a blank where nothing could be counted. */
export function signed({ insertions, deletions }: { readonly insertions: number | null; readonly deletions: number | null }): string {
  if (insertions === null || deletions === null) return ''
  return `+${insertions} −${deletions}`
}

/** That a session is over: `Ended 2026-11-30 12:05`, `Archived`; `null` where nothing says so. */
export function endText(end: SessionEnd | null): string | null {
  return end && `${end.how === 'archived' ? 'Archived' : 'Ended'} ${timeOf(end.at)}`.trim()
}

export function timeOf(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
