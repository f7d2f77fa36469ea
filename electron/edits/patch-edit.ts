import { TextLines } from '../../shared/diff/text-lines.js'
import { WholeLines } from '../../shared/diff/whole-lines.js'
import { splitLine } from './line-ends.js'
import { isNamed } from './patch-binary.js'
import type { PatchContent, PatchFile, PatchForm, PatchRefusal } from './patch-file.js'
import { explainMisfit } from './patch-misfit.js'
import { HunkPlacer, type Placed } from './patch-place.js'

export { applyBinaryPatch, type BytesResult } from './patch-binary.js'
export type { PatchFile, PatchRefusal } from './patch-file.js'
export { parsePatchText, type ParsedPatchText } from './patch-parse.js'

const byteOrderMark = '\ufeff'

type Hunks = Extract<PatchContent, { readonly kind: 'hunks' }>

export type TextResult =
  /** `text` is null where the file is deleted; `note` says where the patch was not taken to the letter. */
  | { readonly kind: 'applied'; readonly text: string | null; readonly note: string | null }
  | PatchRefusal

/**
 * Applies one file of a patch to a text.
 *
 * A hunk goes where its number says if its lines stand there, else to the one place where they do. Lines must be equal
 * but for line ends, which stay those of the file, and, where they stand nowhere else, for look-alike characters and
 * Unicode composition; kept lines keep their own. Indentation is never guessed.
 * Shape: `before` is the text of `from` or else of `path`, decoded, with its own line ends and byte order mark (which a
 * patch need not know of); null where there is no such file. A `modify` that only adds lines to nothing creates a file.
 * Promise: the text is the one that git or patch would write, or the only one that the hunks allow; else it is refused.
 */
export function applyFilePatch(file: PatchFile, before: string | null): TextResult {
  const { content } = file
  if (file.oldMode === 0o160000 || file.newMode === 0o160000)
    return refused(file, 'is a submodule, which is changed with git and not with a patch.')
  if (file.op === 'create' && before !== null)
    return refused(file, 'exists already, and the patch creates it. Change it with an update of the existing lines, or choose another path.')
  const old = before ?? (createsFile(file) ? '' : null)
  if (old === null) return refused(file, `does not exist, and the patch ${file.op === 'delete' ? 'deletes' : 'changes'} it. Check the path.`)

  switch (content.kind) {
    case 'any':
      return { kind: 'applied', text: null, note: null }
    case 'same':
      if (file.op !== 'delete') return { kind: 'applied', text: old, note: null }
      if (old === '') return { kind: 'applied', text: null, note: null }
      return refused(file, 'is not empty, and the patch deletes an empty file. Name the removed lines in the patch.')
    case 'left-out':
    case 'binary':
      return refused(file, 'is binary in this patch and cannot be patched as text.')
    case 'hunks':
      break
    default:
      return content satisfies never
  }

  // Only a patch that was made from these very bytes sees the mark; for all others the first line begins behind it.
  const isMarked = old.startsWith(byteOrderMark) && !content.hunks.some(({ lines }) => lines.some(({ text }) => text.startsWith(byteOrderMark)))
  if (!isMarked || isMadeFrom(content, old)) return applyHunks(file, content, old)
  const result = applyHunks(file, content, old.slice(1))
  return result.kind === 'applied' && result.text !== null ? { ...result, text: byteOrderMark + result.text } : result
}

function applyHunks(file: PatchFile, content: Hunks, old: string): TextResult {
  const lines = new TextLines(old)
  const placing = new HunkPlacer(lines, content.form, content.hunks).place(() =>
    content.oldHash === null ? null : isMadeFrom(content, old),
  )
  if (placing.kind !== 'placed') return explainMisfit(file.from ?? file.path, lines, placing)

  const isLiteral = placing.placed.some(({ fit }) => fit === 'by-number') && isMadeFrom(content, old)
  const result = new WholeLines()
  let done = 0
  for (const placed of placing.placed) {
    const isExact = placed.fit === 'exact' || (placed.fit === 'by-number' && (isLiteral || lines.count === 0))
    const next = isExact ? appendExact(result, lines, placed, done) : appendAdapted(result, lines, placed, done, content.form)
    if (next === null) return glued(file, placed)
    done = next
  }
  const last = placing.placed.at(-1)
  if (!result.append(lines.slice(done, lines.count)) && last !== undefined) return glued(file, last)
  if (file.op !== 'delete') return { kind: 'applied', text: result.text, note: noteOf(lines, placing.placed) }
  if (result.text === '') return { kind: 'applied', text: null, note: noteOf(lines, placing.placed) }
  return refused(file, 'holds more lines than the patch removes, so it is not deleted. Read the file again.')
}

function refused(file: PatchFile, what: string, hunk: number | null = null): PatchRefusal {
  return { kind: 'refused', message: `${file.from ?? file.path} ${what}`, hunk, line: null, candidates: [] }
}

function glued(file: PatchFile, { number }: Placed): PatchRefusal {
  return refused(file, `would have two lines joined by hunk ${number}: a line of it has no line end though others follow.`, number)
}

/** Only lines that are added, from the top: a diff against nothing often looks like one against an empty file. */
function createsFile({ op, content }: PatchFile): boolean {
  if (op === 'create') return true
  const [hunk, ...more] = content.kind === 'hunks' ? content.hunks : []
  return op === 'modify' && hunk?.start === 0 && more.length === 0 && hunk.lines.every(({ kind }) => kind === 'added')
}

