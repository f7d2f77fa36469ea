import { editor } from 'monaco-editor/editor/editor.api'

/** A line that the pointer or the cursor is on, and where it lies: its top, and the right edge of its side, in pixels of the diff. */
export interface PointedLine {
  readonly side: 'before' | 'after'
  /** From 1. */
  readonly line: number
  readonly top: number
  readonly right: number
}

interface Sides {
  readonly before: editor.ICodeEditor
  readonly after: editor.ICodeEditor
}

/**
 * Tells the line under the pointer, else the one with the cursor of the editor that has the focus. Lives as long as the
 * editors do. `isLine` says which lines are lines of the text: an empty one has none.
 */
export function followLines(sides: Sides, isLine: (side: PointedLine['side'], line: number) => boolean, onPointed: (pointed: PointedLine | null) => void): void {
  let hovered: { readonly side: PointedLine['side']; readonly line: number } | null = null
  const tell = (): void => {
    const focused = sides.after.hasTextFocus() ? 'after' : sides.before.hasTextFocus() ? 'before' : null
    const line = focused && sides[focused].getPosition()?.lineNumber
    const at = hovered ?? (focused && line ? { side: focused, line } : null)
    if (!at || !isLine(at.side, at.line)) return onPointed(null)
    const view = sides[at.side]
    const top = view.getTopForLineNumber(at.line) - view.getScrollTop()
    const { width, height } = view.getLayoutInfo()
    onPointed(top < 0 || top > height - 19 ? null : { ...at, top, right: view.getContainerDomNode().offsetLeft + width })
  }
  for (const side of ['before', 'after'] as const) {
    const view = sides[side]
    view.onMouseMove(({ target }) => {
      const line = lineOf(target)
      if (hovered?.line === line && hovered?.side === side) return
      hovered = line === null ? null : { side, line }
      tell()
    })
    view.onMouseLeave(({ event }) => {
      // What lies over the line is no way out of it.
      const to = event.browserEvent.relatedTarget
      if (to instanceof Element && to.closest('.line-place')) return
      hovered = null
      tell()
    })
    view.onDidScrollChange(tell)
    view.onDidChangeCursorPosition(tell)
    view.onDidFocusEditorText(tell)
    view.onDidBlurEditorText(tell)
  }
}

function lineOf(target: editor.IMouseTarget): number | null {
  const { MouseTargetType } = editor
  switch (target.type) {
    case MouseTargetType.GUTTER_LINE_NUMBERS:
    case MouseTargetType.GUTTER_LINE_DECORATIONS:
    case MouseTargetType.GUTTER_GLYPH_MARGIN:
    case MouseTargetType.CONTENT_TEXT:
    case MouseTargetType.CONTENT_EMPTY:
      return target.position?.lineNumber ?? null
    default:
      return null
  }
}
