import type { editor } from 'monaco-editor/editor/editor.api'
import type { LineChange } from '../../shared/line-diff.js'

/** The strip beside a diff: where its changes lie in the whole, and which part is on the screen. */
export interface Overview {
  setChanges(changes: readonly LineChange[], isSideBySide: boolean): void
  dispose(): void
}

const widthPx = 12
const laneWidthPx = 5
const leastMarkPx = 3

/**
 * Added lines are drawn solid on the right, removed ones outlined on the left. A press or a drag scrolls there.
 * It is for the pointer only; N and P do the same from the keyboard.
 */
export function createOverview(strip: HTMLElement, diffEditor: editor.IStandaloneDiffEditor): Overview {
  const canvas = document.createElement('canvas')
  const viewport = document.createElement('i')
  strip.replaceChildren(canvas, viewport)
  const sides = { before: diffEditor.getOriginalEditor(), after: diffEditor.getModifiedEditor() }
  let changes: readonly LineChange[] = []
  let isSideBySide = true
  let frame = 0

  const draw = (): void => {
    frame = 0
    const { clientHeight: height } = strip
    const scale = devicePixelRatio
    canvas.width = widthPx * scale
    canvas.height = height * scale
    const share = height / Math.max(sides.after.getScrollHeight(), height)
    viewport.style.top = `${sides.after.getScrollTop() * share}px`
    viewport.style.height = `${height * share}px`
    viewport.hidden = share >= 1
    const context = canvas.getContext('2d')
    if (!context) return
    context.scale(scale, scale)
    const style = getComputedStyle(strip)
    context.fillStyle = style.getPropertyValue('--add')
    context.strokeStyle = style.getPropertyValue('--del')
    context.lineWidth = 1.2
    for (const change of changes) {
      const { added, removed } = extentOf(change)
      if (added) context.fillRect(widthPx - laneWidthPx, added.top * share, laneWidthPx, Math.max(leastMarkPx, added.height * share))
      if (removed) context.strokeRect(0.6, removed.top * share + 0.6, laneWidthPx - 1.2, Math.max(leastMarkPx, removed.height * share) - 1.2)
    }
  }
  const redraw = (): void => {
    frame ||= requestAnimationFrame(draw)
  }

  function extentOf({ beforeStart, beforeEnd, afterStart, afterEnd }: LineChange): { added: Extent | null; removed: Extent | null } {
    const added = afterEnd > afterStart ? extent(sides.after.getTopForLineNumber(afterStart + 1), sides.after.getBottomForLineNumber(afterEnd)) : null
    if (beforeEnd === beforeStart) return { added, removed: null }
    if (isSideBySide) return { added, removed: extent(sides.before.getTopForLineNumber(beforeStart + 1), sides.before.getBottomForLineNumber(beforeEnd)) }
    // In one column the removed lines lie between two lines of the text after.
    const top = afterStart === 0 ? 0 : sides.after.getBottomForLineNumber(afterStart)
    return { added, removed: extent(top, sides.after.getTopForLineNumber(afterStart + 1)) }
  }

  const scrollTo = (clientY: number): void => {
    const { top, height } = strip.getBoundingClientRect()
    sides.after.setScrollTop(((clientY - top) / height) * sides.after.getScrollHeight() - height / 2)
  }
  strip.onpointerdown = (event) => {
    strip.setPointerCapture(event.pointerId)
    scrollTo(event.clientY)
  }
  strip.onpointermove = (event) => {
    if (strip.hasPointerCapture(event.pointerId)) scrollTo(event.clientY)
  }
  const listeners = [diffEditor.onDidUpdateDiff(redraw), sides.after.onDidScrollChange(redraw), sides.after.onDidLayoutChange(redraw), sides.after.onDidContentSizeChange(redraw)]

  return {
    setChanges(next, isSide) {
      changes = next
      isSideBySide = isSide
      redraw()
    },
    dispose() {
      cancelAnimationFrame(frame)
      for (const listener of listeners) listener.dispose()
      strip.onpointerdown = strip.onpointermove = null
      strip.replaceChildren()
    },
  }
}

interface Extent {
  readonly top: number
  readonly height: number
}

function extent(top: number, bottom: number): Extent {
  return { top, height: Math.max(0, bottom - top) }
}
