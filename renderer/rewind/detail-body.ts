import type { FileSide } from '../../shared/file-state.js'
import type { Resolution } from '../../shared/rewind.js'
import { factsOf, type SideFacts } from '../changes/diff-body.js'
import { composeResult } from '../state/conflict-text.js'
import type { OpenTexts } from '../state/rewind-slice.js'

/** What the lower half of the preview shows of a file. */
export type DetailBody =
  | { readonly kind: 'texts' }
  | { readonly kind: 'diff'; readonly before: string | null; readonly after: string | null }
  | { readonly kind: 'facts'; readonly title: string; readonly before: SideFacts; readonly after: SideFacts }

/** `resolution` is what the person chose for the file; without one the merge counts. */
export function detailBodyOf(open: OpenTexts, resolution: Resolution | null, wanted: 'texts' | 'diff'): DetailBody {
  const { texts } = open
  if (wanted === 'texts' && open.chosen.length > 0 && texts.result?.kind === 'text') return { kind: 'texts' }
  // Where nothing would be written, what can still be chosen is of more use than the disk against itself.
  const isOpen = texts.result === null && resolution === null && texts.target.kind !== 'unknown'
  const result = isOpen ? texts.target : resultOf(open, resolution)
  const before = textOf(texts.disk)
  const after = textOf(result)
  if (before !== undefined && after !== undefined && (before !== null || after !== null)) return { kind: 'diff', before, after }
  const title = isOpen ? 'The disk now, and the old one' : 'The disk now, and what the rewind would leave'
  return { kind: 'facts', title, before: factsOf(texts.disk, 'after'), after: factsOf(result, 'after') }
}

/** What will be on the disk; a file that is left stays as the disk has it. */
function resultOf(open: OpenTexts, resolution: Resolution | null): FileSide {
  const { texts, chosen } = open
  if (resolution?.kind === 'keep') return texts.disk
  if (resolution?.kind === 'old') return texts.target
  if (resolution?.kind === 'text') return { kind: 'text', text: resolution.text, sizeBytes: resolution.text.length }
  const composed = composeResult(texts, chosen)
  if (composed && chosen.length > 0) return { kind: 'text', text: composed.text, sizeBytes: composed.text.length }
  return texts.result ?? texts.disk
}

function textOf(side: FileSide): string | null | undefined {
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? null : undefined
}
