import type { RewindFileTexts } from '../../shared/rewind.js'
import { lineCount } from '../changes/display-text.js'
import type { LineMark } from '../changes/text-view.js'
import type { ComposedText } from '../state/conflict-text.js'

export type TextName = 'target' | 'base' | 'disk'

/** Where each conflict stands in one of the three texts. */
export function conflictMarks(conflicts: RewindFileTexts['conflicts'], name: TextName, current: number): readonly LineMark[] {
  return conflicts.map((conflict, index) => {
    const places = {
      target: { line: conflict.targetLine, text: conflict.targetText },
      base: { line: conflict.baseLine, text: conflict.baseText },
      disk: { line: conflict.diskLine, text: conflict.diskText },
    }
    const { line, text } = places[name]
    return { line: Math.max(1, line), lines: lineCount(text), look: index === current ? 'current' : 'conflict', note: null }
  })
}

/** Where each conflict stands in the result; an open one says that something is to be chosen. */
export function resultMarks(composed: ComposedText): readonly LineMark[] {
  return composed.places.map(({ line, lines, isOpen }) =>
    isOpen
      ? { line, lines, look: 'current', note: 'Not chosen. Keep mine, take the old one, or type here.' }
      : { line, lines, look: 'chosen', note: null },
  )
}
