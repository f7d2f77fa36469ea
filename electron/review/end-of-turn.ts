import { ReviewError } from '../../shared/errors.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { RecordedEdit } from '../../shared/session.js'
import type { RecognisedSed } from '../edits/sed-command.js'
import { textInStyleOf } from '../history/three-texts.js'
import { absent, compare, isKnown, isSameContent, observeText, ofBytes, unknown, withMode, type Held, type Observation } from './held.js'
import { weigh } from './observations.js'
import { disturbs, endOf, startOf, startOfNext, type EditStep, type PathEvent } from './path-events.js'
import { reasonBehind } from './recorded-steps.js'
import { applyRecordedEdit, created, type Present } from './recorded-edit.js'
import type { ShellEffect } from '../shell/shell-effects.js'
import { contentAtStart, type Sources } from './start-of-turn.js'

/** The times of files and of log lines are not of one clock's reading. */
const clockMs = 100

/** How the end of a turn is known. `next`: from the start of the next turn, since the recorded steps do not lead there. */
export type EndedBy = 'ledger' | 'steps' | 'next' | 'disk' | 'nothing'

export interface Ended {
  readonly held: Held
  readonly by: EndedBy
  /** The last content that is known, where a later command may have changed it; `held` where that is known. */
  readonly lastKnown: Held
  /** A record did not fit to the one before: somebody else changed the file in the middle of the turn. */
  readonly isContradicted: boolean
}

/** Looks at the disk now; only the end of the last turn asks. `null` where no folder is attached. */
export type Disk = (path: WorkspacePath, isTextNeeded: boolean, signal: AbortSignal | undefined) => Promise<Held | null>

/** Keeps computed bytes for a while, so that they need not be computed again at once. */
export interface ByteCache {
  get(sha256: string): Uint8Array | undefined
  set(sha256: string, bytes: Uint8Array): void
}

/**
 * What a path was when a turn ended, before anybody else typed: the recorded steps applied to the known start, each held
 * against what the record says came out; where that fails, the next turn's start or the disk where they agree with the records.
 */
export async function contentAtEnd(from: Sources, turn: number, path: WorkspacePath, disk: Disk, cache: ByteCache, signal?: AbortSignal): Promise<Ended> {
  if (!from.hasSnapshots || turn < from.provenFrom) {
    const reason = unknown(from.hasSnapshots ? 'log-broken' : 'no-record')
    return nothing(reason, reason, false)
  }
  const { now, lastKnown, lastText, isComputed, isContradicted, unconfirmed } = await walkThrough(from, turn, path, cache, signal)
  const gap = [...from.steps.events(path, endOf(turn), startOfNext(turn))]
  const isGapQuiet = gap.every((event) => event.kind === 'seen' || (event.kind === 'shell' && disturbs(event.shell, now, 'forward') === 'no'))
  const ended = (held: Held, by: EndedBy): Ended => ({ held, by, lastKnown: held, isContradicted })

  if (turn === from.steps.turns.length - 1) {
    const isSettled = isKnown(now) && isGapQuiet
    if (isSettled && modeOf(now) !== null) return ended(now, 'steps')
    const onDisk = await disk(path, !isKnown(lastKnown), signal)
    if (isSettled) return ended(withModeOf(now, onDisk), 'steps')
    const proved = provedByDisk(onDisk, lastKnown, lastText)
    const written = proved ? null : await leftOnDisk(from, turn, path, now, disk, signal)
    if (proved || written) return ended(proved ?? written ?? now, 'disk')
    return nothing(isKnown(now) ? unknown('records-disagree') : now, lastKnown, isContradicted)
  }
  const next = isGapQuiet ? await contentAtStart(from, turn + 1, path, signal) : null
  if (isKnown(now)) {
    // The backup's bytes count more than what the steps make of line ends.
    const isSameText = next && isKnown(next) && next.textHash !== null && next.textHash === now.textHash && !isSameContent(next.content, now.content)
    if (isSameText && isComputed) return ended(next, 'next')
    // What was typed right after a command cannot be told from the command.
    const isDoubted = unconfirmed && next && isKnown(next) && !isSameContent(next.content, now.content)
    return isDoubted ? { ...ended(next, 'next'), isContradicted: true } : ended(withModeOf(now, next), 'steps')
  }
  if (next && isKnown(next) && (!lastText || compare(next, lastText) !== 'different')) return ended(next, 'next')
  const written = await leftOnDisk(from, turn, path, now, disk, signal)
  if (written) return ended(written, 'disk')
  return nothing(now, lastKnown, isContradicted)
}

