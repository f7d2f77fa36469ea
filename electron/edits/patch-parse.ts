import { isBeginPatch, readBeginPatch } from './patch-begin.js'
import { readBinary } from './patch-binary.js'
import { PatchFault, type PatchContent, type PatchFile, type PatchForm } from './patch-file.js'
import { isFileHeader, readHunks } from './patch-hunks.js'
import { PatchLines } from './patch-lines.js'
import { gitNames, nowhere, oneName, sideName, stripPrefixes, wholeName, withoutPrefix, type NamedSide } from './patch-names.js'

export type ParsedPatchText =
  | { readonly kind: 'patch'; readonly form: PatchForm; readonly files: readonly PatchFile[] }
  /** What is wrong, as a sentence for a model, and the 1-based line of the patch. */
  | { readonly kind: 'malformed'; readonly reason: string; readonly line: number }

const gitHeader = /^((?:old|new|new file|deleted file) mode|(?:rename|copy) (?:from|to)|(?:similarity |dissimilarity )?index) (.*)$/

/** What the header lines of git say about a file. */
interface GitHeader {
  oldMode: number | null
  newMode: number | null
  op: PatchFile['op']
  from: string | null
  to: string | null
  oldHash: string | null
  newHash: string | null
}

/**
 * Reads a patch: a unified diff of any number of files, as git or diff(1) writes it, or the form that starts with
 * `*** Begin Patch`. What stands before, between and behind the files, such as a mail, is passed over.
 *
 * Promise: a line that might belong to a change is never passed over; such a patch is malformed.
 * Where a path is patched twice, the later file applies to the result of the earlier one.
 */
export function parsePatchText(patch: string): ParsedPatchText {
  const lines = new PatchLines(patch)
  try {
    if (isBeginPatch(lines)) return { kind: 'patch', form: 'begin-patch', files: readBeginPatch(lines) }
    const files = readUnified(lines)
    if (files.length > 0) return { kind: 'patch', form: 'unified', files }
  } catch (thrown) {
    if (thrown instanceof PatchFault) return { kind: 'malformed', reason: `${thrown.message} (line ${thrown.line} of the patch).`, line: thrown.line }
    throw thrown
  }
  const reason = 'The patch names no file. Begin each file with a "--- path" and a "+++ path" line, or use the *** Begin Patch form.'
  return { kind: 'malformed', reason, line: 1 }
}

function readUnified(patch: PatchLines): PatchFile[] {
  const files: PatchFile[] = []
  while (!patch.isDone) {
    const line = patch.header()
    if (line.startsWith('diff --git ')) files.push(readGitFile(patch))
    else if (isFileHeader(patch)) files.push(readPlainFile(patch))
    else if (isLeftOut(line)) files.push(readLeftOut(patch))
    else if (line.startsWith('@@')) throw new PatchFault('A hunk stands before any "--- path" and "+++ path" lines', patch.number)
    else if (/^diff --(cc|combined) /.test(line))
      throw new PatchFault('This is a combined diff of a merge, which cannot be applied; diff two commits', patch.number)
    else if (line.startsWith('*** ') && patch.header(1).startsWith('--- ') && patch.header(2).startsWith('********'))
      throw new PatchFault('This is a context diff; make a unified one (diff -u)', patch.number)
    else patch.skip()
  }
  return files
}

function readGitFile(patch: PatchLines): PatchFile {
  const headerLine = patch.number
  const written = gitNames(patch.header().slice('diff --git '.length), headerLine)
  const header: GitHeader = { oldMode: null, newMode: null, op: 'modify', from: null, to: null, oldHash: null, newHash: null }
  for (patch.skip(); readGitHeader(patch, header); patch.skip());
  const named = written === null ? null : stripPrefixes(...written)

  const { from: source, to: target } = header
  let [before, after] = source !== null && target !== null ? [source, target] : (named ?? [null, null])
  let content: PatchContent = { kind: 'same' }
  if (patch.header().startsWith('--- ') && patch.header(1).startsWith('+++ ')) {
    const [oldSide, newSide] = readSides(patch)
    if (oldSide.name === nowhere && header.op === 'modify') header.op = 'create'
    if (newSide.name === nowhere && header.op === 'modify') header.op = 'delete'
    const isSame = (name: string, known: string | null): boolean =>
      name === nowhere || known === null || name === known || withoutPrefix(name) === known
    if (!isSame(oldSide.name, before) || !isSame(newSide.name, after))
      throw new PatchFault('The "diff --git" line and the "---" and "+++" lines name different files', headerLine)
    const [first, second] = stripPrefixes(oldSide.name, newSide.name)
    before ??= first === nowhere ? second : first
    after ??= second === nowhere ? first : second
    content = { kind: 'hunks', form: 'unified', hunks: readHunks(patch), oldHash: header.oldHash }
  } else if (patch.header() === 'GIT binary patch') {
    content = readBinary(patch, header.oldHash, header.newHash)
  } else if (isLeftOut(patch.header())) {
    content = { kind: 'left-out' }
    patch.skip()
  } else if (patch.header().startsWith('@@')) {
    content = { kind: 'hunks', form: 'unified', hunks: readHunks(patch), oldHash: header.oldHash }
  }
  if (before === null || after === null) throw new PatchFault('The header does not tell the name of the file', headerLine)
  if (before !== after && header.from === null)
    throw new PatchFault(`The header names two files, "${before}" and "${after}"; add "rename from" and "rename to" lines, or name one`, headerLine)
  if (content.kind === 'hunks' && content.hunks.length === 0) throw new PatchFault('A file of the patch has no hunks', headerLine)
  const { op, oldMode, newMode, from } = header
  const isBinary = content.kind === 'binary' || content.kind === 'left-out'
  return { op, path: op === 'delete' ? before : after, from, oldMode, newMode, isBinary, content }
}

