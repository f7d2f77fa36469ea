import { hunksOf } from './changes.js'
import type { Hunk, HunkLine } from './changes.js'
import { literalBlock } from './diff/literal-block.js'
import { quotePath } from './diff/quote-path.js'

/** A plain file, an executable one, or a symbolic link (whose content is its target). */
export type PatchMode = '100644' | '100755' | '120000'

/** One side of a file. `text` is what `bytes` decode to, BOM included, and `null` where they are not UTF-8. */
export interface PatchSide {
  /** Relative to the root of the tree, with `/`. */
  readonly path: string
  readonly mode: PatchMode
  readonly bytes: Uint8Array
  readonly text: string | null
}

/** A file before and after; `null` where there is none. Two different paths make a rename. */
export interface PatchFile {
  readonly before: PatchSide | null
  readonly after: PatchSide | null
}

/** What this room has no means for: zlib's deflate (with header), and SHA-1 in hex. */
export interface PatchTools {
  readonly deflate: (bytes: Uint8Array) => Uint8Array
  readonly sha1: (bytes: Uint8Array) => string
}

/**
 * The patch that turns all files before into those after, as `git diff --binary --full-index` writes it and `git apply`
 * takes it. Contents that are no UTF-8 text, or hold NUL, go in whole as binary; files that do not differ are left out.
 *
 * Shape: the patch is to be written as UTF-8; it is pure ASCII but for the lines of texts.
 */
export function formatPatch(files: readonly PatchFile[], tools: PatchTools): string {
  return files
    .flatMap(splitTypeChange)
    .map((file) => formatFile(file, tools))
    .join('')
}

/** A file that becomes a link, or the other way round, is deleted and created, as with git. */
function splitTypeChange({ before, after }: PatchFile): PatchFile[] {
  const isTypeChange = before !== null && after !== null && (before.mode === '120000') !== (after.mode === '120000')
  return isTypeChange
    ? [
        { before, after: null },
        { before: null, after },
      ]
    : [{ before, after }]
}

function formatFile({ before, after }: PatchFile, tools: PatchTools): string {
  const oldPath = before?.path ?? after?.path ?? ''
  const newPath = after?.path ?? oldPath
  const header = [...modeLines(before, after)]
  const oldHash = blobHash(before, tools)
  const newHash = blobHash(after, tools)
  if (oldPath !== newPath) {
    if (oldHash === newHash) header.push('similarity index 100%')
    header.push(`rename from ${quotePath(oldPath)}`, `rename to ${quotePath(newPath)}`)
  }
  let content = ''
  if (oldHash !== newHash) {
    const sharedMode = before !== null && before.mode === after?.mode ? ` ${before.mode}` : ''
    header.push(`index ${oldHash}..${newHash}${sharedMode}`)
    content = isText(before) && isText(after) ? formatText(before, after) : formatBinary(before, after, tools)
  }
  if (header.length === 0) return ''
  return `diff --git ${quotePath(`a/${oldPath}`)} ${quotePath(`b/${newPath}`)}\n${header.join('\n')}\n${content}`
}

function modeLines(before: PatchSide | null, after: PatchSide | null): readonly string[] {
  if (before === null) return after === null ? [] : [`new file mode ${after.mode}`]
  if (after === null) return [`deleted file mode ${before.mode}`]
  return before.mode === after.mode ? [] : [`old mode ${before.mode}`, `new mode ${after.mode}`]
}

/** The name git gives a content. Binary patches apply only with it. */
function blobHash(side: PatchSide | null, tools: PatchTools): string {
  if (side === null) return '0'.repeat(40)
  const head = Uint8Array.from(`blob ${side.bytes.length}\0`, (character) => character.charCodeAt(0))
  const blob = new Uint8Array(head.length + side.bytes.length)
  blob.set(head)
  blob.set(side.bytes, head.length)
  return tools.sha1(blob)
}

function isText(side: PatchSide | null): boolean {
  return side === null || (side.text !== null && !side.text.includes('\0'))
}

function formatText(before: PatchSide | null, after: PatchSide | null): string {
  const hunks = hunksOf(before?.text ?? '', after?.text ?? '')
  if (hunks.length === 0) return ''
  return `--- ${headerPath('a/', before)}\n+++ ${headerPath('b/', after)}\n${hunks.map(formatHunk).join('')}`
}

/** Behind a path with a space a tab shows where it ends. */
function headerPath(prefix: string, side: PatchSide | null): string {
  if (side === null) return '/dev/null'
  const path = quotePath(prefix + side.path)
  return path.includes(' ') ? `${path}\t` : path
}

/** A hunk as it stands in a unified diff. */
export function formatHunk(hunk: Hunk): string {
  const before = formatRange(hunk.beforeStart, hunk.beforeEnd)
  const after = formatRange(hunk.afterStart, hunk.afterEnd)
  return `@@ -${before} +${after} @@\n${hunk.lines.map(formatLine).join('')}`
}

/** 1-based line and count; a count of 1 is left out, and a range without lines names the line before it. */
function formatRange(start: number, end: number): string {
  if (end - start === 1) return String(start + 1)
  return `${end === start ? start : start + 1},${end - start}`
}

const signs = { kept: ' ', removed: '-', added: '+' } as const

function formatLine({ kind, text }: HunkLine): string {
  return text.endsWith('\n') ? signs[kind] + text : `${signs[kind]}${text}\n\\ No newline at end of file\n`
}

/** Both contents in whole, so that the patch can be applied either way. */
function formatBinary(before: PatchSide | null, after: PatchSide | null, tools: PatchTools): string {
  const block = (side: PatchSide | null): string => {
    const bytes = side?.bytes ?? new Uint8Array(0)
    return literalBlock(bytes.length, tools.deflate(bytes))
  }
  return `GIT binary patch\n${block(after)}${block(before)}`
}
