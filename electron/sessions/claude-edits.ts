import type { RecordedEdit, RecordedText } from '../../shared/session.js'
import { canBeOf, readHunks, showsChange, unifiedDiff, type PatchHunk } from './claude-patch.js'
import { isObject, listAt, textAt, type JsonObject } from './json-values.js'
import { calledPath } from './tracked-paths.js'

/** What is known of a call besides its own records. */
export interface EditContext {
  readonly folder: string | null
  /** Version of the agent that wrote the record. */
  readonly version: string | null
}

/** Applied in memory, and not to be repeated: what came out is known from the record, or not at all. */
const untold: RecordedEdit['change'] = { kind: 'sed', command: '' }

/**
 * What an edit did to one file, by what was applied; its arguments are only what the model asked for, which a hook or the person may
 * have changed. Texts are recorded with LF line ends and without BOM.
 *
 * A text of the file stands in the record up to about 10 KB. With it the edit is made again and held against the recorded patch;
 * without it the patch must be what the edit makes of its own lines. What does not fit is not told.
 * Returns: `null` for a call that names no file.
 */
export function claudeEdit(tool: string, args: JsonObject, result: unknown, context: EditContext): RecordedEdit | null {
  const applied = isObject(result) ? result : null
  const named = textAt(applied, 'filePath') ?? textAt(applied, 'notebook_path') ?? textAt(args, 'file_path') ?? textAt(args, 'notebook_path')
  const path = named === null ? null : calledPath(named, context.folder)
  if (path === null) return null
  const base = { path, before: null, after: null, isNewFile: false, diff: null, keepsBytes: false } as const
  if (!applied) return { ...base, ...proposed(tool, args) }
  const hunks = readHunks(applied)
  return { ...base, diff: unifiedDiff(hunks), ...appliedEdit(tool, applied, hunks, context) }
}

type Told = Pick<RecordedEdit, 'change'> & Partial<RecordedEdit>

/** Without a result only what was asked for is known, for display. */
function proposed(tool: string, args: JsonObject): Told {
  const [oldText, newText, content] = [textAt(args, 'old_string'), textAt(args, 'new_string'), textAt(args, 'content')]
  const isAsked = tool === 'Edit' && oldText !== null && newText !== null
  const diff = isAsked ? asDiff(oldText, newText) : content === null ? null : asDiff('', content)
  return { change: untold, diff }
}

function appliedEdit(tool: string, result: JsonObject, hunks: readonly PatchHunk[] | null, context: EditContext): Told {
  switch (tool) {
    case 'Write':
      return written(result, context)
    case 'Edit':
      return replacedText(result, hunks)
    case 'MultiEdit':
      return replacedTexts(result, hunks)
    default: {
      const [before, after] = [textAt(result, 'original_file'), textAt(result, 'updated_file')]
      return { change: untold, before: whole(before), after: whole(after) }
    }
  }
}

function written(result: JsonObject, { version }: EditContext): Told {
  const content = textAt(result, 'content')
  const before = textAt(result, 'originalFile')
  if (content === null) return { change: untold }
  const change = { kind: 'write', content } as const
  if (result['type'] === 'create') return { change, after: whole(content), isNewFile: true, keepsBytes: writesNewFilesAsTold(version) }
  // What an empty file becomes depends on other files, as that of a new one.
  if (before === '' && !writesNewFilesAsTold(version)) return { change: untold, before: whole(''), after: whole(content) }
  return { change, before: whole(before), after: whole(content) }
}

function replacedText(result: JsonObject, hunks: readonly PatchHunk[] | null): Told {
  const [oldText, newText, before] = [textAt(result, 'oldString'), textAt(result, 'newString'), textAt(result, 'originalFile')]
  if (oldText === null || newText === null || !hunks) return { change: untold, before: whole(before) }
  const all = result['replaceAll'] === true
  if (oldText === '') return madeOfNothing(before, newText, hunks)
  for (const change of readings(oldText, newText, all)) {
    if (before === null) {
      if (canBeOf(hunks, change.oldText, change.newText, all)) return { change }
      continue
    }
    const after = replaced(before, change.oldText, change.newText, all)
    if (after !== null && showsChange(hunks, before, after)) return { change, before: whole(before), after: whole(after) }
  }
  return { change: untold, before: whole(before) }
}

/** An edit without an old text fills an empty file, or makes one. */
function madeOfNothing(before: string | null, newText: string, hunks: readonly PatchHunk[]): Told {
  if (before !== null && before !== '') return { change: untold, before: whole(before) }
  const isShown = hunks.length === 0 || showsChange(hunks, '', newText)
  return { change: untold, before: whole(before), after: isShown ? whole(newText) : null }
}

type Replacement = Extract<RecordedEdit['change'], { readonly kind: 'replace' }>

/** A text that is taken out goes with its line end. */
function readings(oldText: string, newText: string, all: boolean): readonly Replacement[] {
  const asTold: Replacement = { kind: 'replace', oldText, newText, all }
  return newText === '' && !oldText.endsWith('\n') ? [asTold, { ...asTold, oldText: `${oldText}\n` }] : [asTold]
}

function replacedTexts(result: JsonObject, hunks: readonly PatchHunk[] | null): Told {
  const before = textAt(result, 'originalFile') ?? textAt(result, 'originalFileContents')
  let after = before
  for (const edit of listAt(result, 'edits')) {
    const [oldText, newText] = isObject(edit) ? [textAt(edit, 'old_string'), textAt(edit, 'new_string')] : [null, null]
    const isAll = isObject(edit) && edit['replace_all'] === true
    after = after === null || oldText === null || newText === null ? null : replaced(after, oldText, newText, isAll)
  }
  const isShown = before !== null && after !== null && hunks !== null && showsChange(hunks, before, after)
  return isShown && after !== null ? { change: { kind: 'write', content: after }, before: whole(before), after: whole(after) } : { change: untold, before: whole(before) }
}

function replaced(text: string, oldText: string, newText: string, all: boolean): string | null {
  const parts = text.split(oldText)
  if (oldText === '' || parts.length < 2 || (parts.length > 2 && !all)) return null
  return parts.join(newText)
}

function whole(text: string | null): RecordedText | null {
  return text === null ? null : { text, isWhole: true }
}

function asDiff(oldText: string, newText: string): string {
  const side = (text: string, sign: string): readonly string[] => (text === '' ? [] : text.split('\n').map((line) => sign + line))
  return [...side(oldText, '-'), ...side(newText, '+')].join('\n')
}

/**
 * Source: measured for 2.1.197; of versions around 2.1.12 people report new files with CRLF on Linux, and CRLF files written with LF.
 */
function writesNewFilesAsTold(version: string | null): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number)
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 197)))
}