/** Whether the current line is one of git's, which is then noted. */
function readGitHeader(patch: PatchLines, header: GitHeader): boolean {
  const line = patch.header()
  const [, keyword, rest = ''] = gitHeader.exec(line) ?? []
  switch (keyword) {
    case undefined:
      return false
    case 'old mode':
      header.oldMode = readMode(rest, patch)
      return true
    case 'new mode':
      header.newMode = readMode(rest, patch)
      return true
    case 'new file mode':
      header.op = 'create'
      header.newMode = readMode(rest, patch)
      return true
    case 'deleted file mode':
      header.op = 'delete'
      header.oldMode = readMode(rest, patch)
      return true
    case 'rename from':
    case 'copy from':
      header.op = keyword === 'copy from' ? 'copy' : 'rename'
      header.from = wholeName(rest, patch.number)
      return true
    case 'rename to':
    case 'copy to':
      header.to = wholeName(rest, patch.number)
      return true
    case 'index': {
      const [, oldHash = null, newHash = null, mode] = /^([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d+))?$/.exec(rest) ?? []
      header.oldHash = oldHash
      header.newHash = newHash
      if (mode !== undefined) header.oldMode = header.newMode = readMode(mode, patch)
      return true
    }
    default:
      return true
  }
}

function readMode(text: string, patch: PatchLines): number {
  if (/^(100644|100755|120000|160000|100664|100600)$/.test(text)) return Number.parseInt(text, 8)
  throw new PatchFault(`"${text}" is not a file mode that git writes; use 100644, 100755 or 120000`, patch.number)
}

function readPlainFile(patch: PatchLines): PatchFile {
  const headerLine = patch.number
  const [before, after] = readSides(patch)
  const hunks = readHunks(patch)
  const first = hunks[0]
  if (first === undefined) throw new PatchFault('A file of the patch has no hunks', headerLine)
  const holds = (kind: 'added' | 'removed'): boolean => hunks.length === 1 && first.lines.every((line) => line.kind === kind)
  const isCreated = before.name === nowhere || (before.isEpoch && holds('added'))
  const isDeleted = !isCreated && (after.name === nowhere || (after.isEpoch && holds('removed')))
  const [oldName, newName] = stripPrefixes(before.name, after.name)
  const path = before.name === nowhere ? newName : after.name === nowhere ? oldName : oneName(before.name, after.name)
  if (path === null || path === nowhere || path === '')
    throw new PatchFault(
      `The "---" and "+++" lines name two files, "${before.name}" and "${after.name}"; name the one that is to change in both`,
      headerLine,
    )
  const op = isCreated ? 'create' : isDeleted ? 'delete' : 'modify'
  return { op, path, from: null, oldMode: null, newMode: null, isBinary: false, content: { kind: 'hunks', form: 'unified', hunks, oldHash: null } }
}

function readSides(patch: PatchLines): readonly [NamedSide, NamedSide] {
  const before = sideName(patch.header().slice(4), patch.number)
  patch.skip()
  const after = sideName(patch.header().slice(4), patch.number)
  patch.skip()
  return [before, after]
}

function isLeftOut(line: string): boolean {
  return line.length < 10_000 && /^Binary files .+ and .+ differ$/.test(line)
}

/** A plain diff of folders names files that differ in their bytes and goes on. */
function readLeftOut(patch: PatchLines): PatchFile {
  const line = patch.number
  const text = patch.header()
  patch.skip()
  const [, before = '', after = ''] = /^Binary files (.+) and (.+) differ$/.exec(text) ?? []
  const [oldName, newName] = stripPrefixes(before, after)
  const path = before === nowhere ? newName : after === nowhere ? oldName : oneName(before, after)
  if (path === null) throw new PatchFault('A line about binary files does not tell which one is to change', line)
  const op = before === nowhere ? 'create' : after === nowhere ? 'delete' : 'modify'
  return { op, path, from: null, oldMode: null, newMode: null, isBinary: true, content: { kind: 'left-out' } }
}