/** Whether the patch names the hash of this text, in one of the encodings in which it may lie on disk. */
function isMadeFrom({ oldHash }: Hunks, text: string): boolean {
  if (oldHash === null) return false
  const texts = text.includes('\r\n') ? [text, text.replaceAll('\r\n', '\n')] : [text]
  return texts.some((version) =>
    [Buffer.from(version), Buffer.from(byteOrderMark + version), Buffer.from(version, 'latin1')].some((bytes) => isNamed(bytes, oldHash)),
  )
}

/**
 * Appends the file from line `done` to the last change of a hunk, which is taken to the letter. Returns the line from
 * which the file goes on; null: that would join two lines.
 */
function appendExact(result: WholeLines, lines: TextLines, { hunk, place }: Placed, done: number): number | null {
  let from = done
  let line = place
  for (const { kind, text } of hunk.lines) {
    if (kind === 'kept') {
      line++
      continue
    }
    if (from < line && !result.append(lines.slice(from, line))) return null
    if (kind === 'removed') line++
    else if (!result.append(text)) return null
    from = line
  }
  return from
}

/** The same for a hunk that takes the line ends of the file. */
function appendAdapted(result: WholeLines, lines: TextLines, placed: Placed, done: number, form: PatchForm): number | null {
  const isWhole = result.append(lines.slice(done, placed.place)) && result.append(adaptedLines(lines, placed, form))
  return isWhole ? placed.place + placed.hunk.oldCount : null
}

/** What a hunk leaves at its place, with the line ends of the file. */
function adaptedLines(lines: TextLines, { hunk, place }: Placed, form: PatchForm): string {
  // Only the last line can lack an end; it is ended like the one before it.
  const endOf = (line: number): string =>
    [line, line - 1].map((each) => (each >= 0 && each < lines.count ? splitLine(lines.line(each)).end : '')).find((end) => end !== '') ?? '\n'
  const result: { content: string; end: string }[] = []
  let line = place
  let blockStart = place
  let added = 0
  for (const { kind, text } of hunk.lines) {
    if (kind === 'added') {
      // An added line stands for the removed one at its place in the block, or goes on as the line before it.
      const { content, end } = splitLine(text)
      const model = added < line - blockStart ? blockStart + added : line > 0 ? line - 1 : line
      result.push({ content, end: end === '' ? '' : endOf(model) })
      added++
      continue
    }
    if (kind === 'kept') {
      result.push(splitLine(lines.line(line)))
      blockStart = line + 1
      added = 0
    }
    line++
  }
  const last = result.length - 1
  const lacksEnd = form === 'begin-patch' && place + hunk.oldCount === lines.count && lines.text !== '' && !lines.text.endsWith('\n')
  return result.map(({ content, end }, index) => content + (index < last ? end || endOf(lines.count - 1) : lacksEnd ? '' : end)).join('')
}

/** In what the patch was not taken to the letter. */
function noteOf(lines: TextLines, placed: readonly Placed[]): string | null {
  const notes: string[] = []
  const moved = placed.filter(({ hunk, place }) => hunk.start !== null && hunk.start !== place)
  const [first] = moved
  if (first !== undefined) {
    const others = moved.length === 1 ? '' : `, and ${moved.length - 1} more also moved`
    notes.push(`Hunk ${first.number} was found at line ${first.place + 1} instead of ${(first.hunk.start ?? 0) + 1}${others}.`)
  }
  const alike = placed.filter(({ fit }) => fit === 'look-alike')
  if (alike.length > 0) {
    const { characters, composed } = alike.reduce(
      (sum, one) => {
        const own = countNormalised(lines, one)
        return { characters: sum.characters + own.characters, composed: sum.composed + own.composed }
      },
      { characters: 0, composed: 0 },
    )
    const parts = [
      ...(characters > 0 ? [`${characters} look-alike ${characters === 1 ? 'character' : 'characters'} (hyphens, blanks or quotes)`] : []),
      ...(composed > 0 ? [`${composed} ${composed === 1 ? 'line' : 'lines'} to Unicode NFC`] : []),
    ]
    notes.push(`Hunk ${alike.map(({ number }) => number).join(', ')} matched after normalising ${parts.join(' and ')}; kept lines stay as they are.`)
  }
  if (placed.some(({ fit, hunk }) => fit === 'by-number' && lines.count > 0 && !hunk.isAtEnd))
    notes.push('A hunk without any old line was placed by its line number alone.')
  return notes.length === 0 ? null : notes.join(' ')
}

/** Characters taken as equal to ones they look like, and lines whose composition differs. */
function countNormalised(lines: TextLines, { hunk, place }: Placed): { readonly characters: number; readonly composed: number } {
  let characters = 0
  let composed = 0
  let line = place
  for (const { kind, text } of hunk.lines) {
    if (kind === 'added') continue
    const stands = splitLine(lines.line(line++)).content
    const sought = splitLine(text).content
    const [own, wanted] = [Array.from(stands.normalize('NFC')), Array.from(sought.normalize('NFC'))]
    for (const [index, character] of own.entries()) {
      if (character !== wanted[index]) characters++
    }
    if ((own.join('') === stands) !== (sought.normalize('NFC') === sought)) composed++
  }
  return { characters, composed }
}
