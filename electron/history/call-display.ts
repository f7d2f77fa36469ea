import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { countChanges, type DiffStat } from '../../shared/changes.js'

/** What is kept of a call's result for people, beside the text that the agent got. */
export type ResultDisplay =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  /** One file was, or would have been, changed. Texts are decoded; `null` where the file is absent, binary ones are left out. */
  | {
      readonly kind: 'edit'
      /** Relative to the workspace. */
      readonly path: string
      readonly before: string | null
      readonly after: string | null
      /** Unified diff. */
      readonly diff: string
    }
  | {
      readonly kind: 'command'
      readonly command: string
      /** Absolute. */
      readonly directory: string
      readonly exitCode: number | null
      readonly signal: string | null
      readonly outcome: 'completed' | 'timed-out' | 'cancelled'
      readonly output: string
      readonly isCut: boolean
    }

// The limits of qwen-code 0.24.4 for what it keeps of an edit, in characters.
const keptContent = 16_000
const keptDiff = 50_000
/** Of any other text that a record holds. */
const keptAnyText = 256 * 1024
const keptOutput = 1024 * 1024
const keptCommandOutput = 32_000
/** Longer texts are not compared for a count of lines; in characters. */
export const countedText = 2_000_000

const signalNumbers: ReadonlyMap<string, number> = new Map(Object.entries(constants.signals))

/** A display in the shape of a qwen-code record; `null` for none. */
export function displayOf(display: ResultDisplay, folder: string): unknown {
  switch (display.kind) {
    case 'none':
      return null
    case 'text':
      return keptText(display.text)
    case 'command':
      return commandDisplay(display)
    case 'edit':
      return editDisplay(display, folder)
  }
}

export function keptText(text: string): string {
  return cutMiddle(text, keptAnyText)
}

/** What the agent was told, as far as it is kept. */
export function outputText(text: string): string {
  return cutMiddle(text, keptOutput)
}

function editDisplay({ path, before, after, diff }: Extract<ResultDisplay, { readonly kind: 'edit' }>, folder: string): unknown {
  const original = before === null ? null : cutMiddle(before, keptContent)
  const written = cutMiddle(after ?? '', keptContent)
  const isDiffCut = diff.length > keptDiff
  const isCut = isDiffCut || original !== before || written !== (after ?? '')
  const isCounted = (before?.length ?? 0) + (after?.length ?? 0) <= countedText
  return {
    fileDiff: isDiffCut ? `--- ${path}\n+++ ${path}\n` : diff,
    fileName: basename(path),
    filePath: join(folder, path),
    originalContent: original,
    newContent: written,
    ...(after === null ? { isDeleted: true } : {}),
    ...(isCounted ? { diffStat: { ...diffStatOf(countChanges(before ?? '', after ?? '')), model_added_chars: after?.length ?? 0, model_removed_chars: before?.length ?? 0 } } : {}),
    ...(isCut
      ? {
          truncatedForSession: true,
          fileDiffLength: diff.length,
          originalContentLength: before?.length ?? null,
          newContentLength: after?.length ?? 0,
          fileDiffTruncated: isDiffCut,
          originalContentTruncated: original !== before,
          newContentTruncated: written !== (after ?? ''),
        }
      : {}),
  }
}

/** A count of lines in the shape of a qwen-code record. */
export function diffStatOf({ insertions, deletions }: DiffStat): Readonly<Record<string, number>> {
  return { model_added_lines: insertions, model_removed_lines: deletions, model_added_chars: 0, model_removed_chars: 0, user_added_lines: 0, user_removed_lines: 0, user_added_chars: 0, user_removed_chars: 0 }
}

function commandDisplay({ command, directory, exitCode, signal, outcome, output, isCut }: Extract<ResultDisplay, { readonly kind: 'command' }>): unknown {
  const text = cutMiddle(output, keptCommandOutput)
  return {
    type: 'shell_result',
    version: 1,
    command: keptText(command),
    directory,
    exitCode,
    signal: (signal === null ? undefined : signalNumbers.get(signal)) ?? null,
    pid: null,
    outcome: outcome === 'timed-out' ? 'timed_out' : outcome,
    outputFiles: [],
    output: text,
    text,
    error: null,
    notices: [],
    truncated: isCut || text !== output,
  }
}

/** The beginning and the end of a text that is too long, with a line between that says so; never half of a character. */
function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text
  const mark = `\n[... truncated for saved session preview; original length: ${text.length} characters ...]\n`
  const half = Math.floor((limit - mark.length) / 2)
  return `${text.slice(0, wholeBefore(text, half))}${mark}${text.slice(wholeBefore(text, text.length - half))}`
}

/** The place, or the one before it where it would split a pair. */
function wholeBefore(text: string, at: number): number {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at
}
