import { readFile, realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { WhyAnswer } from '../../shared/search.js'
import { decodeText, hardLimitBytes } from '../workspace/text-decoding.js'
import { movesBack, type FileMove, type MovesDeps, type TurnMove } from './file-moves.js'
import { comparable, hunkWith, lineOf, passageOf } from './line-passage.js'
import { byEdit, onlyEditWith, writerIn, type LineWriter } from './line-writer.js'
import { createLogScan } from './log-scan.js'
import { needleOf } from './needle.js'
import type { SearchWatch } from './searched-session.js'

/** Tells who wrote a line of a file. */
export interface WhyLine {
  /**
   * `file` absolute, `line` from 1, both as the disk has them now.
   * Errors: FILE_NOT_FOUND for a file or line that is not there, FILE_BINARY, FILE_OVERSIZED, FILE_UNREADABLE, CANCELLED.
   */
  why(file: string, line: number, watch?: SearchWatch): Promise<WhyAnswer>
}

export function createWhyLine(deps: MovesDeps): WhyLine {
  return {
    why: async (file, line, watch = {}) => {
      const { real, text } = await readText(file)
      const shown = lineOf(text, line - 1)
      if (shown === null) throw new ReviewError('FILE_NOT_FOUND', `The file has no line ${line}. Look at it again.`, { details: { line } })
      const scan = createLogScan(needleOf(basename(real)))
      let unreadable = 0
      const moves = movesBack(deps, real, scan, { ...watch, onUnreadable: () => unreadable++ })
      const answer = await new WayBack(deps, comparable(text), line - 1, shown, watch.signal).follow(moves)
      const isDoubted = answer.kind === 'not-recorded' && unreadable > 0
      return isDoubted ? { ...answer, reason: `${answer.reason} ${unreadable === 1 ? 'One session' : `${unreadable} sessions`} could not be read.` } : answer
    },
  }
}

async function readText(file: string): Promise<{ readonly real: string; readonly text: string }> {
  const real = await realpath(file).catch(() => null)
  const stats = real === null ? null : await stat(real).catch(() => null)
  if (real === null || !stats?.isFile()) throw new ReviewError('FILE_NOT_FOUND', 'There is no file of this name. Check the path.', { details: { file } })
  if (stats.size > hardLimitBytes) throw new ReviewError('FILE_OVERSIZED', 'The file is too large to be looked at line by line. Choose another one.')
  const bytes = await readFile(real).catch((cause: unknown) => {
    throw new ReviewError('FILE_UNREADABLE', 'The file may not be read by this user. Change its permissions.', { cause })
  })
  const decoded = decodeText(bytes)
  if (decoded.kind === 'binary') throw new ReviewError('FILE_BINARY', 'The file holds no text, so it has no lines. Choose another one.')
  return { real, text: decoded.text }
}

/** A search for older states that hold the line again, and what is to be answered where there is none. */
interface Seeking {
  /** `same`: the whole text is as it was; `holds`: a rewind of ours brought at least the line back. */
  readonly how: 'same' | 'holds'
  /** When the move began behind which the line came: a turn of another session that went on until then may have written it. */
  readonly since: number
  readonly otherwise: WhyAnswer
}

/** One line on its way back in time, from the disk through the known states of its file. */
class WayBack {
  private passed = 0
  /** The oldest move that the line is known to stand behind; `null` while only the disk holds it. */
  private newer: FileMove | null = null
  /** Moves since then whose texts are not known. */
  private readonly doubtful: FileMove[] = []
  private seeking: Seeking | null = null

  constructor(
    private readonly deps: MovesDeps,
    private text: string,
    private at: number,
    private readonly line: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async follow(moves: AsyncGenerator<FileMove, void, undefined>): Promise<WhyAnswer> {
    for await (const move of moves) {
      throwIfAborted(this.signal)
      const answer = await this.take(move)
      if (answer) return answer
    }
    if (this.seeking) return this.seeking.otherwise
    return this.byRecord(this.doubtful) ?? this.notRecorded(this.standsBefore())
  }

  private async take(move: FileMove): Promise<WhyAnswer | null> {
    if (this.seeking && !this.findAgain(move, this.seeking)) return null
    const { after, before } = move
    if (after !== null) {
      const gap = passageOf(after, this.text, this.at)
      if (gap.kind === 'changed') return this.cameAfter(move)
      this.step(after, gap.line)
    }
    if (before === null || (after === null && move.kind === 'operation')) {
      this.doubtful.push(move)
      return null
    }
    const passage = passageOf(before, this.text, this.at)
    if (passage.kind === 'kept') {
      if (move.kind === 'turn' && after !== before) this.passed++
      this.step(before, passage.line)
      this.newer = move
      return null
    }
    if (move.kind === 'operation') {
      this.seeking = { how: 'holds', since: move.at, otherwise: this.notRecorded(`It came back with a rewind of Overturn (${timeOf(move.at)}); who had written it before is not recorded.`) }
      return null
    }
    if (after === null) return this.byRecord([...this.doubtful, move]) ?? this.notRecorded(this.unclear(move))
    return this.written(move, await writerIn(move, this.at, this.deps.store), passage.before)
  }

  /** Goes on from a state of the move that holds the line again; false where none does. */
  private findAgain(move: FileMove, { how, since }: Seeking): boolean {
    const { after, before } = move
    const isEnough = how === 'holds' || (move.kind === 'turn' && move.endedAt > since)
    for (const state of [after, before]) {
      if (state === null || (!isEnough && state !== this.text)) continue
      const passage = passageOf(state, this.text, this.at)
      if (passage.kind === 'changed') continue
      this.seeking = null
      this.step(state, passage.line)
      if (state === after) return true
      // From its start on the move itself has no part in it.
      this.newer = move
      return false
    }
    return false
  }

  private step(text: string, line: number): void {
    this.text = text
    this.at = line
    this.doubtful.length = 0
  }

  /** The line is not in what a move left, but in what is known next. */
  private cameAfter(move: FileMove): WhyAnswer | null {
    const recorded = this.byRecord(this.doubtful)
    if (recorded) return recorded
    const isUnclear = this.doubtful.length > 0 || (move.kind === 'turn' && !move.isEndKnown)
    this.seeking = { how: 'same', since: move.at, otherwise: this.notRecorded(isUnclear ? this.unclear(move) : `Typed by you, or written by a program that no session shows, ${this.since(move)}.`) }
    return null
  }

  /** By the one edit of a stretch that is not known otherwise. */
  private byRecord(moves: readonly FileMove[]): WhyAnswer | null {
    const having = moves.flatMap((move) => {
      const edit = move.kind === 'operation' ? null : onlyEditWith(move, this.text, this.at)
      return edit && move.kind === 'turn' ? [{ move, edit }] : []
    })
    const [only] = having
    if (!only || having.length > 1) return null
    return this.written(only.move, byEdit(only.move, only.edit), null)
  }

  private written(move: TurnMove, { callId, at, cause }: LineWriter, before: string | null): WhyAnswer {
    const { session, turn, shown } = move
    if (cause === 'user') return this.notRecorded(`Typed by you, or written by a program that no session shows, during ${nameOf(move)}.`)
    if (cause === 'unknown') return this.notRecorded(`It came during ${nameOf(move)} or right after it; the records do not tell whether the agent, one of its commands or you wrote it.`)
    const { key, agent, client, title } = session.summary
    return {
      kind: 'written',
      session: key,
      agent,
      client,
      title,
      promptId: turn.promptId,
      turn: turn.index ?? 0,
      prompt: turn.prompt,
      at,
      callId,
      cause,
      hunk: shown && hunkWith(shown.before, shown.after, this.at),
      line: this.line,
      before,
      passed: this.passed,
    }
  }

  private notRecorded(reason: string): WhyAnswer {
    return { kind: 'not-recorded', line: this.line, reason }
  }

  private standsBefore(): string {
    const [first] = this.doubtful.slice(-1)
    if (first) return `The records do not tell what ${nameOf(first)} did to the file, so it may have written the line; nothing older is known.`
    if (!this.newer) return 'No session that is known here changed this file.'
    return `It stood there before ${nameOf(this.newer)}, the first that is known to have changed the file.`
  }

  private unclear(move: FileMove): string {
    return `It came ${this.since(move)}, and the records do not tell what happened to the file in that time.`
  }

  private since(move: FileMove): string {
    return this.newer ? `between ${nameOf(move)} and ${nameOf(this.newer)}` : `after ${nameOf(move)}`
  }
}

const shownTitle = 60

function nameOf(move: FileMove): string {
  if (move.kind === 'operation') return `a rewind of Overturn (${timeOf(move.at)})`
  const { title } = move.session.summary
  return `turn ${move.turn.index ?? '?'} of “${title.length > shownTitle ? `${title.slice(0, shownTitle - 1)}…` : title}” (${timeOf(move.at)})`
}

function timeOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
