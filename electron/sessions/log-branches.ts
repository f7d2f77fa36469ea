import type { LogIndex } from './log-index.js'
import { rootParent, treeless, unseenParent } from './record-index.js'
import { recordKind, type RecordKind } from './record-sniff.js'

/** A turn of the live branch: the chain from its prompt up to the next one. `from` and `to` are positions in the chain. */
export interface LiveTurn {
  /** Ordinal of the prompt in the log. */
  readonly prompt: number
  readonly from: number
  readonly to: number
  /** Every parent from the end of the log back to here is there; only then its snapshots count. */
  readonly isProven: boolean
  readonly hasSnapshot: boolean
}

/** Ordinals of prompts, oldest first, that a rewind or a second writer left behind. `after` is the live prompt before them. */
export interface DeadBranch {
  readonly after: number | null
  readonly prompts: readonly number[]
}

export interface BranchRewind {
  readonly at: number
  readonly dropped: readonly number[]
  readonly after: number | null
}

export interface Branches {
  /** Rows from the first record to the last of the live branch. */
  readonly chain: Int32Array
  readonly live: readonly LiveTurn[]
  readonly dead: readonly DeadBranch[]
  readonly rewinds: readonly BranchRewind[]
  /** Rows whose parent is missing, and rows at which parents go in a circle. */
  readonly gaps: readonly number[]
  readonly circles: readonly number[]
}

/**
 * The branches of a log in qwen-code's shape.
 *
 * The live branch begins at the last record of the talk in file order and follows the parents. Where a parent is missing, goes in a
 * circle, or a compression began anew, the record before in file order is taken for reading on, and all before it counts as
 * unproven; after a rewind that is not done, since it would bring back what was rewound: those turns are a dead branch.
 * Source: qwen-code 0.24.4 stops at a missing parent and shows nothing before it.
 */
export function findBranches(log: LogIndex): Branches {
  if (!log.sniffer.hasIds) return inFileOrder(log)
  const { chain, provenFrom, gaps, circles } = walkChain(log)
  const live = findTurns(log, chain, provenFrom)
  const isLive = new Uint8Array(log.prompts.length)
  for (const { prompt } of live) isLive[prompt] = 1
  return {
    chain,
    live,
    dead: findDead(log, isLive),
    rewinds: log.rewinds.flatMap(({ row, at }) => rewindAt(log, isLive, row, at)),
    gaps,
    circles,
  }
}

/** A log whose records name no parents: a rewind takes away the last prompts before it. */
function inFileOrder(log: LogIndex): Branches {
  const chain = new Int32Array(log.rows.count)
  // A loop: `from` takes twenty times as long, and a log may have millions of rows.
  for (let row = 0; row < chain.length; row++) chain[row] = row
  const rewinds = countedRewinds(log)
  const dead = new Set(rewinds.flatMap(({ dropped }) => dropped))
  const live = findTurns(log, chain, 0).filter(({ prompt }) => !dead.has(prompt))
  return { chain, live, dead: rewinds.map(({ dropped, after }) => ({ after, prompts: dropped })), rewinds, gaps: [], circles: [] }
}

/** What each rewind of a log without parents took back, of those that begin before an offset in the file. */
export function countedRewinds({ prompts, rewinds, rows }: LogIndex, before = Infinity): readonly BranchRewind[] {
  const live: number[] = []
  const found: { readonly at: number; readonly dropped: readonly number[] }[] = []
  let next = 0
  for (const { row, at, prompts: count = 0 } of rewinds) {
    if (rows.offsetOf(row) >= before) break
    for (; (prompts[next]?.row ?? Infinity) < row; next++) live.push(next)
    const dropped = live.splice(Math.max(0, live.length - count))
    if (dropped.length > 0) found.push({ at, dropped })
  }
  // A later one may have taken back what this one left.
  return found.map(({ at, dropped }) => ({ at, dropped, after: live.findLast((prompt) => prompt < (dropped[0] ?? 0)) ?? null }))
}

/** Prompts of a log without parents that count where only what stands before an offset does. */
export function promptsBefore(log: LogIndex, before: number): readonly number[] {
  const dead = new Set(countedRewinds(log, before).flatMap(({ dropped }) => dropped))
  return log.prompts.flatMap(({ row }, prompt) => (log.rows.offsetOf(row) < before && !dead.has(prompt) ? [prompt] : []))
}

interface Chain {
  readonly chain: Int32Array
  readonly provenFrom: number
  readonly gaps: readonly number[]
  readonly circles: readonly number[]
}

function walkChain({ rows, sniffer }: LogIndex): Chain {
  const isSeen = new Uint8Array(rows.count)
  const backwards = new Int32Array(rows.count)
  let length = 0
  let provenLength = -1
  const gaps: number[] = []
  const circles: number[] = []
  // Only ever lower, so that a log full of gaps is walked over once.
  let readOnFrom = rows.count - 1

  for (let row = lastOfTalk(readOnFrom, rows, isSeen); row >= 0; ) {
    isSeen[row] = 1
    backwards[length++] = row
    const parent = rows.parentOf(row)
    if (parent >= 0 && isSeen[parent] === 0) {
      row = parent
      continue
    }
    const before = lastOfTalk(Math.min(readOnFrom, row - 1), rows, isSeen)
    readOnFrom = before
    const kind = rows.kindOf(row)
    const isStart = before < 0 || kind === recordKind.rewind || (sniffer.rootsAreSure && kind !== recordKind.compression)
    if (parent === rootParent && isStart) break
    if (parent >= 0) circles.push(row)
    else gaps.push(row)
    if (provenLength < 0) provenLength = length
    if (kind === recordKind.rewind) break
    row = before
  }
  const chain = backwards.subarray(0, length).reverse()
  return { chain, provenFrom: provenLength < 0 ? 0 : length - provenLength, gaps, circles }
}

