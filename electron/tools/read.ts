import { closeSync, constants, openSync, readSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { LineEnds } from '../../shared/file-state.js'
import { diskError } from '../base/disk-errors.js'
import { readOnlyFile } from '../base/file-bytes.js'
import { lookAt } from '../workspace/look-at.js'
import { decodeText, hardLimitBytes, type DecodedText } from '../workspace/text-decoding.js'
import { modeOf, readBytes, sha256Of } from '../workspace/text-files.js'
import { guessType } from './binary-types.js'

/** Lines of a file, from 1. */
export interface LineRange {
  readonly fromLine: number
  readonly lineCount: number
}

/** What a path is, for an agent. */
export type AgentRead =
  | AgentText
  | {
      readonly kind: 'binary'
      readonly sizeBytes: number
      readonly sha256: string
      readonly mode: number | null
      /** What the first bytes look like, `PNG image` or the like; `null` when they look like nothing known. */
      readonly typeGuess: string | null
    }
  /** Above 64 MiB; not read. */
  | { readonly kind: 'oversized'; readonly sizeBytes: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }

export interface AgentText {
  readonly kind: 'text'
  /** The lines that are given, without BOM, line ends as they are. */
  readonly text: string
  /** `utf-8`, `utf-16le`, `utf-16be`, or a name such as `windows-1252`. */
  readonly encoding: string
  readonly hasBom: boolean
  readonly lineEnds: LineEnds
  readonly hasFinalNewline: boolean | null
  /** Of all bytes of the file, whatever lines are given. */
  readonly sha256: string
  readonly sizeBytes: number
  readonly mode: number | null
  readonly totalLines: number
  /** The lines that are given, from 1; both 0 for an empty file. */
  readonly fromLine: number
  readonly toLine: number
  /** Whether there is more than was given, or than was asked for. */
  readonly isCut: boolean
  /** One sentence that says what is missing and how to read it. */
  readonly cutWhy: string | null
}

export const maxReadLines = 2000
/** In UTF-16 code units. */
export const maxReadCharacters = 256 * 1024

/**
 * Reads a file for an agent: at most 2,000 lines and 262,144 characters, unless `range` asks for others. Never waits for a pipe or
 * device, never follows a link in the last name. `name` is how messages call the file.
 *
 * Errors: FILE_NOT_FOUND, FILE_UNREADABLE (a device, pipe or socket), PERMISSION_DENIED, INVALID_PARAMS (a range that the file does
 * not have), CANCELLED.
 */
export async function readFileForAgent(
  place: { readonly absolute: string },
  name: string,
  range: LineRange | null = null,
  signal?: AbortSignal,
): Promise<AgentRead> {
  throwIfAborted(signal)
  checkRange(range)
  const { absolute } = place
  try {
    const stats = lookAt(absolute)
    if (!stats) throw new ReviewError('FILE_NOT_FOUND', `There is no file ${name}. List its folder to see what is there.`)
    if (stats.isDirectory()) return { kind: 'folder' }
    if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(absolute) }
    if (!stats.isFile()) throw new ReviewError('FILE_UNREADABLE', `${name} is a device, pipe or socket and no file. Read a regular file instead.`)
    if (stats.size > hardLimitBytes) return { kind: 'oversized', sizeBytes: stats.size }
    const read = await readBytes({ absolute, folder: '', stats }, name, hardLimitBytes, signal)
    throwIfAborted(signal)
    const bytes = read.stats.size === 0 ? readUnsized(absolute) : read.bytes
    return contentOf(bytes, modeOf(read.stats), name, range)
  } catch (thrown) {
    throw diskError(thrown, name)
  }
}

function contentOf(bytes: Uint8Array, mode: number | null, name: string, range: LineRange | null): AgentRead {
  const facts = { sizeBytes: bytes.length, sha256: sha256Of(bytes), mode }
  const decoded = decodeText(bytes)
  if (decoded.kind === 'binary') return { kind: 'binary', ...facts, typeGuess: guessType(bytes) }
  const { encoding, hasBom, lineEnds, hasFinalNewline } = decoded
  return { kind: 'text', encoding, hasBom, lineEnds, hasFinalNewline, ...facts, ...linesOf(decoded, name, range) }
}

function linesOf({ text }: DecodedText, name: string, range: LineRange | null): Pick<AgentText, 'text' | 'totalLines' | 'fromLine' | 'toLine' | 'isCut' | 'cutWhy'> {
  const starts = lineStarts(text)
  const totalLines = starts.length
  if (totalLines === 0 && (range === null || range.fromLine === 1)) return { text: '', totalLines, fromLine: 0, toLine: 0, isCut: false, cutWhy: null }
  const fromLine = range?.fromLine ?? 1
  if (fromLine > totalLines) {
    throw new ReviewError('INVALID_PARAMS', `${name} has ${count(totalLines, 'line')}. Ask for lines up to there.`, { details: { field: 'range', totalLines } })
  }
  const wantedLast = Math.min(totalLines, fromLine + (range?.lineCount ?? maxReadLines) - 1)
  const start = starts[fromLine - 1] ?? 0
  let toLine = wantedLast
  const endOf = (line: number): number => starts[line] ?? text.length
  if (endOf(wantedLast) - start > maxReadCharacters) {
    toLine = fromLine
    while (endOf(toLine + 1) - start <= maxReadCharacters) toLine++
  }
  const isLineCut = endOf(toLine) - start > maxReadCharacters
  const shown = isLineCut ? wholeCharacters(text.slice(start, start + maxReadCharacters)) : text.slice(start, endOf(toLine))
  const next = toLine + 1
  const cutWhy = isLineCut
    ? `Line ${toLine} has ${(endOf(toLine) - start).toLocaleString('en')} characters, of which the first ${shown.length.toLocaleString('en')} are given. Search the file for what you need of it.`
    : toLine < wantedLast || (range === null && toLine < totalLines)
      ? `These are lines ${fromLine} to ${toLine} of ${totalLines}. Ask for lines from ${next} on to read more.`
      : null
  return { text: shown, totalLines, fromLine, toLine, isCut: cutWhy !== null, cutWhy }
}

function lineStarts(text: string): readonly number[] {
  const starts = text === '' ? [] : [0]
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Without half a character at the end. */
function wholeCharacters(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}

function checkRange(range: LineRange | null): void {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1
  if (range === null || (isCount(range.fromLine) && isCount(range.lineCount))) return
  throw new ReviewError('INVALID_PARAMS', 'Lines are counted from 1, and at least one must be asked for.', { details: { field: 'range' } })
}

/** A file that says it is empty may be one that the system makes up when it is read, as those in /proc are. */
function readUnsized(absolute: string): Uint8Array {
  const file = openSync(absolute, constants.O_RDONLY | readOnlyFile)
  try {
    const parts: Buffer[] = []
    let total = 0
    for (let got = -1; got !== 0 && total < maxUnsizedBytes; total += got) {
      const part = Buffer.allocUnsafe(65_536)
      got = readSync(file, part, 0, part.length, null)
      parts.push(part.subarray(0, got))
    }
    return Buffer.concat(parts)
  } finally {
    closeSync(file)
  }
}

const maxUnsizedBytes = 8 * 1024 * 1024

function count(value: number, what: string): string {
  return `${value.toLocaleString('en')} ${what}${value === 1 ? '' : 's'}`
}
