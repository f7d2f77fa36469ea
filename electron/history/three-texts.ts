import { countChanges } from '../../shared/changes.js'
import type { LineEnds } from '../../shared/file-state.js'
import { mergeTexts, type MergeResult } from '../../shared/merge.js'
import { decodeText, encodeText, type DecodedText } from '../workspace/text-decoding.js'

/** The three contents of one file; `null` where it was no file. */
export interface BytesOfThree {
  readonly base: Uint8Array | null
  readonly disk: Uint8Array | null
  readonly target: Uint8Array | null
}

/** A block that both sides changed. Lines are 1-based, texts have LF line ends unless the file mixes them. */
export interface MergeConflict {
  readonly targetLine: number
  readonly baseLine: number
  readonly diskLine: number
  /** Where the block would stand in the merged text. */
  readonly resultLine: number
  readonly targetText: string
  readonly baseText: string
  readonly diskText: string
}

export type MergedBytes =
  | {
      readonly kind: 'merged'
      /** The merge without the blocks in conflict; to be written only where there are none. */
      readonly bytes: Uint8Array
      readonly conflicts: readonly MergeConflict[]
      /** Lines that the disk has beyond the base. */
      readonly added: number
    }
  /** `why` ends the sentence "You changed it since, and …". */
  | { readonly kind: 'impossible'; readonly why: string }

/**
 * Three contents merged: what the disk changed since the base, and what leads from the base to the target. Encoding, BOM and
 * line ends are merged in the same way, each as one property of the whole text.
 */
export function mergeBytes(bytes: BytesOfThree): MergedBytes {
  if (!bytes.disk || !bytes.target) return impossible('one of its texts is not at hand')
  const disk = decodeText(bytes.disk)
  const target = decodeText(bytes.target)
  const base = bytes.base ? decodeText(bytes.base) : disk.kind === 'text' ? { ...disk, text: '', lineEnds: 'none' as const } : disk
  if (disk.kind === 'binary' || target.kind === 'binary' || base.kind === 'binary') return impossible('it is no text that could be merged')

  const three = [base, disk, target] as const
  const encoding = agree(three.map((text) => (isAscii(text) ? null : text.encoding))) ?? 'utf-8'
  const isMixed = three.some((text) => text.lineEnds === 'mixed')
  const lineEnds = isMixed ? null : agree(three.map((text) => (text.lineEnds === 'none' ? null : text.lineEnds)))
  const hasBom = agree(three.map((text) => text.hasBom)) ?? false

  const [baseText, diskText, targetText] = three.map((text) => (isMixed ? text.text : text.text.replaceAll('\r\n', '\n'))) as [string, string, string]
  const { merged, conflicts } = withoutConflicts(mergeTexts(baseText, diskText, targetText, 'apart'))
  const encoded = encodeText(withLineEnds(merged, lineEnds), encoding, hasBom)
  if (!encoded) return impossible('its texts have no common encoding')
  return { kind: 'merged', bytes: encoded, conflicts, added: countChanges(baseText, diskText).insertions }
}

/** A text that a person typed, with the encoding, BOM and line ends of the file; `null` when that encoding cannot hold it. */
export function textInStyleOf(text: string, bytes: BytesOfThree | null): Uint8Array | null {
  const like = bytes?.disk ?? bytes?.target
  const decoded = like ? decodeText(like) : null
  if (decoded?.kind !== 'text') return encodeText(text, 'utf-8', false)
  const plain = text.replaceAll('\r\n', '\n')
  // A file that mixes line ends has no style; then the text counts as it is.
  const styled = decoded.lineEnds === 'mixed' ? text : withLineEnds(plain, decoded.lineEnds)
  return encodeText(styled, isAscii(decoded) ? 'utf-8' : decoded.encoding, decoded.hasBom)
}

/** The merged text with each conflict left out, and where it would stand. */
function withoutConflicts(result: MergeResult): { readonly merged: string; readonly conflicts: readonly MergeConflict[] } {
  const conflicts: MergeConflict[] = []
  let merged = ''
  let line = 1
  for (const part of result.parts) {
    if (part.kind === 'conflict') {
      conflicts.push({
        targetLine: part.otherLine + 1,
        baseLine: part.baseLine + 1,
        diskLine: part.mineLine + 1,
        resultLine: line,
        targetText: part.other,
        baseText: part.base,
        diskText: part.mine,
      })
    } else {
      merged += part.text
      for (let at = part.text.indexOf('\n'); at >= 0; at = part.text.indexOf('\n', at + 1)) line++
    }
  }
  return { merged, conflicts }
}

function impossible(why: string): MergedBytes {
  return { kind: 'impossible', why }
}

/** One property merged from base, disk and target; `null` stands for "has none" and agrees with everything. */
function agree<Value extends string | boolean>(three: readonly (Value | null)[]): Value | null {
  const [base, disk, target] = three
  if (disk === null || disk === undefined) return target ?? base ?? null
  if (target === null || target === undefined) return disk
  return disk === base ? target : disk
}

/** Plain letters are the same bytes in every encoding but UTF-16. */
function isAscii(text: DecodedText): boolean {
  return text.encoding === 'utf-8' && !text.hasBom && /^[\0-\x7f]*$/.test(text.text)
}

function withLineEnds(text: string, lineEnds: LineEnds | null): string {
  return lineEnds === 'crlf' ? text.replaceAll('\n', '\r\n') : text
}
