import { hasLoneReturn } from './codex-diff.js'

/** One place of a file that a patch text changes. */
export interface PatchChunk {
  /** A line that stands somewhere before; `null` for none. */
  readonly context: string | null
  readonly oldLines: readonly string[]
  readonly newLines: readonly string[]
  readonly isAtEnd: boolean
}

/** What a patch text does to one file; paths as it names them. */
export type PatchPart =
  | { readonly kind: 'add'; readonly path: string; readonly content: string }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'update'; readonly path: string; readonly moveTo: string | null; readonly chunks: readonly PatchChunk[] }

/** How a version writes the line ends of what it puts in: bare line feeds, or those of the file. */
export type PatchEnds = 'bare' | 'kept'

const begin = '*** Begin Patch'
const end = '*** End Patch'
const opening = /^<<\s*(['"]?)([A-Za-z_]\w*)\1$/

/**
 * Reads the patch text that Codex takes.
 * Returns: `null` for anything that its own parser, with what it forgives, would refuse.
 * Source: the grammar in Codex's apply_patch instructions.
 */
export function parsePatch(text: string): readonly PatchPart[] | null {
  let lines = text.trim().split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const heredoc = opening.exec(lines[0] ?? '')
  if (heredoc && lines.length >= 4 && lines.at(-1) === heredoc[2]) lines = lines.slice(1, -1)
  if (lines[0]?.trim() !== begin || lines.at(-1)?.trim() !== end) return null
  const parts: PatchPart[] = []
  const body = lines.slice(1, -1)
  for (let at = 0; at < body.length; ) {
    const found = partAt(body, at)
    if (!found) return null
    parts.push(found.part)
    at = found.next
  }
  return parts
}

/**
 * The patch text in a shell command that does nothing else: `apply_patch <<'EOF' …`, with a `cd <folder> &&` before it or not.
 * `folder` is the one that it changes to, as written.
 */
export function patchInCommand(command: string): { readonly patch: string; readonly folder: string | null } | null {
  const form = /^\s*(?:cd\s+("[^"$`\\]+"|'[^']+'|[^\s'"&|;$`\\]+)\s*&&\s*)?apply_?patch\s*<<\s*(['"])([A-Za-z_]\w*)\2[ \t]*\n([\s\S]*)$/.exec(command)
  if (!form) return null
  const [, folder = '', , word = '', rest = ''] = form
  const lines = rest.trimEnd().split('\n')
  if (lines.pop() !== word || lines.includes(word)) return null
  return { patch: lines.join('\n'), folder: folder === '' ? null : folder.replace(/^(['"])(.*)\1$/, '$2') }
}

type Replacement = { readonly at: number; readonly count: number; readonly lines: readonly string[] }

/**
 * What an update makes of a text, by the rules of Codex: lines are looked for from top to bottom, first exactly, then without blanks
 * at their ends, then without those at their beginnings, then with look-alike characters; what stands there is replaced by the lines
 * of the patch, kept ones too. A text gets an end to its last line.
 *
 * Returns: `null` where the lines stand nowhere, or the text has carriage returns inside its lines.
 * Source: recorded sessions of Codex 0.80 (`bare`, on Linux) and 0.171 (`kept`).
 */
export function applyChunks(chunks: readonly PatchChunk[], before: string, ends: PatchEnds): string | null {
  if (hasLoneReturn(before)) return null
  const lines = before.split('\n')
  const hasEnd = lines.at(-1) === ''
  if (hasEnd) lines.pop()
  const sought = ends === 'kept' ? lines.map((line) => line.replace(/\r$/, '')) : lines
  const found: Replacement[] = []
  let from = 0
  for (const chunk of chunks) {
    if (chunk.context !== null) {
      const at = seek(sought, [chunk.context], from, false)
      if (at === null) return null
      from = at + 1
    }
    if (chunk.oldLines.length === 0) {
      found.push({ at: sought.at(-1) === '' ? sought.length - 1 : sought.length, count: 0, lines: chunk.newLines })
      continue
    }
    const place = placeOf(sought, chunk, from)
    if (!place) return null
    found.push(place)
    from = place.at + place.count
  }
  const ordered = [...found].sort((one, two) => one.at - two.at)
  if (ordered.some(({ at }, index) => index > 0 && at < endOf(ordered[index - 1]))) return null
  const newEnd = ends === 'kept' && /^[^\n]*\r\n/.test(before) ? '\r\n' : '\n'
  const result: string[] = []
  let done = 0
  for (const { at, count, lines: added } of ordered) {
    for (; done < at; done++) result.push(endedLine(lines, done, hasEnd, newEnd))
    done = at + count
    for (const line of added) result.push(line + newEnd)
  }
  for (; done < lines.length; done++) result.push(endedLine(lines, done, hasEnd, newEnd))
  // The older one takes a last empty line for the end of the line before it.
  if (ends === 'bare' && result.at(-1) === '\n') result.pop()
  return result.join('')
}

function endedLine(lines: readonly string[], at: number, hasEnd: boolean, newEnd: string): string {
  return (lines[at] ?? '') + (at < lines.length - 1 || hasEnd ? '\n' : newEnd)
}

function endOf(replacement: Replacement | undefined): number {
  return replacement ? replacement.at + replacement.count : 0
}

function placeOf(lines: readonly string[], { oldLines, newLines, isAtEnd }: PatchChunk, from: number): Replacement | null {
  const at = seek(lines, oldLines, from, isAtEnd)
  if (at !== null) return { at, count: oldLines.length, lines: newLines }
  if (oldLines.at(-1) !== '') return null
  // A last empty line stands for the end of the file's last line.
  const shorter = oldLines.slice(0, -1)
  const again = seek(lines, shorter, from, isAtEnd)
  return again === null ? null : { at: again, count: shorter.length, lines: newLines.at(-1) === '' ? newLines.slice(0, -1) : newLines }
}

const blanks = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+'
const blanksAtEnd = new RegExp(`${blanks}$`)
const blanksAtStart = new RegExp(`^${blanks}`)
const trimEnd = (line: string): string => line.replace(blanksAtEnd, '')
const trim = (line: string): string => trimEnd(line).replace(blanksAtStart, '')
const plain = (line: string): string =>
  trim(line)
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\xa0\u2002-\u200a\u202f\u205f\u3000]/g, ' ')

/** The first place from `from` on at which these lines stand, as exactly as anywhere. */
function seek(lines: readonly string[], wanted: readonly string[], from: number, isAtEnd: boolean): number | null {
  if (wanted.length === 0) return from
  const last = lines.length - wanted.length
  const first = isAtEnd ? last : from
  if (last < 0) return null
  for (const form of [null, trimEnd, trim, plain]) {
    const [those, these] = form ? [lines.map(form), wanted.map(form)] : [lines, wanted]
    for (let at = first; at <= last; at++) if (these.every((line, offset) => those[at + offset] === line)) return at
  }
  return null
}

function partAt(lines: readonly string[], start: number): { readonly part: PatchPart; readonly next: number } | null {
  const [, op = '', path = ''] = /^\*\*\* (Add|Delete|Update) File: (.+)$/.exec(lines[start]?.trim() ?? '') ?? []
  let at = start + 1
  if (op === 'Delete') return { part: { kind: 'delete', path }, next: at }
  if (op === 'Add') {
    let content = ''
    for (; lines[at]?.startsWith('+'); at++) content += `${lines[at]?.slice(1)}\n`
    return { part: { kind: 'add', path, content }, next: at }
  }
  if (op !== 'Update') return null
  const moved = /^\*\*\* Move to: (.+)$/.exec(lines[at] ?? '')?.[1] ?? null
  if (moved !== null) at++
  const chunks: PatchChunk[] = []
  for (let line = lines[at]; line !== undefined && !line.startsWith('*'); line = lines[at]) {
    if (line.trim() === '') {
      at++
      continue
    }
    const found = chunkAt(lines, at, chunks.length === 0)
    if (!found) return null
    chunks.push(found.chunk)
    at = found.next
  }
  return chunks.length === 0 ? null : { part: { kind: 'update', path, moveTo: moved, chunks }, next: at }
}

function chunkAt(lines: readonly string[], start: number, isFirst: boolean): { readonly chunk: PatchChunk; readonly next: number } | null {
  const head = lines[start] ?? ''
  const hasHead = head === '@@' || head.startsWith('@@ ')
  if (!hasHead && !isFirst) return null
  const oldLines: string[] = []
  const newLines: string[] = []
  let at = start + (hasHead ? 1 : 0)
  const first = at
  let isAtEnd = false
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '*** End of File' && at > first) {
      isAtEnd = true
      at++
      break
    }
    if (line === '' || line.startsWith(' ')) {
      oldLines.push(line.slice(1))
      newLines.push(line.slice(1))
    } else if (line.startsWith('+')) newLines.push(line.slice(1))
    else if (line.startsWith('-')) oldLines.push(line.slice(1))
    else break
  }
  if (at === first) return null
  return { chunk: { context: hasHead && head.length > 3 ? head.slice(3) : null, oldLines, newLines, isAtEnd }, next: at }
}
