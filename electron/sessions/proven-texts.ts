import type { ChangeCause, ContentSource, UnknownReason } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { RecordedText, ToolCall } from '../../shared/session.js'

/** A call that shows a file's text, or changes it. */
export interface TextEvent {
  readonly call: ToolCall
  /** Number of the turn, from 0. */
  readonly turn: number
  readonly promptId: PromptId
  readonly cause: ChangeCause
  /** Commands before it that may have been about line ends. */
  readonly blanksBefore: number
  /** A command came before it in its turn. */
  readonly isAfterCommand: boolean
}

/** All events of one path, in order. */
export interface PathEvents {
  readonly path: WorkspacePath
  readonly events: TextEvent[]
}

export type KnownText =
  | { readonly kind: 'text'; readonly text: string; readonly source: ContentSource }
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly source: ContentSource }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason }

/** What a file was before and after an event; for the first sight of it, of the turn's start. */
export interface ProvenText {
  readonly path: WorkspacePath
  readonly promptId: PromptId
  readonly isBeforeTurn: boolean
  readonly callId: string | null
  readonly cause: ChangeCause
  readonly at: number
  readonly before: KnownText
  readonly after: KnownText
}

/** A text between two events, as one of them shows it. `isLf`: it is proved that the file has LF alone and no BOM. */
interface Side {
  readonly text: string | null
  readonly isAbsent: boolean
  isLf: boolean
}

const unknown: KnownText = { kind: 'unknown', reason: 'no-record' }
const absent: KnownText = { kind: 'absent' }

/** Whether a call shows a text of a file, or may have changed one. */
export function isTextEvent(call: ToolCall): boolean {
  if (call.seen) return true
  return call.edit !== null && call.status !== 'refused' && !(call.status === 'failed' && call.output !== '')
}

/** What is proved of a file; nothing where nothing is. `blanks` counts all commands that may have been about line ends. */
export function proveTexts({ path, events }: PathEvents, disk: Uint8Array | null, blanks: number): readonly ProvenText[] {
  const before = events.map(({ call }) => sideBefore(call))
  const after = events.map(({ call }, at) => sideAfter(call, before[at]))
  const now = diskSide(disk)
  // Between two events: the text that the one left is the one that the other found, and nothing can have touched its line ends alone.
  const isJoined = events.map((event, at) => {
    const [left, right] = [after[at], before[at + 1] ?? (at === events.length - 1 ? now : undefined)]
    const blanksAfter = events[at + 1]?.blanksBefore ?? blanks
    return left !== undefined && right !== undefined && isSame(left, right) && blanksAfter === event.blanksBefore
  })
  spread(events, before, after, isJoined, now)
  const proven = events.flatMap((event, at): readonly ProvenText[] => {
    if (!event.call.edit) return []
    const [was, became] = [before[at], after[at]]
    return [
      {
        path,
        promptId: event.promptId,
        isBeforeTurn: false,
        callId: event.call.callId,
        cause: event.cause,
        at: event.call.startedAt ?? 0,
        before: told(was, 'record'),
        // What nobody saw again may have been changed by anybody since.
        after: isJoined[at] ? told(became, at === events.length - 1 ? 'disk' : 'edit') : unknown,
      },
    ]
  })
  const isKnown = proven.some((each) => each.before.kind === 'text' || each.after.kind === 'text')
  return isKnown ? [...firstSight(path, events, before), ...proven] : []
}

/** The start of the turn in which the file was seen first: as it was found, where no command came before. */
function firstSight(path: WorkspacePath, events: readonly TextEvent[], before: readonly Side[]): readonly ProvenText[] {
  const first = events[0]
  if (!first || before[0]?.isAbsent) return []
  const { promptId, isAfterCommand, call } = first
  const found = isAfterCommand ? unknown : told(before[0], 'record')
  return [{ path, promptId, isBeforeTurn: true, callId: null, cause: 'unknown', at: call.startedAt ?? 0, before: unknown, after: found }]
}

/** Carries what is proved of line ends from event to event, both ways. */
function spread(events: readonly TextEvent[], before: readonly Side[], after: readonly Side[], isJoined: readonly boolean[], now: Side): void {
  const set = (side: Side | undefined, isLf: boolean | undefined): void => {
    if (side && isLf && side.text !== null) side.isLf = true
  }
  const last = events.length - 1
  events.forEach((event, at) => {
    if (at > 0 && isJoined[at - 1]) set(before[at], after[at - 1]?.isLf)
    if (keepsForward(event.call)) set(after[at], before[at]?.isLf)
  })
  for (let at = last; at >= 0; at--) {
    if (isJoined[at]) set(after[at], at === last ? now.isLf : before[at + 1]?.isLf)
    const call = events[at]?.call
    if (call && keepsBackward(call)) set(before[at], after[at]?.isLf)
  }
}

function keepsForward({ edit }: ToolCall): boolean {
  return edit === null || (!edit.isNewFile && edit.change.kind !== 'delete')
}

/** A file that is written whole may have had other line ends before. */
function keepsBackward({ edit }: ToolCall): boolean {
  return edit === null || edit.change.kind === 'replace'
}

function sideBefore({ edit, seen, status }: ToolCall): Side {
  if (seen) return side(seen.text)
  if (!edit || status !== 'done') return side(null)
  return edit.isNewFile ? { text: null, isAbsent: true, isLf: false } : side(wholeOf(edit.before))
}

function sideAfter({ edit, status }: ToolCall, before: Side | undefined): Side {
  if (!edit) return { text: before?.text ?? null, isAbsent: false, isLf: false }
  if (status !== 'done') return side(null)
  if (edit.change.kind === 'delete') return { text: null, isAbsent: true, isLf: false }
  const text = wholeOf(edit.after)
  const isMade = edit.isNewFile && edit.keepsBytes !== false && text !== null && isPlain(text)
  return { text, isAbsent: false, isLf: isMade }
}

function diskSide(disk: Uint8Array | null): Side {
  if (disk === null) return side(null)
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(disk)
    return { text: withoutCr(text), isAbsent: false, isLf: isPlain(text) }
  } catch {
    return side(null)
  }
}

function side(text: string | null): Side {
  return { text: text === null ? null : withoutCr(text), isAbsent: false, isLf: false }
}

function isSame(left: Side, right: Side): boolean {
  return left.text !== null && left.text === right.text
}

function told(known: Side | undefined, source: ContentSource): KnownText {
  if (known?.isAbsent) return absent
  return known?.isLf && known.text !== null ? { kind: 'text', text: known.text, source } : unknown
}

function wholeOf(text: RecordedText | null): string | null {
  return text?.isWhole ? text.text : null
}

function withoutCr(text: string): string {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  return bare.includes('\r\n') ? bare.replaceAll('\r\n', '\n') : bare
}

function isPlain(text: string): boolean {
  return !text.includes('\r') && !text.startsWith('\ufeff')
}
