import type { UnknownReason } from '../../shared/file-state.js'
import { throwIfAborted } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { Backup, PromptSnapshot } from '../../shared/snapshot.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { withoutSeds, type SedSources } from './before-sed.js'
import { absent, compare, isKnown, isSameContent, link, ofBytes, sha256, unknown, withMode, type Backups, type Held } from './held.js'
import { lastObservation } from './last-observation.js'
import { captureIn, firstObservation, weigh, type Early } from './observations.js'
import { disturbs, endOf, startOf, type Place } from './path-events.js'
import { reasonBehind } from './recorded-steps.js'

/** One entry of a path in the live snapshots, from the turn on in which it changed. */
export interface Entry {
  readonly turn: number
  readonly backup: Backup
  readonly isAddedDuring: boolean
}

/** Where knowledge of one revision of a session comes from. */
export interface Sources extends SedSources {
  readonly session: RecordedSession
  readonly backups: Backups
  readonly hasSnapshots: boolean
  /** Turns before this one stand before a gap in the log, where nobody knows what is missing. */
  readonly provenFrom: number
  /** The prompt snapshot of a turn; `null` where there is none, or the recorder only added to the one of an earlier turn. */
  snapshotOf(turn: number): Promise<PromptSnapshot | null>
  /** A path's entries in turn order. */
  entriesOf(path: WorkspacePath): Promise<readonly Entry[]>
  /** The same where they are at hand; to read them all may take long. */
  entriesAtHand(path: WorkspacePath): readonly Entry[]
  /** Target of the link that the path is on the disk now, `null` where it is none or no folder is attached. */
  linkNow(path: WorkspacePath, signal: AbortSignal | undefined): Promise<string | null>
  /** When the file on the disk was last written, in milliseconds; `null` where there is none or no folder is attached. */
  writtenAt(path: WorkspacePath): number | null
}

/**
 * What a path was when a turn began. A backup counts only as far as no record casts doubt on it; README.md has the rules.
 * `turn` counts from 0.
 */
export async function contentAtStart(from: Sources, turn: number, path: WorkspacePath, signal?: AbortSignal): Promise<Held> {
  if (!from.hasSnapshots) return unknown('no-record')
  if (turn < from.provenFrom) return unknown('log-broken')
  const linked = await throughLink(from, turn, path, signal)
  if (linked) return linked
  const snapshot = await from.snapshotOf(turn)
  const backup = snapshot?.backups.get(path)
  if (!backup) return carriedBack(from, turn, path, signal)
  const held = await from.backups.held(backup, signal)
  if (!isKnown(held)) return held
  await from.steps.load(startOf(turn), endOf(turn), signal)
  if (snapshot?.addedDuring.has(path)) return capturedDuring(from, turn, path, held, backup, signal)
  return capturedAtStart(from, turn, path, held, backup, signal)
}

/** The recorder looked at the file as the turn began, or says that it is as it was at an earlier look. */
async function capturedAtStart(from: Sources, turn: number, path: WorkspacePath, held: Held, backup: Backup, signal: AbortSignal | undefined): Promise<Held> {
  const early = firstObservation(from.steps.events(path, startOf(turn), endOf(turn)), held)
  const verdict = early ? await weigh(from.steps, held, early.event) : 'unsure'
  if (verdict === 'same') return held
  if (await isOverwritten(from, turn, backup, path, signal)) return unknown('records-disagree')
  const isCarried = await isTakenOver(from, turn, path, backup)
  if (early && verdict === 'different') return (isCarried && (await provenByRecord(from, early, held))) || unknown('records-disagree')
  if (!isCarried || held.content.state.kind !== 'file') return held
  const first = (await from.entriesOf(path)).findLast((entry) => entry.turn <= turn) ?? { turn, backup, isAddedDuring: false }
  return (await isInDoubt(from, first, turn, path, held, signal)) ? confirmedLater(from, turn, path, held, signal) : held
}

