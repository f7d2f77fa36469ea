import type { WhyState } from '../state/why-slice.js'
import { visibleText } from '../ui/visible-text.js'
import { countText, numberText } from '../ui/words.js'

/** Which line is asked about, with its place on the disk where that is another. */
export function whereText({ path, shown, now }: Pick<WhyState, 'path' | 'shown' | 'now'>): string {
  const moved = now?.kind === 'same' && now.line !== shown.line ? `, line ${numberText(now.line)} on the disk now` : ''
  return `Why line ${numberText(shown.line)} of ${visibleText(path)} is here${moved}`
}

/** A line of code in which nothing hides; its indentation is left out, and tabs inside it are spaces. */
export function lineText(line: string): string {
  return visibleText(line.replace(/[\r\n]+$/, '').trimStart().replaceAll('\t', '  '))
}

/** That later turns changed the file around the line. */
export function passedText(passed: number): string {
  return `${countText(passed, 'later turn')} changed this file and left the line as it is.`
}
