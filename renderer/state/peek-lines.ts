import type { FileSide } from '../../shared/file-state.js'
import { diffLines } from '../../shared/line-diff.js'
import type { PeekLine } from './shell-slice.js'

const linesAtMost = 4
/** Longer texts are not compared while the pointer only passes by. */
const longest = 400_000

/** The first changed lines of two sides, removed before added, each cut to 200 characters. Empty where a side is no text. */
export function peekLines(before: FileSide, after: FileSide): readonly PeekLine[] {
  const [old, now] = [textOf(before), textOf(after)]
  if (old === null || now === null || old.length + now.length > longest) return []
  const [oldLines, nowLines] = [old.split('\n'), now.split('\n')]
  const changed = diffLines(old, now).flatMap((change) => {
    const removed = oldLines.slice(change.beforeStart, change.beforeEnd).map((text): PeekLine => ({ sign: '−', text }))
    const added = nowLines.slice(change.afterStart, change.afterEnd).map((text): PeekLine => ({ sign: '+', text }))
    return [...removed.slice(0, 2), ...added.slice(0, 2)]
  })
  return changed
    .filter(({ text }) => text.trim() !== '')
    .slice(0, linesAtMost)
    .map(({ sign, text }) => ({ sign, text: text.replace(/\r$/, '').slice(0, 200) }))
}

function textOf(side: FileSide): string | null {
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? '' : null
}
