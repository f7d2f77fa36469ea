import type { Approval, ApprovalFile } from '../../shared/approval.js'
import { ownLines, type FileDraft } from '../state/approval-draft.js'
import { isFileOut } from '../state/approval-view.js'
import type { Draft } from '../state/approvals-slice.js'
import { visibleText } from '../ui/visible-text.js'
import { countText, listText } from '../ui/words.js'

/** What the agent will be told of what was chosen, as one sentence; `null` where there is nothing to say. */
export function toldText({ subject }: Approval, draft: Draft): string | null {
  if (subject.kind !== 'edit') return null
  const { files } = subject
  const out = files.filter(({ path }) => isFileOut(draft, path))
  if (out.length === files.length) return 'Nothing is ticked. Tick what is to be written, or reject it with a reason.'
  const [only] = files
  if (only && files.length === 1) {
    const parts = partsOf(only, draft.files.get(only.path))
    return `The agent is told: ${parts.length === 0 ? wholeText(only) : parts.join(', ')}.`
  }
  const written = files.length - out.length
  const details = files.flatMap((file) => {
    const made = draft.files.get(file.path)
    const parts = made && !isFileOut(draft, file.path) ? partsOf(file, made) : []
    return parts.length === 0 ? [] : [`in ${visibleText(file.path)} ${parts.join(', ')}`]
  })
  const head = out.length === 0 ? `${files.length === 2 ? 'both' : `all ${files.length}`} files were written` : `${written} of ${files.length} files ${written === 1 ? 'was' : 'were'} written, ${listText(out.map(({ path }) => visibleText(path)))} ${out.length === 1 ? 'was' : 'were'} left out`
  return `The agent is told: ${[head, ...details].join('; ')}.`
}

function partsOf(file: ApprovalFile, made: FileDraft | undefined): readonly string[] {
  if (!made || (made.leftOut.size === 0 && made.typed === null)) return []
  const numbers = made.hunks.map((_, at) => at + 1)
  const taken = numbers.filter((number) => !made.leftOut.has(number))
  const out = numbers.filter((number) => made.leftOut.has(number))
  const isAlone = numbers.length === 1
  return [
    ...(taken.length > 0 ? [isAlone ? wholeText(file) : `${hunksText(taken)} ${were(taken)} written`] : []),
    ...(made.typed === null ? [] : [`${ownLinesText(made)} changed by you`]),
    ...(out.length > 0 ? [`${hunksText(out)} ${were(out)} left out`] : []),
  ]
}

/** The lines that the person changed: "line 13 was", "lines 13–15 and 20 were". */
export function ownLinesText(made: FileDraft): string {
  const { words, count } = linesOf(made)
  return count === 0 ? 'lines were' : `${count === 1 ? 'line' : 'lines'} ${words} ${count === 1 ? 'was' : 'were'}`
}

/** "You changed line 13", for the line over a hunk; `edits` are the indices of what was typed there. */
export function ownChangeText(made: FileDraft, edits: readonly number[]): string | null {
  if (edits.length === 0) return null
  const { words, count } = linesOf({ ...made, edits: made.edits.filter((_, at) => edits.includes(at)) })
  if (count === 0) return 'You took lines out'
  return `You changed ${count === 1 ? 'line' : 'lines'} ${words}`
}

/** "you changed 1 line", for the list; `null` where nothing was typed. */
export function ownCountText(draft: Draft): string | null {
  let count = 0
  let isTyped = false
  for (const made of draft.files.values()) {
    if (made.typed === null) continue
    isTyped = true
    count += ownLines(made).reduce((sum, { start, end }) => sum + Math.max(1, end - start), 0)
  }
  return isTyped ? `you changed ${countText(count, 'line')}` : null
}

function linesOf(made: Pick<FileDraft, 'edits'>): { readonly words: string; readonly count: number } {
  const ranges = made.edits.filter(({ afterStart, afterEnd }) => afterEnd > afterStart).map(({ afterStart, afterEnd }) => ({ first: afterStart + 1, last: afterEnd }))
  const count = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const shown = ranges.slice(0, 3).map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
  return { words: ranges.length > 3 ? `${shown.join(', ')} and more` : listText(shown), count }
}

function hunksText(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? 'hunk' : 'hunks'} ${numbers.length > 6 ? rangesText(numbers) : listText(numbers)}`
}

/** Many numbers as runs: `1–40, 42 and 44–90`. */
function rangesText(numbers: readonly number[]): string {
  const runs: { first: number; last: number }[] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run && run.last === number - 1) run.last = number
    else runs.push({ first: number, last: number })
  }
  const words = runs.map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`))
  return words.length > 8 ? `${words.slice(0, 8).join(', ')} and more` : listText(words)
}

function were(numbers: readonly number[]): string {
  return numbers.length === 1 ? 'was' : 'were'
}

function wholeText(file: ApprovalFile): string {
  switch (file.operation) {
    case 'create':
      return 'the file was created'
    case 'delete':
      return 'the file was deleted'
    case 'rename':
      return 'the file was renamed'
    case 'mode':
      return 'the mode was changed'
    case 'modify':
      return file.hunks > 1 ? `all ${file.hunks} hunks were written` : 'the change was written'
  }
}
