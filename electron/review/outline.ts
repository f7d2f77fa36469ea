import type { OperationId, PromptId } from '../../shared/ids.js'
import type { RecordedRewind, Turn } from '../../shared/session.js'
import type { Outline, OutlineRow } from '../../shared/timeline.js'
import type { Operation } from '../history/journal.js'
import type { SetAsideBranch } from '../sessions/recorded-session.js'

export interface OutlineSources {
  readonly revision: number
  readonly turns: readonly Turn[]
  readonly setAside: readonly SetAsideBranch[]
  readonly rewinds: readonly RecordedRewind[]
  /** All of ours, in the order in which they began. */
  readonly operations: readonly Operation[]
}

const shownPromptLength = 200

/** Every row of the timeline, in order, and where the disk stands among them. */
export function buildOutline(sources: OutlineSources): Outline {
  const { turns, revision } = sources
  const ended = sources.operations.filter((operation) => operation.end !== null)
  const effective = effectiveRewinds(ended, turns)
  const takenBack = takenBackBy(effective, turns)
  const gaps = gapRows(sources)
  const ours = operationRows(ended, turns)
  const rows: OutlineRow[] = [...(gaps.get(-1) ?? []), ...(turns.length > 0 ? (ours.get(-1) ?? []) : [])]
  const turnRows: number[] = []
  turns.forEach((turn, at) => {
    turnRows.push(rows.length)
    rows.push(turnRow(turn, at, takenBack.has(at)), ...(gaps.get(at) ?? []))
    if (at < turns.length - 1) rows.push(...(ours.get(at) ?? []))
  })
  rows.push({ kind: 'end' }, ...(ours.get(turns.length - 1) ?? []))
  const playhead = playheadOf(effective, turns, turnRows, rows.length)
  return { revision, rows, playhead, takenBack: turns.flatMap(({ promptId }, at) => (takenBack.has(at) ? [promptId] : [])) }
}

/** Rows by the turn that they follow; -1 is before the first. */
type RowsByTurn = ReadonlyMap<number, readonly OutlineRow[]>

function turnRow({ promptId, prompt, startedAt, hasSnapshot }: Turn, at: number, isTakenBack: boolean): OutlineRow {
  return { kind: 'turn', promptId, index: at + 1, prompt: prompt.slice(0, shownPromptLength), startedAt, hasSnapshot, isTakenBack }
}

/** What the agent's own rewinds left between turns. */
function gapRows({ turns, setAside, rewinds }: OutlineSources): RowsByTurn {
  const live = new Map(turns.map((turn, at) => [turn.promptId, at]))
  const placeOf = (promptId: PromptId | null): number => {
    if (promptId === null) return -1
    // A rewind may follow a turn that a later one set aside in its turn.
    const branch = setAside.find((each) => each.turns.some((turn) => turn.promptId === promptId))
    return branch ? placeOf(branch.after) : (live.get(promptId) ?? -1)
  }
  const rows = [
    ...setAside.filter((branch) => branch.turns.length > 0).map((branch) => ({ after: placeOf(branch.after), at: branch.turns[0]?.startedAt ?? 0, row: setAsideRow(branch) })),
    ...rewinds.map((rewind) => ({ after: placeOf(rewind.after), at: rewind.at, row: rewindRow(rewind, placeOf(rewind.after)) })),
  ]
  return groupByTurn(rows.sort((one, two) => one.at - two.at))
}

function groupByTurn(rows: readonly { readonly after: number; readonly row: OutlineRow }[]): RowsByTurn {
  const grouped = new Map<number, OutlineRow[]>()
  for (const { after, row } of rows) grouped.set(after, [...(grouped.get(after) ?? []), row])
  return grouped
}

function setAsideRow({ turns }: SetAsideBranch): OutlineRow {
  const folded = turns.map(({ promptId, prompt, startedAt }) => ({ promptId, prompt: prompt.slice(0, shownPromptLength), startedAt }))
  return { kind: 'set-aside', id: `set-aside ${folded[0]?.promptId ?? ''}`, turns: folded }
}

