import { parsePatch as parseUnifiedDiff } from 'diff'
import { applyHunks } from './changes.js'
import type { Hunk, HunkLine } from './changes.js'
import { TextLines } from './diff/text-lines.js'

/** One file of a patch. A path is `null` where the file is created or deleted, and where the patch names none. */
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
  | { readonly kind: 'applied'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Reads a unified diff of any number of files, git's headers included. A hunk has the lines its header counts. */
export function parsePatch(patch: string): ParsedPatch {
  try {
    const files = parseUnifiedDiff(patch).map((file) => ({
      oldPath: pathOf(file.oldFileName, 'a/'),
      newPath: pathOf(file.newFileName, 'b/'),
      hunks: file.hunks.map((hunk) => ({
        beforeStart: hunk.oldStart - 1,
        beforeEnd: hunk.oldStart - 1 + hunk.oldLines,
        afterStart: hunk.newStart - 1,
        afterEnd: hunk.newStart - 1 + hunk.newLines,
        lines: hunkLines(hunk.lines),
      })),
    }))
    return { kind: 'patch', files: files.filter((file) => file.hunks.length > 0 || file.oldPath !== null || file.newPath !== null) }
  } catch (cause) {
    return { kind: 'malformed', reason: cause instanceof Error ? cause.message : String(cause) }
  }
}

/**
 * Applies the unified diff of one file. A hunk whose lines are not where it says goes to the nearest place where they
 * all stand, each with its own line end; never where they only resemble it.
 */
export function applyPatch(text: string, patch: string): AppliedPatch {
  const parsed = parsePatch(patch)
  if (parsed.kind === 'malformed') return { kind: 'refused', reason: parsed.reason }
  const [file, ...more] = parsed.files
  if (file === undefined || file.hunks.length === 0) return { kind: 'refused', reason: 'The patch holds no hunk.' }
  if (more.length > 0) return { kind: 'refused', reason: 'The patch is for more than one file.' }

  const asStated = applyHunks(text, file.hunks)
  if (asStated.kind === 'applied') return asStated
  const lines = new TextLines(text)
  const placed: Hunk[] = []
  let done = 0
  let drift = 0
  for (const hunk of file.hunks) {
    const place = nearestPlace(lines, hunk, hunk.beforeStart + drift, done)
    if (place === null) return misfit(hunk)
    drift = place - hunk.beforeStart
    done = place + hunk.beforeEnd - hunk.beforeStart
    placed.push({ ...hunk, beforeStart: place, beforeEnd: done })
  }
  const applied = applyHunks(text, placed)
  return applied.kind === 'applied' ? applied : misfit(applied.hunk)
}

function misfit(hunk: Hunk): AppliedPatch {
  return { kind: 'refused', reason: `The hunk for line ${hunk.afterStart + 1} does not fit: its lines are not in the file. Read the file again.` }
}

/** The place nearest to `expected`, and not before line `from`, where all kept and removed lines of the hunk stand. */
function nearestPlace(lines: TextLines, hunk: Hunk, expected: number, from: number): number | null {
  const old = hunk.lines.filter((line) => line.kind !== 'added')
  const last = lines.count - old.length
  const fits = (place: number): boolean =>
    place >= from && place <= last && old.every((line, index) => lines.line(place + index) === line.text)
  if (fits(expected)) return expected
  if (old.length === 0) return null
  for (let distance = 1; expected - distance >= from || expected + distance <= last; distance++) {
    if (fits(expected - distance)) return expected - distance
    if (fits(expected + distance)) return expected + distance
  }
  return null
}

/** git puts a letter and a slash before the paths of the two sides. */
function pathOf(name: string | undefined, prefix: string): string | null {
  if (name === undefined || name === '/dev/null') return null
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}

const kinds: Readonly<Record<string, HunkLine['kind']>> = { '-': 'removed', '+': 'added' }

/** A line of a hunk ends with a line feed unless the next one says that it does not. */
function hunkLines(lines: readonly string[]): HunkLine[] {
  return lines.flatMap((line, index): HunkLine[] => {
    if (line.startsWith('\\')) return []
    const end = lines[index + 1]?.startsWith('\\') ? '' : '\n'
    return [{ kind: kinds[line.charAt(0)] ?? 'kept', text: line.slice(1) + end }]
  })
}
