import { Range, type editor } from 'monaco-editor/editor/editor.api'
import { LineRange } from 'monaco-editor/editor/common/core/ranges/lineRange'
import { DetailedLineRangeMapping, RangeMapping } from 'monaco-editor/editor/common/diff/rangeMapping'
import type { LineChange } from '../../shared/line-diff.js'
import type { TextDiff, TextRange } from './diff-messages.js'

interface EditorDiff {
  readonly changes: readonly DetailedLineRangeMapping[]
  readonly moves: readonly never[]
  readonly identical: boolean
  readonly quitEarly: boolean
}

interface Prepared {
  readonly diff: TextDiff
  /** Of the model, to which the diff belongs. */
  readonly version: number
  readonly again: (() => Promise<TextDiff>) | null
}

const prepared = new WeakMap<editor.ITextModel, Prepared>()

/**
 * Says what differs between the text before and this model; done before a diff editor gets the two. Where the model can
 * be written, `again` computes it for the text of that moment.
 */
export function prepareDiff(after: editor.ITextModel, diff: TextDiff, again: (() => Promise<TextDiff>) | null = null): void {
  prepared.set(after, { diff, version: after.getVersionId(), again })
}

/** Stands in for the editor's own diff, which gives up on large changes: hands over what our engine has found. */
export const diffProviderFactory = {
  createDiffProvider: () => ({
    onDidChange: () => ({ dispose: () => undefined }),
    computeDiff: (before: editor.ITextModel, after: editor.ITextModel): Promise<EditorDiff> => presentDiff(after).then((diff) => editorDiff(diff, before, after)),
    dispose: () => undefined,
  }),
}

function presentDiff(after: editor.ITextModel): Promise<TextDiff> {
  const known = prepared.get(after)
  if (!known) return Promise.resolve({ changes: [], words: [] })
  return known.again && after.getVersionId() !== known.version ? known.again() : Promise.resolve(known.diff)
}

function editorDiff(diff: TextDiff, before: editor.ITextModel, after: editor.ITextModel): EditorDiff {
  const inner = new Map<number, RangeMapping[]>()
  for (const { change, before: from, after: to } of diff.words) {
    const marks = inner.get(change) ?? []
    marks.push(new RangeMapping(editorRange(from, before), editorRange(to, after)))
    inner.set(change, marks)
  }
  const changes = diff.changes.map((change, index) => new DetailedLineRangeMapping(...lineRanges(change), inner.get(index) ?? []))
  return { changes, moves: [], identical: diff.changes.length === 0, quitEarly: false }
}

function lineRanges({ beforeStart, beforeEnd, afterStart, afterEnd }: LineChange): [LineRange, LineRange] {
  return [new LineRange(beforeStart + 1, beforeEnd + 1), new LineRange(afterStart + 1, afterEnd + 1)]
}

/** Line ends are no part of the editor's lines, so a range may have to end earlier. */
function editorRange(range: TextRange, model: editor.ITextModel): Range {
  return model.validateRange(new Range(range.startLine, range.startColumn, range.endLine, range.endColumn))
}
