import type { RewindFileTexts } from '../../shared/rewind.js'
import type { ConflictChoice } from './rewind-slice.js'

/** The text that a rewind would write, as far as it is decided. */
export interface ComposedText {
  readonly text: string
  /** For each conflict the lines it takes in `text`: 1-based, and how many; an open one takes one empty line. */
  readonly places: readonly { readonly line: number; readonly lines: number; readonly isOpen: boolean }[]
}

/**
 * Puts the chosen side of each conflict where the merge left it out, and an empty line where nothing is chosen.
 *
 * Returns `null` where the file has no text to work on.
 */
export function composeResult(texts: RewindFileTexts, chosen: readonly ConflictChoice[]): ComposedText | null {
  if (texts.result?.kind !== 'text') return null
  const lines = splitLines(texts.result.text)
  // The blocks come with plain line ends where the file has one kind only.
  const end = lines.length > 0 && lines.every((part) => part.endsWith('\r\n') || !part.endsWith('\n')) && lines[0]?.endsWith('\r\n') ? '\r\n' : '\n'
  const styled = (block: string): string => (end === '\n' ? block : block.replace(/\r?\n/g, end))
  const parts: string[] = []
  const places: ComposedText['places'][number][] = []
  let taken = 0
  let line = 1
  texts.conflicts.forEach((conflict, index) => {
    const until = Math.max(taken, Math.min(conflict.resultLine - 1, lines.length))
    parts.push(...lines.slice(taken, until))
    line += until - taken
    taken = until
    const choice = chosen[index] ?? null
    const own = choice === null ? [end] : splitLines(styled(choice === 'mine' ? conflict.diskText : conflict.targetText))
    parts.push(...own)
    places.push({ line, lines: own.length, isOpen: choice === null })
    line += own.length
  })
  parts.push(...lines.slice(taken))
  return { text: joinLines(parts), places }
}

/** Lines with their line ends; an empty text has none. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? []
}

/** A line without an end that does not stand last would swallow the one after it. */
function joinLines(parts: readonly string[]): string {
  return parts.map((part, index) => (index < parts.length - 1 && !part.endsWith('\n') ? `${part}\n` : part)).join('')
}