/** Whether the entry is one of an earlier snapshot: of the turn before, or of a turn that a rewind has set aside. */
async function isTakenOver({ steps, snapshotOf }: Sources, turn: number, path: WorkspacePath, backup: Backup): Promise<boolean> {
  if (backup.kind !== 'stored') return false
  if (backup.backupAt < (steps.turns[turn]?.startedAt ?? 0)) return true
  const before = turn > 0 ? (await snapshotOf(turn - 1))?.backups.get(path) : undefined
  return before?.kind === 'stored' && before.backupName === backup.backupName
}

/**
 * The recorder takes a file for unchanged when its time is older than the backup's, and compares it as UTF-8 text otherwise:
 * a file that got an old time, or differs in bytes that are no UTF-8, keeps a backup that is no longer true.
 */
async function isInDoubt(from: Sources, first: Entry, turn: number, path: WorkspacePath, held: Held, signal: AbortSignal | undefined): Promise<boolean> {
  const earliest = first.turn < turn ? startOf(first.turn) : endOf(turn - 1)
  await from.steps.load(earliest, startOf(turn), signal)
  const capture = captureIn(from.steps, first.turn, path)
  const since = first.turn < turn && first.isAddedDuring && capture.isSure ? capture.place : earliest
  let isDoubted = false
  for (const event of from.steps.events(path, since, startOf(turn))) {
    if (event.kind === 'seen') {
      const verdict = await weigh(from.steps, held, event)
      if (verdict !== 'unsure') isDoubted = verdict === 'different'
    } else if (event.kind === 'edit') {
      // The agent's own write has a fresh time, so the next look of the recorder read the file.
      if (!held.isUtf8) isDoubted = true
      else if (event.step.isSure) isDoubted = false
    } else if (disturbs(event.shell, held, 'backward') === 'content') {
      if (!held.isUtf8 || event.shell.keepsMtime) isDoubted = true
    }
  }
  return isDoubted
}

/** A record after the start shows the same content while nothing could have brought it back. */
async function confirmedLater(from: Sources, turn: number, path: WorkspacePath, held: Held, signal: AbortSignal | undefined): Promise<Held> {
  const entries = await from.entriesOf(path)
  const until = entries.find((entry) => entry.turn > turn)?.turn ?? from.steps.turns.length
  for (let at = turn; at < until; at++) {
    await from.steps.load(startOf(at), startOf(at + 1), signal)
    for (const event of from.steps.events(path, startOf(at), startOf(at + 1))) {
      const verdict = await weigh(from.steps, held, event)
      if (verdict === 'same') return held
      if (verdict === 'different') return unknown('records-disagree')
      if (event.kind === 'edit') return unknown('changed-by-command')
      if (event.kind === 'shell' && disturbs(event.shell, held, 'backward') === 'content') return unknown(reasonBehind(event.step))
    }
  }
  return unknown('changed-by-command')
}

/** The recorder copied the file in the middle of the turn, just before its first edit. */
async function capturedDuring(from: Sources, turn: number, path: WorkspacePath, captured: Held, backup: Backup, signal: AbortSignal | undefined): Promise<Held> {
  if (await isOverwritten(from, turn, backup, path, signal)) return unknown('records-disagree')
  const { place: capture } = captureIn(from.steps, turn, path)
  const atCapture = [...from.steps.events(path, capture, { ...capture, step: capture.step + 1 })]
  const { held, events } = await withoutSeds(from, path, [...from.steps.events(path, startOf(turn), capture)], captured, signal)
  for (const event of atCapture) if (held !== captured && (await weigh(from.steps, captured, event)) === 'different') return unknown('records-disagree')
  let proof: 'none' | 'same' = 'none'
  let isDisturbed = false
  let isAtRisk = false
  let mayHaveMode = false
  let reason: UnknownReason = 'changed-by-command'
  for (const event of [...events, ...(held === captured ? atCapture : [])]) {
    if (event.kind === 'shell') {
      const effect = disturbs(event.shell, held, 'backward')
      if (effect !== 'no') mayHaveMode = true
      if (effect === 'content' && !isDisturbed) reason = reasonBehind(event.step)
      if (effect === 'content') isDisturbed = true
      // Only that a text is the same can be shown, not that its line ends are.
      if (effect === 'content' && (event.shell.kind === 'file' || event.step.mayTouchBlanks)) isAtRisk = true
      continue
    }
    const verdict = await weigh(from.steps, held, event)
    if (verdict === 'different' && !isDisturbed) return unknown('records-disagree')
    if (verdict === 'same' && !isDisturbed) proof = 'same'
  }
  if (!isDisturbed) return mayHaveMode ? withMode(held, null) : held
  if (isAtRisk) return unknown(reason)
  const isProven = proof === 'same' || (await lastObservation(from, turn, path, held, 0, signal)) === 'same'
  return isProven ? withMode(held, null) : unknown(reason)
}

