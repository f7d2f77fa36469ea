import type { DiffStat } from '../../shared/changes.js'
import { isObject, listAt, numberAt, textAt, type JsonObject } from './json-values.js'

/** One hunk of a recorded patch. Lines begin with ` `, `-`, `+` or `\`; the recorder shows leading tabs as blanks in some versions. */
export interface PatchHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

/** The hunks of `structuredPatch`; `null` where they cannot be understood. */
export function readHunks(result: JsonObject): readonly PatchHunk[] | null {
  const hunks: PatchHunk[] = []
  for (const value of listAt(result, 'structuredPatch')) {
    const lines = isObject(value) ? value['lines'] : null
    const [oldStart = null, oldLines = null, newStart = null, newLines = null] = ['oldStart', 'oldLines', 'newStart', 'newLines'].map((key) => (isObject(value) ? numberAt(value, key) : null))
    const isWhole = oldStart !== null && oldLines !== null && newStart !== null && newLines !== null
    if (!isWhole || !Array.isArray(lines) || !lines.every((line) => typeof line === 'string')) return null
    hunks.push({ oldStart, oldLines, newStart, newLines, lines })
  }
  return hunks
}

/** Lines that the edit of a result brought in and took away. */
export function linesOf(result: JsonObject | null): DiffStat {
  const made = textAt(result, 'type') === 'create' ? (textAt(result, 'content') ?? '') : ''
  const lines = (result && readHunks(result)?.flatMap((hunk) => hunk.lines)) ?? []
  const insertions = lines.filter((line) => line.startsWith('+')).length + (made === '' ? 0 : made.replace(/\n$/, '').split('\n').length)
  return { insertions, deletions: lines.filter((line) => line.startsWith('-')).length }
}

/** A recorded patch as a unified diff, for display; `null` for none. */
export function unifiedDiff(hunks: readonly PatchHunk[] | null): string | null {
  if (!hunks || hunks.length === 0) return null
  return hunks.map((hunk) => [`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, ...hunk.lines].join('\n')).join('\n')
}

/** Whether a change that is said to have made one text of another is what the patch shows. */
export function showsChange(hunks: readonly PatchHunk[], before: string, after: string): boolean {
  return applied(hunks, before) === after || applied(hunks, asShown(before)) === asShown(after)
}

/**
 * Whether the patch can be of an edit that puts `newText` in the place of `oldText`, by its own lines: for an edit of whose file the
 * record holds no text.
 */
export function canBeOf(hunks: readonly PatchHunk[], oldText: string, newText: string, all: boolean): boolean {
  if (hunks.length === 0 || (hunks.length > 1 && !all)) return false
  return hunks.every((hunk) => {
    const [before, after] = [sideOf(hunk, '-'), sideOf(hunk, '+')]
    return [(text: string) => text, asShown].some((form) => putInPlace(before, form(oldText), form(newText), all) === after)
  })
}

function putInPlace(text: string, oldText: string, newText: string, all: boolean): string | null {
  if (oldText === '') return null
  const parts = text.split(oldText)
  if (parts.length < 2) return null
  return all ? parts.join(newText) : `${parts[0]}${newText}${parts.slice(1).join(oldText)}`
}

/** The lines of one side, each with its end: only at the end of a file may the last have none. */
function sideOf({ lines }: PatchHunk, sign: '-' | '+'): string {
  return lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).map((line) => `${line.slice(1)}\n`).join('')
}

/** A text after a patch; `null` where it does not fit. */
function applied(hunks: readonly PatchHunk[], text: string): string | null {
  const lines = text.split('\n')
  const out: string[] = []
  let at = 0
  for (const { oldStart, oldLines, lines: shown } of hunks) {
    const from = oldLines === 0 ? oldStart : oldStart - 1
    if (from < at || from > lines.length) return null
    out.push(...lines.slice(at, from))
    at = from
    for (const line of shown) {
      const [sign, rest] = [line[0], line.slice(1)]
      if (sign === '+') out.push(rest)
      else if (sign === ' ' || sign === '-') {
        if (lines[at] !== rest) return null
        if (sign === ' ') out.push(rest)
        at++
      }
    }
  }
  const whole = [...out, ...lines.slice(at)].join('\n')
  // Whether the last line has an end stands in notes of the patch alone.
  const notes = new Set((hunks.at(-1)?.lines ?? []).flatMap((line, index, all) => (line.startsWith('\\') ? [all[index - 1]?.[0]] : [])))
  if (notes.has('-') && !notes.has('+') && !whole.endsWith('\n')) return `${whole}\n`
  return notes.has('+') && !notes.has('-') && whole.endsWith('\n') ? whole.slice(0, -1) : whole
}

/** Leading tabs as the recorder shows them. */
function asShown(text: string): string {
  return text.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length))
}
