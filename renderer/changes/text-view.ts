import { editor, Range } from 'monaco-editor/editor/editor.api'
import type { DisplayText } from './display-text.js'
import { commonOptions, createModel, noteDecorations, readOnlyOptions } from './editor-options.js'

/** Lines of a text that stand in a conflict; `note` is printed where the line itself is empty. */
export interface LineMark {
  readonly line: number
  readonly lines: number
  readonly look: 'conflict' | 'current' | 'chosen'
  readonly note: string | null
}

export interface TextContent {
  readonly path: string
  readonly display: DisplayText
  /** The text is laid in when this changes; between two editions what was typed stays. */
  readonly edition: string
  readonly marks: readonly LineMark[]
  /** 1-based line to bring into view; `null` leaves the view where it is. */
  readonly revealLine: number | null
}

export interface TextView {
  /** Shows a text; the same edition keeps cursor and place. */
  show(content: TextContent): void
  setWrapped(isWrapped: boolean): void
  focus(): void
  dispose(): void
}

/** A single editor in `host`; `onTyped` makes it writable and gets its whole text after each edit, lines ending in LF. */
export function createTextView(host: HTMLElement, ariaLabel: string, onTyped: ((text: string) => void) | null): TextView {
  const view = editor.create(host, {
    ...commonOptions,
    ...(onTyped ? {} : readOnlyOptions),
    ariaLabel,
    model: null,
  })
  const marks = view.createDecorationsCollection()
  const notes = view.createDecorationsCollection()
  let shown: string | null = null
  let isOurs = false
  view.onDidChangeModelContent(() => {
    const model = view.getModel()
    if (!isOurs && model) onTyped?.(model.getValue(editor.EndOfLinePreference.LF))
  })

  return {
    show({ path, display, edition, marks: lines, revealLine }) {
      const old = view.getModel()
      if (edition !== shown) {
        shown = edition
        isOurs = true
        view.setModel(createModel(display.text, path))
        isOurs = false
        old?.dispose()
      }
      const model = view.getModel()
      if (!model) return
      marks.set(lines.flatMap((mark) => lineDecorations(mark, model)))
      notes.set(noteDecorations(model, display))
      if (revealLine === null) return
      // Who begins to type there means that line.
      if (!view.hasTextFocus()) view.setPosition({ lineNumber: Math.min(revealLine, model.getLineCount()), column: 1 })
      view.revealLineInCenterIfOutsideViewport(revealLine, editor.ScrollType.Immediate)
    },
    setWrapped: (isWrapped) => view.updateOptions({ wordWrap: isWrapped ? 'on' : 'off' }),
    focus: () => view.focus(),
    dispose() {
      const old = view.getModel()
      view.dispose()
      old?.dispose()
    },
  }
}

function lineDecorations({ line, lines, look, note }: LineMark, model: editor.ITextModel): editor.IModelDeltaDecoration[] {
  if (lines === 0 || line > model.getLineCount()) return []
  const whole: editor.IModelDeltaDecoration = {
    range: new Range(line, 1, line + lines - 1, 1),
    options: { isWholeLine: true, className: `line-${look}`, marginClassName: `line-${look}`, linesDecorationsClassName: `sign-${look}` },
  }
  if (note === null) return [whole]
  const text: editor.IModelDeltaDecoration = {
    range: new Range(line, 1, line, 1),
    options: { showIfCollapsed: true, after: { content: note.replaceAll(' ', '\u00a0'), inlineClassName: 'conflict-note' } },
  }
  return [whole, text]
}
