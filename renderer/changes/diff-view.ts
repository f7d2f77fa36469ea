import { editor, Range } from 'monaco-editor/editor/editor.api'
import type { LineChange } from '../../shared/line-diff.js'
import type { DisplayText } from './display-text.js'
import type { TextDiff } from './diff-messages.js'
import { prepareDiff } from './diff-provider.js'
import { colourLines, commonDiffOptions, createModel, noteDecorations, readOnlyOptions } from './editor-options.js'
import { leaveOutFlatZones } from './flat-zones.js'
import { contextLines, leastFoldedLines } from './folding.js'
import { followLines, type PointedLine } from './pointed-line.js'
import { createOverview } from './overview.js'
import { revealWord } from './reveal-word.js'

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

export interface DiffViewEvents {
  /** A person put the cursor into this change. */
  readonly onChosen: (index: number) => void
  /** The line under the pointer, else the one with the cursor while the editor has the focus; `null` where there is none. */
  readonly onPointed: (pointed: PointedLine | null) => void
}

export interface DiffView {
  /** Replaces what is shown; the models of before are disposed once the editor has let go of them. */
  show(content: DiffContent): void
  setLayout(layout: DiffLayout): void
  /** Draws every space and tab. */
  setBlanks(isShown: boolean): void
  /** Marks the change with this index as the current one and brings it into view. */
  goTo(index: number): void
  /** Brings a line into view, also when something that comes in below takes its room. */
  revealLine(side: 'before' | 'after', line: number): void
  focus(): void
  dispose(): void
}

/** A diff editor in `host`, its overview in `strip`. */
export function createDiffView(host: HTMLElement, strip: HTMLElement, layout: DiffLayout, { onChosen, onPointed }: DiffViewEvents): DiffView {
  const diffEditor = editor.createDiffEditor(host, {
    ...commonDiffOptions,
    ...readOnlyOptions,
    ...layoutOptions(layout, null),
    originalAriaLabel: 'Before',
    modifiedAriaLabel: 'After',
    hideUnchangedRegions: folding(2),
  })
  const sides = { before: diffEditor.getOriginalEditor(), after: diffEditor.getModifiedEditor() }
  leaveOutFlatZones(sides.before)
  leaveOutFlatZones(sides.after)
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
  followLines(sides, (side, line) => line <= (content?.[side].lines ?? 0), onPointed)

  /** The diff editor sets its own margins on one side; both are to have the same. */
  function adjustSides(shown: DiffContent): void {
    sides.before.updateOptions({ lineNumbers: lineNumbers(shown.before), glyphMargin: false })
    sides.after.updateOptions({ lineNumbers: lineNumbers(shown.after), glyphMargin: false })
  }

  function reveal(from: 'start' | 'step'): void {
    const change = content?.diff.changes[wanted]
    marks.before.set(change ? currentMark(change.beforeStart, change.beforeEnd) : [])
    marks.after.set(change ? currentMark(change.afterStart, change.afterEnd) : [])
    if (!change) return
    if (from === 'start' && wanted === 0 && change.afterStart < 4) return revealFirstWord()
    const side = change.afterEnd > change.afterStart || !isSideBySide(layout, content) ? 'after' : 'before'
    const first = side === 'after' ? Math.max(1, change.afterStart + 1) : change.beforeStart + 1
    const last = Math.max(first, side === 'after' ? change.afterEnd : change.beforeEnd)
    sides[side].revealLinesInCenterIfOutsideViewport(first, Math.min(last, first + 20), editor.ScrollType.Immediate)
    revealFirstWord()
  }

  function revealFirstWord(): void {
    const word = content?.diff.words.find(({ change }) => change === wanted)
    if (word && !layout.isWrapped) revealWord(sides.after, word)
  }

  return {
    show(next) {
      content = next
      wanted = 0
      diffEditor.updateOptions(layoutOptions(layout, next))
      const old = diffEditor.getModel()
      const models = { original: createModel(next.before.text, next.path), modified: createModel(next.after.text, next.path) }
      prepareDiff(models.modified, next.diff)
      if (!isSideBySide(layout, next)) colourRemoved(models.original, next)
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
      const original = diffEditor.getModel()?.original
      if (original && content && !isSideBySide(next, content)) colourRemoved(original, content)
      diffEditor.updateOptions(layoutOptions(next, content))
      if (!content) return
      adjustSides(content)
      overview.setChanges(content.diff.changes, isSideBySide(next, content))
    },
    goTo(index) {
      wanted = index
      reveal('step')
    },
    setBlanks: (isShown) => diffEditor.updateOptions({ renderWhitespace: isShown ? 'all' : 'selection' }),
    revealLine(side, line) {
      const show = (): void => sides[side].revealLineInCenterIfOutsideViewport(line, editor.ScrollType.Immediate)
      show()
      const once = sides[side].onDidLayoutChange(() => {
        once.dispose()
        show()
      })
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

/** In one column the removed lines are drawn once, with the colours that they have at that moment. */
function colourRemoved(original: editor.ITextModel, { diff }: DiffContent): void {
  colourLines(original, diff.changes.at(-1)?.beforeEnd ?? 0)
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
