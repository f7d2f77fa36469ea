import { parsePatch as parseUnifiedDiff } from 'diff'
import type { StructuredPatch, StructuredPatchHunk } from 'diff'
import type { Hunk, HunkLine } from './changes.js'
import { TextLines } from './diff/text-lines.js'
import { WholeLines } from './diff/whole-lines.js'

/** One file of a patch. A path is `null` where the file is created or deleted, or where the patch names none. */
export interface ParsedFile {
  readonly oldPath: string | null
  readonly newPath: string | null
  readonly hunks: readonly Hunk[]
}

export type ParsedPatch =
  | { readonly kind: 'patch'; readonly files: readonly ParsedFile[] }
  | { readonly kind: 'malformed'; readonly reason: string }

/** The text with the patch applied, or a sentence that says why it was left alone. */
export type AppliedPatch =
  { readonly kind: 'applied'; readonly text: string } | { readonly kind: 'refused'; readonly reason: string }

/**
 * Reads a unified diff of any number of files, git's headers included. A hunk has as many lines as its header says,
 * whatever they look like.
 */
export function parsePatch(patch: string): ParsedPatch {
  const files = filesOf(patch)
  if (typeof files === 'string') return { kind: 'malformed', reason: files }
  return {
    kind: 'patch',
    files: files.map((file) => ({
      oldPath: pathOf(file.oldFileName, 'a/'),
      newPath: pathOf(file.newFileName, 'b/'),
      hunks: file.hunks.map(hunkOf),
    })),
  }
}

/**
 * Applies the unified diff of one file. A hunk whose lines are not where it says goes to the nearest place where they
 * all stand, each with its own line end; never where they only resemble it.
 */
export function applyPatch(text: string, patch: string): AppliedPatch {
  const files = filesOf(patch)
  if (typeof files === 'string') return { kind: 'refused', reason: files }
  const [file, ...more] = files
  if (file === undefined || file.hunks.length === 0) return { kind: 'refused', reason: 'The patch holds no hunk.' }
  if (more.length > 0) return { kind: 'refused', reason: 'The patch is for more than one file.' }

  const lines = new TextLines(text)
  const result = new WholeLines()
  let done = 0
  let drift = 0
  for (const [index, hunk] of file.hunks.entries()) {
    const stated = hunk.oldStart - 1
    const sides = sidesOf(hunk)
    const place = nearestPlace(lines, sides.old, hunk.oldLines, stated + drift, done)
    const isLast = index === file.hunks.length - 1
    const fits =
      place !== null &&
      result.append(lines.slice(done, place)) &&
      result.append(sides.now) &&
      (!isLast || result.append(lines.slice(place + hunk.oldLines, lines.count)))
    if (!fits)
      return {
        kind: 'refused',
        reason: `The hunk for line ${hunk.newStart} does not fit: its lines are not in the file. Read the file again.`,
      }
    drift = place - stated
    done = place + hunk.oldLines
  }
  return { kind: 'applied', text: result.text }
}

/** The place nearest to `expected`, and not before line `from`, where these lines stand. No lines stand anywhere. */
function nearestPlace(lines: TextLines, old: string, count: number, expected: number, from: number): number | null {
  const last = lines.count - count
  const fits = (place: number): boolean => place >= from && place <= last && lines.slice(place, place + count) === old
  if (fits(expected)) return expected
  if (count === 0) return null
  for (let distance = 1; expected - distance >= from || expected + distance <= last; distance++) {
    if (fits(expected - distance)) return expected - distance
    if (fits(expected + distance)) return expected + distance
  }
  return null
}

/** The files of a patch, or what is wrong with it. */
function filesOf(patch: string): readonly StructuredPatch[] | string {
  try {
    // Where there is nothing to read, the library answers with a file without name and hunks.
    return parseUnifiedDiff(patch).filter(
      (file) => file.hunks.length > 0 || file.oldFileName !== undefined || file.newFileName !== undefined,
    )
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

/** git puts a letter and a slash before the paths of the two sides. */
function pathOf(name: string | undefined, prefix: string): string | null {
  if (name === undefined || name === '/dev/null') return null
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

function hunkOf(hunk: StructuredPatchHunk): Hunk {
  const kindOf = (sign: string): HunkLine['kind'] => (sign === '-' ? 'removed' : sign === '+' ? 'added' : 'kept')
  return {
    beforeStart: hunk.oldStart - 1,
    beforeEnd: hunk.oldStart - 1 + hunk.oldLines,
    afterStart: hunk.newStart - 1,
    afterEnd: hunk.newStart - 1 + hunk.newLines,
    lines: hunk.lines.flatMap((line, index): HunkLine[] =>
      isMark(line)
        ? []
        : [{ kind: kindOf(line.charAt(0)), text: line.slice(1) + (isMark(hunk.lines[index + 1]) ? '' : '\n') }],
    ),
  }
}

/** What a hunk expects to find, and what it puts there. */
function sidesOf(hunk: StructuredPatchHunk): { readonly old: string; readonly now: string } {
  const old: string[] = []
  const now: string[] = []
  let oldEnd = '\n'
  let nowEnd = '\n'
  let sign = ''
  for (const line of hunk.lines) {
    if (isMark(line)) {
      if (sign !== '+') oldEnd = ''
      if (sign !== '-') nowEnd = ''
      continue
    }
    sign = line.charAt(0)
    const text = line.slice(1)
    if (sign !== '+') old.push(text)
    if (sign !== '-') now.push(text)
  }
  return { old: joined(old, oldEnd), now: joined(now, nowEnd) }
}

function joined(lines: readonly string[], end: string): string {
  return lines.length === 0 ? '' : lines.join('\n') + end
}

/** "\ No newline at end of file" says that the line before it has no end. */
function isMark(line: string | undefined): boolean {
  return line?.startsWith('\\') ?? false
}
