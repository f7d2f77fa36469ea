import { findAll } from './find-all.js'
import { lineEndAt, takeLineEnds, withNewlines } from './line-ends.js'
import { linesOf, nearPlaces, placeAt, type Candidate } from './near-places.js'

/** The edited text and the 1-based line where the change begins, or why nothing was changed. */
export type AnchorEdit =
  | { readonly kind: 'edited'; readonly text: string; readonly line: number }
  | {
      readonly kind: 'refused'
      readonly code: 'ANCHOR_NOT_UNIQUE' | 'NO_CHANGE'
      /** How often the old text occurs; occurrences that overlap all count. */
      readonly count: number
      readonly message: string
      /** For a count of 0 the nearest places, for more the places themselves (the first 20). */
      readonly candidates: readonly Candidate[]
    }

const byteOrderMark = '\ufeff'
const mostPlaces = 20

/**
 * Replaces the one place where `oldText` stands in `text`.
 *
 * A `\n` in either matches any line end, and what is inserted takes the line ends of what it replaces. `$` is literal.
 * Old text that begins with a byte order mark stands at the start of the file.
 * Shape: `text` is the whole file, decoded, without byte order mark, with its own line ends.
 * Errors: ANCHOR_NOT_UNIQUE unless it stands there exactly once (old text may be empty only for an empty file);
 * NO_CHANGE when the file would stay as it is.
 */
export function replaceAnchor(text: string, oldText: string, newText: string): AnchorEdit {
  const isAtStart = oldText.startsWith(byteOrderMark)
  const anchor = isAtStart ? oldText.slice(1) : oldText
  const replacement = withNewlines(isAtStart && newText.startsWith(byteOrderMark) ? newText.slice(1) : newText)
  if (anchor === '') return fillEmpty(text, replacement)
  if (withNewlines(anchor) === replacement) {
    const what =
      anchor === replacement || anchor === newText
        ? 'The old and the new text are equal. Give a new text that differs.'
        : 'The old and the new text differ only in line ends, which this tool keeps. Use apply_patch to change line ends.'
    return { kind: 'refused', code: 'NO_CHANGE', count: 0, message: what, candidates: [] }
  }

  const found = isAtStart ? findAtStart(text, anchor) : find(text, anchor)
  const [place] = found.ranges
  if (found.count !== 1 || place === undefined) return notUnique(text, anchor, found, isAtStart)
  const { start, end } = place
  const old = text.slice(start, end)
  const inserted = takeLineEnds(replacement, old, lineEndAt(text, start))
  if (inserted === old)
    return { kind: 'refused', code: 'NO_CHANGE', count: 1, message: 'The file already holds the new text. Nothing is to be done.', candidates: [] }
  return { kind: 'edited', text: text.slice(0, start) + inserted + text.slice(end), line: lineAt(text, start) }
}

/** How often an anchor occurs, and from where to where it stands, the first times. */
interface Occurrences {
  readonly ranges: readonly { readonly start: number; readonly end: number }[]
  readonly count: number
}

/** An anchor that names carriage returns is sought as it is first; any other way each line end stands for every other. */
function find(text: string, anchor: string): Occurrences {
  const isLiteral = !text.includes('\r\n') || !/[\r\n]/.test(anchor)
  if (isLiteral || anchor.includes('\r')) {
    const { places, count } = findAll(text, anchor, mostPlaces)
    if (count > 0) return { ranges: places.map((start) => ({ start, end: start + anchor.length })), count }
  }
  const sought = withNewlines(anchor)
  const { places, count } = findAll(withNewlines(text), sought, mostPlaces)
  return { ranges: rangesBeforeFolding(text, places, sought.length), count }
}

function findAtStart(text: string, anchor: string): Occurrences {
  if (text.startsWith(anchor)) return { ranges: [{ start: 0, end: anchor.length }], count: 1 }
  const sought = withNewlines(anchor)
  if (!withNewlines(text).startsWith(sought)) return { ranges: [], count: 0 }
  return { ranges: rangesBeforeFolding(text, [0], sought.length), count: 1 }
}

/** Where places of `withNewlines(text)` of that length lie in the text itself. */
function rangesBeforeFolding(text: string, places: readonly number[], length: number): Occurrences['ranges'] {
  const starts = placesBeforeFolding(text, places)
  const ends = placesBeforeFolding(text, places.map((place) => place + length))
  return starts.map((start, index) => ({ start, end: ends[index] ?? start }))
}

/** Where places of `withNewlines(text)`, ascending, lie in the text itself. */
function placesBeforeFolding(text: string, places: readonly number[]): readonly number[] {
  let crlf = 0
  let at = text.indexOf('\r\n')
  return places.map((place) => {
    for (; at >= 0 && at - crlf < place; at = text.indexOf('\r\n', at + 2)) crlf++
    return place + crlf
  })
}

function fillEmpty(text: string, replacement: string): AnchorEdit {
  if (text === '' && replacement !== '') return { kind: 'edited', text: replacement, line: 1 }
  const message =
    text === ''
      ? 'The file is empty and so is the new text. Nothing is to be done.'
      : 'The old text is empty, which fits only an empty file. Give the exact text to replace, or use write_file to write the whole file.'
  return { kind: 'refused', code: text === '' ? 'NO_CHANGE' : 'ANCHOR_NOT_UNIQUE', count: 0, message, candidates: [] }
}

function notUnique(text: string, anchor: string, { ranges, count }: Occurrences, isAtStart: boolean): AnchorEdit {
  if (count === 0) {
    const candidates = nearPlaces(text, anchor)
    const where = isAtStart ? 'does not occur at the start of the file' : 'does not occur in the file'
    return { kind: 'refused', code: 'ANCHOR_NOT_UNIQUE', count, message: `The old text ${where}. ${advice(candidates)}`, candidates }
  }
  const candidates = ranges.map(({ start, end }) => {
    const stands = text.slice(start, end)
    const first = lineAt(text, start) - 1
    return placeAt(stands, first, first + stands.replace(/\n$/, '').split('\n').length - 1)
  })
  const lines = [...new Set(candidates.map(({ firstLine }) => firstLine))].join(', ')
  const more = count > candidates.length ? ` and ${count - candidates.length} more` : ''
  return {
    kind: 'refused',
    code: 'ANCHOR_NOT_UNIQUE',
    count,
    message: `The old text occurs ${count} times, from line ${lines}${more}. Add lines before or after it, so that it stands for one place only.`,
    candidates,
  }
}

/** What a model should do next after "does not occur". */
function advice(candidates: readonly Candidate[]): string {
  const [nearest, ...others] = candidates
  if (nearest === undefined) return 'No similar lines were found. Read the file again.'
  const also = others.length === 0 ? '' : ` (also ${others.map(linesOf).join(', ')})`
  return `It ${nearest.words}, ${linesOf(nearest)}${also}; the file reads there:\n${nearest.text}\nSend the old text as it stands in the file.`
}

function lineAt(text: string, place: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line++
  return line
}
