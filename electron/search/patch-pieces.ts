import type { WorkspacePath } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { parsePatchText } from '../edits/patch-parse.js'
import type { PatchFile } from '../edits/patch-file.js'
import { calledPath } from '../sessions/tracked-paths.js'

/** What stood at one place of a file, and what came in its stead. */
export interface Piece {
  readonly before: string
  readonly after: string
}

const opening = '*** Begin Patch'
const closing = '*** End Patch'

/** What a call that changes several files by a patch took away and brought in one of them; empty for other calls. */
export function patchPieces(call: ToolCall, path: WorkspacePath, folder: string | null): readonly Piece[] {
  return textsIn(call).flatMap((text) => {
    const patch = parsePatchText(text)
    if (patch.kind === 'malformed') return []
    return patch.files.filter((file) => calledPath(file.path, folder) === path).flatMap(piecesOf)
  })
}

function piecesOf({ content }: PatchFile): readonly Piece[] {
  if (content.kind !== 'hunks') return []
  return content.hunks.map(({ lines }) => {
    const side = (left: 'added' | 'removed'): string => lines.map(({ kind, text }) => (kind === left ? '' : text)).join('')
    return { before: side('added'), after: side('removed') }
  })
}

/** The patches in what a call was given: all of it, a value in it, or a part of a command. */
function textsIn({ args, kind, command }: ToolCall): readonly string[] {
  const given = [...stringsIn(parsed(args)), ...(command ? [command.text] : [])]
  const texts = given.flatMap((text) => {
    const from = text.indexOf(opening)
    if (from < 0) return kind === 'edit' && /^@@ /m.test(text) ? [text] : []
    const end = text.indexOf(closing, from)
    return [text.slice(from, end < 0 ? undefined : end + closing.length)]
  })
  return [...new Set(texts)]
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

/** The texts in a value, those in its lists and objects too. */
function stringsIn(value: unknown, depth = 3): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null && depth > 0 ? Object.values(value).flatMap((each) => stringsIn(each, depth - 1)) : []
}
