import type { RecordedEdit, RecordedText } from '../../shared/session.js'
import { observeText, type Observation } from './held.js'

/** A file, as far as an edit needs it. */
export type Present = { readonly kind: 'absent' } | { readonly kind: 'file'; readonly bytes: Uint8Array }

/**
 * What a recorded edit makes of known bytes, in the recorder's own way: CRLF does not count for matching, a file with
 * one CRLF is written with CRLF throughout, a BOM stays.
 *
 * Returns `null` where the outcome cannot be told byte for byte, or contradicts what the record says came out.
 */
export function applyRecordedEdit(before: Present, edit: RecordedEdit): Present | null {
  const after = before.kind === 'absent' ? created(edit) : changed(before.bytes, edit)
  return after && agrees(after, edit.after) ? after : null
}

/**
 * The bytes of a file that the record says was made by this edit, whatever was known before.
 * Returns `null` for an edit of an existing file.
 */
export function created(edit: RecordedEdit): Present | null {
  // On Windows the recorder writes such scripts with CRLF or a BOM.
  if (!edit.isNewFile || edit.keepsBytes === false || /\.(bat|cmd|ps1)$/i.test(edit.path)) return null
  if (edit.change.kind === 'write') return { kind: 'file', bytes: Buffer.from(edit.change.content) }
  if (edit.change.kind === 'replace' && edit.change.oldText === '') return { kind: 'file', bytes: Buffer.from(edit.change.newText) }
  return null
}

function changed(bytes: Uint8Array, edit: RecordedEdit): Present | null {
  if (edit.change.kind === 'delete') return { kind: 'absent' }
  if (edit.isNewFile) return null
  const file = readUtf8(bytes)
  if (!file || (edit.keepsBytes === false && (file.isCrlf || file.hasBom))) return null
  const text = newText(file, edit)
  if (text === null) return null
  const ended = file.isCrlf ? text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') : text
  return { kind: 'file', bytes: Buffer.from(file.hasBom ? `\ufeff${ended}` : ended) }
}

interface Utf8File {
  /** Without BOM, CRLF as LF. */
  readonly text: string
  readonly hasBom: boolean
  readonly isCrlf: boolean
}

function newText(file: Utf8File, edit: RecordedEdit): string | null {
  const { change } = edit
  switch (change.kind) {
    case 'replace': {
      const oldText = change.oldText.replaceAll('\r\n', '\n')
      // Whether the recorder keeps a CR that the new text brings into an LF file is not known.
      if (oldText === '' || (change.newText.includes('\r') && !file.isCrlf)) return null
      const parts = file.text.split(oldText)
      if (parts.length < 2 || (parts.length > 2 && !change.all)) return null
      return parts.join(change.newText.replaceAll('\r\n', '\n'))
    }
    case 'write':
      return (change.content.includes('\r') && !file.isCrlf) || change.content.startsWith('\ufeff') ? null : change.content
    case 'sed':
      // What the agent's own sed makes of CR depends on where it stands; the record has lost that.
      return !file.isCrlf && !file.hasBom && edit.after?.isWhole && !edit.after.text.includes('\r') ? edit.after.text : null
    case 'delete':
      return null
  }
}

function readUtf8(bytes: Uint8Array): Utf8File | null {
  try {
    const raw = strictUtf8.decode(bytes)
    const hasBom = raw.startsWith('\ufeff')
    const text = hasBom ? raw.slice(1) : raw
    return { text: text.replaceAll('\r\n', '\n'), hasBom, isCrlf: text.includes('\r\n') }
  } catch {
    return null
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function agrees(after: Present, recorded: RecordedText | null): boolean {
  if (!recorded || after.kind === 'absent') return true
  const text = readUtf8(after.bytes)?.text ?? ''
  return recorded.isWhole ? isSame(observeText(text), observeText(recorded.text)) : isCutFrom(text, recorded.text.replaceAll('\r\n', '\n'))
}

function isSame(one: Observation, two: Observation): boolean {
  return one.kind === 'text' && two.kind === 'text' && one.hash === two.hash
}

/** A recorder cuts long texts in the middle and puts a short marker there. */
const longestMarker = 200

/** Whether a cut text consists of the beginning and the end of a whole one, but for the marker between them. */
function isCutFrom(whole: string, cut: string): boolean {
  if (whole.length < cut.length - longestMarker) return false
  let head = 0
  while (head < cut.length && whole.charCodeAt(head) === cut.charCodeAt(head)) head++
  let tail = 0
  while (tail < cut.length - head && whole.charCodeAt(whole.length - 1 - tail) === cut.charCodeAt(cut.length - 1 - tail)) tail++
  return cut.length - head - tail <= longestMarker
}