/**
 * The disk as what the last command of the turn left that wrote the file: it was last written in that turn, before the command ended, and
 * nothing came later that could have put an older file in its place. `null` where that is not sure.
 */
async function leftOnDisk(from: Sources, turn: number, path: WorkspacePath, now: Held, disk: Disk, signal: AbortSignal | undefined): Promise<Held | null> {
  const writtenAt = from.writtenAt(path)
  if (isKnown(now) || writtenAt === null) return null
  await from.steps.load(startOf(turn), startOf(from.steps.turns.length), signal)
  const last = [...from.steps.events(path, startOf(turn), endOf(turn))].findLast((event) => event.kind === 'edit' || (event.kind === 'shell' && (event.shell.kind === 'unforeseen' || event.shell.how !== 'mode')))
  if (last?.kind !== 'shell' || last.shell.kind !== 'file' || last.shell.isTree || !last.shell.isNamed || !last.shell.isCertain || !last.step.isDone) return null
  if (last.shell.how === 'deleted' || last.shell.how === 'link') return null
  for (const event of from.steps.events(path, endOf(turn), startOf(from.steps.turns.length))) {
    if (event.kind === 'edit' || (event.kind === 'shell' && (event.shell.keepsMtime || event.shell.kind === 'file'))) return null
  }
  const call = (await from.steps.call(last.place, last.step.at))?.call
  const [startedAt, durationMs] = [call?.startedAt ?? null, call?.durationMs ?? null]
  const endedAt = startedAt === null || durationMs === null ? null : startedAt + durationMs
  const isOfCommand = endedAt !== null && writtenAt >= (from.steps.turns[turn]?.startedAt ?? Infinity) && writtenAt <= endedAt + clockMs
  const onDisk = isOfCommand ? await disk(path, false, signal) : null
  return onDisk && isKnown(onDisk) && onDisk.content.state.kind === 'file' ? { ...onDisk, source: 'disk' } : null
}

async function walkThrough(from: Sources, turn: number, path: WorkspacePath, cache: ByteCache, signal: AbortSignal | undefined): Promise<Walk> {
  const start = await contentAtStart(from, turn, path, signal)
  await from.steps.load(startOf(turn), startOfNext(turn), signal)
  const again = async (sha256: string): Promise<Uint8Array> => {
    const made = (await walkThrough(from, turn, path, cache, undefined)).made.get(sha256)
    if (!made) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
    return made
  }
  const walk = new Walk(from, start, cache, again)
  for (const event of from.steps.events(path, startOf(turn), endOf(turn))) await walk.take(event, signal)
  return walk
}

/** A mode that the steps do not tell (of a new file) is the one that was seen next, where the content is the same. */
function withModeOf(held: Held, seen: Held | null): Held {
  return seen && modeOf(held) === null && isSameContent(held.content, seen.content) ? withMode(held, modeOf(seen)) : held
}

function modeOf(held: Held): number | null {
  return held.content.state.kind === 'file' ? held.content.state.mode : 0
}

function nothing(held: Held, lastKnown: Held, isContradicted: boolean): Ended {
  return { held, by: 'nothing', lastKnown, isContradicted }
}

