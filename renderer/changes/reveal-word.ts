import type { editor } from 'monaco-editor/editor/editor.api'
import type { WordMark } from './diff-messages.js'

/** No character of the code face is wider, but for those of some scripts. */
const widestCharPx = 8
/** Room that stays between a word and the right edge. */
const edgePx = 60

/** Of a long line the word that differs comes into view; a line that fits stays at its beginning. */
export function revealWord(side: editor.ICodeEditor, { after: { startLine, startColumn } }: WordMark): void {
  const { contentWidth } = side.getLayoutInfo()
  const scrolled = side.getScrollLeft()
  // Where it is surely on the screen nothing has to be measured.
  if (scrolled === 0 && startColumn * widestCharPx < contentWidth) return
  const left = side.getOffsetForColumn(startLine, startColumn)
  if (left >= scrolled && left < scrolled + contentWidth - edgePx) return
  side.setScrollLeft(left < contentWidth - edgePx ? 0 : left - contentWidth / 3)
}
