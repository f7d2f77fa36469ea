import { editor, Range } from 'monaco-editor/editor/editor.api'
import { placesOf, shownText, type FileDraft, type HunkPlace } from '../state/approval-draft.js'
import { diffTexts } from './diff-engine.js'
import type { TextDiff } from './diff-messages.js'
import { prepareDiff } from './diff-provider.js'
import type { DiffLayout } from './diff-view.js'
import { displayPair } from './display-text.js'
import { colourLines, commonDiffOptions, createModel, noteDecorations, readOnlyOptions } from './editor-options.js'
import { leaveOutFlatZones } from './flat-zones.js'
import { contextLines, leastFoldedLines } from './folding.js'
import { markedUnits, mostHeads } from './hunk-limits.js'
import { createOverview } from './overview.js'
import { followLines, type PointedLine } from './pointed-line.js'
import { revealWord } from './reveal-word.js'
import { restoreTyped, typingText } from './typed-text.js'

/** Height of the line over each hunk. */
export const headHeightPx = 28

/** About what is seen of a text before it is scrolled. */
const firstLines = 120

/** A hunk's line as it lies on the screen now: pixels from the top of the view. */
export interface HeadPlace {
  readonly number: number
  readonly top: number
}

export interface HunkView {
  /** Lays a draft in: both texts, and what differs between them. */
  show(path: string, draft: FileDraft, diff: TextDiff): void
  /** Draws what the person has made of the proposal: hunks left out, lines of their own. */
  mark(draft: FileDraft): void
  setLayout(layout: DiffLayout): void
  setWritable(isWritable: boolean): void
  /** Draws every space and tab. */
  setBlanks(isShown: boolean): void
  goTo(place: HunkPlace): void
  focus(): void
  /** Scrolls by what a wheel over something that lies on top of the view says. */
  scrollBy(deltaY: number): void
  dispose(): void
}

export interface HunkViewEvents {
  /** The right side was written in; `read` gives its whole text, with the line ends of the proposal. */
  readonly onTyped: (read: () => string) => void
  /** A person put the cursor into this line of the right side; 0-based. */
  readonly onLine: (line: number) => void
  /** The lines over the hunks moved; only those that are on the screen. */
  readonly onHeads: (heads: readonly HeadPlace[]) => void
  readonly onFocus: (isInside: boolean) => void
  /** The line under the pointer, or with the cursor of the side before. */
  readonly onPointed: (pointed: PointedLine | null) => void
}