/**
 * A turn whose snapshot does not have the file: it was what the next copy holds, where nothing can have changed it between and
 * a record of this turn or an earlier one shows the same. That it did not exist needs no such evidence.
 */
async function carriedBack(from: Sources, turn: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Held> {
  const entries = await from.entriesOf(path)
  const next = await nextCopy(from, turn, entries, signal)
  if (next === null) return unknown('no-record')
  const copied = await contentAtStart(from, next, path, signal)
  if (!isKnown(copied)) return copied
  await from.steps.load(startOf(turn), startOf(next), signal)
  const { held, events } = await withoutSeds(from, path, [...from.steps.events(path, startOf(turn), startOf(next))], copied, signal)
  let mayHaveMode = false
  let isSeen = false
  let isContradicted = false
  let takenBack = -1
  for (const event of events) {
    if (event.place.segment === takenBack) continue
    if (event.kind === 'edit') {
      // An edit that a rewind took back: before it, the file was what the rewind has brought back.
      const isGap = event.place.segment % 2 === 0
      if (!isGap || !event.step.before || compare(held, event.step.before) !== 'same') return unknown('no-record')
      takenBack = event.place.segment
      continue
    }
    if (event.kind === 'shell') {
      const effect = disturbs(event.shell, held, 'backward')
      if (effect === 'content') return unknown(reasonBehind(event.step))
      if (effect === 'mode') mayHaveMode = true
    } else {
      const verdict = await weigh(from.steps, held, event)
      if (verdict === 'different') isContradicted = true
      if (verdict === 'same' && event.place.segment === startOf(turn).segment) isSeen = true
    }
  }
  if (isContradicted) return unknown('records-disagree')
  const earlier = isSeen ? 'same' : await knownBefore(from, turn, path, held, entries, signal)
  if (earlier === 'different') return unknown('records-disagree')
  if (earlier === 'none' && held.content.state.kind !== 'absent') return unknown('no-record')
  return mayHaveMode ? withMode(held, null) : held
}

/** What is known of an earlier moment must agree, or somebody changed the file and nobody knows when. */
async function knownBefore(
  from: Sources,
  turn: number,
  path: WorkspacePath,
  held: Held,
  entries: readonly Entry[],
  signal: AbortSignal | undefined,
): Promise<'none' | 'same' | 'different'> {
  const last = entries.findLast((entry) => entry.turn < turn)
  const verdict = await lastObservation(from, turn, path, held, last?.turn ?? 0, signal)
  if (verdict === 'changed') return 'none'
  if (verdict !== 'none' || !last) return verdict
  const earlier = await from.backups.held(last.backup, signal)
  if (!isKnown(earlier)) return 'none'
  return isSameContent(earlier.content, held.content) ? 'same' : 'different'
}

/** The next turn that has a snapshot of its own with this path in it, unchanged or not. */
async function nextCopy(from: Sources, turn: number, entries: readonly Entry[], signal: AbortSignal | undefined): Promise<number | null> {
  const isTracked = (entries.findLast((entry) => entry.turn <= turn)?.backup.kind ?? 'failed') !== 'failed'
  const first = isTracked ? turn + 1 : entries.find((entry) => entry.turn > turn)?.turn
  if (first === undefined) return null
  throwIfAborted(signal)
  for (let at = first; at < from.steps.turns.length; at++) if (await from.snapshotOf(at)) return at
  return null
}

/**
 * The recorder only takes a file for unchanged when size and mode are the same. A recorded text of just that size in LF
 * form therefore is the file, byte for byte: no CRLF and no BOM would leave room for it.
 */
async function provenByRecord(from: Sources, early: Early, held: Held): Promise<Held | null> {
  const { state } = held.content
  if (state.kind !== 'file' || early.what.kind === 'absent' || early.what.lfBytes !== state.sizeBytes) return null
  const { event, what } = early
  const again = async (): Promise<Uint8Array> => {
    const call = (await from.steps.call(event.place, event.step.at))?.call
    return Buffer.from(call?.seen?.text ?? call?.edit?.before?.text ?? '')
  }
  const bytes = await again()
  return sha256(bytes) === what.hash ? ofBytes(bytes, state.mode, 'record', again) : null
}

/** Whether the backup under this name was written over by a later copy, so that it is no longer what this entry meant. */
async function isOverwritten({ steps, entriesAtHand }: Sources, turn: number, backup: Backup, path: WorkspacePath, signal: AbortSignal | undefined): Promise<boolean> {
  if (backup.kind !== 'stored') return false
  const isReused = entriesAtHand(path).some((other) => other.backup.kind === 'stored' && other.backup.backupName === backup.backupName && other.backup.backupAt > backup.backupAt)
  if (isReused) return true
  // A second writer that branched off before counts versions on its own, and may have used the same name later. A rewind is none:
  // what it set aside had ended before the live branch went on.
  for (const branch of steps.setAsideBefore(turn)) {
    const after = branch.after === null ? -1 : (steps.indexOf(branch.after) ?? -1)
    const wentOnAt = steps.turns[after + 1]?.startedAt ?? Infinity
    for (const dead of branch.turns) {
      throwIfAborted(signal)
      const digest = await steps.digest(dead)
      if (digest.endedAt > wentOnAt && digest.steps.some((step) => step.kind === 'edit' && step.path === path)) return true
    }
  }
  return false
}

/**
 * The recorder copies through links and never tells. A path that is a link now, or that a command shows to be one, has no
 * content of its own in the records.
 */
async function throughLink(from: Sources, turn: number, path: WorkspacePath, signal: AbortSignal | undefined): Promise<Held | null> {
  for (const { kind, place } of from.steps.linkSigns(path)) {
    const isBefore = place.segment < startOf(turn).segment
    if (kind === 'made' && isBefore && !isDeletedSince(from, place, turn, path)) return unknown('records-disagree')
    if (kind === 'replaced' && !isBefore && !isCreatedBefore(from, turn, path)) return unknown('records-disagree')
  }
  const target = await from.linkNow(path, signal)
  if (target === null) return null
  await from.steps.load(startOf(turn), endOf(from.steps.turns.length - 1), signal)
  for (const event of from.steps.events(path, startOf(turn), endOf(from.steps.turns.length))) {
    if (event.kind === 'shell' && disturbs(event.shell, absent('none'), 'backward') !== 'no') return unknown('records-disagree')
  }
  return link(target, 'disk')
}

function isDeletedSince(from: Sources, place: Place, turn: number, path: WorkspacePath): boolean {
  for (const event of from.steps.events(path, { ...place, step: place.step + 1 }, startOf(turn))) {
    if (event.kind === 'shell' && event.shell.kind === 'file' && event.shell.how === 'deleted' && event.shell.isCertain && event.step.isDone) return true
  }
  return false
}

/** Whether the agent itself made the file, so that it is a plain one. */
function isCreatedBefore(from: Sources, turn: number, path: WorkspacePath): boolean {
  for (const event of from.steps.eventsBefore(path, startOf(turn))) {
    if (event.kind === 'edit' && event.step.isSure && event.step.before?.kind === 'absent') return true
  }
  return false
}
