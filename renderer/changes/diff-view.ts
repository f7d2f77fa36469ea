import { editor, Range } from 'monaco-editor/editor/editor.api'
import type { LineChange } from '../../shared/line-diff.js'
import type { DisplayText } from './display-text.js'
import type { TextDiff } from './diff-messages.js'
import { prepareDiff } from './diff-provider.js'
import { colourLines, commonOptions, createModel, noteDecorations, readOnlyOptions } from './editor-options.js'
import { contextLines, leastFoldedLines } from './folding.js'
import { createOverview } from './overview.js'

/** What a diff view shows. */
export interface DiffContent {
  readonly path: string
  readonly before: DisplayText
  readonly after: DisplayText
  readonly diff: TextDiff
}

export interface DiffLayout {
  readonly isSideBySide: boolean
  readonly isWrapped: boolean
}

export interface DiffView {
  /** Replaces what is shown; the models of before are disposed once the editor has let go of them. */
  show(content: DiffContent): void
  setLayout(layout: DiffLayout): void
  /** Marks the change with this index as the current one and brings it into view. */
  goTo(index: number): void
  focus(): void
  dispose(): void
}

/** A diff editor in `host`, its overview in `strip`. `onChosen` tells which change a person put the cursor into. */
export function createDiffView(host: HTMLElement, strip: HTMLElement, layout: DiffLayout, onChosen: (index: number) => void): DiffView {
  const diffEditor = editor.createDiffEditor(host, {
    ...commonOptions,
    ...readOnlyOptions,
    ...layoutOptions(layout, null),
    originalAriaLabel: 'Before',
    modifiedAriaLabel: 'After',
    originalEditable: false,
    // The overview beside it shows where one is, and scrolls.
    scrollbar: { ...commonOptions.scrollbar, vertical: 'hidden' },
    ignoreTrimWhitespace: false,
    maxComputationTime: 0,
    maxFileSize: 0,
    renderIndicators: true,
    renderMarginRevertIcon: false,
    renderGutterMenu: false,
    renderOverviewRuler: false,
    accessibilityVerbose: false,
    useInlineViewWhenSpaceIsLimited: false,
    hideUnchangedRegions: folding(2),
    experimental: { showMoves: false, showEmptyDecorations: false, useTrueInlineView: false },
  })
  const sides = { before: diffEditor.getOriginalEditor(), after: diffEditor.getModifiedEditor() }
  const marks = { before: sides.before.createDecorationsCollection(), after: sides.after.createDecorationsCollection() }
  const notes = { before: sides.before.createDecorationsCollection(), after: sides.after.createDecorationsCollection() }
  const overview = createOverview(strip, diffEditor)
  let content: DiffContent | null = null
  let wanted = 0

  const chosen = (side: 'before' | 'after') => (event: editor.ICursorPositionChangedEvent): void => {
    if (event.source !== 'mouse' || !content) return
    const index = content.diff.changes.findIndex((change) => isInside(change, side, event.position.lineNumber))
    if (index >= 0) onChosen(index)
  }
  sides.before.onDidChangeCursorPosition(chosen('before'))
  sides.after.onDidChangeCursorPosition(chosen('after'))
  diffEditor.onDidUpdateDiff(() => reveal('start'))

  /** The diff editor sets its own margins on one side; both are to have the same. */
  function adjustSides(shown: DiffContent): void {
    sides.before.updateOptions({ lineNumbers: lineNumbers(shown.before), glyphMargin: false })
    sides.after.updateOptions({ lineNumbers: lineNumbers(shown.after), glyphMargin: false })
  }

  function reveal(from: 'start' | 'step'): void {
    const change = content?.diff.changes[wanted]
    marks.before.set(change ? currentMark(change.beforeStart, change.beforeEnd) : [])
    marks.after.set(change ? currentMark(change.afterStart, change.afterEnd) : [])
    if (!change || (from === 'start' && wanted === 0 && change.afterStart < 4)) return
    const side = change.afterEnd > change.afterStart || !isSideBySide(layout, content) ? 'after' : 'before'
    const first = side === 'after' ? Math.max(1, change.afterStart + 1) : change.beforeStart + 1
    const last = Math.max(first, side === 'after' ? change.afterEnd : change.beforeEnd)
    sides[side].revealLinesInCenterIfOutsideViewport(first, Math.min(last, first + 20), editor.ScrollType.Immediate)
  }

  return {
    show(next) {
      content = next
      wanted = 0
      diffEditor.updateOptions(layoutOptions(layout, next))
      const old = diffEditor.getModel()
      const models = { original: createModel(next.before.text, next.path), modified: createModel(next.after.text, next.path) }
      prepareDiff(models.modified, next.diff)
      colourLines(models.original, next.diff.changes.at(-1)?.beforeEnd ?? 0)
      diffEditor.updateOptions({ hideUnchangedRegions: folding(leastFoldedLines(next.diff.changes)) })
      diffEditor.setModel(models)
      adjustSides(next)
      notes.before.set(noteDecorations(models.original, next.before))
      notes.after.set(noteDecorations(models.modified, next.after))
      overview.setChanges(next.diff.changes, isSideBySide(layout, next))
      old?.original.dispose()
      old?.modified.dispose()
    },
    setLayout(next) {
      layout = next
      diffEditor.updateOptions(layoutOptions(next, content))
      if (!content) return
      adjustSides(content)
      overview.setChanges(content.diff.changes, isSideBySide(next, content))
    },
    goTo(index) {
      wanted = index
      reveal('step')
    },
    focus: () => sides.after.focus(),
    dispose() {
      const old = diffEditor.getModel()
      overview.dispose()
      diffEditor.dispose()
      old?.original.dispose()
      old?.modified.dispose()
    },
  }
}

function folding(minimumLineCount: number): editor.IDiffEditorBaseOptions['hideUnchangedRegions'] {
  return { enabled: true, contextLineCount: contextLines, minimumLineCount, revealLineCount: 20 }
}

/** In one column every removed block is drawn by itself; with more of them the window would stand still for seconds. */
const mostInlineChanges = 1500

function isSideBySide(layout: DiffLayout, content: DiffContent | null): boolean {
  return layout.isSideBySide || (content?.diff.changes.length ?? 0) > mostInlineChanges
}

function layoutOptions(layout: DiffLayout, content: DiffContent | null): editor.IDiffEditorOptions {
  const wrap = layout.isWrapped ? 'on' : 'off'
  return { renderSideBySide: isSideBySide(layout, content), wordWrap: wrap, diffWordWrap: wrap }
}

/** The one empty line that an editor shows of an empty text has no number: there is no such line. */
function lineNumbers(display: DisplayText): editor.LineNumbersType {
  return (line) => (line > display.lines ? '' : String(line))
}

function isInside(change: LineChange, side: 'before' | 'after', line: number): boolean {
  return side === 'before' ? line > change.beforeStart && line <= change.beforeEnd : line > change.afterStart && line <= change.afterEnd
}

function currentMark(start: number, end: number): editor.IModelDeltaDecoration[] {
  if (start === end) return []
  return [{ range: new Range(start + 1, 1, end, 1), options: { isWholeLine: true, marginClassName: 'current-change' } }]
}