/** The last record of the talk at or before a row that was not walked over yet; -1 where none is left. */
function lastOfTalk(from: number, rows: LogIndex['rows'], isSeen: Uint8Array): number {
  for (let row = from; row >= 0; row--) {
    if (rows.parentOf(row) !== treeless && isSeen[row] === 0 && isOfTalk(rows.kindOf(row))) return row
  }
  return -1
}

function isOfTalk(kind: RecordKind): boolean {
  return kind !== recordKind.side && kind !== recordKind.unknown && kind !== recordKind.copies && kind !== recordKind.addedCopies
}

function findTurns(log: LogIndex, chain: Int32Array, provenFrom: number): readonly LiveTurn[] {
  const turns: LiveTurn[] = []
  const { rows, prompts } = log
  const copied = promptsWithCopies(log)
  let from = -1
  let hasSnapshot = false
  const close = (to: number): void => {
    const prompt = from < 0 ? -1 : rows.promptOf(chain[from] ?? 0)
    const isProven = from >= provenFrom
    if (prompts[prompt]) turns.push({ prompt, from, to, isProven, hasSnapshot: isProven && (hasSnapshot || copied.has(prompt)) })
  }
  for (let at = 0; at < chain.length; at++) {
    const kind = rows.kindOf(chain[at] ?? 0)
    if (kind === recordKind.prompt) {
      close(at)
      from = at
      hasSnapshot = false
    } else if (kind === recordKind.snapshot || kind === recordKind.snapshotDelta) {
      hasSnapshot = true
    }
  }
  close(chain.length)
  return turns
}

/** Prompts that snapshots name, where these are no part of the talk. */
function promptsWithCopies({ rows, prompts }: LogIndex): ReadonlySet<number> {
  const found = new Set<number>()
  for (let row = 0; row < rows.count; row++) {
    const kind = rows.kindOf(row)
    if (kind !== recordKind.copies && kind !== recordKind.addedCopies) continue
    const prompt = rows.promptOf(row)
    if (prompt >= 0 && prompts[prompt]?.row === rows.parentOf(row)) found.add(prompt)
  }
  return found
}

/** The prompt before a prompt, along the parents; -1 for a first one. */
function promptBefore({ rows, prompts }: LogIndex, prompt: number): number {
  const parent = rows.parentOf(prompts[prompt]?.row ?? -1)
  return parent >= 0 ? rows.promptOf(parent) : -1
}

function findDead(log: LogIndex, isLive: Uint8Array): readonly DeadBranch[] {
  const { prompts } = log
  const atStart = -1
  const none = -2
  // For a dead prompt that is in a branch already: the live prompt after which that one left.
  const leftAfter = new Int32Array(prompts.length).fill(none)
  const branches: DeadBranch[] = []
  for (let last = prompts.length - 1; last >= 0; last--) {
    if (isLive[last] === 1 || leftAfter[last] !== none) continue
    const found: number[] = []
    let at = last
    while (at >= 0 && isLive[at] === 0 && leftAfter[at] === none) {
      leftAfter[at] = atStart
      found.push(at)
      at = promptBefore(log, at)
    }
    const after = at < 0 ? atStart : isLive[at] === 1 ? at : (leftAfter[at] ?? atStart)
    for (const each of found) leftAfter[each] = after
    branches.push({ after: after < 0 ? null : after, prompts: found.reverse() })
  }
  return branches.reverse()
}

/**
 * What a rewind took away: the prompts from the record before it in the file back to its parent's. One that was itself set aside later
 * counts as well.
 */
function rewindAt(log: LogIndex, isLive: Uint8Array, row: number, at: number): readonly BranchRewind[] {
  const { rows } = log
  const parent = rows.parentOf(row)
  if (parent === unseenParent) return []
  const kept = parent >= 0 ? rows.promptOf(parent) : -1
  let before = row - 1
  while (before >= 0 && (rows.parentOf(before) === treeless || !isOfTalk(rows.kindOf(before)))) before--
  const dropped: number[] = []
  const seen = new Set<number>()
  for (let prompt = before < 0 ? -1 : rows.promptOf(before); prompt >= 0 && prompt !== kept && !seen.has(prompt); ) {
    seen.add(prompt)
    dropped.push(prompt)
    prompt = promptBefore(log, prompt)
  }
  let after = kept
  for (const passed = new Set<number>(); after >= 0 && isLive[after] === 0 && !passed.has(after); after = promptBefore(log, after)) passed.add(after)
  return dropped.length === 0 ? [] : [{ at, dropped: dropped.reverse(), after: after < 0 || isLive[after] === 0 ? null : after }]
}