/** A diff whose right side can be written, with room over each of its hunks. */
export function createHunkView(host: HTMLElement, strip: HTMLElement, layout: DiffLayout, events: HunkViewEvents): HunkView {
  const diffEditor = editor.createDiffEditor(host, {
    ...commonDiffOptions,
    ...layoutOptions(layout),
    originalAriaLabel: 'Before',
    modifiedAriaLabel: 'As it would be written',
    hideUnchangedRegions: { enabled: true, contextLineCount: contextLines, minimumLineCount: 2, revealLineCount: 20 },
  })
  const before = diffEditor.getOriginalEditor()
  const after = diffEditor.getModifiedEditor()
  before.updateOptions(readOnlyOptions)
  leaveOutFlatZones(before)
  leaveOutFlatZones(after)
  // In the side that is only read, keys go to the window.
  before.getContainerDomNode().dataset['singleKeys'] = ''
  const marks = { before: before.createDecorationsCollection(), after: after.createDecorationsCollection() }
  const notes = { before: before.createDecorationsCollection(), after: after.createDecorationsCollection() }
  const starts = after.createDecorationsCollection()
  const current = after.createDecorationsCollection()
  const overview = createOverview(strip, diffEditor)
  let zones: Zones = { before: [], after: [] }
  let frame = 0
  /** Of the text as it is shown. */
  let words: TextDiff['words'] = []

  const place = (): void => {
    frame = 0
    events.onHeads(visibleHeads())
  }
  const placeSoon = (): void => {
    frame ||= requestAnimationFrame(place)
  }
  const listeners = [
    after.onDidScrollChange(place),
    after.onDidLayoutChange(placeSoon),
    after.onDidContentSizeChange(placeSoon),
    diffEditor.onDidUpdateDiff(placeSoon),
    after.onDidFocusEditorText(() => events.onFocus(true)),
    after.onDidBlurEditorText(() => events.onFocus(false)),
    after.onDidChangeCursorPosition(({ source, position }) => {
      if (source === 'mouse') events.onLine(position.lineNumber - 1)
    }),
  ]
  let reading: { dispose(): void } | null = null
  followLines({ before, after }, (side) => side === 'before', events.onPointed)

  function visibleHeads(): readonly HeadPlace[] {
    const top = after.getScrollTop()
    const bottom = top + after.getLayoutInfo().height
    const heads: HeadPlace[] = []
    const ranges = starts.getRanges()
    if (zones.after.length === 0) return heads
    for (const [at, { startLineNumber: line }] of ranges.entries()) {
      const own = line === 1 ? after.getTopForLineNumber(1, true) : after.getTopForLineNumber(line) - headHeightPx
      if (own > bottom) break
      if (own + headHeightPx > top) heads.push({ number: at + 1, top: own - top })
    }
    return heads
  }

  /** Room over each hunk, on both sides alike. */
  function layZones(draft: FileDraft): void {
    const places = draft.hunks.length > mostHeads ? [] : placesOf(draft)
    const wanted = { before: layout.isSideBySide ? places.map(({ number }) => draft.hunks[number - 1]?.beforeStart ?? 0) : [], after: places.map(({ shownStart }) => shownStart) }
    zones = { before: laid(before, zones.before, wanted.before), after: laid(after, zones.after, wanted.after) }
    const model = after.getModel()
    if (!model) return
    const last = model.getLineCount()
    starts.set(places.map(({ shownStart }) => ({ range: new Range(Math.min(shownStart + 1, last), 1, Math.min(shownStart + 1, last), 1), options: { stickiness: editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges } })))
  }

  function mark(draft: FileDraft): void {
    const models = diffEditor.getModel()
    if (!models) return
    layZones(draft)
    const places = placesOf(draft)
    const out = places.filter(({ number }) => draft.leftOut.has(number))
    const outEdits = new Set(out.flatMap(({ edits }) => edits))
    marks.after.set([
      ...out.flatMap(({ start, end }) => lineMarks(start, end, 'left-out', models.modified)),
      ...draft.edits.flatMap(({ afterStart, afterEnd }, at) => (outEdits.has(at) ? [] : lineMarks(afterStart, afterEnd, 'own-line', models.modified))),
    ])
    marks.before.set(out.flatMap(({ number }) => {
      const hunk = draft.hunks[number - 1]
      return hunk ? lineMarks(hunk.beforeStart, hunk.beforeEnd, 'kept-line', models.original) : []
    }))
    placeSoon()
  }

  return {
    show(path, draft, diff) {
      const old = diffEditor.getModel()
      words = diff.words
      reading?.dispose()
      const own = typingText(shownText(draft))
      const models = { original: createModel(displayPair(draft.before, draft.after).before.text, path), modified: createModel(own.text, path) }
      const read = (): string => restoreTyped(draft.after, models.modified.getValue(editor.EndOfLinePreference.LF))
      prepareDiff(models.modified, diff, () => diffTexts(draft.before, read(), new AbortController().signal, markedUnits).then((fresh) => {
        words = fresh.words
        overview.setChanges(fresh.changes, layout.isSideBySide)
        return fresh
      }))
      // In one column the removed lines are drawn once; side by side only what is on the screen first has to have its colours.
      colourLines(models.original, layout.isSideBySide ? firstLines : (diff.changes.at(-1)?.beforeEnd ?? 0))
      colourLines(models.modified, firstLines)
      diffEditor.updateOptions({ hideUnchangedRegions: { enabled: true, contextLineCount: contextLines, minimumLineCount: leastFoldedLines(diff.changes), revealLineCount: 20 } })
      removeZones(before, zones.before)
      removeZones(after, zones.after)
      zones = { before: [], after: [] }
      diffEditor.setModel(models)
      before.updateOptions({ glyphMargin: false, lineNumbers: numbersUpTo(displayPair(draft.before, draft.after).before.lines) })
      after.updateOptions({ glyphMargin: false })
      notes.before.set(noteDecorations(models.original, displayPair(draft.before, draft.after).before))
      notes.after.set(noteDecorations(models.modified, own))
      overview.setChanges(diff.changes, layout.isSideBySide)
      reading = models.modified.onDidChangeContent(() => events.onTyped(read))
      old?.original.dispose()
      old?.modified.dispose()
      mark(draft)
    },
    mark,
    setLayout(next) {
      layout = next
      diffEditor.updateOptions(layoutOptions(next))
      before.updateOptions({ glyphMargin: false })
      after.updateOptions({ glyphMargin: false })
    },
    setWritable(isWritable) {
      after.updateOptions(isWritable ? { readOnly: false, domReadOnly: false, tabFocusMode: false, cursorStyle: 'line' } : readOnlyOptions)
      const node = after.getContainerDomNode()
      if (isWritable) delete node.dataset['singleKeys']
      else node.dataset['singleKeys'] = ''
    },
    goTo({ shownStart, shownEnd }) {
      const first = shownStart + 1
      const word = words.find(({ after: { startLine } }) => startLine >= first && startLine <= shownEnd)
      // Where no line lies over the hunks, its own lines show which one it is.
      current.set(zones.after.length > 0 ? [] : lineRange(first, Math.max(first, shownEnd)))
      after.revealLinesInCenterIfOutsideViewport(first, Math.max(first, Math.min(shownEnd, first + 14)), editor.ScrollType.Immediate)
      after.setPosition({ lineNumber: first, column: 1 }, 'goTo')
      if (word && !layout.isWrapped) revealWord(after, word)
    },
    setBlanks: (isShown) => diffEditor.updateOptions({ renderWhitespace: isShown ? 'all' : 'selection' }),
    focus: () => after.focus(),
    scrollBy: (deltaY) => after.setScrollTop(after.getScrollTop() + deltaY),
    dispose() {
      cancelAnimationFrame(frame)
      reading?.dispose()
      for (const listener of listeners) listener.dispose()
      const old = diffEditor.getModel()
      overview.dispose()
      diffEditor.dispose()
      old?.original.dispose()
      old?.modified.dispose()
    },
  }
}

