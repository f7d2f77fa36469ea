import { createHash } from 'node:crypto'
import { ReviewError } from '../../shared/errors.js'
import type { ContentSource, FileState, UnknownReason } from '../../shared/file-state.js'
import type { Backup } from '../../shared/snapshot.js'
import type { BackupSource } from '../history/backup-source.js'
import type { KnownContent } from '../history/content.js'
import { decodeText } from '../workspace/text-decoding.js'

/** A content with what is needed to weigh it against records. */
export interface Held {
  readonly content: KnownContent
  readonly source: ContentSource
  /** Hash of its text with LF line ends and without BOM, the form in which edits record texts; `null` where it is none. */
  readonly textHash: string | null
  /** Hash of its text as a read shows it: without the blanks at the ends of lines as well. */
  readonly shownHash: string | null
  /** Whether the recorder, which compares files as UTF-8, can tell it from every other content. */
  readonly isUtf8: boolean
}

/** What a record says that a file held. */
export type Observation =
  /** From an edit: line ends and BOM are lost. */
  | { readonly kind: 'text'; readonly hash: string; readonly lfBytes: number }
  /** From a read: blanks at the ends of lines are lost too. */
  | { readonly kind: 'shown'; readonly hash: string; readonly lfBytes: number }
  | { readonly kind: 'absent' }

/** How a content stands to a record. `unsure`: they cannot be compared. */
export type Verdict = 'same' | 'different' | 'unsure'

export function unknown(reason: UnknownReason): Held {
  return { content: withoutBytes({ kind: 'unknown', reason }), source: 'none', ...noText }
}

export function absent(source: ContentSource): Held {
  return { content: withoutBytes({ kind: 'absent' }), source, ...noText }
}

export function link(target: string, source: ContentSource): Held {
  return { content: withoutBytes({ kind: 'link', target }), source, ...noText }
}

/** A file on the disk whose text was not looked at. */
export function withoutText(state: FileState, read: KnownContent['read']): Held {
  return { content: { state, read }, source: 'disk', ...noText }
}

/** A content whose bytes can be had again with `read`, so that nobody has to keep them. */
export function ofBytes(bytes: Uint8Array, mode: number | null, source: ContentSource, read: KnownContent['read']): Held {
  const state = { kind: 'file', sha256: sha256(bytes), sizeBytes: bytes.length, mode } as const
  return { content: { state, read }, source, ...textFacts(bytes) }
}

/** The same content with another mode, `null` where a command may have changed it. */
export function withMode(held: Held, mode: number | null): Held {
  const { state } = held.content
  return state.kind === 'file' ? { ...held, content: { ...held.content, state: { ...state, mode } } } : held
}

/** Weighs a content against a record; what records lose does not count. */
export function compare(held: Held, seen: Observation): Verdict {
  const { state } = held.content
  if (state.kind === 'absent') return seen.kind === 'absent' ? 'same' : 'different'
  if (state.kind !== 'file') return 'unsure'
  if (seen.kind === 'absent') return 'different'
  const hash = seen.kind === 'shown' ? held.shownHash : held.textHash
  if (hash === null) return 'unsure'
  if (hash === seen.hash) return 'same'
  // Another decoder may have read other characters out of the same bytes.
  return held.isUtf8 ? 'different' : 'unsure'
}

export function isSameContent(one: KnownContent, two: KnownContent): boolean {
  const [a, b] = [one.state, two.state]
  if (a.kind === 'file' && b.kind === 'file') return a.sha256 === b.sha256
  if (a.kind === 'link' && b.kind === 'link') return a.target === b.target
  return a.kind === b.kind && (a.kind === 'absent' || a.kind === 'folder')
}

export function isKnown(held: Pick<Held, 'content'>): boolean {
  return held.content.state.kind !== 'unknown'
}

/** A recorded text in the form in which all are compared. */
export function observeText(text: string): Observation {
  const plain = normal(text)
  return { kind: 'text', hash: sha256(plain), lfBytes: Buffer.byteLength(plain) }
}

/** A text that a read showed, in the form in which all are compared. */
export function observeShown(text: string): Observation {
  const shown = asShown(text)
  return { kind: 'shown', hash: sha256(shown), lfBytes: Buffer.byteLength(shown) }
}

/** Contents of a session's backups; what was learned of one is kept, its bytes are not. */
export class Backups {
  private readonly facts = new Map<string, Held>()

  constructor(private readonly source: BackupSource) {}

  /** What a backup holds. A missing or damaged one is unknown; never another one in its place. */
  async held(backup: Backup, signal: AbortSignal | undefined): Promise<Held> {
    if (backup.kind === 'absent') return absent('backup')
    if (backup.kind === 'failed') return unknown('backup-failed')
    // The recorder uses a name again after a rewind, with other content.
    const key = `${backup.backupName}\0${backup.backupAt}`
    const known = this.facts.get(key)
    if (known) return known
    const found = await this.source.read(backup.backupName, signal)
    if (found.kind === 'missing') return unknown('backup-missing')
    if (found.kind === 'damaged') return unknown('backup-failed')
    const held = found.kind === 'link' ? link(found.target, 'backup') : this.ofFile(backup.backupName, found.bytes, found.mode)
    this.facts.set(key, held)
    return held
  }

  private ofFile(name: string, bytes: Uint8Array, mode: number | null): Held {
    const expected = sha256(bytes)
    return ofBytes(bytes, mode, 'backup', async (signal) => {
      const again = await this.source.read(name, signal)
      if (again.kind !== 'bytes') throw new ReviewError('BACKUP_MISSING', 'The backup of this file is no longer there.')
      if (sha256(again.bytes) !== expected) throw new ReviewError('BACKUP_DAMAGED', 'The backup of this file was changed since it was looked at.')
      return again.bytes
    })
  }
}

export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Above this size only UTF-8 is tried: telling other encodings apart costs too much. */
const detectLimitBytes = 4 * 1024 * 1024
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const noText = { textHash: null, shownHash: null, isUtf8: true } as const

function textFacts(bytes: Uint8Array): Pick<Held, 'textHash' | 'shownHash' | 'isUtf8'> {
  try {
    return { ...hashesOf(strictUtf8.decode(bytes)), isUtf8: true }
  } catch {
    const decoded = bytes.length <= detectLimitBytes ? decodeText(bytes) : null
    return { ...(decoded?.kind === 'text' ? hashesOf(decoded.text) : noText), isUtf8: false }
  }
}

function hashesOf(raw: string): { readonly textHash: string; readonly shownHash: string } {
  const text = normal(raw)
  const textHash = sha256(text)
  const shown = asShown(text)
  return { textHash, shownHash: shown === text ? textHash : sha256(shown) }
}

function asShown(text: string): string {
  return /\s(\n|$)/.test(text) ? text.split('\n').map((line) => line.trimEnd()).join('\n') : text
}

function normal(text: string): string {
  const bare = text.startsWith('\ufeff') ? text.slice(1) : text
  return bare.includes('\r\n') ? bare.replaceAll('\r\n', '\n') : bare
}

function withoutBytes(state: KnownContent['state']): KnownContent {
  return {
    state,
    read: () => Promise.reject(new ReviewError('CONTENT_UNKNOWN', 'There are no bytes of this file at that moment.')),
  }
}
