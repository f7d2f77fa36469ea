import type { HunkLine } from '../../shared/changes.js'
import { PatchFault, type PatchHunk } from './patch-file.js'
import type { PatchLines } from './patch-lines.js'

const numbers = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/
const backslash = 0x5c
/** Lines with which something new begins. */
const beginnings = ['@@', 'diff ', 'Index: ', 'Only in ', 'Binary files ', 'From ', 'commit ', '*** ', '```', 'GIT binary patch', '====']

/** All hunks that follow, as many as there are. */
export function readHunks(patch: PatchLines): PatchHunk[] {
  const hunks: PatchHunk[] = []
  while (patch.header().startsWith('@@')) hunks.push(readHunk(patch))
  return hunks
}

/**
 * One hunk. It has as many lines as its header says, whatever they look like; where that cannot be, it goes as far as
 * lines look like its own, and no longer has a place by number.
 */
function readHunk(patch: PatchLines): PatchHunk {
  const patchLine = patch.number
  const header = patch.header()
  if (header.startsWith('@@@')) throw new PatchFault('This is a combined diff of a merge, which cannot be applied; diff two commits', patchLine)
  const [found, oldStart = '', oldCount = '1', , newCount = '1'] = numbers.exec(header) ?? []
  patch.skip()
  if (found !== undefined) {
    const counted = readCounted(patch, Number(oldCount), Number(newCount))
    if (counted !== null) {
      const start = Number(oldCount) === 0 ? Number(oldStart) : Number(oldStart) - 1
      return { patchLine, start: start < 0 ? null : start, anchors: [], lines: counted, oldCount: Number(oldCount), isAtEnd: false }
    }
  }
  const anchor = found === undefined ? anchorOf(header) : ''
  const isBroken = found === undefined && /^@@ [-+]\d/.test(header)
  const lines = readByLooks(patch, patchLine)
  return { patchLine, start: null, anchors: anchor === '' || isBroken ? [] : [anchor], lines, oldCount: countOld(lines), isAtEnd: false }
}

/** The line that a header without numbers names as standing above the hunk; `''` where it names none. */
export function anchorOf(header: string): string {
  const anchor = header.replace(/^@@/, '').replace(/@@\s*$/, '').trim()
  return anchor === '...' ? '' : anchor
}

/** The lines that the counts ask for; null, and nothing is read, where there are fewer or more. */
function readCounted(patch: PatchLines, oldCount: number, newCount: number): HunkLine[] | null {
  const lines: HunkLine[] = []
  let old = oldCount
  let now = newCount
  let at = 0
  while (old > 0 || now > 0) {
    const kind = kindAt(patch, at)
    if (kind === null) return null
    if (kind !== 'added') old--
    if (kind !== 'removed') now--
    if (old < 0 || now < 0) return null
    const isLast = patch.sign(at + 1) === backslash
    lines.push({ kind, text: isLast ? patch.body(at).slice(0, -1) : patch.body(at) })
    at += isLast ? 2 : 1
  }
  if (goesOn(patch, at)) return null
  patch.skip(at)
  return lines
}

/** Whether the lines from here on look like more of the hunk. */
function goesOn(patch: PatchLines, from: number): boolean {
  let at = from
  while (patch.header(at) === '' && patch.peek(at) !== null) at++
  const line = patch.peek(at)
  return line !== null && kindAt(patch, at) !== null && !isFileHeader(patch, at) && !isSignature(patch, at)
}

function readByLooks(patch: PatchLines, patchLine: number): HunkLine[] {
  const lines: HunkLine[] = []
  for (; !patch.isDone; patch.skip()) {
    const line = patch.peek() ?? ''
    if (isFileHeader(patch) || isSignature(patch) || beginnings.some((beginning) => line.startsWith(beginning))) break
    if (line.startsWith('\\')) {
      const last = lines.pop()
      if (last !== undefined) lines.push({ kind: last.kind, text: last.text.replace(/\n$/, '') })
      continue
    }
    const kind = kindAt(patch)
    if (kind === null) throw new PatchFault('A line of a hunk begins with neither a blank nor + nor -', patch.number)
    // Empty lines behind the last real one are as likely to stand between two parts of the patch.
    lines.push({ kind, text: patch.body() })
  }
  let read = patch.peek(-1)
  for (let back = 1; read === '' || read === '\r'; back++, read = patch.peek(-back)) lines.pop()
  if (lines.length === 0) throw new PatchFault('A hunk has no lines', patchLine)
  return lines
}

/** What the sign of a line says; null: it has none. A line without anything is a kept empty one that lost its blank. */
export function kindAt(patch: PatchLines, offset = 0): HunkLine['kind'] | null {
  switch (patch.sign(offset)) {
    case 0x20:
    case 0x0a:
      return 'kept'
    case 0x2d:
      return 'removed'
    case 0x2b:
      return 'added'
    case 0x0d:
      return patch.peek(offset) === '\r' ? 'kept' : null
    default:
      return null
  }
}

/** How many of the lines stand in the file before. */
export function countOld(lines: readonly HunkLine[]): number {
  let count = 0
  for (const { kind } of lines) if (kind !== 'added') count++
  return count
}

/** `--- ` and `+++ ` one after the other, and then a hunk or the end of this file. */
export function isFileHeader(patch: PatchLines, at = 0): boolean {
  const isPair = (patch.peek(at)?.startsWith('--- ') ?? false) && (patch.peek(at + 1)?.startsWith('+++ ') ?? false)
  return isPair && (patch.peek(at + 2)?.startsWith('@@') ?? true)
}

/** The end of a mailed patch. */
function isSignature(patch: PatchLines, at = 0): boolean {
  return patch.header(at) === '-- ' && (patch.peek(at + 1) === null || /^\d+\.\d/.test(patch.peek(at + 1) ?? ''))
}
