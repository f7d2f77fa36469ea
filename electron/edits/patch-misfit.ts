import type { TextLines } from '../../shared/diff/text-lines.js'
import { splitLine } from './line-ends.js'
import { plain, quote } from './look-alikes.js'
import { linesOf, nearPlaces, placeAt, type Candidate } from './near-places.js'
import type { PatchHunk, PatchRefusal } from './patch-file.js'
import type { Placing } from './patch-place.js'

type Misfit = Exclude<Placing, { readonly kind: 'placed' }>

const mostNamed = 4
const mostListed = 20

/** Says why the hunks of a file have no place in it, and where to look. */
export function explainMisfit(path: string, lines: TextLines, misfit: Misfit): PatchRefusal {
  const name = `Hunk ${misfit.number} of ${path}`
  const refuse = (message: string, line: number | null, candidates: readonly Candidate[]): PatchRefusal => ({
    kind: 'refused',
    message,
    hunk: misfit.number,
    line,
    candidates,
  })
  switch (misfit.kind) {
    case 'no-place':
      return explainNoPlace(name, lines, misfit.hunk, refuse)
    case 'no-anchor': {
      const candidates = nearPlaces(lines.text, misfit.anchor)
      const [near] = candidates
      const hint = near === undefined ? 'Read the file again.' : `Nearest is ${linesOf(near)}: ${quote(near.text)}.`
      return refuse(`${name} has no place: no line reads ${quote(misfit.anchor)}, which should stand above it. ${hint}`, null, candidates)
    }
    case 'many-places': {
      if (misfit.places.length === 0)
        return refuse(`${name} has no place: the file repeats its lines too often to be searched. Give the right line number.`, null, [])
      const count = misfit.hunk.oldCount
      const listed = misfit.places.slice(0, mostListed)
      const candidates = listed.map((place) => placeAt(lines.slice(place, place + count), place, place + count - 1))
      const more = misfit.places.length > listed.length ? ` and ${misfit.places.length - listed.length} more` : ''
      const number = `${misfit.isCut ? 'more than ' : ''}${misfit.places.length}`
      return refuse(
        `${name} is ambiguous: ${number} places match, at lines ${listed.map((place) => place + 1).join(', ')}${more}. ` +
          'Add kept lines around the change, or the right line number.',
        null,
        candidates,
      )
    }
    case 'unplaceable':
      return refuse(
        `${name} only adds lines, and nothing shows where: its line number does not fit this file. Add the kept lines around them.`,
        null,
        [],
      )
    case 'overlap':
      return refuse(`${name} overlaps hunk ${misfit.other}. Make them one hunk.`, null, [])
    default:
      return misfit satisfies never
  }
}

function explainNoPlace(
  name: string,
  lines: TextLines,
  hunk: PatchHunk,
  refuse: (message: string, line: number | null, candidates: readonly Candidate[]) => PatchRefusal,
): PatchRefusal {
  const old = oldLines(hunk)
  const candidates = nearPlaces(lines.text, old.join(''))
  const [near] = candidates
  if (near !== undefined && near.differs.length > 0) {
    const difference = firstDifference(lines, near.firstLine - 1, old)
    return refuse(
      `${name} does not fit. It ${near.words}, ${linesOf(near)}; the file reads there:\n${near.text}\n` +
        'Send the patch with the lines as they stand in the file.',
      difference?.line ?? near.firstLine,
      candidates,
    )
  }
  const from = near === undefined ? (hunk.start ?? 0) : near.firstLine - 1
  const difference = firstDifference(lines, Math.min(from, lines.count), old)
  const where = near === undefined ? 'where it should stand' : `at the most similar place, ${linesOf(near)}`
  const wanted = hunk.isAtEnd ? 'at the end of the file' : 'below the line that it names with @@'
  const detail =
    difference === null ? `Its lines stand ${where}, but not ${wanted}.` : `${capital(where)}, ${difference.words}.`
  return refuse(`${name} does not fit. ${detail}${missing(lines, old)} Read the file again.`, difference?.line ?? null, candidates)
}

function oldLines(hunk: PatchHunk): readonly string[] {
  return hunk.lines.filter((line) => line.kind !== 'added').map((line) => line.text)
}

/** The first line from a place on that is not what the hunk says; null where all are. */
function firstDifference(lines: TextLines, place: number, old: readonly string[]): { readonly line: number; readonly words: string } | null {
  for (const [index, text] of old.entries()) {
    const line = place + index
    const expected = splitLine(text)
    if (line >= lines.count)
      return { line: line + 1, words: `the hunk expects ${quote(expected.content)} in line ${line + 1}, but the file ends before it` }
    const found = splitLine(lines.line(line))
    if (found.content !== expected.content)
      return { line: line + 1, words: `line ${line + 1} reads ${quote(found.content)} where the hunk expects ${quote(expected.content)}` }
    if (found.end === '' && expected.end !== '')
      return { line: line + 1, words: `line ${line + 1} is the last and has no line end; mark it with "\\ No newline at end of file"` }
    if (expected.end === '' && found.end !== '')
      return { line: line + 1, words: `line ${line + 1} has a line end, though the hunk says "\\ No newline at end of file"` }
  }
  for (const [index, text] of old.entries()) {
    const [found, expected] = [splitLine(lines.line(place + index)).end, splitLine(text).end]
    if (found !== expected)
      return {
        line: place + index + 1,
        words: `line ${place + index + 1} ends with ${nameOf(found)} and the hunk, which changes line ends, expects ${nameOf(expected)}`,
      }
  }
  return null
}

function nameOf(end: string): string {
  return end === '\r\n' ? 'CRLF' : 'LF'
}

/** Lines of the hunk that the file does not have at all. */
function missing(lines: TextLines, old: readonly string[]): string {
  const known = new Set(lines.list(0, lines.count).map((line) => plain(splitLine(line).content)))
  const absent = [...new Set(old.map((line) => splitLine(line).content))].filter((content) => !known.has(plain(content)))
  if (absent.length === 0) return ''
  const named = absent.slice(0, mostNamed).map((content) => quote(content, 80))
  const more = absent.length > named.length ? ` and ${absent.length - named.length} more` : ''
  return ` Nowhere in the file: ${named.join(', ')}${more}.`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
