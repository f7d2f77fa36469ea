import type { RecordedEdit, RecordedText } from '../../shared/session.js'
import { numberAt, textAt, type JsonObject } from './json-values.js'
import { patchedPaths } from './own-tools.js'
import { calledPath } from './tracked-paths.js'

/** What the recorder left of a file's contents in a result. */
interface FileDisplay {
  readonly before: RecordedText | null
  readonly after: RecordedText
  readonly diff: string | null
  readonly path: string | null
  /** Length of the text that was written, in UTF-16 units; `null` where the record does not say. */
  readonly length: number | null
  readonly isDeleted: boolean
  /** The person changed the text before it was written. */
  readonly isByUser: boolean
}

const isCreated = /^(Successfully created and wrote to new file|Created new file):/

/**
 * What an edit, a written file or a simulated sed did to one file, by its arguments and by what the recorder kept.
 *
 * Where the contents before and after are both whole, the change is made again and compared; where something else came out (the
 * person edited the proposal, the tool matched more loosely), what was written is the change. Where it cannot be known, the change
 * is a `sed` with an empty command: applied in memory, and not to be repeated.
 * Returns: `null` for a call that names no file.
 */
export function recordedEdit(
  tool: string,
  args: JsonObject,
  result: JsonObject | null,
  output: string,
  folder: string | null,
): RecordedEdit | null {
  const display = fileDisplay(result)
  const named = display?.path ?? textAt(args, 'file_path') ?? textAt(args, 'notebook_path') ?? textAt(args, 'path') ?? onlyOne(patchedPaths(tool, args))
  const path = named === null ? null : calledPath(named, folder)
  if (path === null) return null
  const isNewFile = isCreated.test(output) || (display !== null && display.before === null && !display.isDeleted)
  const before = isNewFile ? null : (display?.before ?? null)
  const after = display && !display.isDeleted ? display.after : null
  return { path, change: changeOf(tool, args, display, isNewFile), before, after, isNewFile, diff: display?.diff ?? null }
}

/** A shell command that the agent carried out in memory; `null` for one that the shell ran. */
export function simulatedSed(args: JsonObject, result: JsonObject | null, folder: string | null): RecordedEdit | null {
  const display = fileDisplay(result)
  const path = display?.path ? calledPath(display.path, folder) : null
  if (!display || path === null) return null
  const { before, after, diff } = display
  return { path, change: { kind: 'sed', command: textAt(args, 'command') ?? '' }, before, after, isNewFile: false, diff }
}

function changeOf(tool: string, args: JsonObject, display: FileDisplay | null, isNewFile: boolean): RecordedEdit['change'] {
  const written = display?.after.isWhole === true ? display.after.text : null
  const oldText = textAt(args, 'old_string') ?? textAt(args, 'old_text')
  const newText = textAt(args, 'new_string') ?? textAt(args, 'new_text')
  const all = args['replace_all'] === true || (numberAt(args, 'expected_replacements') ?? 1) > 1
  const unknown = { kind: 'sed', command: '' } as const
  if (display?.isDeleted) return { kind: 'delete' }

  if (tool === 'edit' || tool === 'replace' || tool === 'edit_file') {
    if (oldText === null || newText === null) return written === null ? unknown : { kind: 'write', content: written }
    const asked = isNewFile || oldText === '' ? newText : display?.before?.isWhole ? replaced(display.before.text, oldText, newText, all) : null
    if (written !== null && asked !== null && asked !== written) return { kind: 'write', content: written }
    if (written === null && display?.isByUser) return unknown
    return isNewFile || oldText === '' ? { kind: 'write', content: newText } : { kind: 'replace', oldText, newText, all }
  }
  const proposed = tool === 'write_file' || tool === 'exec_write' ? textAt(args, 'content') : null
  const isAsProposed = !display?.isByUser && (display?.length ?? proposed?.length) === proposed?.length
  const content = written ?? (isAsProposed ? proposed : null)
  return content === null ? unknown : { kind: 'write', content }
}

function replaced(text: string, oldText: string, newText: string, all: boolean): string {
  const from = oldText.replaceAll('\r\n', '\n')
  const to = newText.replaceAll('\r\n', '\n')
  if (all) return text.split(from).join(to)
  const at = text.indexOf(from)
  return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length)
}

/** Source: qwen-code cuts contents at 16,000 characters and makes up a diff above 50,000; `truncatedForSession` says so. */
function fileDisplay(result: JsonObject | null): FileDisplay | null {
  const diff = textAt(result, 'fileDiff')
  const after = textAt(result, 'newContent')
  if (!result || diff === null || after === null) return null
  const before = textAt(result, 'originalContent')
  const isCut = result['truncatedForSession'] === true
  const isWhole = (flag: string): boolean => !isCut || result[flag] === false
  const stat = result['diffStat']
  const isByUser = typeof stat === 'object' && stat !== null && Object.entries(stat).some(([name, count]) => name.startsWith('user_') && count !== 0)
  return {
    before: before === null ? null : { text: before, isWhole: isWhole('originalContentTruncated') },
    after: { text: after, isWhole: isWhole('newContentTruncated') },
    diff: isWhole('fileDiffTruncated') ? diff : null,
    path: textAt(result, 'filePath'),
    length: numberAt(result, 'newContentLength'),
    isDeleted: result['isDeleted'] === true,
    isByUser,
  }
}

/** A patch of several files is no edit of one: what it did to each is in the ledger. */
function onlyOne(paths: readonly string[]): string | null {
  return paths.length === 1 ? (paths[0] ?? null) : null
}