/** The disk proves the end where it is what the records saw last: nobody brings back just that by chance. */
function provedByDisk(onDisk: Held | null, lastKnown: Held, lastText: Observation | null): Held | null {
  if (!onDisk || !isKnown(onDisk)) return null
  if (isKnown(lastKnown)) return isSameContent(onDisk.content, lastKnown.content) ? { ...onDisk, source: 'disk' } : null
  return lastText?.kind === 'text' && compare(onDisk, lastText) === 'same' ? { ...onDisk, source: 'disk' } : null
}

/** One file on its way through a turn. */
class Walk {
  now: Held
  lastKnown: Held
  /** The last whole text that the records show of it, while nothing could have changed it since. */
  lastText: Observation | null = null
  isComputed = false
  isContradicted = false
  /** What was known before a sed of which no later record shows that it did what it should; `null` where there is none. */
  unconfirmed: Held | null = null
  /** Every content on the way, by hash. */
  readonly made = new Map<string, Uint8Array>()
  private bytes: Uint8Array | null = null
  /** `lastKnown` is what unproven edits most likely left just now. */
  private isSupposed = false

  constructor(
    private readonly from: Sources,
    start: Held,
    private readonly cache: ByteCache,
    private readonly again: (sha256: string) => Promise<Uint8Array>,
  ) {
    this.now = start
    this.lastKnown = start
  }

  async take(event: PathEvent, signal: AbortSignal | undefined): Promise<void> {
    if (event.kind === 'seen') {
      const verdict = await weigh(this.from.steps, this.now, event)
      if (verdict === 'different') this.contradict()
      if (verdict === 'same') this.unconfirmed = null
      this.lastText ??= event.step.what
    } else if (event.kind === 'edit') {
      await this.edit(event, signal)
      if (event.step.before || event.step.after) this.unconfirmed = null
      this.lastText = event.step.isSure ? event.step.after : null
    } else if (disturbs(event.shell, this.now, 'forward') === 'mode') {
      const bits = event.shell.kind === 'file' && event.shell.isCertain && event.step.isDone ? event.shell.mode : null
      this.become(withMode(this.now, bits), this.bytes)
    } else if (disturbs(event.shell, this.now, 'forward') === 'content') {
      await this.shell(event, signal)
    }
  }

  private async edit(event: PathEvent & { readonly step: EditStep }, signal: AbortSignal | undefined): Promise<void> {
    const { step } = event
    const isContradicted = step.before !== null && compare(this.now, step.before) === 'different'
    const edit = (await this.from.steps.call(event.place, step.at))?.call.edit
    if (!step.isSure || !edit) return this.become(unknown('no-record'))
    if (isContradicted) this.isContradicted = true
    if (edit.isNewFile && (!isKnown(this.now) || isContradicted)) return this.becomeFile(checkedNew(created(edit), step.after), null, 'record')
    if (isContradicted) return this.contradict()
    const { state } = this.now.content
    if (state.kind === 'absent') return this.becomeFile(applyRecordedEdit({ kind: 'absent' }, edit), null, 'record')
    if (this.isSupposed && (step.before === null || compare(this.lastKnown, step.before) !== 'different')) return this.suppose(this.lastKnown, edit, signal)
    if (state.kind !== 'file') return this.become(isKnown(this.now) ? unknown('no-record') : this.now)
    const before = this.now
    const bytes = this.bytes ?? (await before.content.read(signal))
    const after = applyRecordedEdit({ kind: 'file', bytes }, edit)
    this.becomeFile(after, state.mode, 'edit')
    if (!after) await this.suppose(before, edit, signal)
  }

