import { decodeText } from '../workspace/text-decoding.js'
import type { ChangeCause, FileState } from '../../shared/file-state.js'
import type { LedgerMark } from '../sessions/recorded-session.js'
import { doneSed } from '../review/before-sed.js'
import { isNamed } from '../review/path-events.js'
import { isAgents } from '../review/ledger-contents.js'
import type { BackupStore } from '../history/backup-store.js'
import { placedCalls } from '../review/recorded-steps.js'
import type { TurnMove } from './file-moves.js'
import { bringsIn, bringsInAt, comparable, isOnlyOne, lineOf, passageOf } from './line-passage.js'
import { editsOf, type EditCall } from './turn-changes.js'

/** Which call of a turn wrote a line. `cause` is `user` where somebody typed it in the middle of the turn, `unknown` where nobody can tell. */
export interface LineWriter {
  readonly callId: string | null
  readonly at: number
  readonly cause: ChangeCause
}

/** The writer of a line that stands in what the turn ended with (`line` from 0), and not in what it began with. */
export async function writerIn(move: TurnMove, line: number, store: BackupStore): Promise<LineWriter> {
  const seen = await writerByLedger(move, line, store)
  if (seen) return seen
  const edit = editOnTheWay(move, line) ?? onlyEditWith(move, move.after ?? '', line)
  if (edit) return byEdit(move, edit)
  if (move.isShared) return { callId: null, at: move.at, cause: 'unknown' }
  const commands = move.events.flatMap((event) => (event.kind === 'shell' ? [event] : []))
  const named = commands.filter(({ shell }) => isNamed(shell) && shell.path === move.path)
  const candidates = named.length > 0 ? named : commands
  const [first] = candidates
  if (!first) return { callId: null, at: move.at, cause: move.cause }
  const isOne = candidates.every(({ step }) => step.at === first.step.at)
  const call = isOne ? placedCalls(move.entries)[first.step.at]?.call : undefined
  return { callId: call?.callId ?? null, at: call?.startedAt ?? move.at, cause: candidates.every((each) => doneSed(each)) ? 'sed' : 'command' }
}

/**
 * The one edit of a turn that brought in a line of `text`: by its place, where what the edit brought stands there just once, else by
 * its characters, where no other line has them. `null` for none or several.
 */
export function onlyEditWith(move: TurnMove, text: string, line: number): EditCall | null {
  const words = lineOf(text, line)
  if (words === null) return null
  const isAlone = isOnlyOne(text, words)
  const having = edits(move).filter(({ pieces }) => pieces.some((piece) => bringsInAt(piece, text, line) || (isAlone && bringsIn(piece, words))))
  return having.length === 1 ? (having[0] ?? null) : null
}

function edits({ entries, path, session }: TurnMove): readonly EditCall[] {
  return editsOf(entries, path, session.recorded.folder)
}

export function byEdit({ entries, at, events }: TurnMove, { callId }: EditCall): LineWriter {
  const entry = entries.find((each) => each.kind === 'call' && placedCalls([each]).some(({ call }) => call.callId === callId))
  const index = placedCalls(entries).findIndex(({ call }) => call.callId === callId)
  const step = events.find((event) => event.kind === 'edit' && event.step.at === index)
  return { callId, at: entry?.at ?? at, cause: step?.kind === 'edit' ? step.step.cause : 'edit' }
}

/** Follows the line back through the edits of the turn, where each of them holds both texts whole. */
function editOnTheWay(move: TurnMove, line: number): EditCall | null {
  let [text, at] = [move.after ?? '', line]
  for (const each of [...edits(move)].reverse()) {
    const { edit } = each
    if (!edit?.after?.isWhole || !(edit.isNewFile || edit.before?.isWhole)) return null
    const written = comparable(edit.after.text)
    for (const older of [written, comparable(edit.isNewFile ? '' : (edit.before?.text ?? ''))]) {
      const passage = passageOf(older, text, at)
      // Something else wrote it, between this edit and the later one.
      if (passage.kind === 'changed') return older === written ? null : each
      ;[text, at] = [older, passage.line]
    }
  }
  return null
}

/** What a ledger saw call by call; `null` where there is none, or where it does not hold all states. */
async function writerByLedger(move: TurnMove, line: number, store: BackupStore): Promise<LineWriter | null> {
  const pages = await move.session.recorded.ledger?.pages()
  if (!pages) return null
  const textOf = async (state: FileState): Promise<string | null> => {
    if (state.kind === 'absent') return ''
    if (state.kind !== 'file') return null
    const bytes = await (pages.read?.(state.sha256) ?? store.readBlob(state.sha256))
    const decoded = decodeText(bytes)
    return decoded.kind === 'text' ? comparable(decoded.text) : null
  }
  const marks = pages.ofPath(move.path).filter(({ promptId, isBeforeTurn, isFirstSight }) => promptId === move.turn.promptId && !isBeforeTurn && !isFirstSight)
  const lastOfAgent = marks.findLastIndex(isAgents)
  let [text, at] = [move.after ?? '', line]
  for (const mark of marks.slice(0, lastOfAgent + 1).reverse()) {
    const change = await pages.changeOf(mark, move.path)
    const after = await textOf(change.after)
    const before = await textOf(change.before)
    if (after !== text || before === null) return null
    const passage = passageOf(before, after, at)
    if (passage.kind === 'changed') return asWriter(mark)
    ;[text, at] = [before, passage.line]
  }
  return null
}

function asWriter({ callId, at, cause }: LedgerMark): LineWriter {
  return { callId, at, cause }
}