function lineRange(first: number, last: number): editor.IModelDeltaDecoration[] {
  return [{ range: new Range(first, 1, last, 1), options: { isWholeLine: true, marginClassName: 'current-change' } }]
}

interface Zone extends editor.IViewZone {
  afterLineNumber: number
}

interface LaidZone {
  readonly id: string
  readonly zone: Zone
}

interface Zones {
  readonly before: readonly LaidZone[]
  readonly after: readonly LaidZone[]
}

/** Puts a zone before each of these lines, moving those that are there already. */
function laid(view: editor.ICodeEditor, old: readonly LaidZone[], lines: readonly number[]): readonly LaidZone[] {
  if (old.length === lines.length && old.every(({ zone }, at) => zone.afterLineNumber === lines[at])) return old
  const next: LaidZone[] = []
  view.changeViewZones((accessor) => {
    for (const { id } of old.slice(lines.length)) accessor.removeZone(id)
    for (const [at, afterLineNumber] of lines.entries()) {
      const known = old[at]
      // Over the first line it comes before whatever the editor itself puts there, elsewhere behind its folds.
      const ordinal = afterLineNumber === 0 ? 0 : 20_000
      if (known && known.zone.ordinal === ordinal) {
        known.zone.afterLineNumber = afterLineNumber
        accessor.layoutZone(known.id)
        next.push(known)
        continue
      }
      if (known) accessor.removeZone(known.id)
      const zone: Zone = { afterLineNumber, ordinal, heightInPx: headHeightPx, domNode: document.createElement('div'), suppressMouseDown: true }
      next.push({ id: accessor.addZone(zone), zone })
    }
  })
  return next
}

function removeZones(view: editor.ICodeEditor, zones: readonly LaidZone[]): void {
  view.changeViewZones((accessor) => {
    for (const { id } of zones) accessor.removeZone(id)
  })
}

function layoutOptions(layout: DiffLayout): editor.IDiffEditorOptions {
  const wrap = layout.isWrapped ? 'on' : 'off'
  return { renderSideBySide: layout.isSideBySide, wordWrap: wrap, diffWordWrap: wrap }
}

/** Whole lines, 0-based and end exclusive, in a look that covers the colours of the diff. */
function lineMarks(start: number, end: number, look: 'left-out' | 'own-line' | 'kept-line', model: editor.ITextModel): editor.IModelDeltaDecoration[] {
  const last = Math.min(end, model.getLineCount())
  if (start >= last) return []
  const range = new Range(start + 1, 1, last, model.getLineMaxColumn(last))
  return [
    {
      range,
      options: {
        isWholeLine: true,
        zIndex: 20,
        className: look,
        marginClassName: `${look}-margin`,
        linesDecorationsClassName: `${look}-sign`,
        inlineClassName: `${look}-text`,
        shouldFillLineOnLineBreak: false,
      },
    },
  ]
}

/** The one empty line that an editor shows of an empty text has no number: there is no such line. */
function numbersUpTo(lines: number): editor.LineNumbersType {
  return (line) => (line > lines ? '' : String(line))
}