  /**
   * Where records lose the bytes that an edit left, what it most likely left, in the style of the file before it, still tells the
   * agent's lines from typing, and the disk proves it where it holds just that.
   */
  private async suppose(before: Held, edit: RecordedEdit, signal: AbortSignal | undefined): Promise<void> {
    const { state } = before.content
    if (state.kind !== 'file') return
    const bytes = await before.content.read(signal)
    const made = applyRecordedEdit({ kind: 'file', bytes }, { ...edit, keepsBytes: true })
    const styled = !made && edit.after?.isWhole ? textInStyleOf(edit.after.text, { base: null, disk: bytes, target: null }) : null
    const after = made?.kind === 'file' ? made.bytes : styled
    if (!after) return this.become(unknown('records-disagree'))
    this.lastKnown = this.computed(after, state.mode, 'edit')
    this.isSupposed = true
  }

  private async shell(event: PathEvent & { readonly kind: 'shell' }, signal: AbortSignal | undefined): Promise<void> {
    this.lastText = null
    const { shell, step } = event
    if (shell.kind === 'unforeseen' || !shell.isCertain || !step.isDone) return this.become(unknown(reasonBehind(step)))
    const after = await this.afterEffect(shell, signal)
    if (shell.sed) this.unconfirmed ??= this.lastKnown
    else if (shell.how !== 'appended') this.unconfirmed = null
    if (!after) return this.become(unknown('changed-by-command'))
    const { state } = this.now.content
    this.becomeFile(after, state.kind === 'file' ? state.mode : null, 'command')
  }

  private async afterEffect(effect: ShellEffect, signal: AbortSignal | undefined): Promise<Present | null> {
    const { state } = this.now.content
    if (effect.how === 'deleted') return { kind: 'absent' }
    if (effect.how === 'touched') return state.kind === 'unknown' ? null : { kind: 'file', bytes: new Uint8Array() }
    if (effect.sed) return state.kind === 'file' ? this.afterSed(effect.sed, signal) : null
    if (effect.content === null || effect.isTree) return null
    const added = Buffer.from(effect.content)
    if (effect.how === 'written') return { kind: 'file', bytes: added }
    if (effect.how !== 'appended') return null
    if (state.kind === 'absent') return { kind: 'file', bytes: added }
    return state.kind === 'file' ? { kind: 'file', bytes: Buffer.concat([await this.now.content.read(signal), added]) } : null
  }

  private async afterSed(sed: RecognisedSed, signal: AbortSignal | undefined): Promise<Present | null> {
    const bytes = await this.from.sedOutcome(sed, this.bytes ?? (await this.now.content.read(signal)), signal)
    return bytes && { kind: 'file', bytes }
  }

  private becomeFile(after: Present | null, mode: number | null, source: 'edit' | 'record' | 'command'): void {
    if (!after) return this.become(unknown('records-disagree'))
    if (after.kind === 'absent') return this.become(absent(source))
    this.isComputed = true
    this.become(this.computed(after.bytes, mode, source), after.bytes)
  }

  private computed(bytes: Uint8Array, mode: number | null, source: 'edit' | 'record' | 'command'): Held {
    const { cache, again } = this
    const held: Held = ofBytes(bytes, mode, source, async () => cache.get(sha256) ?? again(sha256))
    const sha256 = held.content.state.kind === 'file' ? held.content.state.sha256 : ''
    cache.set(sha256, bytes)
    this.made.set(sha256, bytes)
    return held
  }

  private contradict(): void {
    this.isContradicted = true
    this.lastKnown = this.unconfirmed ?? this.lastKnown
    this.become(unknown('records-disagree'))
  }

  private become(held: Held, bytes: Uint8Array | null = null): void {
    this.now = held
    this.bytes = bytes
    this.isSupposed = false
    if (isKnown(held)) this.lastKnown = held
  }
}

function checkedNew(after: Present | null, recorded: Observation | null): Present | null {
  if (after?.kind !== 'file' || recorded?.kind !== 'text') return after
  const text = observeText(textOf(after.bytes))
  return text.kind === 'text' && text.hash === recorded.hash ? after : null
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes).replaceAll('\r\n', '\n')
}
