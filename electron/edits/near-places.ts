import { findAll } from './find-all.js'
import { plain, plainBlanks, plainHyphens, plainQuotes } from './look-alikes.js'
import { similarPlaces } from './similar-places.js'

/** A way in which a text differs that is easily overlooked. */
export type Difference =
  | 'indentation'
  | 'blanks inside lines'
  | 'blanks at line ends'
  | 'line ends'
  | 'quotes'
  | 'look-alike hyphens'
  | 'look-alike blanks'
  | 'Unicode composition'
  | 'letter case'

/** A place in a file: 1-based lines, both included, and what stands there, cut when long. */
export interface Candidate {
  readonly firstLine: number
  readonly lastLine: number
  readonly text: string
  /** In what it differs from the text sought; empty where the lines are merely similar, or equal. */
  readonly differs: readonly Difference[]
  /** The same as words that can follow "It" in a sentence. */
  readonly words: string
}

const most = 3
const longestShown = 1500
const mostShownLines = 20
/** What is longer than this is placed, but not compared difference by difference. */
const longestCompared = 200_000

const foldings: readonly (readonly [Difference, (text: string) => string])[] = [
  ['Unicode composition', (text) => text.normalize('NFC')],
  ['look-alike hyphens', plainHyphens],
  ['look-alike blanks', plainBlanks],
  ['quotes', plainQuotes],
  ['line ends', (text) => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')],
  ['indentation', (text) => eachLine(text, (line) => line.slice(blanksAt(line)))],
  ['blanks at line ends', (text) => eachLine(text, withoutTail)],
  ['blanks inside lines', (text) => text.replace(/([^ \t\n])[ \t]+/g, '$1 ')],
  ['letter case', (text) => text.toLowerCase()],
]

/**
 * The places of a text where something like `wanted` stands, the nearest first, at most three: where it stands but for
 * indentation, quotes and the like, or, where there is none, the most similar lines.
 *
 * Promise: time grows with the two lengths, and neither text needs to be sensible.
 */
export function nearPlaces(text: string, wanted: string): readonly Candidate[] {
  // Such files have one line for everybody else; what is said about them counts theirs.
  const hasOwnLines = text.includes('\r') && !text.includes('\n')
  const lined = hasOwnLines ? text.replaceAll('\r', '\n') : text
  const sought = loosest(wanted)
  if (sought.trim() === '') return []
  const folded = loosest(lined)
  const foldedPlaces = findAll(folded, sought, most).places
  const lines = lineStarts(lined)
  if (foldedPlaces.length > 0) {
    return foldedPlaces.map((place) => {
      const first = countNewlines(folded, 0, place)
      const last = first + countNewlines(sought, 0, sought.length - 1)
      const stands = lined.slice(lines[first], lines[last + 1] ?? lined.length)
      const differs = stands.length + wanted.length > longestCompared ? [] : differencesOf(stands, wanted)
      return candidate(stands, first, last, hasOwnLines ? [...differs, 'line ends'] : differs, wordsFor(differs, stands, wanted, hasOwnLines))
    })
  }
  return similarPlaces(lined, lines, wanted, most).map(({ first, last }) =>
    candidate(lined.slice(lines[first], lines[last + 1] ?? lined.length), first, last, [], 'is similar'),
  )
}

/** A place whose text needs no explanation. */
export function placeAt(text: string, first: number, last: number): Candidate {
  return candidate(text, first, last, [], 'matches')
}

/** "line 3" or "lines 3-5". */
export function linesOf({ firstLine, lastLine }: Candidate): string {
  return firstLine === lastLine ? `line ${firstLine}` : `lines ${firstLine}–${lastLine}`
}

function candidate(stands: string, first: number, last: number, differs: readonly Difference[], words: string): Candidate {
  return { firstLine: first + 1, lastLine: last + 1, text: shown(stands), differs, words }
}

function shown(text: string): string {
  const lines = text.slice(0, longestShown).split('\n')
  const cut = lines.slice(0, mostShownLines).join('\n').replaceAll('\r\n', '\n')
  const whole = text.length <= longestShown && lines.length <= mostShownLines
  return whole ? cut.replace(/\r?\n$/, '') : `${cut}…`
}

/** Those foldings without which the wanted text would not be found here. */
function differencesOf(stands: string, wanted: string): readonly Difference[] {
  const fold = (text: string, without: Difference | null): string =>
    foldings.reduce((folded, [name, change]) => (name === without ? folded : change(folded)), text)
  return foldings.flatMap(([name]) => {
    // Line ends are matched anyway.
    if (name === 'line ends') return []
    return fold(stands, name).includes(fold(wanted, name)) ? [] : [name]
  })
}

function wordsFor(differs: readonly Difference[], stands: string, wanted: string, hasOwnLines: boolean): string {
  const parts = differs.map((difference) => {
    switch (difference) {
      case 'indentation':
        return indentationWords(stands, wanted)
      case 'blanks inside lines':
        return 'blanks inside lines are ignored'
      case 'blanks at line ends':
        return 'blanks at line ends are ignored'
      case 'line ends':
        return 'line ends are ignored'
      case 'quotes':
        return 'typographic and straight quotes are taken as equal'
      case 'look-alike hyphens':
        return 'look-alike hyphens are taken as equal'
      case 'look-alike blanks':
        return 'look-alike blanks (such as a no-break space) are taken as equal'
      case 'Unicode composition':
        return 'composed and decomposed letters (Unicode NFC and NFD) are taken as equal'
      case 'letter case':
        return 'upper and lower case are taken as equal'
    }
  })
  if (hasOwnLines) parts.push('line ends are read as single carriage returns (CR)')
  return parts.length === 0 ? 'nearly matches' : `matches if ${parts.join(' and ')}`
}

function indentationWords(stands: string, wanted: string): string {
  const has = (text: string, blank: string): boolean => text.split('\n').some((line) => line.slice(0, blanksAt(line)).includes(blank))
  if (has(stands, '\t') && !has(stands, ' ') && has(wanted, ' ')) return 'indentation is read as tabs'
  if (has(stands, ' ') && !has(stands, '\t') && has(wanted, '\t')) return 'indentation is read as blanks'
  return 'indentation is ignored'
}

/** All foldings at once, in time that grows with the length alone; keeps the number of lines. */
function loosest(text: string): string {
  return plain(text)
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', ' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | ?\n ?| $/g, (end) => (end.includes('\n') ? '\n' : ''))
    .toLowerCase()
}

function eachLine(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n')
}

function blanksAt(line: string): number {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at++
  return at
}

function withoutTail(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}

/** Where each line starts. */
function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}