function rewindRow(rewind: RecordedRewind, after: number): OutlineRow {
  const dropped = rewind.dropped.length === 1 ? '1 turn' : `${rewind.dropped.length} turns`
  const files = rewind.restoresFiles === false ? '; files stayed as they were' : ''
  const label = `The agent went back to ${after < 0 ? 'the start' : `the end of turn ${after + 1}`}, ${dropped} set aside${files}`
  return { kind: 'agent-rewind', id: `rewind ${rewind.at} ${rewind.droppedFrom}`, at: rewind.at, label }
}

/** Our operations, each after the turn that was the newest when it began. */
function operationRows(operations: readonly Operation[], turns: readonly Turn[]): RowsByTurn {
  const rows = operations.flatMap((operation): readonly { readonly after: number; readonly row: OutlineRow }[] => {
    const { intent, action, end, changed } = operation
    if (!end) return []
    const isUndone = isUndoneIn(operations, operation)
    const row = { kind: 'operation', operationId: intent.id, action, at: intent.at, label: intent.label, files: changed.length, isUndone, outcome: end.outcome } as const
    return [{ after: turns.findLastIndex((turn) => turn.startedAt <= intent.at), row }]
  })
  return groupByTurn(rows)
}

const rootOf = ({ intent }: Operation): OperationId => (intent.subject.kind === 'undo' || intent.subject.kind === 'redo' ? intent.subject.root : intent.id)
const isWorking = ({ end, changed }: Operation): boolean => end !== null && end.outcome !== 'interrupted' && changed.length > 0

/** Whether the last word on an operation's chain of undos and redos is the opposite of what it did. */
function isUndoneIn(operations: readonly Operation[], operation: Operation): boolean {
  const chain = operations.filter((other) => rootOf(other) === rootOf(operation) && isWorking(other))
  const last = chain.at(-1)
  return last !== undefined && (last.action === 'undo') !== (operation.action === 'undo')
}

interface EffectiveRewind {
  readonly at: number
  /** Index of the target's turn, and whether the turn itself stays. */
  readonly turn: number
  readonly isEnd: boolean
}

/** Our rewinds that are not undone, oldest first; a redone one counts from its redo on. */
function effectiveRewinds(operations: readonly Operation[], turns: readonly Turn[]): readonly EffectiveRewind[] {
  const indexes = new Map(turns.map((turn, at) => [turn.promptId, at]))
  const rewinds = operations.flatMap((operation): readonly EffectiveRewind[] => {
    const { subject } = operation.intent
    if (subject.kind !== 'rewind' || !isWorking(operation) || isUndoneIn(operations, operation)) return []
    const turn = indexes.get(subject.target.promptId)
    const last = operations.filter((other) => rootOf(other) === operation.intent.id && isWorking(other)).at(-1)
    return turn === undefined ? [] : [{ at: last?.intent.at ?? operation.intent.at, turn, isEnd: subject.target.kind !== 'start' }]
  })
  return rewinds.sort((one, two) => one.at - two.at)
}

/** Turns whose effects our rewinds took back. What a rewind's target had still taken back stays so. */
function takenBackBy(rewinds: readonly EffectiveRewind[], turns: readonly Turn[]): ReadonlySet<number> {
  const last = rewinds.at(-1)
  if (!last) return new Set()
  const targetAt = turns[last.turn]?.startedAt ?? -Infinity
  const earlier = takenBackBy(rewinds.slice(0, -1).filter((rewind) => rewind.at <= targetAt), turns)
  const from = last.isEnd ? last.turn + 1 : last.turn
  return new Set([...earlier, ...turns.flatMap((turn, at) => (at >= from && turn.startedAt <= last.at ? [at] : []))])
}

/** Before the first turn that is not on the disk any more; at the end when the agent has gone on since. */
function playheadOf(rewinds: readonly EffectiveRewind[], turns: readonly Turn[], turnRows: readonly number[], end: number): number {
  const last = rewinds.at(-1)
  if (!last || (turns.at(-1)?.startedAt ?? -Infinity) > last.at) return end
  return turnRows[last.isEnd ? last.turn + 1 : last.turn] ?? end
}
