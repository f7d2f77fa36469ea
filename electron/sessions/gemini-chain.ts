import type { ChangeCause, ContentSource } from '../../shared/file-state.js'
import type { PromptId } from '../../shared/ids.js'
import type { RecordedText, ToolCall } from '../../shared/session.js'
import { markLength } from './json-bytes.js'

export interface KnownBytes {
  readonly bytes: Buffer
  readonly source: ContentSource
}

/** A file at one moment: the text that a record shows, with LF line ends, and the bytes where they are proved. */
export interface Slot {
  /** `null` where no record shows it. */
  readonly text: string | null
  readonly isAbsent: boolean
  known: KnownBytes | null
}

/** One recorded edit of a file, with what came before it. */
export interface EditEvent {
  readonly call: ToolCall
  /** Number of its turn, from 0. */
  readonly turn: number
  readonly promptId: PromptId
  readonly cause: ChangeCause
  readonly before: Slot
  readonly after: Slot
  /** Commands before it, in the whole session, that may be about line ends alone. */
  readonly blanksBefore: number
  /** Calls before it, in its turn, that can change any file. */
  readonly isAfterCommand: boolean
}

export function newEvent(call: ToolCall, at: Pick<EditEvent, 'turn' | 'promptId' | 'cause' | 'blanksBefore' | 'isAfterCommand'>): EditEvent {
  const { edit, status } = call
  const isDone = status === 'done' && edit !== null
  const text = (recorded: RecordedText | null): string | null => (isDone && recorded?.isWhole && !recorded.text.includes('\ufffd') ? plain(recorded.text) : null)
  return {
    ...at,
    call,
    before: { text: edit?.isNewFile ? null : text(edit?.before ?? null), isAbsent: isDone && edit.isNewFile, known: null },
    after: { text: text(edit?.after ?? null), isAbsent: false, known: null },
  }
}

export interface ChainEvidence {
  /** The file on the disk now; `null` where it is not to be had. */
  readonly disk: Buffer | null
  /** Commands in the whole session that may be about line ends alone. */
  readonly blanks: number
  /** The project lies on a system where line ends are LF. */
  readonly isPosix: boolean
  /** Bytes before an edit, from a tree that the agent kept. */
  readonly checkpointOf: (event: EditEvent) => Promise<Buffer | null>
  /** A version in the project's history with this text. */
  readonly committed: (text: string) => Promise<Buffer | null>
}

/** Whether the text that an edit left is the one that the next found, and nothing can have touched its line ends alone. */
export function isJoined(event: EditEvent, next: EditEvent | undefined, disk: Buffer | null, blanks: number): boolean {
  const text = next ? next.before.text : textOfBytes(disk)
  return event.after.text !== null && event.after.text === text && (next?.blanksBefore ?? blanks) === event.blanksBefore
}

/**
 * Finds the bytes of as many moments as can be proved.
 *
 * Records have LF line ends and no BOM. The bytes come from a tree that the agent kept, from a file that it made itself, or from the disk,
 * where that still has the last text; and go from there along the chain, since an edit keeps the kind of line ends: all `\r\n`
 * where there was one, else `\n`, and never a BOM.
 * Source: Gemini CLI 0.61, `replace` and `write_file`.
 */
export async function proveChain(events: readonly EditEvent[], evidence: ChainEvidence): Promise<void> {
  const { disk, blanks, isPosix } = evidence
  for (const event of events) {
    const kept = await evidence.checkpointOf(event)
    take(event.before, kept, 'git')
    const { edit, args } = event.call
    if (event.before.isAbsent && isPosix && event.after.text !== null && edit?.change.kind === 'write' && !args.includes('\\r') && !event.after.text.includes('\r')) {
      event.after.known = { bytes: Buffer.from(event.after.text), source: 'record' }
    }
  }
  const last = events.at(-1)
  if (last && isJoined(last, undefined, disk, blanks)) take(last.after, disk, 'disk')
  events.forEach((event, at) => {
    const before = events[at - 1]
    if (before && isJoined(before, event, disk, blanks) && before.after.known) event.before.known ??= before.after.known
    event.after.known ??= forward(event)
    // The other way round from a checkpoint.
    if (before && isJoined(before, event, disk, blanks) && event.before.known) before.after.known ??= event.before.known
  })
  for (let at = events.length - 1; at >= 0; at--) {
    const [event, before] = [events[at], events[at - 1]]
    if (!event) continue
    const isToolsOwn = before !== undefined && isJoined(before, event, disk, blanks)
    event.before.known ??= await backward(event, isToolsOwn, evidence)
    if (before && isToolsOwn && event.before.known) before.after.known ??= event.before.known
  }
}

/** What an edit makes of known bytes. */
function forward({ call, before, after }: EditEvent): KnownBytes | null {
  if (!before.known || after.text === null || textOfBytes(before.known.bytes) !== before.text || before.text === null) return null
  const isCrlf = before.known.bytes.includes('\r\n')
  // What becomes of a BOM, and of the line ends of a file that is written whole, differs between versions.
  if (markLength(before.known.bytes) > 0 || (isCrlf && call.edit?.change.kind !== 'replace')) return null
  return { bytes: Buffer.from(isCrlf ? after.text.replaceAll('\n', '\r\n') : after.text), source: 'edit' }
}

/** What a file was before an edit whose result is known. */
async function backward({ call, before, after }: EditEvent, isToolsOwn: boolean, { committed, isPosix }: ChainEvidence): Promise<KnownBytes | null> {
  if (!after.known || before.text === null || call.edit?.change.kind !== 'replace' || !after.known.bytes.includes(10)) return null
  const isCrlf = after.known.bytes.includes('\r\n')
  // The tool itself writes one kind of line ends and no BOM; of anybody else's text only the project's history can tell.
  if (isToolsOwn) return { bytes: Buffer.from(isCrlf ? before.text.replaceAll('\n', '\r\n') : before.text), source: 'edit' }
  const found = isPosix ? await committed(before.text) : null
  return found && found.includes('\r\n') === isCrlf && markLength(found) === 0 ? { bytes: found, source: 'git' } : null
}

function take(slot: Slot, bytes: Buffer | null, source: ContentSource): void {
  if (bytes && slot.text !== null && textOfBytes(bytes) === slot.text) slot.known = { bytes, source }
}

/** The text of bytes as a record shows it; `null` where they are no UTF-8. */
export function textOfBytes(bytes: Buffer | null): string | null {
  if (!bytes) return null
  try {
    return plain(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    return null
  }
}

function plain(text: string): string {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  return bare.replaceAll('\r\n', '\n')
}
