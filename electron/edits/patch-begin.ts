import type { HunkLine } from '../../shared/changes.js'
import { PatchFault, type PatchFile, type PatchHunk } from './patch-file.js'
import { anchorOf, countOld, kindAt } from './patch-hunks.js'
import type { PatchLines } from './patch-lines.js'

const updateFile = '*** Update File: '
const addFile = '*** Add File: '
const deleteFile = '*** Delete File: '
const moveTo = '*** Move to: '
const endOfFile = '*** End of File'
const endPatch = '*** End Patch'
/** Models write the header of a unified diff here, too. */
const numbers = /^@@ -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@/

/** Whether the patch has this form. If so, the reader stands at its first file afterwards. */
export function isBeginPatch(patch: PatchLines): boolean {
  for (let at = 0; patch.peek(at) !== null; at++) {
    const line = patch.header(at).trim()
    const isMarked = line === '*** Begin Patch'
    if (isMarked || [updateFile, addFile, deleteFile].some((header) => line.startsWith(header))) {
      patch.skip(isMarked ? at + 1 : at)
      return true
    }
    if (/^(diff |--- |\+\+\+ |@@)/.test(line)) return false
  }
  return false
}

/**
 * The files of a patch as Codex and its like write it.
 *
 * Source: the grammar in the instructions of OpenAI's models: files with `*** Add|Update|Delete File: `, hunks with
 * `@@ ` and a line that stands above them, lines with a sign.
 */
export function readBeginPatch(patch: PatchLines): PatchFile[] {
  const files: PatchFile[] = []
  for (;;) {
    const line = patch.header().trimEnd()
    if (patch.isDone || line === endPatch) break
    if (line.startsWith(addFile)) files.push(readAdded(patch, pathOf(line, addFile, patch)))
    else if (line.startsWith(updateFile)) files.push(readUpdated(patch, pathOf(line, updateFile, patch)))
    else if (line.startsWith(deleteFile)) {
      files.push(fileOf('delete', pathOf(line, deleteFile, patch), null, { kind: 'any' }))
      patch.skip()
    } else if (line === '' || line === '```' || /^[A-Z_]+$/.test(line)) patch.skip()
    else throw new PatchFault('Expected *** Add File, *** Update File, *** Delete File or *** End Patch', patch.number)
  }
  if (files.length === 0) throw new PatchFault('The patch names no file', patch.number)
  return files
}

function fileOf(op: PatchFile['op'], path: string, from: string | null, content: PatchFile['content']): PatchFile {
  return { op, path, from, oldMode: null, newMode: null, isBinary: false, content }
}

function pathOf(line: string, header: string, patch: PatchLines): string {
  const path = line.slice(header.length).trim()
  if (path === '') throw new PatchFault('A file has no path', patch.number)
  return path
}

function readAdded(patch: PatchLines, path: string): PatchFile {
  const patchLine = patch.number
  const lines: HunkLine[] = []
  for (patch.skip(); !isBoundary(patch); patch.skip()) {
    const line = patch.peek() ?? ''
    if (line.startsWith('+')) lines.push({ kind: 'added', text: patch.body() })
    else if (patch.header() !== '') throw new PatchFault('Each line of an added file begins with +', patch.number)
    else if (patch.peek(1)?.startsWith('+') ?? false) throw new PatchFault('An empty line of an added file is written as +', patch.number)
  }
  if (lines.length === 0) return fileOf('create', path, null, { kind: 'same' })
  const hunk: PatchHunk = { patchLine, start: 0, anchors: [], lines, oldCount: 0, isAtEnd: false }
  return fileOf('create', path, null, { kind: 'hunks', form: 'begin-patch', hunks: [hunk], oldHash: null })
}

function readUpdated(patch: PatchLines, path: string): PatchFile {
  const fileLine = patch.number
  patch.skip()
  const header = patch.header()
  const to = header.startsWith(moveTo) ? pathOf(header, moveTo, patch) : null
  if (to !== null) patch.skip()
  const hunks: PatchHunk[] = []
  while (!isBoundary(patch)) {
    const hunk = readHunk(patch)
    if (hunk !== null) hunks.push(hunk)
  }
  if (to === null && hunks.length === 0) throw new PatchFault('An updated file has no hunks', fileLine)
  const content = hunks.length === 0 ? ({ kind: 'same' } as const) : ({ kind: 'hunks', form: 'begin-patch', hunks, oldHash: null } as const)
  return to === null || to === path ? fileOf('modify', path, null, content) : fileOf('rename', to, path, content)
}

/** The hunk that begins here; null where there are only empty lines. */
function readHunk(patch: PatchLines): PatchHunk | null {
  const patchLine = patch.number
  const anchors: string[] = []
  let start: number | null = null
  for (; patch.header().startsWith('@@'); patch.skip()) {
    const stated = numbers.exec(patch.header())?.[1]
    const anchor = anchorOf(patch.header())
    if (stated !== undefined) start = Math.max(Number(stated) - 1, 0)
    else if (anchor !== '') anchors.push(anchor)
  }
  const lines: HunkLine[] = []
  let empty = 0
  let isAtEnd = false
  for (; !isBoundary(patch) && !patch.header().startsWith('@@'); patch.skip()) {
    const line = patch.peek() ?? ''
    if (patch.header().trimEnd() === endOfFile) {
      isAtEnd = true
      patch.skip()
      break
    }
    if (line.startsWith('\\')) continue
    const kind = kindAt(patch)
    if (kind === null) throw new PatchFault('A line of a hunk begins with neither a blank nor + nor -', patch.number)
    empty = line === '' || line === '\r' ? empty + 1 : 0
    lines.push({ kind, text: patch.body() })
  }
  // As likely they only part this hunk from what follows.
  if (!isAtEnd && empty > 0) lines.length -= empty
  if (lines.length > 0) return { patchLine, start, anchors, lines, oldCount: countOld(lines), isAtEnd }
  if (anchors.length > 0 || start !== null) throw new PatchFault('A hunk has no lines', patchLine)
  return null
}

function isBoundary(patch: PatchLines): boolean {
  const line = patch.header()
  return patch.isDone || (line.startsWith('*** ') && line.trimEnd() !== endOfFile) || line.startsWith('```')
}
